/** Runs, their logs and their messages, as they are read. */
import type { ComponentKind, RunStatus, WireRunStatus } from "../../model/run.ts";

/** A run as code knows it: the integer key inside, the UUID on the wire. */
export interface RunRef {
  readonly key: number;
  readonly runId: string;
}

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

/** A paused run of which something is not answered in time. */
export interface OverduePause extends RunRef {
  /** The one that paused. */
  readonly attempt: number;
  /** JSON text: `RunOutput` of `model/record.ts`. */
  readonly output: string | null;
  /** By the database's clock. */
  readonly dueAt: number;
}

/** A stored piece of a log. */
export interface Segment {
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly frames: Buffer;
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

/** A run by what names it. */
export type LocatedRun = Omit<RunRow, "input" | "options" | "output">;

/** What of root runs a listing reads: the runs themselves, or the runs with all their members. */
export type ListedScope = "roots" | "members";

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
