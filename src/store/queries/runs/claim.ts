/**
 * Claims runs for execution. Locks are acquired on heads first, then on sessions in key order, as in a flush. So a
 * claim and a flush never deadlock. With the session locked, the claim checks the run's turn again.
 */
import type { SqlBool } from "kysely";
import { sql } from "kysely";
import type { ClaimedRun, ClaimRequest, Store } from "../../contract/store.ts";
import type { Database } from "../../database.ts";
import { matchesIndex } from "../../rows/index-predicates.ts";
import type { Transaction } from "../../transaction.ts";
import { all, run } from "../../transaction.ts";
import { nextIndex } from "../logs/heads.ts";
import {
  type Candidate,
  candidates,
  deadOwners,
  fairShare,
  isAnyReady,
  isForProcess,
  isRunning,
  isWaiting,
  urgentRuns,
} from "./claimable.ts";

/** Max rounds of a claim while other processes claim all candidates first. */
const maxRounds = 3;

interface TakenRun {
  readonly key: number;
  readonly attempt: number;
}

interface Round {
  readonly runs: readonly ClaimedRun[];
  /** Whether there were candidates, claimed or not. */
  readonly hadCandidates: boolean;
}

type ClaimedRow = Omit<ClaimedRun, "cancelRequested" | "background"> & {
  readonly cancelRequested: number;
  readonly background: number;
};

/** Makes the claims of a database. */
export function claimQueries(database: Database): Pick<Store, "claim" | "unhostedRuns" | "countQueued" | "queue"> {
  const { dialect } = database;
  const { db, now, locked } = dialect;
  /** Runs of a claim with unknown outcome: they may belong to this process without being executed. The latest attempt of each. */
  const uncertain = new Map<number, TakenRun>();
  /** User whose run was claimed last: the next user has the next turn. */
  let lastUser = "";

  /** Claims runs. `sure` are runs from a claim with unknown outcome that did succeed. */
  function* round(request: ClaimRequest, sure: readonly number[], taken: TakenRun[]): Transaction<Round> {
    const slots = request.slots - sure.length;
    const orphans = request.orphans && slots > 0 ? yield* orphaned(request, slots) : [];
    const { waiting, missed } = yield* waitingRuns(request, slots - orphans.length);
    const keys = [...orphans.map((run) => run.key), ...(yield* stillWaiting(waiting, request))];
    if (keys.length > 0) yield* assign(keys, request.owner);
    const runs = keys.length + sure.length === 0 ? [] : yield* readClaimed([...sure, ...keys]);
    taken.splice(0, taken.length, ...runs);
    return { runs, hadCandidates: waiting.length > 0 || missed };
  }

  function* orphaned(request: ClaimRequest, slots: number): Transaction<readonly Candidate[]> {
    const paced = typeof request.orphans === "object" ? request.orphans : { fresh: slots, stalled: slots };
    if (paced.fresh + paced.stalled === 0) return [];
    const dead = yield* deadOwners(dialect, request.owner);
    if (dead.length === 0) return [];
    const named = request.key === undefined ? sql`` : sql`and h.run_key = ${request.key}`;
    const isOrphan = sql<SqlBool>`${isRunning} and h.owner in (${sql.join(dead)}) ${named} and ${isForProcess(request)}`;
    if (request.orphans === true) return yield* candidates(dialect, isOrphan, slots);
    const isFresh = sql<SqlBool>`${isOrphan} and h.stalled_takeovers = 0`;
    const fresh = yield* candidates(dialect, isFresh, Math.min(slots, paced.fresh));
    if (fresh.length > 0 || paced.stalled === 0) return fresh;
    const hasStalled = sql<SqlBool>`${isOrphan} and h.stalled_takeovers > 0`;
    return yield* candidates(dialect, hasStalled, Math.min(slots, paced.stalled));
  }

  /** Finds waiting runs. `missed`: other processes are claiming all of them right now. */
  function* waitingRuns(
    request: ClaimRequest,
    slots: number,
  ): Transaction<{ waiting: readonly Candidate[]; missed: boolean }> {
    if (slots <= 0) return { waiting: [], missed: false };
    const waiting = isWaiting(request);
    if (request.key !== undefined || request.sessionKey !== undefined)
      return { waiting: yield* candidates(dialect, waiting, slots), missed: false };
    if (!(yield* isAnyReady(dialect))) return { waiting: [], missed: false };
    const urgent: Candidate[] = [];
    for (const isUrgent of urgentRuns(request)) {
      const left = slots - urgent.length;
      if (left > 0) urgent.push(...(yield* candidates(dialect, isUrgent, left)));
    }
    const freshSlots = Math.min(slots - urgent.length, request.freshSlots ?? slots);
    if (freshSlots <= 0 || request.background === false) return { waiting: urgent, missed: false };
    const share = yield* fairShare(dialect, waiting, freshSlots, lastUser);
    if (share.keys.length === 0) return { waiting: urgent, missed: false };
    const isShare = sql<SqlBool>`h.run_key in (${sql.join(share.keys)}) and ${isWaiting(request, "by key")}`;
    const fresh = yield* candidates(dialect, isShare, freshSlots);
    if (fresh.length > 0) lastUser = share.lastUser;
    return { waiting: [...urgent, ...fresh], missed: fresh.length === 0 };
  }

  function* assign(keys: readonly number[], owner: string): Transaction<void> {
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

  /** Returns which of the runs in doubt belong to this process. Waits for their locks: the commit with unknown outcome may still be in progress. */
  function* confirm(runs: readonly TakenRun[], owner: string): Transaction<readonly number[]> {
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

  function* stillWaiting(waiting: readonly Candidate[], request: ClaimRequest): Transaction<readonly number[]> {
    if (waiting.length === 0) return [];
    const sessionKeys = [...new Set(waiting.map((run) => run.sessionKey))];
    yield* all(
      db.selectFrom("sessions").select("key").where("key", "in", sessionKeys).orderBy("key").modifyEnd(locked),
    );
    const keys = waiting.map((run) => run.key);
    const rows = yield* all(
      db
        .selectFrom("run_heads as h")
        .select("h.run_key as key")
        .where("h.run_key", "in", keys)
        .where(isWaiting(request, "by key")),
    );
    return rows.map((row) => row.key);
  }

  function* readClaimed(keys: readonly number[]): Transaction<readonly ClaimedRun[]> {
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
        .select(["r.created_at as createdAt", "h.cancel_requested as cancelRequested", "h.background"])
        .select(["h.stalled_takeovers as stalledTakeovers", "h.steered"])
        .select(["s.state as sessionState", nextIndex("h").as("nextIndex")])
        .select((eb) => eb.ref("r.session_seq").$notNull().as("sessionSeq"))
        .select((eb) => eb.ref("r.definition_hash").$notNull().as("definitionHash"))
        .where("r.key", "in", keys)
        .orderBy("r.key"),
    );
    return rows.map((row) => {
      const nextIndex = Math.max(row.nextIndex, database.writeBuffer?.nextIndex(row.key) ?? 0);
      return { ...row, nextIndex, cancelRequested: row.cancelRequested !== 0, background: row.background !== 0 };
    });
  }

  return {
    async countQueued(limit) {
      const waiting = db
        .selectFrom("run_heads as h")
        .select("h.user_id as user")
        .where(matchesIndex("heads_queued", "h"))
        .limit(limit);
      const counted = db.selectFrom(waiting.as("waiting")).select(["user", sql<number>`count(*)`.as("runs")]);
      const rows = await database.read(counted.groupBy("user").compile());
      return new Map(rows.map(({ user, runs }) => [user, runs]));
    },

    async queue(limit) {
      const waiting = db
        .selectFrom("run_heads as h")
        .select("h.run_key as key")
        .where(matchesIndex("heads_queued", "h"))
        .orderBy("h.run_key")
        .limit(limit);
      const counted = db
        .selectFrom(waiting.as("waiting"))
        .select([sql<number>`count(*)`.as("length"), sql<number | null>`min(key)`.as("oldest")]);
      const oldestWait = sql<number | null>`(select ${now} - r.created_at from runs r where r.key = q.oldest)`;
      const query = db.selectFrom(counted.as("q")).select(["q.length", oldestWait.as("oldestWait")]);
      const [row] = await database.read(query.compile());
      return { length: row?.length ?? 0, oldestWait: Math.max(0, row?.oldestWait ?? 0) };
    },

    unhostedRuns: (components, paused = false) =>
      database.read(
        db
          .selectFrom("run_heads as h")
          .innerJoin("runs as r", "r.key", "h.run_key")
          .select(["r.kind", "r.component_id as componentId", sql<number>`count(*)`.as("runs")])
          .where(matchesIndex(paused ? "heads_open" : "heads_unfinished", "h"))
          .where((eb) => eb.not(isForProcess({ components })))
          .groupBy(["r.kind", "r.component_id"])
          .orderBy("r.kind")
          .orderBy("r.component_id")
          .compile(),
      ),

    async claim(request) {
      if (request.slots <= 0) return [];
      // A claim for a particular run or session must not return other runs.
      const inDoubt = request.key === undefined && request.sessionKey === undefined ? [...uncertain.values()] : [];
      const taken: TakenRun[] = [];
      try {
        for (let rounds = 1; ; rounds++) {
          const { runs, hadCandidates } = await database.write(function* () {
            return yield* round(request, yield* confirm(inDoubt, request.owner), taken);
          });
          // Runs returned now, or found not to be claimed, are no longer in doubt.
          for (const { key } of [...inDoubt, ...runs]) uncertain.delete(key);
          if (runs.length > 0 || !hadCandidates || rounds >= maxRounds) return runs;
        }
      } catch (error) {
        for (const run of taken) uncertain.set(run.key, { key: run.key, attempt: run.attempt });
        throw error;
      }
    },
  };
}
