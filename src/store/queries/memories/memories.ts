/** Reads and changes memories of users. */
import { type Selectable, type SqlBool, sql } from "kysely";
import { type Principal, visibleOwner } from "../../../model/principal.ts";
import type {
  ChangedMemories,
  MemoryChange,
  MemoryPosition,
  MemoryQuery,
  MemoryStore,
} from "../../contract/memories.ts";
import type { Database } from "../../database.ts";
import type { MemoriesTable } from "../../rows/memory-tables.ts";
import { all, bind, run, type Transaction } from "../../transaction.ts";
import { jobSteps } from "../jobs/jobs.ts";
import { backgroundUsage } from "../usage/background.ts";
import { memorySteps, toMemory } from "./steps.ts";

/** Max memories that a filter of encrypted texts reads, and max memories that a listing counts. */
const maxScanned = 10_000;

/** Memories per read of such a filter. */
const scanned = 200;

type Row = Selectable<MemoriesTable>;

/** Makes the memory store of a database. */
export function memoryStore(database: Database): MemoryStore {
  const { db } = database.dialect;
  const steps = memorySteps(database);
  const jobs = jobSteps(database);
  const addUsage = backgroundUsage(database);

  /** Memories that the caller may see, of one user if given. A caller with an owner sees only its own, whatever user it names. */
  function visible(caller: Principal, userId: string | undefined) {
    const user = visibleOwner(caller) ?? userId;
    const rows = db.selectFrom("memories");
    return user === undefined ? rows : rows.where("user_id", "=", user);
  }

  /** The latest memories of a user until their texts exceed a size. Built once, because every run of a component with memory reads it. */
  const latest = sql<Row>`select m.* from memories m join (
      select key, sum(octet_length(body)) over (order by updated_at desc, key desc) as size from memories
        where user_id = ${""} order by updated_at desc, key desc limit ${0}
    ) as latest on latest.key = m.key where latest.size <= ${0} order by m.updated_at desc, m.key desc`.compile(db);

  type Rows = ReturnType<typeof visible>;
  type Order = Pick<MemoryQuery, "sortBy" | "descending">;

  /** Keys ascend in the order of creation. */
  function ordered(rows: Rows, { sortBy, descending }: Order) {
    const direction = descending ? "desc" : "asc";
    return sortBy === "createdAt"
      ? rows.orderBy("key", direction)
      : rows.orderBy("updated_at", direction).orderBy("key", direction);
  }

  function behind(rows: Rows, { sortBy, descending }: Order, { at, key }: MemoryPosition) {
    const sign = sql.raw(descending ? "<" : ">");
    return sortBy === "createdAt"
      ? rows.where(sql<SqlBool>`key ${sign} ${key}`)
      : rows.where(sql<SqlBool>`(updated_at, key) ${sign} (${at}, ${key})`);
  }

  const positionOf = ({ sortBy }: Order, row: Row): MemoryPosition => ({
    at: sortBy === "createdAt" ? row.created_at : row.updated_at,
    key: row.key,
  });

  async function countOf(rows: Rows): Promise<number> {
    const some = rows.select("key").limit(sql.lit(maxScanned)).as("some");
    const [count] = await database.read(db.selectFrom(some).select(sql<number>`count(*)`.as("total")).compile());
    return Number(count?.total ?? 0);
  }

  /** The rows that fit filters of texts, in order. */
  async function* matching(rows: Rows, query: MemoryQuery): AsyncGenerator<Row> {
    const fits = filterOf(query);
    let after: MemoryPosition | undefined;
    for (let left = maxScanned; left > 0; ) {
      const from = after ? behind(rows, query, after) : rows;
      const page = ordered(from, query).selectAll().limit(Math.min(scanned, left));
      const found = await database.read(page.compile());
      for (const row of found) if (fits(row)) yield row;
      const last = found.at(-1);
      if (last === undefined || found.length < scanned) return;
      after = positionOf(query, last);
      left -= found.length;
    }
  }

  function* remove(caller: Principal, ids: readonly string[], userId: string | undefined): Transaction<number> {
    const found = yield* all(visible(caller, userId).select(["id", "user_id"]).where("id", "in", ids));
    const users = [...new Set(found.map((row) => row.user_id))].sort();
    let deleted = 0;
    for (const user of users) {
      yield* steps.lock(user);
      const mine = found.filter((row) => row.user_id === user).map(({ id }) => id);
      deleted += yield* run(db.deleteFrom("memories").where("user_id", "=", user).where("id", "in", mine));
      yield* steps.count(user);
    }
    return deleted;
  }

  return {
    async list(caller, query) {
      const { limit, offset, after, userId } = query;
      const rows = visible(caller, userId);
      if (hasFilter(query)) {
        const page: Row[] = [];
        let total = 0;
        let isMore = false;
        for await (const row of matching(rows, query)) {
          total += 1;
          if (after ? !isBehind(query, row, after) : total <= offset) continue;
          if (page.length < limit) page.push(row);
          else isMore = true;
        }
        const last = page.at(-1);
        return { memories: page.map(toMemory), total, next: isMore && last ? positionOf(query, last) : undefined };
      }
      const from = after ? behind(rows, query, after) : rows;
      const page = ordered(from, query)
        .selectAll()
        .limit(limit + 1)
        .offset(after ? 0 : offset);
      const [found, total] = await Promise.all([database.read(page.compile()), countOf(rows)]);
      const shown = found.slice(0, limit);
      const last = shown.at(-1);
      const next = found.length > limit && last ? positionOf(query, last) : undefined;
      return { memories: shown.map(toMemory), total: Math.max(total, after ? 0 : offset + shown.length), next };
    },

    async find(caller, id) {
      const [row] = await database.read(visible(caller, undefined).selectAll().where("id", "=", id).compile());
      return row && toMemory(row);
    },

    async topics(caller, userId) {
      const order = { sortBy: "updatedAt", descending: true, limit: 0, offset: 0 } as const;
      const topics = new Set<string>();
      for await (const row of matching(visible(caller, userId), order))
        for (const topic of toMemory(row).topics) topics.add(topic);
      return [...topics];
    },

    async users(caller, { userId, limit, offset }) {
      const user = visibleOwner(caller) ?? userId;
      const rows = db.selectFrom("memory_users").where("memories", ">", 0);
      const some = user === undefined ? rows : rows.where("user_id", "=", user);
      const columns = ["user_id as userId", "memories", "updated_at as updatedAt"] as const;
      const page = some.select(columns).orderBy("updated_at", "desc").orderBy("user_id", "desc");
      const all = db.selectFrom(some.select("user_id").limit(sql.lit(maxScanned)).as("some"));
      const [users, counts] = await Promise.all([
        database.read(page.limit(limit).offset(offset).compile()),
        database.read(all.select(sql<number>`count(*)`.as("total")).compile()),
      ]);
      return { users, total: Math.max(Number(counts[0]?.total ?? 0), users.length > 0 ? offset + users.length : 0) };
    },

    async remove(caller, ids, userId) {
      // A caller without a user id is rejected before the transaction.
      visibleOwner(caller);
      return await database.write(() => remove(caller, ids, userId));
    },

    async latest(userId, limit, maxBytes) {
      const rows = await database.read(bind(latest, [userId, limit, maxBytes]));
      return rows.map(toMemory);
    },

    change: (userId, changes, { expected, usage } = {}) =>
      database.write(function* () {
        const stored = changes.length > 0 || expected ? yield* steps.lock(userId) : 0;
        const isStale = expected && !isStored(expected, yield* steps.revisions(userId));
        const changed = isStale ? undefined : yield* applied(userId, stored, changes);
        if (isStale) yield* steps.count(userId);
        if (usage) yield* addUsage(usage);
        return changed;
      }),

    finish: (job, end, result) =>
      database.write(function* () {
        const isChanged = result !== undefined && result.changes.length > 0;
        // The lock of the user's memories comes first, as everywhere.
        const stored = isChanged ? yield* steps.lock(result.userId) : 0;
        if (!(yield* jobs.finish(job, end))) {
          if (isChanged) yield* steps.count(result.userId);
          return false;
        }
        if (isChanged) yield* steps.apply(result.userId, stored, result.changes);
        for (const usage of result?.usage ?? []) yield* addUsage(usage);
        return true;
      }),
  };

  function* applied(userId: string, stored: number, changes: readonly MemoryChange[]): Transaction<ChangedMemories> {
    if (changes.length === 0) return { memories: [], deleted: 0, rejected: 0 };
    const { ids, ...counts } = yield* steps.apply(userId, stored, changes);
    return { ...counts, memories: yield* steps.read(userId, ids) };
  }

  function isBehind({ sortBy, descending }: Order, row: Row, { at, key }: MemoryPosition): boolean {
    const time = sortBy === "createdAt" ? 0 : row.updated_at - at;
    const distance = time === 0 ? row.key - key : time;
    return descending ? distance < 0 : distance > 0;
  }
}

function hasFilter({ agentId, teamId, topics = [], text }: MemoryQuery): boolean {
  return agentId !== undefined || teamId !== undefined || topics.length > 0 || text !== undefined;
}

/** The filters whose columns have no index, or are encrypted. */
function filterOf({ agentId, teamId, topics = [], text }: MemoryQuery): (row: Row) => boolean {
  const wanted = text?.toLowerCase();
  return (row) => {
    if (agentId !== undefined && row.agent_id !== agentId) return false;
    if (teamId !== undefined && row.team_id !== teamId) return false;
    if (wanted === undefined && topics.length === 0) return true;
    const found = toMemory(row);
    if (!topics.every((topic) => found.topics.includes(topic))) return false;
    return wanted === undefined || found.memory.toLowerCase().includes(wanted);
  };
}

function isStored(
  expected: readonly { readonly id: string; readonly revision: number }[],
  stored: readonly { readonly id: string; readonly revision: number }[],
): boolean {
  const revisions = new Map(stored.map(({ id, revision }) => [id, revision]));
  return expected.every(({ id, revision }) => revisions.get(id) === revision);
}
