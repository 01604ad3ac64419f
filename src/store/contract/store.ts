/**
 * The contract between the server and a database. There are two implementations, and one test suite checks both.
 *
 * Runs write everything through `append`, the group commit. Each run's part of a flush is applied completely or not at all, and only while the
 * writer's attempt still owns the run (L7). Reads of users' data take the caller. Times are integer milliseconds. JSON columns are texts that the
 * callers of this contract write and parse, so their bytes are preserved. The files beside this one hold the types, by subject.
 */

import type { Principal } from "../../model/principal.ts";
import type { Approval } from "../../model/run/approval.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { ApprovalAnswer } from "./approvals.ts";
import type {
  ClaimedRun,
  ClaimRequest,
  IdempotencyRelease,
  IdempotencyReservation,
  LeaseRenewal,
  UnhostedRuns,
} from "./ownership.ts";
import type {
  HistoryRow,
  ListedScope,
  LocatedRun,
  MessageRow,
  OverduePause,
  RunHead,
  RunQuery,
  RunRow,
  Segment,
} from "./runs.ts";
import type { SessionRunQuery, SessionStore } from "./sessions.ts";
import type { SteeringStore } from "./steering.ts";
import type { StoredTrace } from "./traces.ts";
import type { UsageStore } from "./usage.ts";
import type { Mark, Outcome, Write } from "./writes.ts";

export type {
  ClaimedRun,
  ClaimRequest,
  IdempotencyRelease,
  IdempotencyReservation,
  LeaseRenewal,
  OrphanSlots,
  UnhostedRuns,
} from "./ownership.ts";
export type {
  HistoryRow,
  ListedScope,
  LocatedRun,
  MessageRow,
  RunHead,
  RunPosition,
  RunQuery,
  RunRef,
  RunRow,
  Segment,
} from "./runs.ts";
export type { CountedUsage, UsageCounter, UsageSums } from "./usage.ts";
export type {
  Mark,
  MemberCreation,
  MemberEnd,
  MessageWrite,
  Outcome,
  Refusal,
  RunChanges,
  RunCreation,
  RunTransition,
  RunWrite,
  SegmentWrite,
  StatePatch,
  SummaryWrite,
  Write,
} from "./writes.ts";

/** Capabilities of a database, as data. */
export interface StoreCapabilities {
  readonly dialect: "sqlite" | "postgres";
  /** Whether several processes may share the database. */
  readonly replicas: boolean;
  /** Human-readable name of the database, without credentials. */
  readonly label: string;
}

/** Whether the database responds, as last observed by the store. */
export interface Availability {
  readonly available: boolean;
  /** When this state began: monotonic time of the runtime's clock. */
  readonly since: number;
}

/** Connections for reads and short transactions. */
export interface ConnectionCounts {
  readonly open: number;
  /** Open connections that execute nothing. */
  readonly idle: number;
  /** Requests that wait for a connection. */
  readonly waiting: number;
}

/** The background runs that wait for a process. */
export interface RunQueue {
  /** Number of runs, up to the requested limit. */
  readonly length: number;
  /** Milliseconds since the oldest of them was recorded; 0 for an empty queue. */
  readonly oldestWait: number;
}

/** An opened and migrated database. */
export interface Store extends SessionStore, UsageStore, SteeringStore {
  readonly capabilities: StoreCapabilities;
  /** Check it before accepting a run: new starts are rejected while the database is unavailable. */
  readonly availability: Availability;
  /** Undefined if the database has no connections. */
  readonly connections?: ConnectionCounts | undefined;

  /** Calls the listener when the database lacks committed writes of this process, before its next write: every run here must stop as lost. */
  onLostCommits?(listener: () => void): void;
  /** Returns a unique run key; keys ascend within a process. The result is a promise only when a new block of keys must be reserved. */
  nextRunKey(): number | Promise<number>;
  /**
   * Commits one flush in one transaction. Resolves with an outcome for each write, in order; retries transient failures. Rejects only when the store
   * is closed.
   */
  append(writes: readonly Write[]): Promise<readonly Outcome[]>;

  /** Position and state of a run's log; undefined for a run that does not exist. */
  head(key: number): Promise<RunHead | undefined>;
  /**
   * Asks the process that writes the run's log to signal all processes about its writes from now on (`watched` of its writes). A read of the log
   * after this call misses only events that will be signalled.
   */
  watch(key: number): Promise<void>;
  /**
   * Segments with events after `cursor`, in order, up to `maxBytes` (at least one segment).
   * @param hasEnded whether the head that the caller has read is the head of an ended run. Its events do not change any more, so a standby may return them.
   */
  segments(key: number, cursor: number, maxBytes: number, hasEnded?: boolean): Promise<readonly Segment[]>;

  /**
   * Claims PENDING runs whose turn it is (each user's oldest first) and, when requested, RUNNING runs of dead processes. It is a run's turn under the
   * policy `parallel`, or when no run of its session is RUNNING and no earlier one is PENDING. A run with a requested cancel can be claimed out of
   * turn.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedRun[]>;
  /** Reserves a run id under an idempotency key, or returns the reservation of an earlier request with the same key. */
  reserveIdempotencyKey(
    reservation: IdempotencyReservation,
  ): Promise<Pick<IdempotencyReservation, "runId" | "fingerprint" | "at">>;
  /** Frees an idempotency key whose request was rejected. */
  releaseIdempotencyKey(release: IdempotencyRelease): Promise<void>;
  /**
   * Counts unfinished root runs of components other than these. A process that hosts only these components cannot execute them.
   * @param paused whether paused runs count, too. There may be many of them, so a poll leaves them out
   */
  unhostedRuns(components: NonNullable<ClaimRequest["components"]>, paused?: boolean): Promise<readonly UnhostedRuns[]>;
  /** Counts PENDING background runs by user, up to `limit` in total; runs without a user are counted under an empty name. */
  countQueued(limit: number): Promise<ReadonlyMap<string, number>>;
  /** Counts PENDING background runs, up to `limit`. */
  queue(limit: number): Promise<RunQueue>;
  /**
   * Continues a paused run: PAUSED to PENDING at its old place in its session, with the answers to its pause. Returns false when the run is no longer
   * paused, has paused again since `attempt`, or one of the approvals that the answers resolve is not pending. Of several answers to one pause, only
   * one succeeds.
   */
  continueRun(
    key: number,
    attempt: number,
    marks: readonly Mark[],
    approvals?: readonly ApprovalAnswer[],
  ): Promise<boolean>;
  /** Approvals created by pauses of a root run, oldest first. */
  approvalsOf(key: number): Promise<readonly Approval[]>;
  /** Milliseconds, by the database's clock, until a requirement of a paused run is overdue; null for none. */
  untilOverdue(): Promise<number | null>;
  /**
   * Paused runs with an overdue requirement, the longest overdue first. They are not claimed: of several callers that continue one, only one
   * succeeds.
   */
  overduePauses(limit: number): Promise<readonly OverduePause[]>;
  /** Releases a run: RUNNING to PENDING, if this attempt still owns it. */
  release(key: number, attempt: number): Promise<boolean>;
  /** Requests a cancel, unless the run has ended. Returns the resulting head; undefined for an unknown run. */
  requestCancel(key: number): Promise<RunHead | undefined>;

  /** Creates or renews the process's lease, by the database's clock. */
  renewProcess(id: string, leaseMilliseconds: number): Promise<LeaseRenewal>;
  /** Ends the process's lease, so that other processes can claim its runs at once. */
  endProcess(id: string): Promise<void>;
  /** Keys of RUNNING runs with a requested cancel that belong to `owner`, or to a process whose lease has expired. */
  cancelRequests(owner: string): Promise<readonly number[]>;

  /** Finds a root or member run by its id, if the caller may see it. */
  findRun(caller: Principal, runId: string): Promise<RunRow | undefined>;
  /** The same without its texts, which may be many megabytes: for callers that only need to identify the run. */
  locateRun(caller: Principal, runId: string): Promise<LocatedRun | undefined>;
  /** Root runs of a component, oldest first, without their texts. */
  listRuns(caller: Principal, query: RunQuery): Promise<readonly LocatedRun[]>;
  /** A session's root runs in the order of their turns, without their texts. Call it only after finding the session as the caller. */
  sessionRuns(query: SessionRunQuery): Promise<readonly LocatedRun[]>;
  /** Bytes that `listedRuns` and the brief `messages` of root runs would read, by root run key. Reads no text. */
  listedBytes(rootKeys: readonly number[], scope: ListedScope): Promise<ReadonlyMap<number, number>>;
  /** Root runs with their texts, but without the media bytes of their inputs, by root run and key. */
  listedRuns(rootKeys: readonly number[], scope: ListedScope): Promise<readonly RunRow[]>;
  /** Member runs below root runs, in the order of their creation. */
  memberRuns(rootKeys: readonly number[]): Promise<readonly RunRow[]>;
  /** Messages of runs, by run and position. `brief`: without media bytes. */
  messages(runKeys: readonly number[], brief?: boolean): Promise<readonly MessageRow[]>;
  /** Marks of runs, by run and name. */
  marks(runKeys: readonly number[]): Promise<readonly Mark[]>;
  /** Body of a mark of the root run at a position of a session. */
  sessionMark(sessionKey: number, sessionSeq: number, name: string): Promise<string | undefined>;
  /**
   * Messages of `runs` COMPLETED runs of the component in the session before `beforeSeq` and after `afterSeq`, oldest first: of the last ones, or of the
   * first ones.
   */
  history(
    session: { readonly key: number; readonly beforeSeq: number; readonly afterSeq?: number },
    component: { kind: ComponentKind; id: string },
    runs: number,
    end?: "last" | "first",
  ): Promise<readonly HistoryRow[]>;
  /** Deletes a finished run with its members, messages and log. Returns false while it is unfinished. */
  deleteRun(key: number): Promise<boolean>;
  /**
   * Deletes a session with all its runs, in batches. Returns false while one of them is unfinished.
   * @param onDeleted is called after each batch with the keys of the deleted root runs
   */
  deleteSession(sessionKey: number, onDeleted?: (keys: readonly number[]) => void): Promise<boolean>;

  /** Finished runs whose log is not compacted yet, oldest first; only those after the key `after`, when given. */
  uncompacted(limit: number, after?: number): Promise<readonly number[]>;
  /**
   * Rewrites the log of a finished run in rows of at most `rowBytes` bytes of frames, and marks it compacted. Skips a log that is already compacted,
   * or that another process is compacting. Returns the trace that it stored with it.
   */
  compact(key: number, rowBytes: number): Promise<StoredTrace | undefined>;
  /** Deletes the events of a finished run before `firstKept`, in whole segments; readers then get a gap. */
  expireEvents(key: number, firstKept: number): Promise<void>;

  /** Whether the tables have every migration that this version needs. Rejects when the database does not respond. */
  isMigrated(): Promise<boolean>;
  /** Number of the newest migration of this version. */
  readonly newestMigration: number;
  /** Applies the migrations that the database lacks. @throws ConfigurationError when a newer version made its tables */
  migrate(): Promise<void>;
  /** Checks that the database responds; rejects when it does not. */
  ping(): Promise<void>;
  /** Frees caches, such as cached pages. Called when the process has nothing to do. */
  releaseMemory?(): void;
  close(): Promise<void>;
}
