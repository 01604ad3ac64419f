/**
 * The seam to a database. Two databases stand behind it, one contract suite holds both to it.
 *
 * Everything that runs write goes through `append`, the group commit; a run's part of it is applied wholly or not at all, and only
 * while the writer's attempt still has the run (L7). Reads of users' data take the caller. Times are integer milliseconds;
 * JSON columns are texts made and read by the callers of the seam, so that bytes survive.
 */
import type { Approval } from "../model/approval.ts";
import type { Principal } from "../model/principal.ts";
import type { PushTarget } from "../model/push.ts";
import type { ModelUsage } from "../model/record.ts";
import type { ComponentKind, RunStatus, SessionPolicy, WireRunStatus } from "../model/run.ts";
import type { ApprovalAnswer, ApprovalCreation } from "./approval-seam.ts";
import type { SessionRunQuery, SessionStore } from "./session-seam.ts";

/** A run as code knows it: the integer key inside, the UUID on the wire. */
export interface RunRef {
  readonly key: number;
  readonly runId: string;
}

/** What a run is made of when it is accepted. */
export interface RunCreation {
  readonly runId: string;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly componentName: string;
  /** Session as the wire names it. Created when it does not exist; touched when it does. */
  readonly sessionId: string;
  /** Name space of the session: "" where callers are not isolated. */
  readonly owner: string;
  readonly userId: string | null;
  /** JSON text: `RunInput` of `model/record.ts`. */
  readonly input: string;
  /** JSON text of what the run was started with beside its input (`RunOptions` of `model/record.ts`). */
  readonly options: string;
  readonly definitionHash: string;
  readonly model: string | null;
  readonly modelProvider: string | null;
  readonly createdAt: number;
  readonly policy: SessionPolicy;
  /** JSON text of the session's state at its creation; ignored where the session exists. */
  readonly sessionState: string;
  /** Name of the session as long as nobody gave it one; ignored where it has one. */
  readonly sessionTitle: string;
  /** Process that wants to start it at once; null leaves it PENDING for `claim`. */
  readonly startBy: string | null;
  /** Whether nobody waits for it with an open connection: then it takes one of the slots for such runs. */
  readonly background: boolean;
  /** What was said before the run begins: of the run that it goes on from, and to it. */
  readonly messages?: readonly Omit<MessageWrite, "runKey">[] | undefined;
  /** The root run whose place it takes, unless another one has taken it. */
  readonly replaces?: number | undefined;
  /** Digest of the start's reservation. Where that is gone, the run was made before and is deleted: it is not made again. */
  readonly reservation?: string | undefined;
  /** Who is told of its changes. */
  readonly pushTargets?: readonly PushTarget[] | undefined;
}

/** A part of a run's log: whole frames, in one buffer. */
export interface SegmentWrite {
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly frames: Buffer;
}

/** A message row of a root run or of one of its members. Writing the same place again changes nothing. */
export interface MessageWrite {
  readonly runKey: number;
  readonly position: number;
  readonly id: string;
  readonly createdAt: number;
  /** JSON text of `Message`. */
  readonly body: string;
}

/**
 * What a run has settled: the outcome of a workflow's step, a decision, the answer to a pause. Writing the same name again changes nothing:
 * what is settled stays.
 */
export interface Mark {
  readonly runKey: number;
  readonly name: string;
  readonly createdAt: number;
  /** JSON text. */
  readonly body: string;
}

/** A member run, created under the root's fence. */
export interface MemberCreation {
  readonly key: number;
  readonly runId: string;
  readonly parentKey: number;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly componentName: string;
  readonly userId: string | null;
  readonly input: string;
  readonly model: string | null;
  readonly modelProvider: string | null;
  readonly createdAt: number;
  /** The tool call of the parent that made it. */
  readonly toolCallId: string | null;
}

/** The end of a member run. */
export interface MemberEnd {
  readonly key: number;
  readonly status: RunStatus;
  /** JSON text: `RunOutput` of `model/record.ts`. */
  readonly output: string;
}

/** Changed keys of a session's state, applied to what is stored under the session's lock: first `remove`, then `set`. */
export interface StatePatch {
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove: readonly string[];
}

/** Everything of one run in one flush. */
export interface RunWrite {
  readonly key: number;
  /** The fence: the writer's attempt. */
  readonly attempt: number;
  readonly segment: SegmentWrite | null;
  /** Whether it is the first one of its attempt: the run begins, or goes on. */
  readonly begins?: boolean | undefined;
  readonly messages: readonly MessageWrite[];
  readonly marks?: readonly Mark[] | undefined;
  readonly members: readonly MemberCreation[];
  readonly memberEnds: readonly MemberEnd[];
  readonly statePatch: StatePatch | null;
  /**
   * The run's own change of state. Applied only if the run is RUNNING, and, unless it goes to CANCELLED, only if no cancel is requested.
   * A terminal one ends unfinished members in the same way.
   */
  readonly transition: RunTransition | null;
}

/** A run's change of state. */
export interface RunTransition {
  readonly to: RunStatus;
  readonly output: string | null;
  readonly at: number;
  /** Tokens of the run and its members, by model: added to the session's when the run is over. */
  readonly usage?: readonly ModelUsage[] | undefined;
  /** What a pause waits for that somebody must approve. */
  readonly approvals?: readonly ApprovalCreation[] | undefined;
  /** Whether there may be approvals from earlier pauses, which end with the run. */
  readonly endsApprovals?: boolean | undefined;
}

/** What a flush takes. */
export type Write =
  | { readonly kind: "create"; readonly key: number; readonly run: RunCreation }
  | ({ readonly kind: "run" } & RunWrite);

/** What became of a write. */
export type Outcome =
  /**
   * Durable. `waiting`: the write ended the run, and another run of its session is PENDING (its turn may have come). `watched`: another
   * process asked to be told of the run.
   */
  | { readonly kind: "committed"; readonly waiting: boolean; readonly watched: boolean }
  /** The run is recorded. RUNNING (attempt 1, owned by `startBy`) or PENDING behind another run of its session. */
  | {
      readonly kind: "created";
      readonly status: "RUNNING" | "PENDING";
      readonly sessionKey: number;
      readonly sessionSeq: number;
      /** JSON text: the session's state as it stands. */
      readonly sessionState: string;
    }
  /** A run of that id exists already; nothing was written. */
  | { readonly kind: "exists"; readonly key: number }
  /** The run that it was to replace has been replaced or deleted, or its reservation is gone; nothing was written. */
  | { readonly kind: "refused"; readonly reason: "replaced" | "unreserved" }
  /** Another attempt has the run, or it is gone; nothing of the write was applied. */
  | { readonly kind: "lost" }
  /** A cancel is requested, or the state does not allow the transition; nothing of the write was applied. */
  | { readonly kind: "state"; readonly status: RunStatus; readonly cancelRequested: boolean }
  /** The database refuses this write's data; nothing of it was applied, and trying again is of no use. */
  | { readonly kind: "failed"; readonly error: Error };

/** Where a run's log stands. Read before segments, never after (docs/protocol.md). */
export interface RunHead {
  readonly status: RunStatus;
  /** Index that the next event will get; also the number of events so far. */
  readonly nextIndex: number;
  /** First index that is still kept. */
  readonly firstKept: number;
  readonly attempt: number;
  readonly cancelRequested: boolean;
}

/** A stored piece of a log. */
export interface Segment {
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly frames: Buffer;
}

/** A run that a process has taken and must now execute. */
export interface ClaimedRun extends RunRef {
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly sessionKey: number;
  readonly sessionId: string;
  readonly sessionSeq: number;
  readonly userId: string | null;
  readonly input: string;
  readonly options: string;
  readonly definitionHash: string;
  readonly attempt: number;
  /** How often in a row it was taken from a dead process without a durable step in between. */
  readonly stalledTakeovers: number;
  readonly nextIndex: number;
  readonly cancelRequested: boolean;
  readonly background: boolean;
  readonly createdAt: number;
  /** JSON text: the session's state as it stands. */
  readonly sessionState: string;
}

/** A start that may come again. Times are the caller's. */
export interface StartReservation {
  /** Of whoever starts and its key. */
  readonly digest: string;
  /** Id for its run, if this is the first one. */
  readonly runId: string;
  readonly fingerprint: string;
  readonly at: number;
  /** A reservation that is older than this does not count any more. */
  readonly since: number;
}

/** What `claim` may take. */
export interface ClaimRequest {
  readonly owner: string;
  /** Most runs to take. */
  readonly slots: number;
  /** Most background runs among them that were never begun, shared among the users whose runs wait. Default: `slots`. */
  readonly freshSlots?: number;
  /** Only this run, when given. One with a cancel requested may be taken out of its turn: it only has to be ended. */
  readonly key?: number;
  /** Only runs of this session, when given, whether or not they were begun. */
  readonly sessionKey?: number;
  /** False leaves background runs to others. Default true. A claim by `key` is not bound by it. */
  readonly background?: boolean;
  /** Only runs of these components: those that the process hosts. Default: any. A claim by `key` is not bound by it. */
  readonly components?: readonly { readonly kind: ComponentKind; readonly id: string }[];
  /** Also runs left RUNNING by processes whose lease has run out. */
  readonly orphans: boolean;
}

/** Unfinished runs of a component. */
export interface Stray {
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly runs: number;
}

/** A run as it is read, with its state and its session. */
export interface RunRow extends RunRef {
  readonly rootKey: number;
  readonly parentKey: number | null;
  readonly parentRunId: string | null;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly componentName: string;
  readonly sessionKey: number;
  readonly sessionId: string;
  /** Name space of its session. */
  readonly owner: string;
  /** Null for a member. */
  readonly sessionSeq: number | null;
  readonly userId: string | null;
  readonly input: string;
  readonly options: string;
  readonly output: string | null;
  readonly model: string | null;
  readonly modelProvider: string | null;
  readonly createdAt: number;
  readonly status: RunStatus;
  readonly replacedBy: string | null;
  readonly toolCallId: string | null;
}

/** A renewed lease. */
export interface Renewal {
  /** False when it had run out: the process's runs may be gone. */
  readonly inTime: boolean;
  /** Processes that have a lease now, this one among them. */
  readonly living: number;
}

/** A run by what names it. */
export type LocatedRun = Omit<RunRow, "input" | "options" | "output">;

/** Where to look for root runs of a component. */
export interface RunQuery {
  readonly kind: ComponentKind;
  readonly componentId: string;
  /** Only runs of this session; without it runs of every session that the caller may see. */
  readonly sessionId?: string | undefined;
  /** Only runs of this user. */
  readonly userId?: string | undefined;
  /** `REGENERATED` is a run that was replaced, whatever it ended as; it counts as nothing else then. */
  readonly statuses?: readonly WireRunStatus[] | undefined;
  /** Times of creation, in milliseconds: neither is included. */
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  /** Most runs to answer: the first ones after `after`. */
  readonly limit?: number | undefined;
  /** The last run of the page before. It need not be there any more. */
  readonly after?: RunPlace | undefined;
  /** Newest first. */
  readonly descending?: boolean | undefined;
}

/** A run's place in listings: in its session by its turn, else by its time. */
export interface RunPlace {
  readonly key: number;
  readonly sessionKey: number;
  readonly sessionSeq: number;
  readonly createdAt: number;
}

/** A stored message with the run it belongs to. */
export interface MessageRow {
  readonly runKey: number;
  readonly position: number;
  readonly id: string;
  readonly createdAt: number;
  readonly body: string;
}

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
  /** Background runs that are PENDING, counted up to `most`. */
  queued(most: number): Promise<number>;
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
  /** Root runs of a component, oldest first. */
  listRuns(caller: Principal, query: RunQuery): Promise<readonly RunRow[]>;
  /** A session's root runs in the order of their turns. Only for who has found the session. */
  sessionRuns(query: SessionRunQuery): Promise<readonly RunRow[]>;
  /** Member runs under a root run, in the order they were made. */
  memberRuns(rootKeys: readonly number[]): Promise<readonly RunRow[]>;
  /** Messages of runs, by run and position. */
  messages(runKeys: readonly number[]): Promise<readonly MessageRow[]>;
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
  /** Deletes a session with all its runs; false while one of them is unfinished. */
  deleteSession(sessionKey: number): Promise<boolean>;

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
