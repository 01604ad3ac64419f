/**
 * Lists runs by their last change. Finished runs come from an index in that order, unfinished runs from their own short index; a page merges both.
 * The number of rows that one page scans is bounded: a component with few runs among very many gets short pages, not slow ones.
 */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type Principal, visibleOwner, visibleSession } from "../../model/principal.ts";
import { isTerminal, type RunStatus } from "../../model/run.ts";
import {
  afterPrefix,
  artifactPrefix,
  exchangePrefix,
  type PauseMark,
  pauseName,
  pausePrefix,
  rejectedType,
} from "../../model/run-marks.ts";
import type { TaskPosition, TaskQuery, TaskStore } from "../contract/tasks.ts";
import type { Database } from "../database.ts";
import { isOneOf } from "./heads.ts";

/** Max finished runs, of any component, that one page scans. */
const maxScanned = 2_000;

const finishedStatuses = ["COMPLETED", "CANCELLED", "ERROR"] as const;
const openStatuses = ["PENDING", "RUNNING", "PAUSED"] as const;

/** The caller's visibility: one owner, one session, or everything. */
interface Visibility {
  readonly owner: string | null;
  readonly session: string | null;
}

function visibilityOf(caller: Principal): Visibility {
  return { owner: visibleOwner(caller), session: visibleSession(caller) };
}

interface Found extends TaskPosition {
  readonly runId: string;
}

/** Whether a head, named `o`, has a mark, or does not have it. */
function hasMark(name: RawBuilder<unknown>, isThere: boolean): RawBuilder<SqlBool> {
  const found = sql`exists (select 1 from marks as m where m.run_key = o.run_key and m.name = ${name})`;
  return isThere ? sql<SqlBool>`${found}` : sql<SqlBool>`not ${found}`;
}

/** Makes the task store of a database. */
export function taskStore(database: Database): TaskStore {
  const { db } = database.dialect;

  /** Whether a head, named `h`, matches the query and is visible. */
  function isWanted({ owner, session }: Visibility, { kind, componentId, sessionId }: TaskQuery) {
    const isSeen = session === null ? sql`` : sql`and s.session_id = ${session}`;
    const ofOwner = owner === null ? isSeen : sql`and s.owner = ${owner} ${isSeen}`;
    const inSession = sessionId === undefined ? sql`` : sql`and s.session_id = ${sessionId}`;
    return sql<SqlBool>`r.kind = ${kind} and r.component_id = ${componentId} ${ofOwner} ${inSession}`;
  }

  /** Heads of root runs in one of the statuses, after a place in the order of changes and not before a time. */
  function heads(
    statuses: readonly RunStatus[],
    { since, awaited, rejected }: TaskQuery,
    after: TaskPosition | undefined,
  ) {
    let query = db.selectFrom("run_heads as o").select(["o.run_key", "o.updated_at"]);
    query = query.where("o.session_seq", "is not", null).where(isOneOf("o.status", statuses));
    if (since !== undefined) query = query.where("o.updated_at", ">=", since);
    if (awaited !== undefined) {
      const [before, behind] = pauseName("|", "approval").split("|");
      query = query.where(hasMark(sql`${before} || cast(o.attempt as text) || ${behind}`, awaited === "approval"));
    }
    if (rejected !== undefined) query = query.where(hasMark(sql`${rejectedType}`, rejected));
    if (after === undefined) return query;
    return query.where(sql<SqlBool>`(o.updated_at, o.run_key) < (${after.updatedAt}, ${after.key})`);
  }

  /** Joins the tables that the query filters by. A given session leads to its few runs; otherwise the order of changes does. */
  function joined(from: ReturnType<typeof heads>) {
    return db
      .selectFrom(from.as("h"))
      .innerJoin("runs as r", "r.key", "h.run_key")
      .innerJoin("sessions as s", "s.key", "r.session_key");
  }

  async function open(visibility: Visibility, query: TaskQuery, limit: number, after: TaskPosition | undefined) {
    const statuses = openStatuses.filter((status) => query.statuses?.includes(status) ?? true);
    if (statuses.length === 0) return [];
    const rows = joined(heads(statuses, query, after)).where(isWanted(visibility, query));
    return await read(rows, limit);
  }

  async function read(rows: ReturnType<typeof joined>, limit: number): Promise<readonly Found[]> {
    const found = rows.select(["h.run_key as key", "h.updated_at as updatedAt", "r.run_id as runId"]);
    const ordered = found.orderBy("h.updated_at", "desc").orderBy("h.run_key", "desc").limit(limit);
    return await database.read(ordered.compile());
  }

  /** Finished runs, and the last scanned place if the scan stopped at its limit. */
  async function finished(visibility: Visibility, query: TaskQuery, limit: number, after: TaskPosition | undefined) {
    const statuses = finishedStatuses.filter((status) => query.statuses?.includes(status) ?? true);
    if (statuses.length === 0) return { found: [], last: undefined };
    const inOrder = heads(statuses, query, after).orderBy("o.updated_at", "desc").orderBy("o.run_key", "desc");
    // For a session all runs are scanned: its own index finds them.
    if (query.sessionId !== undefined || visibility.session !== null) {
      return { found: await read(joined(heads(statuses, query, after)).where(isWanted(visibility, query)), limit) };
    }
    const found = await read(joined(inOrder.limit(maxScanned)).where(isWanted(visibility, query)), limit);
    if (found.length === limit) return { found };
    const [last] = await database.read(
      db
        .selectFrom(
          inOrder
            .limit(1)
            .offset(maxScanned - 1)
            .as("l"),
        )
        .select(["l.run_key as key", "l.updated_at as updatedAt"])
        .compile(),
    );
    return { found, last };
  }

  async function marksOf(keys: readonly number[], prefix: string) {
    if (keys.length === 0) return [];
    const query = db
      .selectFrom("marks")
      .select(["run_key as key", "name", "created_at as at", "body"])
      .where("run_key", "in", keys)
      .where("name", ">=", prefix)
      .where("name", "<", afterPrefix(prefix));
    const rows = await database.read(query.compile());
    return rows.map((row) => ({ ...row, number: Number.parseInt(row.name.slice(prefix.length), 10) }));
  }

  /** Bodies of numbered marks, in order. */
  async function bodiesOf(keys: readonly number[], prefix: string): Promise<ReadonlyMap<number, readonly string[]>> {
    const marks = await marksOf(keys, prefix);
    marks.sort((one, other) => one.number - other.number);
    return new Map([...Map.groupBy(marks, ({ key }) => key)].map(([key, of]) => [key, of.map(({ body }) => body)]));
  }

  return {
    async list(caller, { limit, after, ...query }) {
      const visibility = visibilityOf(caller);
      const [stillOpen, ended] = await Promise.all([
        open(visibility, query, limit + 1, after),
        finished(visibility, query, limit + 1, after),
      ]);
      const reached = (position: TaskPosition): boolean =>
        ended.last === undefined || compare(position, ended.last) <= 0;
      const all = [...stillOpen, ...ended.found].filter(reached).sort(compare);
      const page = all.slice(0, limit);
      const last = page.at(-1);
      if (all.length > limit && last) return { tasks: page, next: { key: last.key, updatedAt: last.updatedAt } };
      return { tasks: page, next: ended.last ?? null };
    },

    async count(caller, query, most) {
      const visibility = visibilityOf(caller);
      const { statuses = [...openStatuses, ...finishedStatuses] } = query;
      if (statuses.length === 0) return 0;
      const rows = joined(heads(statuses, query, undefined))
        .where(isWanted(visibility, query))
        .select("r.key")
        .limit(most);
      const counted = db.selectFrom(rows.as("c")).select(db.fn.countAll().as("total"));
      const [row] = await database.read(counted.compile());
      return Number(row?.total ?? 0);
    },

    async changedAt(key) {
      const query = db.selectFrom("run_heads").select("updated_at").where("run_key", "=", key);
      const [row] = await database.read(query.compile());
      return row?.updated_at;
    },

    async changes(key) {
      const query = db.selectFrom("run_heads").select(["updated_at", "status"]).where("run_key", "=", key);
      const [[head], marks] = await Promise.all([database.read(query.compile()), marksOf([key], pausePrefix)]);
      const pauses = marks.map(({ at, body }) => ({ index: (JSON.parse(body) as PauseMark).index, at }));
      pauses.sort((one, other) => one.index - other.index);
      return { pauses, endedAt: head && isTerminal(head.status) ? head.updated_at : undefined };
    },

    exchanges: (keys) => bodiesOf(keys, exchangePrefix),
    artifacts: (keys) => bodiesOf(keys, artifactPrefix),
  };
}

/** Latest first. */
function compare(one: TaskPosition, other: TaskPosition): number {
  return other.updatedAt - one.updatedAt || other.key - one.key;
}
