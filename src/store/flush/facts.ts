/** The facts that a flush reads from the database, and the changes that it writes. */
import type { RunStatus } from "../../model/run/run.ts";
import type { CountedUsage, Mark, MessageWrite, RunCreation, SegmentWrite, SummaryWrite } from "../contract/store.ts";
import type { NewDelivery } from "../queries/jobs/new-delivery.ts";
import type { NewPushTarget } from "../queries/push-targets.ts";
import type { JobsTable } from "../rows/job-tables.ts";
import type { AnswerDeadlinesTable, ApprovalsTable, RunHeadsTable, RunsTable } from "../rows/tables.ts";

/** The part of a run's head that decisions need. */
export interface KnownHead {
  readonly status: RunStatus;
  readonly attempt: number;
  readonly cancelRequested: boolean;
  readonly stalledTakeovers: number;
  readonly sessionKey: number;
  readonly watched: boolean;
  /** Number of messages that callers put into the run. */
  readonly steered: number;
}

/** A session, locked. */
export interface KnownSession {
  readonly key: number;
  readonly nextSeq: number;
  readonly state: string;
  /** Whether it has no title yet. */
  readonly isUntitled: boolean;
  /** JSON text: tokens of its finished runs, by model. */
  readonly usage: string | null;
}

/** A stored run with the same id as one to be created. */
export interface KnownRun {
  readonly key: number;
  readonly attempt: number;
  readonly owner: string | null;
  readonly sessionKey: number;
  readonly sessionSeq: number;
  /** JSON text: the session's state. */
  readonly sessionState: string;
}

/** Facts from the database. Requested sessions stay locked until the commit. */
export interface Facts {
  head(key: number): KnownHead | undefined;
  run(runId: string): KnownRun | undefined;
  /** The session of a creation; created when it does not exist. */
  session(creation: RunCreation): KnownSession;
  sessionByKey(key: number): KnownSession | undefined;
  /** Whether a stored root run of the session is PENDING or RUNNING. */
  isBusy(sessionKey: number): boolean;
  /** Whether a stored root run of the session is PENDING. */
  hasPending(sessionKey: number): boolean;
  /** Number of PENDING root runs that are stored in the session, up to `limit`. */
  countPending(sessionKey: number, limit: number): number;
  /** Whether a run with that key existed and was deleted. Called after a commit with unknown outcome. */
  isDeleted(key: number): boolean;
  /** Whether a run with that key exists and has not been replaced. */
  isReplaceable(key: number): boolean;
  /** Whether a start has reserved the id, and its run was not deleted since. */
  isReserved(digest: string, runId: string): boolean;
  /** Whether this segment is stored. Called after a commit with unknown outcome. */
  hasSegment(key: number, lastIndex: number, attempt: number): boolean;
}

/** A new run with its head, with the column names of the tables. */
export type NewRun = Omit<RunsTable, "replaced_by" | "key_id" | "failed_as"> &
  Pick<RunHeadsTable, "policy" | "status" | "attempt" | "owner" | "ready" | "background">;

/** A state change of a stored run. */
export interface HeadChange {
  readonly key: number;
  readonly status: RunStatus;
  readonly output: string | null;
  readonly at: number;
}

/** The end of a stored member run. */
export interface MemberChange {
  readonly key: number;
  readonly rootKey: number;
  readonly status: RunStatus;
  readonly output: string;
}

/** Changes of a session in a flush. */
export interface SessionChange {
  readonly key: number;
  nextSeq: number;
  /** JSON text; null if unchanged. */
  state: string | null;
  /** Null if unchanged. */
  title: string | null;
  /** JSON text; null if unchanged. */
  usage: string | null;
  updatedAt: number;
}

/** Everything that a flush writes. */
export interface FlushChanges {
  readonly runs: NewRun[];
  readonly segments: ({ readonly key: number; readonly attempt: number } & SegmentWrite)[];
  readonly messages: (MessageWrite & {
    /** Set once the body is encrypted. */
    readonly brief?: string | null;
  })[];
  readonly marks: Mark[];
  /** Approvals created by pauses. */
  readonly approvals: ApprovalsTable[];
  /** Answer deadlines of pauses. */
  readonly answerDeadlines: AnswerDeadlinesTable[];
  /** Runs that ended, and the new status of their pending approvals. */
  readonly approvalEnds: { readonly key: number; readonly status: "expired" | "cancelled"; readonly at: number }[];
  /** Push targets of new runs. */
  readonly pushTargets: NewPushTarget[];
  /** Runs with a status change: their push targets become due. */
  readonly duePushTargets: number[];
  readonly heads: HeadChange[];
  readonly members: MemberChange[];
  /** Root runs that end, and the new status of their unfinished members. */
  readonly memberCancellations: { readonly rootKey: number; readonly status: RunStatus; readonly at: number }[];
  readonly sessions: Map<number, SessionChange>;
  /** New summaries of sessions. */
  readonly summaries: (SummaryWrite & { readonly key: number })[];
  /** Sessions in which a run's turn ended while others wait: the first waiting run becomes ready. */
  readonly promotions: Set<number>;
  /** Replaced runs, with the id of the run that replaces each. */
  readonly replacements: { readonly key: number; readonly runId: string }[];
  /** Runs that made progress after a takeover. */
  readonly progress: number[];
  /** Messages for webhooks about pauses and ends. */
  readonly deliveries: NewDelivery[];
  /** Jobs about runs that ended. */
  readonly jobs: Omit<JobsTable, "key" | "due_at">[];
  /** Amounts to add to shared counters, by the counter's name. */
  readonly usage: Map<string, CountedUsage>;
}
