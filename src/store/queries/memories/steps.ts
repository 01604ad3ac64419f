/** Steps of transactions that change memories of one user. */
import { type Selectable, sql } from "kysely";
import { type Memory, maxMemoriesPerUser } from "../../../model/memory.ts";
import type { MemoryChange, NewMemory } from "../../contract/memories.ts";
import type { Database } from "../../database.ts";
import { sealText } from "../../encryption/encryption.ts";
import type { MemoriesTable, MemoryUsersTable } from "../../rows/memory-tables.ts";
import { all, bind, first, run, type Transaction } from "../../transaction.ts";

/** Rows per insert. */
const maxRows = 100;

/** The memory of a row. */
export function toMemory(row: Selectable<MemoriesTable>): Memory {
  const { memory, topics } = JSON.parse(row.body) as Pick<Memory, "memory" | "topics">;
  return {
    ...{ id: row.id, userId: row.user_id, memory, topics, origin: row.origin },
    ...{ agentId: row.agent_id, teamId: row.team_id, runId: row.run_id, sessionId: row.session_id },
    ...{ revision: row.revision, createdAt: row.created_at, updatedAt: row.updated_at },
  };
}

/** The result of changes. */
interface Applied {
  /** Ids of the updated and added memories, each once. */
  readonly ids: readonly string[];
  readonly deleted: number;
  readonly rejected: number;
}

/** The steps. */
export interface MemorySteps {
  /** Locks the user's memories until the commit, and returns their number. */
  lock(userId: string): Transaction<number>;
  /** Ids and revisions of the user's memories. */
  revisions(userId: string): Transaction<readonly Pick<Memory, "id" | "revision">[]>;
  /** Applies changes. The user must be locked. @param stored the number of the user's memories */
  apply(userId: string, stored: number, changes: readonly MemoryChange[]): Transaction<Applied>;
  /** The user's memories with these ids, in their order. */
  read(userId: string, ids: readonly string[]): Transaction<readonly Memory[]>;
  /** Updates the row of a user after memories were deleted. The user must be locked. */
  count(userId: string): Transaction<void>;
}

/** Makes these steps for a database. */
export function memorySteps({
  dialect: { db, now },
  encryption,
}: Pick<Database, "dialect" | "encryption">): MemorySteps {
  const sealed = (id: string, memory: string, topics: readonly string[]): string =>
    sealText(encryption, "memories.body", [id], JSON.stringify({ memory, topics }));

  // Built once: every extraction uses them.
  const lock = sql<
    Pick<MemoryUsersTable, "memories">
  >`insert into memory_users (user_id, memories, updated_at) values (${""}, 0, 0)
    on conflict (user_id) do update set memories = memory_users.memories returning memories`.compile(db);
  const touch = sql`update memory_users set memories = ${0}, updated_at = ${now} where user_id = ${""}`.compile(db);

  const ofUser = (userId: string, id: string) =>
    db.selectFrom("memories").selectAll().where("id", "=", id).where("user_id", "=", userId);

  /** Returns the number of new memories. */
  function* add(userId: string, added: readonly NewMemory[]): Transaction<number> {
    let count = 0;
    for (let start = 0; start < added.length; start += maxRows) {
      const rows = added.slice(start, start + maxRows).map(({ id, memory, topics, ...source }) => ({
        ...{ id, user_id: userId, body: sealed(id, memory, topics), origin: source.origin },
        ...{ agent_id: source.agentId, team_id: source.teamId, run_id: source.runId, session_id: source.sessionId },
        ...{ revision: 1, created_at: now, updated_at: now },
      }));
      const insert = db.insertInto("memories").values(rows);
      count += yield* run(insert.onConflict((same) => same.column("id").doNothing()));
    }
    return count;
  }

  function* update(userId: string, change: MemoryChange & { readonly kind: "update" }): Transaction<boolean> {
    const row = yield* first(ofUser(userId, change.id));
    if (row === undefined) return false;
    const { memory, topics } = toMemory(row);
    const { source } = change;
    const changed = {
      body: sealed(change.id, change.memory ?? memory, change.topics ?? topics),
      ...{ revision: row.revision + 1, updated_at: now },
      ...(source && {
        ...{ origin: source.origin, agent_id: source.agentId, team_id: source.teamId },
        ...{ run_id: source.runId, session_id: source.sessionId },
      }),
    };
    yield* run(db.updateTable("memories").set(changed).where("key", "=", row.key));
    return true;
  }

  function* count(userId: string): Transaction<void> {
    const mine = db.selectFrom("memories").where("user_id", "=", userId);
    const sums = mine.select([sql<number>`count(*)`.as("memories"), sql<number>`max(updated_at)`.as("updated_at")]);
    const { memories, updated_at } = (yield* first(sums)) ?? { memories: 0, updated_at: 0 };
    const user = { memories: Number(memories), updated_at: Number(updated_at) };
    if (user.memories === 0) yield* run(db.deleteFrom("memory_users").where("user_id", "=", userId));
    else yield* run(db.updateTable("memory_users").set(user).where("user_id", "=", userId));
  }

  return {
    *lock(userId) {
      const row = yield* first({ compile: () => bind(lock, [userId]) });
      return Number(row?.memories ?? 0);
    },

    revisions: (userId) => all(db.selectFrom("memories").select(["id", "revision"]).where("user_id", "=", userId)),

    *apply(userId, stored, changes) {
      // Deletions first: they make room.
      const deletions = changes.flatMap((change) => (change.kind === "delete" ? [change.id] : []));
      const gone = db.deleteFrom("memories").where("user_id", "=", userId);
      const deleted = deletions.length > 0 ? yield* run(gone.where("id", "in", deletions)) : 0;
      const added = changes.filter((change) => change.kind === "add");
      const accepted = added.slice(0, Math.max(0, maxMemoriesPerUser - stored + deleted));
      const isNew = yield* add(userId, accepted);
      const updates = changes.filter((change) => change.kind === "update");
      let updated = 0;
      for (const change of updates) if (yield* update(userId, change)) updated += 1;
      // After a deletion, the latest change is that of another memory.
      if (isNew + updated > 0) yield* run({ compile: () => bind(touch, [stored - deleted + isNew, userId]) });
      else yield* count(userId);
      const ids = [...new Set([...updates, ...accepted].map(({ id }) => id))];
      return { ids, deleted, rejected: added.length - accepted.length };
    },

    *read(userId, ids) {
      if (ids.length === 0) return [];
      const mine = db.selectFrom("memories").selectAll().where("user_id", "=", userId);
      const byId = new Map((yield* all(mine.where("id", "in", ids))).map((row) => [row.id, row]));
      return ids.flatMap((id) => {
        const row = byId.get(id);
        return row ? [toMemory(row)] : [];
      });
    },

    count,
  };
}
