/**
 * Who executes which run. Locks go heads first, then sessions in key order, as in a flush: so a claim and a flush never wait for each
 * other in a circle, and a run's turn is looked at again once nothing in its session can change.
 */
import type { Compilable, Expression, RawBuilder, SqlBool } from "kysely";
import { sql } from "kysely";
import type { Database } from "./database.ts";
import { nextIndex } from "./heads.ts";
import type { ClaimedRun, ClaimRequest, Store } from "./seam.ts";
import type { Work } from "./work.ts";
import { all, run } from "./work.ts";

/** Rounds of a claim that others were always faster in. */
const mostRounds = 3;

interface Candidate {
  readonly key: number;
  readonly sessionKey: number;
}

interface Taken {
  readonly key: number;
  readonly attempt: number;
}

interface Round {
  readonly runs: readonly ClaimedRun[];
  /** Whether there were candidates, taken or not. */
  readonly hadCandidates: boolean;
}

type ClaimedRow = Omit<ClaimedRun, "cancelRequested"> & { readonly cancelRequested: number };

/** A root run whose turn may have come, as a partial index has it. */
const isReady = sql<SqlBool>`h.status = 'PENDING' and h.ready = 1 and h.session_seq is not null`;
const isRunning = sql<SqlBool>`h.status = 'RUNNING' and h.session_seq is not null`;

const isTurn = sql<SqlBool>`(h.policy = 'parallel' or h.cancel_requested = 1 or not exists (
  select 1 from run_heads o where o.session_key = h.session_key and o.status in ('PENDING', 'RUNNING')
    and o.session_seq is not null and o.run_key <> h.run_key and (o.status = 'RUNNING' or o.session_seq < h.session_seq)))`;

/** Makes it for an database. */
export function claims(database: Database): Pick<Store, "claim"> {
  const { db, now, locked, lockedOrSkipped } = database.dialect;
  /** Runs of a claim whose commit was not answered: they may be this process's own, and nobody executes them. */
  let doubtful: readonly Taken[] = [];

  /** Owners of RUNNING runs, one index probe each, that have no lease. */
  function* deadOwners(claimer: string): Work<readonly string[]> {
    const rows = yield* all(
      bound(sql<{ owner: string }>`
        with recursive owners(owner) as (
          select min(owner) from run_heads where status = 'RUNNING' and session_seq is not null
          union all
          select (select min(h.owner) from run_heads h where ${isRunning} and h.owner > owners.owner)
            from owners where owners.owner is not null
        )
        select owner from owners where owner is not null and owner <> ${claimer}
          and not exists (select 1 from processes p where p.id = owners.owner and p.lease_until >= ${now})`),
    );
    return rows.map((row) => row.owner);
  }

  function candidates(
    condition: Expression<SqlBool>,
    slots: number,
    key: number | undefined,
  ): Work<readonly Candidate[]> {
    let query = db
      .selectFrom("run_heads as h")
      .select(["h.run_key as key", "h.session_key as sessionKey"])
      .where(condition)
      .orderBy("h.run_key")
      .limit(slots)
      .modifyEnd(lockedOrSkipped);
    if (key !== undefined) query = query.where("h.run_key", "=", key);
    return all(query);
  }

  /** Takes runs; `sure` are those of an unanswered claim that were taken indeed. */
  function* round(request: ClaimRequest, sure: readonly number[], taken: Taken[]): Work<Round> {
    const { owner, key } = request;
    const slots = request.slots - sure.length;
    let orphans: readonly Candidate[] = [];
    if (request.orphans) {
      const dead = yield* deadOwners(owner);
      if (dead.length > 0) {
        const isOrphan = sql<SqlBool>`${isRunning} and h.owner in (${sql.join(dead)})`;
        orphans = slots > 0 ? yield* candidates(isOrphan, slots, key) : [];
      }
    }
    const left = slots - orphans.length;
    // A paused run is taken only to be cancelled, and only by name.
    const isCancelledPause = sql<SqlBool>`h.status = 'PAUSED' and h.cancel_requested = 1 and h.session_seq is not null`;
    const isWaiting =
      key === undefined
        ? sql<SqlBool>`${isReady} and ${isTurn}`
        : sql<SqlBool>`(${isReady} and ${isTurn} or ${isCancelledPause})`;
    const isFresh = sql<SqlBool>`h.attempt = 0`;
    const isBegun = sql<SqlBool>`h.attempt > 0`;
    const begun = left > 0 ? yield* candidates(sql<SqlBool>`${isWaiting} and ${isBegun}`, left, key) : [];
    const fresh = Math.min(left - begun.length, request.freshSlots ?? left);
    const unbegun = fresh > 0 ? yield* candidates(sql<SqlBool>`${isWaiting} and ${isFresh}`, fresh, key) : [];
    const waiting = [...begun, ...unbegun];
    const keys = [...orphans.map((run) => run.key), ...(yield* stillWaiting(waiting, isWaiting))];
    if (keys.length > 0) yield* take(keys, owner);
    const runs = keys.length + sure.length === 0 ? [] : yield* claimed([...sure, ...keys]);
    taken.splice(0, taken.length, ...runs);
    return { runs, hadCandidates: waiting.length > 0 };
  }

  function* take(keys: readonly number[], owner: string): Work<void> {
    yield* run(
      db
        .updateTable("run_heads as h")
        .set((eb) => ({
          stalled_takeovers: sql<number>`stalled_takeovers + case when status = 'RUNNING' then 1 else 0 end`,
          status: "RUNNING",
          owner,
          attempt: eb("attempt", "+", 1),
          updated_at: now,
        }))
        .where("run_key", "in", keys),
    );
  }

  /** Which runs in doubt this process has. Their locks are waited for: the commit that was not answered may still be under way. */
  function* confirm(runs: readonly Taken[], owner: string): Work<readonly number[]> {
    if (runs.length === 0) return [];
    const rows = yield* all(
      db
        .selectFrom("run_heads")
        .select(["run_key as key", "attempt", "owner", "status"])
        .where(
          "run_key",
          "in",
          runs.map((run) => run.key),
        )
        .orderBy("run_key")
        .modifyEnd(locked),
    );
    return rows
      .filter((row) => row.owner === owner && row.status === "RUNNING")
      .filter((row) => runs.some(({ key, attempt }) => key === row.key && attempt === row.attempt))
      .map((row) => row.key);
  }

  function* stillWaiting(waiting: readonly Candidate[], isWaiting: Expression<SqlBool>): Work<readonly number[]> {
    if (waiting.length === 0) return [];
    const sessionKeys = [...new Set(waiting.map((run) => run.sessionKey))];
    yield* all(
      db.selectFrom("sessions").select("key").where("key", "in", sessionKeys).orderBy("key").modifyEnd(locked),
    );
    const keys = waiting.map((run) => run.key);
    const rows = yield* all(
      db.selectFrom("run_heads as h").select("h.run_key as key").where("h.run_key", "in", keys).where(isWaiting),
    );
    return rows.map((row) => row.key);
  }

  function* claimed(keys: readonly number[]): Work<readonly ClaimedRun[]> {
    const rows: readonly ClaimedRow[] = yield* all(
      db
        .selectFrom("runs as r")
        .innerJoin("run_heads as h", "h.run_key", "r.key")
        .innerJoin("sessions as s", "s.key", "r.session_key")
        .select([
          "r.key",
          "r.run_id as runId",
          "r.kind",
          "r.component_id as componentId",
          "r.session_key as sessionKey",
        ])
        .select(["s.session_id as sessionId", "r.user_id as userId", "r.input", "r.options", "h.attempt"])
        .select(["r.created_at as createdAt", "h.cancel_requested as cancelRequested"])
        .select("h.stalled_takeovers as stalledTakeovers")
        .select(["s.state as sessionState", nextIndex("h").as("nextIndex")])
        .select((eb) => eb.ref("r.session_seq").$notNull().as("sessionSeq"))
        .select((eb) => eb.ref("r.definition_hash").$notNull().as("definitionHash"))
        .where("r.key", "in", keys)
        .orderBy("r.key"),
    );
    return rows.map((row) => {
      const nextIndex = Math.max(row.nextIndex, database.tails?.nextIndex(row.key) ?? 0);
      return { ...row, nextIndex, cancelRequested: row.cancelRequested !== 0 };
    });
  }

  function bound<O>(query: RawBuilder<O>): Compilable<O> {
    return { compile: () => query.compile(db) };
  }

  return {
    async claim(request) {
      if (request.slots <= 0) return [];
      // A claim by name is somebody's wish for that run only.
      const inDoubt = request.key === undefined ? doubtful : [];
      if (inDoubt.length > 0) doubtful = [];
      const taken: Taken[] = [];
      try {
        for (let rounds = 1; ; rounds++) {
          const { runs, hadCandidates } = await database.write(function* () {
            return yield* round(request, yield* confirm(inDoubt, request.owner), taken);
          });
          if (runs.length > 0 || !hadCandidates || rounds >= mostRounds) return runs;
        }
      } catch (error) {
        doubtful = [...doubtful, ...inDoubt, ...taken];
        throw error;
      }
    },
  };
}
