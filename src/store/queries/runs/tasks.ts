/**
 * Lists runs by their last change. Finished runs come from an index in that order, unfinished runs from their own short index; a page merges both.
 * The number of rows that one page scans is bounded: a component with few runs among very many gets short pages, not slow ones.
 */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import { type Principal, visibleOwner, visibleSession } from "../../../model/principal.ts";
import { isTerminal, type RunStatus } from "../../../model/run/run.ts";
import {
  afterPrefix,
  artifactPrefix,
  exchangePrefix,
  type PauseMark,
  pauseName,
  pausePrefix,
  rejectedType,
} from "../../../model/run/run-marks.ts";
import type { TaskPosition, TaskQuery, TaskStore } from "../../contract/tasks.ts";
import type { Database } from "../../database.ts";
import { comparedAfter, matchesIndex } from "../../rows/index-predicates.ts";
import { isOneOf } from "../logs/heads.ts";

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

/** The way to the runs of a query: the order of their last changes, their session, or their component. */
type Way = "changes" | "session" | "component";

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

  /** Whether a head, named `h`, matches the query and is visible. The database begins where `way` says, whatever it expects of the other conditions. */
  function isWanted({ owner, session }: Visibility, { kind, componentId, sessionId }: TaskQuery, way: Way) {
    const isSeen = session === null ? sql`` : sql`and s.session_id = ${session}`;
    const ofOwner = owner === null ? isSeen : sql`and ${comparedAfter("r.key", "s.owner")} = ${owner} ${isSeen}`;
    const inSession = sessionId === undefined ? sql`` : sql`and s.session_id = ${sessionId}`;
    const isRoot = way === "changes" ? sql`` : sql`and r.session_seq is not null`;
    const begin = { changes: "h.run_key", session: "s.key", component: undefined }[way];
    const of = (column: string) => (begin === undefined ? sql.ref(column) : comparedAfter(begin, column));
    return sql<SqlBool>`${of("r.kind")} = ${kind} and ${of("r.component_id")} = ${componentId}
      ${isRoot} ${ofOwner} ${inSession}`;
  }

  /** A session leads to its few runs; otherwise the order of changes does. */
  function wayOf({ session }: Visibility, { sessionId }: TaskQuery): Way {
    return sessionId === undefined && session === null ? "changes" : "session";
  }

  /** Heads of root runs in one of the statuses, after a place in the order of changes and not before a time. */
  function heads(
    statuses: readonly RunStatus[],
    { since, awaited, rejected }: TaskQuery,
    after: TaskPosition | undefined,
    way: Way,
  ) {
    let query = db.selectFrom("run_heads as o").select(["o.run_key", "o.updated_at"]);
    if (way === "changes") {
      const index = statuses.some(isTerminal) ? "heads_over" : "heads_open";
      query = query.where(matchesIndex(index, "o")).where(isOneOf("o.status", statuses));
    } else {
      // The runs lead to their heads: no partial index has this condition, and the database expects it to match most heads.
      const others = [...openStatuses, ...finishedStatuses].filter((status) => !statuses.includes(status));
      query = query.where("o.session_seq", "is not", null);
      if (others.length > 0) query = query.where((eb) => eb.not(isOneOf("o.status", others)));
    }
    if (since !== undefined) query = query.where("o.updated_at", ">=", since);
    if (awaited !== undefined) {
      const [before, behind] = pauseName("|", "approval").split("|");
      query = query.where(hasMark(sql`${before} || cast(o.attempt as text) || ${behind}`, awaited === "approval"));
    }
    if (rejected !== undefined) query = query.where(hasMark(sql`${rejectedType}`, rejected));
    if (after === undefined) return query;
    return query.where(sql<SqlBool>`(o.updated_at, o.run_key) < (${after.updatedAt}, ${after.key})`);
  }

  /** Joins the tables that the query filters by. */
  function joined(from: ReturnType<typeof heads>) {
    return db
      .selectFrom(from.as("h"))
      .innerJoin("runs as r", "r.key", "h.run_key")
      .innerJoin("sessions as s", "s.key", "r.session_key");
  }

  async function open(visibility: Visibility, query: TaskQuery, limit: number, after: TaskPosition | undefined) {
    const statuses = openStatuses.filter((status) => query.statuses?.includes(status) ?? true);
    if (statuses.length === 0) return [];
    const way = wayOf(visibility, query);
    const rows = joined(heads(statuses, query, after, way)).where(isWanted(visibility, query, way));
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
    const way = wayOf(visibility, query);
    const isMatch = isWanted(visibility, query, way);
    const changed = heads(statuses, query, after, way);
    // For a session all runs are scanned: its own index finds them.
    if (way === "session") return { found: await read(joined(changed).where(isMatch), limit) };
    const inOrder = changed.orderBy("o.updated_at", "desc").orderBy("o.run_key", "desc");
    const found = await read(joined(inOrder.limit(sql.lit(maxScanned))).where(isMatch), limit);
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
      const countOf = async (some: readonly RunStatus[], way: Way): Promise<number> => {
        if (some.length === 0) return 0;
        const found = joined(heads(some, query, undefined, way)).where(isWanted(visibility, query, way));
        const rows = found.select("r.key").limit(most);
        const counted = db.selectFrom(rows.as("c")).select(db.fn.countAll().as("total"));
        const [row] = await database.read(counted.compile());
        return Number(row?.total ?? 0);
      };
      if (wayOf(visibility, query) === "session") return countOf(statuses, "session");
      const ended = statuses.filter(isTerminal);
      const open = statuses.filter((status) => !isTerminal(status));
      const totals = await Promise.all([countOf(open, "changes"), countOf(ended, "component")]);
      return Math.min(most, totals[0] + totals[1]);
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
