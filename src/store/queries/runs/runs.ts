/** Reads runs. */
import type { CompiledQuery, Expression, RawBuilder, SqlBool } from "kysely";
import { sql } from "kysely";
import { type Principal, visibleOwner, visibleSession } from "../../../model/principal.ts";
import type { WireRunStatus } from "../../../model/run/run.ts";
import type { ListedScope, LocatedRun, RunQuery, RunRow, Store } from "../../contract/store.ts";
import type { ReadableDatabase } from "../../database.ts";
import { comparedAfter, matchesIndex } from "../../rows/index-predicates.ts";
import { bind } from "../../transaction.ts";
import { isOneOf } from "../logs/heads.ts";

/** Run reads of the store. */
export type RunReads = Pick<
  Store,
  "findRun" | "locateRun" | "listRuns" | "listedBytes" | "listedRuns" | "memberRuns" | "sessionRuns"
>;

/** Max root runs whose members one statement reads. */
const maxKeys = 100;

/** A query of runs that can be restricted to one id. */
interface OfRun<Row> {
  where(column: "r.run_id", is: "=", runId: string): { compile(): CompiledQuery<Row> };
}

/** Splits the keys into batches that fit a statement. */
function* batches(keys: readonly number[]): Generator<readonly number[], void> {
  for (let start = 0; start < keys.length; start += maxKeys) yield keys.slice(start, start + maxKeys);
}

/** Makes these methods for a database. */
export function runReads(database: ReadableDatabase): RunReads {
  const { db, plain } = database.dialect;

  /** Base of every read of runs: restricts it to what the caller may see. A null caller skips the restriction: for code that got the keys from such a read. */
  function located(caller: Principal | null) {
    const query = db
      .selectFrom("runs as r")
      .innerJoin("run_heads as h", "h.run_key", "r.key")
      .innerJoin("sessions as s", "s.key", "r.session_key")
      .leftJoin("runs as p", "p.key", "r.parent_key")
      .select(["r.key", "r.run_id as runId", "r.root_key as rootKey", "r.parent_key as parentKey"])
      .select(["p.run_id as parentRunId", "r.kind", "r.component_id as componentId"])
      .select([
        "r.component_name as componentName",
        "r.session_key as sessionKey",
        "s.session_id as sessionId",
        "s.owner",
      ])
      .select(["r.session_seq as sessionSeq", "r.user_id as userId", "r.model"])
      .select(["r.model_provider as modelProvider", "r.created_at as createdAt", "h.status"])
      .select(["r.replaced_by as replacedBy", "r.tool_call_id as toolCallId"]);
    const owner = caller && visibleOwner(caller);
    const session = caller && visibleSession(caller);
    const own = owner === null ? query : query.where(comparedAfter("r.key", "s.owner"), "=", owner);
    return session === null ? own : own.where(comparedAfter("r.key", "s.session_id"), "=", session);
  }

  function visible(caller: Principal | null) {
    return located(caller).select(["r.input", "r.options", "r.output"]);
  }

  // Built once: every request for a run uses them, and every response reads its members.
  const anyOwner: Principal = { kind: "user", userId: null, isAdmin: false, scopes: [], owner: "" };
  function finder<Row extends { readonly sessionId: string }>(rows: (caller: Principal | null) => OfRun<Row>) {
    const byId = rows(null).where("r.run_id", "=", "").compile();
    const byOwnerAndId = rows(anyOwner).where("r.run_id", "=", "").compile();
    return async (caller: Principal, runId: string): Promise<Row | undefined> => {
      const owner = visibleOwner(caller);
      const [row] = await (owner === null
        ? database.read(bind(byId, [runId]))
        : database.read(bind(byOwnerAndId, [owner, runId])));
      const session = visibleSession(caller);
      return session === null || row?.sessionId === session ? row : undefined;
    };
  }
  const membersOf = (rootKeys: readonly number[]) =>
    visible(null)
      .where("r.root_key", "in", rootKeys)
      .where("r.parent_key", "is not", null)
      .orderBy("r.root_key")
      .orderBy("r.key")
      .compile();
  const membersOfOne = membersOf([0]);

  /** Keys of the sessions with an id that the caller may see: at most one, unless the caller sees several namespaces. */
  async function sessionsNamed(caller: Principal, sessionId: string): Promise<readonly number[]> {
    const owner = visibleOwner(caller);
    const all = db.selectFrom("sessions").select("key").where("session_id", "=", sessionId);
    const found = await database.read((owner === null ? all : all.where("owner", "=", owner)).compile());
    return found.map(({ key }) => key);
  }

  /** Runs of one listing, with one statement. */
  async function listOf(caller: Principal, request: RunQuery): Promise<readonly LocatedRun[]> {
    const { kind, componentId, sessionId, userId, statuses, createdAfter, createdBefore, limit, after } = request;
    const direction = request.descending ? "desc" : "asc";
    const comparison = sql.raw(request.descending ? "<" : ">");
    const sessions = sessionId === undefined ? undefined : await sessionsNamed(caller, sessionId);
    if (sessions?.length === 0) return [];
    // The query finds a session's runs by the session's index and unfinished runs by their own index, whatever the other filters are.
    const isOpen = statuses?.every((status) => openStatuses.includes(status));
    const isFew = sessions !== undefined || isOpen;
    let query = located(caller);
    // The index of unfinished root runs leads to their keys: without this condition no index of root runs can replace the primary key.
    if (sessions !== undefined || !isOpen) query = query.where("r.session_seq", "is not", null);
    const few = (column: string) => (sessions === undefined ? comparedAfter("h.run_key", column) : plain(column));
    if (isFew && !statuses?.every(isRare)) {
      query = query.where(few("r.kind"), "=", kind).where(few("r.component_id"), "=", componentId);
      if (userId !== undefined) query = query.where(few("r.user_id"), "=", userId);
    } else {
      query = query.where("r.kind", "=", kind).where("r.component_id", "=", componentId);
      if (userId !== undefined) query = query.where("r.user_id", "=", userId);
    }
    if (statuses !== undefined) query = query.where(hasStatus(statuses));
    if (createdAfter !== undefined) query = query.where("r.created_at", ">", createdAfter);
    if (createdBefore !== undefined) query = query.where("r.created_at", "<", createdBefore);
    if (limit !== undefined) query = query.limit(limit);
    if (sessions === undefined) {
      query = query.orderBy("r.created_at", direction).orderBy("r.key", direction);
      if (after)
        query = query.where(sql<boolean>`(r.created_at, r.key) ${comparison} (${after.createdAt}, ${after.key})`);
    } else {
      const [only = 0] = sessions;
      query =
        sessions.length === 1 ? query.where("r.session_key", "=", only) : query.where("r.session_key", "in", sessions);
      query = query.orderBy("r.session_key", direction).orderBy("r.session_seq", direction);
      const place = after && sql`(${after.sessionKey}, ${after.sessionSeq})`;
      if (place) query = query.where(sql<boolean>`(r.session_key, r.session_seq) ${comparison} ${place}`);
    }
    return database.read(query.compile());
  }

  return {
    findRun: finder(visible),
    locateRun: finder(located),

    async listRuns(caller, asked) {
      // A caller that is limited to one session uses that session's index.
      const request = { ...asked, sessionId: asked.sessionId ?? visibleSession(caller) ?? undefined };
      const parts = await Promise.all(
        rareParts(request.statuses).map((statuses) => listOf(caller, { ...request, statuses })),
      );
      const [only, ...others] = parts;
      if (only === undefined) return [];
      return others.length === 0 ? only : merged(parts, request);
    },

    async sessionRuns({ sessionKey, statuses, createdAfter, createdBefore, limit, after, descending }) {
      let query = located(null)
        .where("r.session_key", "=", sessionKey)
        .where("r.session_seq", "is not", null)
        .orderBy("r.session_seq", descending ? "desc" : "asc")
        .limit(limit);
      if (statuses !== undefined) query = query.where(hasStatusInSession(statuses));
      if (after !== undefined) query = query.where("r.session_seq", descending ? "<" : ">", after.sessionSeq);
      if (createdAfter !== undefined) query = query.where("r.created_at", ">", createdAfter);
      if (createdBefore !== undefined) query = query.where("r.created_at", "<", createdBefore);
      return database.read(query.compile());
    },

    async listedBytes(rootKeys, scope) {
      const bytes = new Map<number, number>();
      for (const keys of batches(rootKeys)) {
        for (const row of await database.read(bytesOf(keys, scope).compile(db))) bytes.set(row.key, Number(row.bytes));
      }
      return bytes;
    },

    async listedRuns(rootKeys, scope) {
      const brief = sql<string>`coalesce(r.brief, r.input)`.as("input");
      const rows: RunRow[] = [];
      for (const keys of batches(rootKeys)) {
        const read = () => located(null).select([brief, "r.options", "r.output"]);
        rows.push(...(await database.read(read().where("r.key", "in", keys).compile())));
        if (scope === "roots") continue;
        const members = read().where("r.root_key", "in", keys).where("r.parent_key", "is not", null);
        rows.push(...(await database.read(members.compile())));
      }
      // A member's key may be smaller than its root run's key, which another process assigned.
      return rows.sort((one, other) => one.rootKey - other.rootKey || depth(one) - depth(other) || one.key - other.key);
    },

    async memberRuns(rootKeys) {
      const [only] = rootKeys;
      if (rootKeys.length === 1) return database.read(bind(membersOfOne, [only]));
      const rows: RunRow[] = [];
      for (const keys of batches(rootKeys)) rows.push(...(await database.read(membersOf(keys))));
      return rows;
    },
  };
}

/**
 * Stored lengths of the texts: both databases know them without reading the texts. SQLite does so only where the argument is just a column, and it reads no page of a
 * large text because large columns are last.
 */
function bytesOf(keys: readonly number[], scope: ListedScope): RawBuilder<{ key: number; bytes: number }> {
  const roots = sql`${sql.join(keys)}`;
  const run = sql`octet_length(r.options) + coalesce(octet_length(r.output), 0) + coalesce(octet_length(r.brief), octet_length(r.input))`;
  const message = sql`coalesce(octet_length(m.brief), octet_length(m.body))`;
  const members = sql`
    union all select r.root_key, ${run} from runs r where r.root_key in (${roots}) and r.parent_key is not null
    union all select r.root_key, ${message} from runs r join messages m on m.run_key = r.key
      where r.root_key in (${roots}) and r.parent_key is not null`;
  return sql`select key, sum(bytes) as bytes from (
    select r.key as key, ${run} as bytes from runs r where r.key in (${roots})
    union all select m.run_key, ${message} from messages m where m.run_key in (${roots})
    ${scope === "members" ? members : sql``}) as stored group by key`;
}

/**
 * Splits a listing by rare statuses so that each uses its own index. A listing of completed runs scans the runs in order, because most runs
 * completed. So no listing scans all finished runs to find the few that are unfinished or failed.
 */
function rareParts(statuses: readonly WireRunStatus[] | undefined): readonly (readonly WireRunStatus[] | undefined)[] {
  if (statuses === undefined || statuses.includes("COMPLETED")) return [statuses];
  const open = statuses.filter((status) => openStatuses.includes(status));
  const others = statuses.filter((status) => !openStatuses.includes(status));
  return [...(open.length > 0 ? [open] : []), ...new Set(others)].map((part) =>
    typeof part === "string" ? [part] : part,
  );
}

/** Whether a status has its own index. */
function isRare(status: WireRunStatus): boolean {
  return status === "ERROR" || status === "CANCELLED" || status === "REGENERATED";
}

const openStatuses: readonly WireRunStatus[] = ["PENDING", "RUNNING", "PAUSED"];

/** Runs in one of the statuses as clients see them, for one part of a listing (see `rareParts`). */
function hasStatus(statuses: readonly WireRunStatus[]): Expression<SqlBool> {
  const stored = statuses.filter((status) => status !== "REGENERATED");
  const [first] = statuses;
  if (stored.length === 0) return sql<SqlBool>`r.replaced_by is not null`;
  if (statuses.length === 1 && first !== undefined && isRare(first))
    return sql<SqlBool>`r.replaced_by is null and r.failed_as is not null and r.failed_as = ${sql.lit(first)}`;
  const plain = sql<SqlBool>`r.replaced_by is null and ${isOneOf("h.status", stored)}`;
  if (stored.length < statuses.length) return sql<SqlBool>`(r.replaced_by is not null or ${plain})`;
  if (!stored.every((status) => openStatuses.includes(status))) return plain;
  return sql<SqlBool>`${plain} and r.key in (select o.run_key from run_heads o
    where ${matchesIndex("heads_open", "o")} and ${isOneOf("o.status", stored)})`;
}

/** The same for a session's runs, which are found by the session's index whatever their statuses are. */
function hasStatusInSession(statuses: readonly WireRunStatus[]): Expression<SqlBool> {
  const stored = statuses.filter((status) => status !== "REGENERATED");
  const standing = sql<SqlBool>`r.replaced_by is null and ${isOneOf("h.status", stored)}`;
  if (stored.length === statuses.length) return standing;
  return sql<SqlBool>`(r.replaced_by is not null${stored.length === 0 ? sql`` : sql` or ${standing}`})`;
}

/** Sorts root runs before their members. */
function depth({ parentKey }: LocatedRun): number {
  return parentKey === null ? 0 : 1;
}

/** Merges the parts of one listing in its order, up to its limit. */
function merged(parts: readonly (readonly LocatedRun[])[], request: RunQuery): readonly LocatedRun[] {
  const { sessionId, descending, limit } = request;
  const place = (run: LocatedRun): readonly [number, number] =>
    sessionId === undefined ? [run.createdAt, run.key] : [run.sessionKey, run.sessionSeq ?? 0];
  const sign = descending ? -1 : 1;
  const rows = parts.flat().sort((one, other) => {
    const [[a, b], [c, d]] = [place(one), place(other)];
    return sign * (a - c || b - d);
  });
  return limit === undefined ? rows : rows.slice(0, limit);
}
