/** Conditions and statements for the runs that a claim may take. */
import type { Compilable, Expression, RawBuilder, SqlBool } from "kysely";
import { sql } from "kysely";
import type { ClaimRequest } from "../../contract/store.ts";
import type { SqlDialect } from "../../dialect.ts";
import { matchesIndex } from "../../rows/index-predicates.ts";
import type { Transaction } from "../../transaction.ts";
import { all } from "../../transaction.ts";

/** A claimable run. */
export interface Candidate {
  readonly key: number;
  readonly sessionKey: number;
}

type Condition = Expression<SqlBool>;

/** A root run whose turn may have come. */
const isReady = matchesIndex("heads_ready", "h");

/** The same for runs that are found by their keys: no partial index has this predicate. The queue may be long. */
const isReadyByKey = sql<SqlBool>`h.status || '' = 'PENDING' and h.ready = 1 and h.session_seq is not null`;

/** The same for runs that another index than that of all ready runs finds. */
const isReadyAside = sql<SqlBool>`h.status = 'PENDING' and h.ready + 0 = 1 and h.session_seq is not null`;

const isTurn = sql<SqlBool>`(h.policy = 'parallel' or h.cancel_requested = 1 or not exists (
  select 1 from run_heads o where o.session_key = h.session_key and ${matchesIndex("heads_unfinished", "o")}
    and o.run_key <> h.run_key and (o.status = 'RUNNING' or o.session_seq < h.session_seq)))`;

// A paused run is claimed only to be cancelled, and only by key.
const isCancelledPause = sql<SqlBool>`h.status = 'PAUSED' and h.cancel_requested = 1 and h.session_seq is not null`;

/** RUNNING root runs. */
export const isRunning: Condition = matchesIndex("heads_running", "h");

/** Waiting runs that a claim request covers. `found`: how the query finds them, if not by the index of ready runs. */
export function isWaiting(request: ClaimRequest, found?: "by key" | "aside"): Condition {
  const { key, sessionKey } = request;
  if (key !== undefined)
    return sql<SqlBool>`h.run_key = ${key} and (${isReadyByKey} and ${isTurn} or ${isCancelledPause})`;
  const inSession = sessionKey === undefined ? sql`` : sql`and h.session_key = ${sessionKey}`;
  const aside = found === "aside" || sessionKey !== undefined ? isReadyAside : isReady;
  return sql<SqlBool>`${found === "by key" ? isReadyByKey : aside} ${inSession} and ${isTurn} and ${isForProcess(request)}`;
}

/** Runs that the requesting process executes. A claim by key only ends a run, which any process can do. */
export function isForProcess({
  key,
  components,
  background = true,
}: Pick<ClaimRequest, "key" | "components" | "background">): Condition {
  const waitedFor = background || key !== undefined ? sql<SqlBool>`1 = 1` : sql<SqlBool>`h.background = 0`;
  if (key !== undefined || components === undefined) return waitedFor;
  if (components.length === 0) return sql<SqlBool>`1 = 0`;
  const names = components.map(({ kind, id }) => `${kind}/${id}`);
  // Not `exists`: Postgres may turn it into a join that begins with all runs of the components.
  return sql<SqlBool>`(${waitedFor} and (
    select c.kind || '/' || c.component_id from runs c where c.key = h.run_key) in (${sql.join(names)}))`;
}

/** Candidates under a condition, oldest first, skipping rows that other processes have locked. */
export function candidates(
  { db, lockedOrSkipped }: SqlDialect,
  condition: Condition,
  slots: number,
): Transaction<readonly Candidate[]> {
  return all(
    db
      .selectFrom("run_heads as h")
      .select(["h.run_key as key", "h.session_key as sessionKey"])
      .where(condition)
      .orderBy("h.run_key")
      .limit(slots)
      .modifyEnd(lockedOrSkipped),
  );
}

/** Whether any run waits for its turn. Usually no run waits, and one index probe is cheaper than a search for each kind. */
export function* isAnyReady({ db }: SqlDialect): Transaction<boolean> {
  const ready = db.selectFrom("run_heads as h").select("h.run_key").where(isReady).limit(1);
  // Ordered like the index, so that Postgres uses it whatever its statistics are.
  return (yield* all(ready.orderBy("h.background").orderBy("h.user_id").orderBy("h.run_key"))).length > 0;
}

/** Owners of RUNNING runs that have no lease, found with one index probe per owner. */
export function* deadOwners({ db, now }: SqlDialect, claimer: string): Transaction<readonly string[]> {
  const rows = yield* all(
    compilable(
      db,
      sql<{ owner: string }>`
      with recursive owners(owner) as (
        select min(owner) from run_heads where ${matchesIndex("heads_running")}
        union all
        select (select min(h.owner) from run_heads h where ${isRunning} and h.owner > owners.owner)
          from owners where owners.owner is not null
      )
      select owner from owners where owner is not null and owner <> ${claimer}
        and not exists (select 1 from processes p where p.id = owners.owner and p.lease_until >= ${now})`,
    ),
  );
  return rows.map((row) => row.owner);
}

/** Waiting runs to claim first: runs that started before, then runs that a client waits for. */
export function urgentRuns(request: ClaimRequest): readonly Condition[] {
  return [
    sql<SqlBool>`${isWaiting(request, "aside")} and ${matchesIndex("heads_begun", "h")}`,
    sql<SqlBool>`${isWaiting(request)} and h.background = 0 and h.attempt = 0`,
  ];
}

/** Waiting runs that need a background slot. Without a literal: the index of the whole queue has that predicate. */
const needsBackgroundSlot = sql<SqlBool>`h.background = (select 1) and h.attempt = 0`;

/**
 * Background runs that never started. Users with waiting runs share the slots, so that the many runs of one user do
 * not delay the first run of the next user. Users after `after` come first; each is found with one index probe.
 */
export function* fairShare(
  { db }: SqlDialect,
  waiting: Condition,
  slots: number,
  after: string,
): Transaction<{ readonly keys: readonly number[]; readonly lastUser: string }> {
  const isFresh = sql<SqlBool>`${waiting} and ${needsBackgroundSlot}`;
  const users = yield* waitingUsers(db, sql<SqlBool>`${isFresh} and h.user_id > ${after}`, slots);
  if (users.length < slots) {
    const rest = sql<SqlBool>`${isFresh} and h.user_id <= ${after}`;
    users.push(...(yield* waitingUsers(db, rest, slots - users.length)));
  }
  if (users.length === 0) return { keys: [], lastUser: after };
  const base = Math.floor(slots / users.length);
  const extra = slots % users.length;
  const ofEach = users.map(
    (user, place) => sql`select key from (select h.run_key as key from run_heads h
      where ${isFresh} and h.user_id = ${user} order by h.run_key limit ${sql.lit(place < extra ? base + 1 : base)}) as share`,
  );
  const rows = yield* all(compilable(db, sql<{ key: number }>`${sql.join(ofEach, sql` union all `)}`));
  // If the slots do not divide evenly, some users get one run more; the last of these users had the last turn.
  return { keys: rows.map((row) => row.key), lastUser: users.at(extra - 1) ?? after };
}

function* waitingUsers(db: SqlDialect["db"], isFresh: Condition, limit: number): Transaction<string[]> {
  const next = (beyond: RawBuilder<unknown>): RawBuilder<unknown> =>
    sql`(select h.user_id from run_heads h where ${isFresh} ${beyond} order by h.user_id limit 1)`;
  const rows = yield* all(
    compilable(
      db,
      sql<{ user: string }>`
      with recursive waiting(user_id) as (
        select ${next(sql``)}
        union all
        select ${next(sql`and h.user_id > waiting.user_id`)} from waiting where waiting.user_id is not null
      )
      select user_id as "user" from waiting where user_id is not null limit ${sql.lit(limit)}`,
    ),
  );
  return rows.map((row) => row.user);
}

function compilable<O>(db: SqlDialect["db"], query: RawBuilder<O>): Compilable<O> {
  return { compile: () => query.compile(db) };
}
