/** Read models of runs, their logs and their messages. */
import type { ComponentKind, RunStatus, WireRunStatus } from "../../model/run/run.ts";

/** Identifies a run: an integer key internally, a UUID on the wire. */
export interface RunRef {
  readonly key: number;
  readonly runId: string;
}

/** Current position and state of a run's log. Read it before the segments, never after (docs/protocol.md). */
export interface RunHead {
  readonly status: RunStatus;
  /** Index of the next event; also the number of events so far. */
  readonly nextIndex: number;
  /** Index of the first event that is still stored. */
  readonly firstKept: number;
  readonly attempt: number;
  readonly cancelRequested: boolean;
}

/** A paused run with an overdue requirement. */
export interface OverduePause extends RunRef {
  /** The attempt that paused. */
  readonly attempt: number;
  /** JSON text: `RunOutput` of `model/run/record.ts`. */
  readonly output: string | null;
  /** By the database's clock. */
  readonly dueAt: number;
}

/** A stored part of a log. */
export interface Segment {
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly frames: Buffer;
}

/** A run with its state and session. */
export interface RunRow extends RunRef {
  readonly rootKey: number;
  readonly parentKey: number | null;
  readonly parentRunId: string | null;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly componentName: string;
  readonly sessionKey: number;
  readonly sessionId: string;
  /** Namespace of the session. */
  readonly owner: string;
  /** Null for a member run. */
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

/** A run without its large texts. */
export type LocatedRun = Omit<RunRow, "input" | "options" | "output">;

/** Which rows a listing reads for its root runs: the root runs only, or also all their members. */
export type ListedScope = "roots" | "members";

/** Filters and page for root runs of a component. */
export interface RunQuery {
  readonly kind: ComponentKind;
  readonly componentId: string;
  /** Only runs of this session. Default: runs of every session that the caller may see. */
  readonly sessionId?: string | undefined;
  /** Only runs of this user. */
  readonly userId?: string | undefined;
  /** `REGENERATED` matches replaced runs, whatever their final status. A replaced run matches no other status. */
  readonly statuses?: readonly WireRunStatus[] | undefined;
  /** Bounds of the creation time in milliseconds, both exclusive. */
  readonly createdAfter?: number | undefined;
  readonly createdBefore?: number | undefined;
  /** Max runs to return, beginning after `after`. */
  readonly limit?: number | undefined;
  /** The last run of the previous page. It may have been deleted since. */
  readonly after?: RunPosition | undefined;
  /** Newest first. */
  readonly descending?: boolean | undefined;
}

/** A run's position in listings: by turn within its session, otherwise by creation time. */
export interface RunPosition {
  readonly key: number;
  readonly sessionKey: number;
  readonly sessionSeq: number;
  readonly createdAt: number;
}

/** A stored message with its run. */
export interface MessageRow {
  readonly runKey: number;
  readonly position: number;
  readonly id: string;
  readonly createdAt: number;
  readonly body: string;
}

/** A message of an earlier run of a session. */
export interface HistoryRow extends MessageRow {
  /** Position of its run. */
  readonly sessionSeq: number;
}
