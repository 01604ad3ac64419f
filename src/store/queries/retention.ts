/** Finds and removes old data. Each kind has an index in the order of removal, so a batch reads only rows that are due. */
import { type RawBuilder, type SqlBool, sql } from "kysely";
import type { RetainedKind } from "../../model/retention.ts";
import type {
  BoundaryRequest,
  RetentionBatch,
  RetentionPosition,
  RetentionRequest,
  RetentionStore,
} from "../contract/retention.ts";
import type { Database } from "../database.ts";
import { matchesIndex } from "../rows/index-predicates.ts";
import { all, first, run, type Transaction } from "../transaction.ts";
import { deletionSteps } from "./delete.ts";
import { evalRemoval } from "./evals.ts";
import { segmentRemoval } from "./logs/remove-segments.ts";
import { storedBytes } from "./logs/stored-bytes.ts";
import { memorySteps } from "./memories/steps.ts";
import { trialRemoval } from "./trials/removal.ts";

/** The place before everything. */
const beginning: RetentionPosition = { at: -1, key: -1 };

/** The place after everything. */
const end: RetentionPosition = { at: Number.MAX_SAFE_INTEGER, key: Number.MAX_SAFE_INTEGER };

/** Runs per page of the walk that adds up stored bytes. */
const walked = 2_000;

/** Runs per transaction that measures logs. */
const measured = 200;

/** Milliseconds after the deletion of a component in which a run may still be created with a version of it: by a process that does not know it yet, or whose clock is late. */
const startMargin = 600_000;

/** Results of evals per transaction. */
const maxResults = 200;

/** A due row, and its place. */
interface Due {
  readonly key: number | string;
  readonly at: number;
}

/** One kind of data. */
interface Removal {
  /** Selects due rows as `key` and `at`, in the order of removal. */
  find(before: number, after: RetentionPosition, limit: number): RawBuilder<Due>;
  /** Removes the rows that `find` selected and locked. `isPartial`: the batch reached its bound, and some rows are left. */
  remove(keys: readonly never[], before: number): Transaction<Removed>;
  /** Rows that `find` scans although they are not due. */
  isDue?: (row: never) => boolean;
}

type Removed = Pick<RetentionBatch, "items" | "events" | "bytes"> & { readonly isPartial?: boolean };

/** The result of a page of the walk that adds up stored bytes. */
type Walked =
  | { readonly exceeds: RetentionPosition }
  | { readonly bytes: number; readonly last: RetentionPosition }
  | "measured"
  | "end";

const nothing: Removed = { items: 0, events: 0, bytes: 0 };

/** Makes the retention store of a database. */
export function retentionStore(database: Database): RetentionStore {
  const { db, now, lockedOrSkipped, lazyCommit } = database.dialect;
  const { deleteRuns, deleteEmptySession } = deletionSteps(database);
  const removeSegments = segmentRemoval(database);
  const memory = memorySteps(database);
  const removeEvals = evalRemoval(database);
  const { someOfExperiment } = trialRemoval(database);

  /** A push notification or a message for a webhook is still to be built from the run's events. */
  const awaitsPush = sql<SqlBool>`(exists (select 1 from push_targets p where p.run_key = h.run_key and p.due_at is not null)
    or exists (select 1 from webhook_deliveries w where w.run_key = h.run_key and w.state = 'pending'))`;
  /** A run of the session is unfinished: it may read the messages of earlier runs when it goes on. */
  const isNeeded = sql<SqlBool>`(exists (select 1 from run_heads u where u.session_key = h.session_key and ${matchesIndex("heads_unfinished", "u")})
    or exists (select 1 from run_heads w where w.session_key = h.session_key and ${matchesIndex("heads_paused", "w")}))`;

  /** Root runs that ended before a time, by their end. */
  function endedRuns(index: "heads_kept" | "heads_over", keep: RawBuilder<SqlBool>): Removal["find"] {
    return (
      before,
      { at, key },
      limit,
    ) => sql<Due>`select h.run_key as key, h.updated_at as at, h.counted from run_heads h
      where ${matchesIndex(index, "h")} and h.updated_at < ${before} and (h.updated_at, h.run_key) > (${at}, ${key}) and not ${keep}
      order by h.updated_at, h.run_key limit ${limit}`;
  }

  const events: Removal = {
    find: endedRuns("heads_kept", awaitsPush),
    // The usage of a run is derived from its events.
    isDue: ({ counted }: { readonly counted: number }) => counted === 1,
    remove: (keys: readonly number[]) => removeSegments(keys),
  };

  const runs: Removal = {
    find: endedRuns("heads_over", sql<SqlBool>`(${awaitsPush} or ${isNeeded})`),
    *remove(keys: readonly number[]) {
      const removed = yield* removeSegments(keys);
      if (removed.cleared.length > 0) yield* deleteRuns(removed.cleared);
      return removed;
    },
  };

  /** In the order of creation, because an index by the last change would cost every flush. `find` also scans sessions that stay. */
  const sessions: Removal = {
    find: (before, { at, key }, limit) => sql<Due>`select s.key, s.created_at as at,
      case when s.updated_at < ${before} and not exists (select 1 from runs r where r.session_key = s.key and r.session_seq is not null)
        then 1 else 0 end as due
      from sessions s where s.created_at < ${before} and (s.created_at, s.key) > (${at}, ${key})
      order by s.created_at, s.key limit ${limit}`,
    isDue: ({ due }: { readonly due: number }) => due === 1,
    *remove(keys: readonly number[], before) {
      let items = 0;
      for (const key of [...keys].sort((a, b) => a - b)) {
        const session = db.selectFrom("sessions").select("key").where("key", "=", key).where("updated_at", "<", before);
        if ((yield* first(session.modifyEnd(lockedOrSkipped))) === undefined) continue;
        if (yield* deleteEmptySession(key)) items += 1;
      }
      return { ...nothing, items };
    },
  };

  const scheduleRecords: Removal = {
    find: (before, { at, key }, limit) => sql<Due>`select f.id as key, f.completed_at as at from schedule_fires f
      where ${matchesIndex("schedule_fires_ended", "f")} and f.completed_at < ${before}
        and (f.completed_at, f.id) > (${at}, ${String(key)}) order by f.completed_at, f.id limit ${limit}`,
    *remove(keys: readonly string[]) {
      const fires = db.selectFrom("schedule_fires").where("id", "in", keys);
      const found = yield* all(fires.select("schedule_id").distinct());
      const ids = found.map(({ schedule_id }) => schedule_id);
      if (ids.length === 0) return nothing;
      // A change of a fire locks its schedule first, as everywhere.
      const schedules = db.selectFrom("schedules").select("id").where("id", "in", ids).orderBy("id");
      yield* all(schedules.modifyEnd(database.dialect.locked));
      const ended = db.deleteFrom("schedule_fires").where("id", "in", keys).where(matchesIndex("schedule_fires_ended"));
      const removed = yield* all(ended.returning("schedule_id"));
      for (const id of ids) {
        const count = removed.filter(({ schedule_id }) => schedule_id === id).length;
        const records = sql<number>`records - ${count}`;
        if (count > 0) yield* run(db.updateTable("schedules").set({ records }).where("id", "=", id));
      }
      return { ...nothing, items: removed.length };
    },
  };

  const idempotencyKeys: Removal = {
    find: (before, { at, key }, limit) => sql<Due>`select digest as key, created_at as at from starts
      where created_at < ${before} and (created_at, digest) > (${at}, ${String(key)})
      order by created_at, digest limit ${limit}`,
    *remove(keys: readonly string[], before) {
      const old = db.deleteFrom("starts").where("digest", "in", keys).where("created_at", "<", before);
      return { ...nothing, items: yield* run(old) };
    },
  };

  const traces: Removal = {
    find: (before, { at, key }, limit) => sql<Due>`select run_key as key, started_at as at from traces
      where started_at < ${before} and (started_at, run_key) > (${at}, ${key}) order by started_at, run_key limit ${limit}`,
    *remove(keys: readonly number[]) {
      return { ...nothing, items: yield* run(db.deleteFrom("traces").where("run_key", "in", keys)) };
    },
  };

  const webhookDeliveries: Removal = {
    find: (before, { at, key }, limit) => sql<Due>`select d.key, d.created_at as at from webhook_deliveries d
      where ${matchesIndex("webhook_deliveries_ended", "d")} and d.created_at < ${before} and (d.created_at, d.key) > (${at}, ${key})
      order by d.created_at, d.key limit ${limit}`,
    *remove(keys: readonly number[]) {
      const ended = db.deleteFrom("webhook_deliveries").where("key", "in", keys);
      return { ...nothing, items: yield* run(ended.where(matchesIndex("webhook_deliveries_ended"))) };
    },
  };

  const memories: Removal = {
    find: (before, { at, key }, limit) => sql<Due>`select m.key, m.updated_at as at from memories m
      where m.updated_at < ${before} and (m.updated_at, m.key) > (${at}, ${key}) order by m.updated_at, m.key limit ${limit}`,
    *remove(keys: readonly number[], before) {
      const rows = db.selectFrom("memories").select("user_id").distinct().where("key", "in", keys).orderBy("user_id");
      const users = yield* all(rows);
      for (const { user_id } of users) yield* memory.lock(user_id);
      const old = db.deleteFrom("memories").where("key", "in", keys).where("updated_at", "<", before);
      const items = yield* run(old);
      for (const { user_id } of users) yield* memory.count(user_id);
      return { ...nothing, items };
    },
  };

  const learnings: Removal = {
    find: (before, { at, key }, limit) => sql<Due>`select learning_id as key, updated_at as at from learnings
      where updated_at < ${before} and (updated_at, learning_id) > (${at}, ${String(key)})
      order by updated_at, learning_id limit ${limit}`,
    *remove(keys: readonly string[], before) {
      const old = db.deleteFrom("learnings").where("learning_id", "in", keys).where("updated_at", "<", before);
      return { ...nothing, items: yield* run(old) };
    },
  };

  /** In the order of creation, because no index has the ends. `find` also scans those that stay. */
  function ended(table: "eval_runs" | "experiments", end: "updated_at" | "ended_at"): Removal["find"] {
    const isOver = sql`status in ('COMPLETED', 'FAILED', 'CANCELLED', 'completed', 'failed', 'cancelled')`;
    return (before, { key }, limit) => sql<Due>`select e.key, e.at, e.due from
      (select key, created_at as at, case when ${isOver} and ${sql.ref(end)} < ${before} then 1 else 0 end as due
        from ${sql.table(table)} where key > ${Number(key)} order by key limit ${limit}) as e
      where e.at < ${before} order by e.key`;
  }

  const evals: Removal = {
    find: ended("eval_runs", "updated_at"),
    isDue: ({ due }: { readonly due: number }) => due === 1,
    *remove(keys: readonly number[]) {
      const rows = db.selectFrom("eval_runs").select(["key", "id", "total"]).where("key", "in", keys).orderBy("key");
      let [items, iterations] = [0, 0];
      for (const one of yield* all(rows)) {
        if (iterations >= maxResults) return { ...nothing, items, isPartial: true };
        items += yield* removeEvals([one]);
        iterations += one.total;
      }
      return { ...nothing, items };
    },
  };

  const experiments: Removal = {
    find: ended("experiments", "ended_at"),
    isDue: ({ due }: { readonly due: number }) => due === 1,
    *remove(keys: readonly number[]) {
      let items = 0;
      const rows = db.selectFrom("experiments").select("id").where("key", "in", keys).orderBy("key");
      for (const { id } of yield* all(rows)) {
        // A batch removes the results of one experiment at most.
        if (yield* someOfExperiment(id)) return { ...nothing, items, isPartial: true };
        items += 1;
      }
      return { ...nothing, items };
    },
  };

  const removals: Readonly<Record<RetainedKind, Removal>> = {
    ...{ events, traces, runs, sessions, scheduleRecords, idempotencyKeys, webhookDeliveries },
    ...{ memories, learnings, evals, experiments },
  };

  /** The clock is read first: Postgres uses no index to compare a column with a volatile function. */
  function* timeBefore(age: number): Transaction<number> {
    const time = yield* first(db.selectNoFrom(now.as("at")));
    return Number(time?.at) - age;
  }

  function* remove(
    kind: RetainedKind,
    { age, until = end, limit, after = beginning }: RetentionRequest,
  ): Transaction<RetentionBatch> {
    // If a crash takes the removal back, the next sweep repeats it.
    if (lazyCommit) yield lazyCommit.compile(db);
    const before = Math.min(yield* timeBefore(age), until.at + 1);
    const { find, remove: removeKeys, isDue = () => true } = removals[kind];
    const locked = kind === "events" || kind === "runs" ? lockedOrSkipped : sql``;
    const query = sql<Due>`${find(before, after, limit)} ${locked}`;
    const rows = yield* all({ compile: () => query.compile(db) });
    const keys = rows.filter((row) => isDue(row as never) && isWithin(row, until)).map(({ key }) => key);
    const { isPartial, ...removed } = keys.length === 0 ? nothing : yield* removeKeys(keys as never[], before);
    return { ...pick(removed), next: isPartial ? after : placeAfter(rows, limit) };
  }

  function* removeExpired(limit: number): Transaction<number> {
    if (lazyCommit) yield lazyCommit.compile(db);
    const expired = db.selectFrom("cached_responses").select("digest");
    const due = expired
      .where("expires_at", "<", yield* timeBefore(0))
      .orderBy("expires_at")
      .limit(limit);
    // A locked row is being replaced, or removed by another process.
    const digests = (yield* all(due.modifyEnd(lockedOrSkipped))).map(({ digest }) => digest);
    if (digests.length === 0) return 0;
    return yield* run(db.deleteFrom("cached_responses").where("digest", "in", digests));
  }

  function* removeVersions({ age, limit }: Pick<RetentionRequest, "age" | "limit">): Transaction<number> {
    if (lazyCommit) yield lazyCommit.compile(db);
    const deleted = db.selectFrom("components as c").select(["c.id", "c.deleted_at"]);
    const due = deleted
      .where("c.deleted_at", "<", yield* timeBefore(age))
      .where(sql<SqlBool>`exists (select 1 from component_versions v where v.component_id = c.id)`)
      .orderBy("c.deleted_at")
      .limit(limit);
    // A locked component is being created again.
    const rows = yield* all(due.modifyEnd(lockedOrSkipped));
    const [firstDeleted] = rows;
    if (firstDeleted === undefined) return 0;
    // Not a join: it could begin with all runs.
    const createdAt = sql<number>`(select r.created_at from runs r where r.key = h.run_key)`;
    const unfinished = db.selectFrom("run_heads as h").where(matchesIndex("heads_open", "h"));
    // An old run has one of the smallest keys. Not always the smallest: each process takes keys in blocks.
    const blocking = unfinished
      .select("h.run_key")
      .where(sql<SqlBool>`${createdAt} <= ${Number(firstDeleted.deleted_at) + startMargin}`)
      .orderBy("h.run_key")
      .limit(1);
    if ((yield* first(blocking)) !== undefined) return 0;
    const oldest = yield* first(unfinished.select(sql<number | null>`min(${createdAt})`.as("at")));
    const begin = Number(oldest?.at ?? Number.MAX_SAFE_INTEGER);
    const ids = rows.filter(({ deleted_at }) => Number(deleted_at) + startMargin < begin).map(({ id }) => id);
    return ids.length === 0 ? 0 : yield* run(db.deleteFrom("component_versions").where("component_id", "in", ids));
  }

  async function preview(
    kind: RetainedKind,
    { age, until = end, limit, after = beginning }: RetentionRequest,
  ): Promise<RetentionBatch> {
    const before = Math.min(await database.write(() => timeBefore(age)), until.at + 1);
    const { find, isDue = () => true } = removals[kind];
    const rows = await database.read(find(before, after, limit).compile(db));
    const keys = rows.filter((row) => isDue(row as never) && isWithin(row, until)).map(({ key }) => key);
    const next = placeAfter(rows, limit);
    if (keys.length === 0 || (kind !== "events" && kind !== "runs")) return { ...nothing, items: keys.length, next };
    const segments = db.selectFrom("segments").where("run_key", "in", keys as number[]);
    const sums = segments.select([
      sql<number>`coalesce(sum(last_index - first_index + 1), 0)`.as("events"),
      sql<number>`coalesce(sum(size), 0)`.as("bytes"),
    ]);
    const [sum] = await database.read(sums.compile());
    return { items: keys.length, events: Number(sum?.events ?? 0), bytes: Number(sum?.bytes ?? 0), next };
  }

  /** The compacted logs of ended runs before a place, the newest first. */
  function before({ at, key }: RetentionPosition) {
    return db
      .selectFrom("run_heads as h")
      .where(matchesIndex("heads_kept", "h"))
      .where(sql<SqlBool>`(h.updated_at, h.run_key) < (${at}, ${key})`);
  }

  async function boundary({
    maxBytes,
    inTurn = (page) => page(),
    isPreview = false,
  }: BoundaryRequest): Promise<RetentionPosition | undefined> {
    let from = end;
    for (let total = 0; ; ) {
      const page = await inTurn(() => readPage(from, maxBytes - total, isPreview));
      if (page === "end") return undefined;
      if (page === "measured") continue;
      if ("exceeds" in page) return page.exceeds;
      total += page.bytes;
      from = page.last;
    }
  }

  /**
   * Adds up the logs of a page, from the index alone. If they exceed the rest of the bound, it returns the place of the first log that does.
   * `measured`: some sizes were not known, and are stored now.
   */
  async function readPage(from: RetentionPosition, rest: number, isPreview: boolean): Promise<Walked> {
    const rows = before(from).orderBy("h.updated_at", "desc").orderBy("h.run_key", "desc");
    const place = rows.select(["h.updated_at as at", "h.run_key as key"]);
    const [last] = await database.read(
      place
        .limit(1)
        .offset(walked - 1)
        .compile(),
    );
    const within = (query: typeof rows) =>
      last === undefined ? query : query.where(sql<SqlBool>`(h.updated_at, h.run_key) >= (${last.at}, ${last.key})`);
    const sums = within(before(from)).select([
      sql<number | null>`sum(h.log_bytes)`.as("bytes"),
      sql<number>`count(*) - count(h.log_bytes)`.as("unknown"),
    ]);
    const [sum] = await database.read(sums.compile());
    const isKnown = Number(sum?.unknown ?? 0) === 0;
    if (!isKnown && !isPreview) {
      await database.write(() => measure(within(before(from))));
      return "measured";
    }
    const bytes = Number(sum?.bytes ?? 0);
    if (isKnown && bytes <= rest) return last ? { bytes, last } : "end";
    const sizes = within(rows).select(["h.updated_at as at", "h.run_key as key"]);
    const size = sql<number>`coalesce(h.log_bytes, ${storedBytes("h.run_key")})`.as("bytes");
    let total = 0;
    for (const row of await database.read(sizes.select(size).compile())) {
      total += Number(row.bytes);
      if (total > rest) return { exceeds: { at: row.at, key: row.key } };
    }
    return last ? { bytes: total, last } : "end";
  }

  /** Stores sizes that are not known yet, of some logs. */
  function* measure(rows: ReturnType<typeof before>): Transaction<void> {
    const unknown = rows.select("h.run_key").where("h.log_bytes", "is", null).limit(measured);
    const sizes = db.updateTable("run_heads").set({ log_bytes: storedBytes("run_heads.run_key") });
    yield* run(sizes.where("run_key", "in", unknown));
  }

  return {
    boundary,
    now: () => database.write(() => timeBefore(0)),
    remove: (kind, request) => database.write(() => remove(kind, request)),
    removeVersions: (request) => database.write(() => removeVersions(request)),
    removeExpired: (limit) => database.write(() => removeExpired(limit)),
    preview,
    returnSpace: async () => (await database.returnSpace?.()) ?? false,
    ...(database.rewrite ? { rewrite: () => database.rewrite?.() ?? Promise.resolve() } : {}),
  };
}

function pick({ items, events, bytes }: Removed): Removed {
  return { items, events, bytes };
}

/** Whether a row is at a place or before it. */
function isWithin({ at, key }: Due, until: RetentionPosition): boolean {
  return Number(at) < until.at || (Number(at) === until.at && key <= until.key);
}

function placeAfter(rows: readonly Due[], limit: number): RetentionPosition | undefined {
  const last = rows.at(-1);
  return last && rows.length >= limit ? { at: Number(last.at), key: last.key } : undefined;
}
