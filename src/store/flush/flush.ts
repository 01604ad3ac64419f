/** What a flush has to know of the database, and what it does to it. */
import type { RunStatus } from "../../model/run.ts";
import type { Mark, MessageWrite, RunCreation, SegmentWrite } from "../contract/store.ts";
import type { NewPushTarget } from "../queries/push-targets.ts";
import type { AnswerDeadlinesTable, ApprovalsTable, RunHeadsTable, RunsTable } from "../rows/tables.ts";

/** A run's head, as far as decisions need it. */
export interface KnownHead {
  readonly status: RunStatus;
  readonly attempt: number;
  readonly cancelRequested: boolean;
  readonly stalledTakeovers: number;
  readonly sessionKey: number;
  readonly watched: boolean;
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

/** A run that has the id of one to be created. */
export interface KnownRun {
  readonly key: number;
  readonly attempt: number;
  readonly owner: string | null;
  readonly sessionKey: number;
  readonly sessionSeq: number;
  /** JSON text: the session's state. */
  readonly sessionState: string;
}

/** What the database says. Sessions asked for are locked until the commit. */
export interface Facts {
  head(key: number): KnownHead | undefined;
  run(runId: string): KnownRun | undefined;
  /** The session of a creation, made when there is none. */
  session(creation: RunCreation): KnownSession;
  sessionByKey(key: number): KnownSession | undefined;
  /** Whether a stored root run of the session is PENDING or RUNNING. */
  isBusy(sessionKey: number): boolean;
  /** Whether a stored root run of the session is PENDING. */
  isAwaited(sessionKey: number): boolean;
  /** Stored root runs of the session that are PENDING, counted up to `most`. */
  waiting(sessionKey: number, most: number): number;
  /** Whether a run of that key was there, and was deleted. Asked after a commit whose outcome is unknown. */
  isDeleted(key: number): boolean;
  /** Whether a run of that key is there, and none has taken its place. */
  isReplaceable(key: number): boolean;
  /** Whether a start has reserved the id, and its run was not deleted since. */
  isReserved(digest: string, runId: string): boolean;
  /** Whether this segment is stored. Asked after a commit whose outcome is unknown. */
  hasSegment(key: number, lastIndex: number, attempt: number): boolean;
}

/** A new run with its head, in the words of the tables. */
export type NewRun = Omit<RunsTable, "replaced_by" | "key_id" | "failed_as"> &
  Pick<RunHeadsTable, "policy" | "status" | "attempt" | "owner" | "ready" | "background">;

/** A change of state of a stored run. */
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

/** A session with what the flush changes of it. */
export interface SessionChange {
  readonly key: number;
  nextSeq: number;
  /** JSON text; null where it stays. */
  state: string | null;
  /** Null where it stays. */
  title: string | null;
  /** JSON text; null where it stays. */
  usage: string | null;
  updatedAt: number;
}

/** Everything a flush writes. */
export interface FlushChanges {
  readonly runs: NewRun[];
  readonly segments: ({ readonly key: number; readonly attempt: number } & SegmentWrite)[];
  readonly messages: MessageWrite[];
  readonly marks: Mark[];
  /** Approvals that pauses make. */
  readonly approvals: ApprovalsTable[];
  /** Pauses that are not to last. */
  readonly answerDeadlines: AnswerDeadlinesTable[];
  /** Runs that ended, and what becomes of their approvals that nobody gave. */
  readonly approvalEnds: { readonly key: number; readonly status: "expired" | "cancelled"; readonly at: number }[];
  /** Who is told of the new runs. */
  readonly pushTargets: NewPushTarget[];
  /** Runs whose status changes: who is told of it becomes due. */
  readonly tellings: number[];
  readonly heads: HeadChange[];
  readonly members: MemberChange[];
  /** Root runs that end, and what becomes of their unfinished members. */
  readonly endings: { readonly rootKey: number; readonly status: RunStatus; readonly at: number }[];
  readonly sessions: Map<number, SessionChange>;
  /** Sessions in which a run's turn ended while others wait: the first of these becomes ready. */
  readonly promotions: Set<number>;
  /** Runs whose place is taken, and by which run. */
  readonly replacements: { readonly key: number; readonly runId: string }[];
  /** Runs that got further after a takeover. */
  readonly progress: number[];
}
