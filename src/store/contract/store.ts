/**
 * The seam to a database. Two databases stand behind it, one contract suite holds both to it.
 *
 * Everything that runs write goes through `append`, the group commit; a run's part of it is applied wholly or not at all, and only
 * while the writer's attempt still has the run (L7). Reads of users' data take the caller. Times are integer milliseconds;
 * JSON columns are texts made and read by the callers of the seam, so that bytes survive. What goes through it stands by subject in the files
 * beside this one.
 */
import type { Approval } from "../../model/approval.ts";
import type { Principal } from "../../model/principal.ts";
import type { ComponentKind } from "../../model/run.ts";
import type { ApprovalAnswer } from "./approvals.ts";
import type { ClaimedRun, ClaimRequest, Renewal, StartReservation, Stray } from "./claims.ts";
import type { ListedScope, LocatedRun, MessageRow, OverduePause, RunHead, RunQuery, RunRow, Segment } from "./runs.ts";
import type { SessionRunQuery, SessionStore } from "./sessions.ts";
import type { Mark, Outcome, Write } from "./writes.ts";

export type { ClaimedRun, ClaimRequest, OrphanSlots, Renewal, StartReservation, Stray } from "./claims.ts";
export type {
  ListedScope,
  LocatedRun,
  MessageRow,
  RunHead,
  RunPlace,
  RunQuery,
  RunRef,
  RunRow,
  Segment,
} from "./runs.ts";
export type {
  Mark,
  MemberCreation,
  MemberEnd,
  MessageWrite,
  Outcome,
  Refusal,
  RunCreation,
  RunTransition,
  RunWrite,
  SegmentWrite,
  StatePatch,
  Write,
} from "./writes.ts";

/** What a database can do, as data. */
export interface StoreCapabilities {
  readonly dialect: "sqlite" | "postgres";
  /** Whether several processes may share the database. */
  readonly replicas: boolean;
  /** Name of the database for people, without credentials. */
  readonly label: string;
}

/** Whether the database answers, as the store last saw it. */
export interface Availability {
  readonly available: boolean;
  /** Monotonic time (of the runtime's clock) since when. */
  readonly since: number;
}

/** A database, opened and migrated. */
export interface Store extends SessionStore {
  readonly capabilities: StoreCapabilities;
  /** Read it before a run is accepted: while the database is away new starts are refused. */
  readonly availability: Availability;

  /** A run key that nothing else has; ascending within a process. Resolves at once while a reserved block lasts. */
  nextRunKey(): number | Promise<number>;
  /** One flush, one transaction. Resolves with an outcome for each write, in order; rejects only when the store is closed. Retries what is transient. */
  append(writes: readonly Write[]): Promise<readonly Outcome[]>;

  /** Where a log stands, or undefined for a run that does not exist. */
  head(key: number): Promise<RunHead | undefined>;
  /**
   * Asks whoever writes the run's log to tell all processes of what it writes from now on (`watched` of its writes). A look at the log after
   * this misses nothing that is not told.
   */
  watch(key: number): Promise<void>;
  /** Segments that hold events after `cursor`, in order, until `maxBytes` are reached (at least one). */
  segments(key: number, cursor: number, maxBytes: number): Promise<readonly Segment[]>;

  /**
   * Takes runs that are PENDING and whose turn it is (a user's oldest first), and on request those that a dead process left RUNNING. It is a run's
   * turn under the policy `parallel`, or when no run of its session is RUNNING and none before it is PENDING. A run whose cancel is
   * requested can be taken out of turn.
   */
  claim(request: ClaimRequest): Promise<readonly ClaimedRun[]>;
  /** Reserves the run of a start, or answers what an earlier start has reserved. */
  reserveStart(reservation: StartReservation): Promise<Pick<StartReservation, "runId" | "fingerprint" | "at">>;
  /** Unfinished root runs of other components than these, counted: nobody executes them who hosts only these. */
  strays(components: NonNullable<ClaimRequest["components"]>): Promise<readonly Stray[]>;
  /** Background runs that are PENDING, counted up to `most`, by their users; those of nobody under an empty name. */
  queued(most: number): Promise<ReadonlyMap<string, number>>;
  /**
   * Lets a paused run go on: PAUSED to PENDING at its old place in its session, with the answers to its pause. False when it is not paused any more,
   * or is paused anew since `attempt`, or one of the approvals that the answers resolve is not pending: of several that answer one pause, one
   * succeeds.
   */
  continueRun(
    key: number,
    attempt: number,
    marks: readonly Mark[],
    approvals?: readonly ApprovalAnswer[],
  ): Promise<boolean>;
  /** Approvals that pauses of a root run have made, oldest first. */
  approvalsOf(key: number): Promise<readonly Approval[]>;
  /** Milliseconds, by the database's clock, until something that a pause asks is overdue; null for nothing. */
  untilOverdue(): Promise<number | null>;
  /** Paused runs of which something is overdue, the longest overdue first. Nobody takes them: of several that continue one, one succeeds. */
  overdue(most: number): Promise<readonly OverduePause[]>;
  /** Gives a run back: RUNNING to PENDING under the fence. */
  release(key: number, attempt: number): Promise<boolean>;
  /** Marks the run to be cancelled, unless it is over; answers its head as it then is, undefined for an unknown run. */
  requestCancel(key: number): Promise<RunHead | undefined>;

  /** Makes the process's lease, or renews it, by the database's clock. */
  renewProcess(id: string, leaseMilliseconds: number): Promise<Renewal>;
  /** Ends the process's lease, so that what it left can be taken at once. */
  endProcess(id: string): Promise<void>;
  /** RUNNING runs with a cancel requested that belong to `owner`, or to a process whose lease has run out. */
  cancelRequests(owner: string): Promise<readonly number[]>;

  /** A root or member run by its id, if the caller may see it. */
  findRun(caller: Principal, runId: string): Promise<RunRow | undefined>;
  /** The same without its texts, which may be many megabytes: for who only has to know which run it is. */
  locateRun(caller: Principal, runId: string): Promise<LocatedRun | undefined>;
  /** Root runs of a component, oldest first, without their texts. */
  listRuns(caller: Principal, query: RunQuery): Promise<readonly LocatedRun[]>;
  /** A session's root runs in the order of their turns, without their texts. Only for who has found the session. */
  sessionRuns(query: SessionRunQuery): Promise<readonly LocatedRun[]>;
  /** The bytes that `listedRuns` and the brief `messages` of root runs read, by the key of the root run. No text is read for it. */
  listedBytes(rootKeys: readonly number[], scope: ListedScope): Promise<ReadonlyMap<number, number>>;
  /** Root runs with their texts, but without the bytes of their inputs' media, by root run and key. */
  listedRuns(rootKeys: readonly number[], scope: ListedScope): Promise<readonly RunRow[]>;
  /** Member runs under a root run, in the order they were made. */
  memberRuns(rootKeys: readonly number[]): Promise<readonly RunRow[]>;
  /** Messages of runs, by run and position. `brief`: without the bytes of their media. */
  messages(runKeys: readonly number[], brief?: boolean): Promise<readonly MessageRow[]>;
  /** Marks of runs, by run and name. */
  marks(runKeys: readonly number[]): Promise<readonly Mark[]>;
  /** Messages of the last `runs` COMPLETED runs of the component in the session before `beforeSeq`, oldest first. */
  history(
    session: { key: number; beforeSeq: number },
    component: { kind: ComponentKind; id: string },
    runs: number,
  ): Promise<readonly MessageRow[]>;
  /** Deletes a finished run and its members, messages and log; false while it is unfinished. */
  deleteRun(key: number): Promise<boolean>;
  /**
   * Deletes a session with all its runs, some at a time; false while one of them is unfinished.
   * @param onDeleted is told which root runs are gone, after each step
   */
  deleteSession(sessionKey: number, onDeleted?: (keys: readonly number[]) => void): Promise<boolean>;

  /** Finished runs whose log is not compacted yet, oldest first; only those after the key `after`, when given. */
  uncompacted(limit: number, after?: number): Promise<readonly number[]>;
  /**
   * Rewrites the log of a finished run in rows of at most `rowBytes` of frames, and marks it compacted. Leaves it where it is compacted
   * already, or where another process turns out to be at it.
   */
  compact(key: number, rowBytes: number): Promise<void>;
  /** Forgets the events before `firstKept` of a finished run, in whole segments; readers then get a gap. */
  expireEvents(key: number, firstKept: number): Promise<void>;

  /** Whether the database answers. */
  ping(): Promise<void>;
  close(): Promise<void>;
}
