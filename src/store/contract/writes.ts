/** The writes of runs, committed one flush at a time, and their outcomes. */

import type { PushTarget } from "../../model/push.ts";
import type { ModelUsage } from "../../model/run/message.ts";
import type { ComponentKind, RunStatus, SessionPolicy } from "../../model/run/run.ts";
import type { RunDelivery } from "../../model/webhook.ts";
import type { ApprovalCreation } from "./approvals.ts";
import type { NewJob } from "./jobs.ts";
import type { CountedUsage } from "./usage.ts";

/** The initial data of an accepted run. */
export interface RunCreation {
  readonly runId: string;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly componentName: string;
  /** The session's wire id. The session is created when it does not exist, and its update time is set when it does. */
  readonly sessionId: string;
  /** Whether the id was generated for this run, so that no such session exists yet. A hint: it may be wrong. */
  readonly hasNewSession?: boolean | undefined;
  /** Namespace of the session: "" when callers are not isolated. */
  readonly owner: string;
  readonly userId: string | null;
  /** JSON text: `RunInput` of `model/run/record.ts`. */
  readonly input: string;
  /** JSON text of the run's other start parameters (`RunOptions` of `model/run/record.ts`). */
  readonly options: string;
  readonly definitionHash: string;
  readonly model: string | null;
  readonly modelProvider: string | null;
  readonly createdAt: number;
  readonly policy: SessionPolicy;
  /** Max PENDING runs in its session: if that many runs already wait, the run is rejected. */
  readonly maxWaiting: number;
  /** JSON text of the initial session state; ignored when the session exists. */
  readonly sessionState: string;
  /** Title of the session, shown while it has no name; ignored when it already has a title. */
  readonly sessionTitle: string;
  /** Process that will start it at once; null leaves it PENDING for `claim`. */
  readonly startBy: string | null;
  /** Whether no client waits for it on an open connection: it then uses one of the background slots. */
  readonly background: boolean;
  /** Messages from before the run begins: messages of the run that it continues, and new input. */
  readonly messages?: readonly Omit<MessageWrite, "runKey">[] | undefined;
  /** The root run that it replaces, unless another run already has. */
  readonly replaces?: number | undefined;
  /** Digest of the idempotency key. If its reservation is gone, the run was created before and deleted since: it is not created again. */
  readonly reservation?: string | undefined;
  /** Returns whether the caller was already informed that no run was started: the run is then not created. Called when the flush is decided. */
  readonly isWithdrawn?: (() => boolean) | undefined;
  /** Push targets that get notifications about its changes. */
  readonly pushTargets?: readonly PushTarget[] | undefined;
}

/** A part of a run's log: whole frames, in one buffer. */
export interface SegmentWrite {
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly frames: Buffer;
}

/** A message row of a root run or of one of its members. Writing the same position again changes nothing. */
export interface MessageWrite {
  readonly runKey: number;
  readonly position: number;
  readonly id: string;
  readonly createdAt: number;
  /** JSON text of `Message`. */
  readonly body: string;
}

/**
 * A recorded result within a run that never changes: the outcome of a workflow's step, a decision, the answer to a pause. Writing the same name again changes nothing: the
 * first value stays.
 */
export interface Mark {
  readonly runKey: number;
  readonly name: string;
  readonly createdAt: number;
  /** JSON text. */
  readonly body: string;
}

/** A member run, created under the root run's fence. */
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
  /** The parent's tool call that created it. */
  readonly toolCallId: string | null;
}

/** The end of a member run. */
export interface MemberEnd {
  readonly key: number;
  readonly status: RunStatus;
  /** JSON text: `RunOutput` of `model/run/record.ts`. */
  readonly output: string;
}

/** Changed keys of a session's state, applied to the stored state under the session's lock: first `remove`, then `set`. */
export interface StatePatch {
  readonly set: Readonly<Record<string, unknown>>;
  readonly remove: readonly string[];
}

/** A new summary of a session. It is dropped if the stored summary has changed since `version`. */
export interface SummaryWrite {
  /** JSON text. */
  readonly summary: string;
  /** Position of the last run that it contains. */
  readonly seq: number;
  /** The component whose runs it contains: `agent/id`. */
  readonly by: string;
  readonly version: number;
}

/** Rows of a run and its members, and changes of its session's state. They become durable together. */
export interface RunChanges {
  readonly messages?: readonly MessageWrite[] | undefined;
  readonly marks?: readonly Mark[] | undefined;
  readonly members?: readonly MemberCreation[] | undefined;
  readonly memberEnds?: readonly MemberEnd[] | undefined;
  readonly statePatch?: StatePatch | null | undefined;
  readonly summary?: SummaryWrite | undefined;
  /** Amounts to add to shared counters. Only runs with a limit per session or per day have them. */
  readonly usage?: readonly CountedUsage[] | undefined;
}

/** Everything that one run writes in one flush. */
export interface RunWrite extends RunChanges {
  readonly key: number;
  /** Fencing token: the writer's attempt. */
  readonly attempt: number;
  readonly segment: SegmentWrite | null;
  /** Whether this is the first write of its attempt: the run starts or continues. */
  readonly begins?: boolean | undefined;
  /**
   * The run's own state change. Applied only if the run is RUNNING and, unless it changes to CANCELLED, only if no cancel is requested. A terminal
   * status also ends unfinished members.
   */
  readonly transition?: RunTransition | null | undefined;
}

/** A run's state change. */
export interface RunTransition {
  readonly to: RunStatus;
  /** JSON text of the run's output; null leaves it unchanged. */
  readonly output: string | null;
  readonly at: number;
  /** Tokens of the run and its members, by model; added to the session's usage when the run ends. */
  readonly usage?: readonly ModelUsage[] | undefined;
  /** Approvals that a pause waits for. */
  readonly approvals?: readonly ApprovalCreation[] | undefined;
  /** For a pause: when the first of its requirements is overdue. */
  readonly answerBy?: number | undefined;
  /** Whether there may be approvals from earlier pauses, which end with the run. */
  readonly endsApprovals?: boolean | undefined;
  /** For an end: number of messages from callers that the run has taken. It cannot complete with fewer than it has accepted. Default 0. */
  readonly steered?: number | undefined;
  /** Messages for webhooks about this change. */
  readonly deliveries?: readonly RunDelivery[] | undefined;
  /** Jobs about the ended run. */
  readonly jobs?: readonly NewJob[] | undefined;
}

/** One write of a flush. */
export type Write =
  | { readonly kind: "create"; readonly key: number; readonly run: RunCreation }
  | ({ readonly kind: "run" } & RunWrite);

/**
 * Why a run is not created. `replaced`: the run that it would replace has been replaced or deleted. `unreserved`: its reservation is gone. `deleted`:
 * an earlier try with unknown outcome created it, and it was deleted since. `full`: too many runs of its session wait. `withdrawn`: its caller no
 * longer waits.
 */
export type Refusal = "replaced" | "unreserved" | "deleted" | "full" | "withdrawn";

/** The result of a write. */
export type Outcome =
  /**
   * Durable. `waiting`: the write ended the run, and another run of its session is PENDING (its turn may have come). `watched`: another process asked
   * for signals about the run. `usage`: the totals of the counters that the write changed, after this flush; unknown if the flush was repeated.
   */
  | {
      readonly kind: "committed";
      readonly waiting: boolean;
      readonly watched: boolean;
      readonly usage?: readonly CountedUsage[] | undefined;
    }
  /** The run is recorded: RUNNING (attempt 1, owned by `startBy`), or PENDING behind another run of its session. */
  | {
      readonly kind: "created";
      readonly status: "RUNNING" | "PENDING";
      readonly sessionKey: number;
      readonly sessionSeq: number;
      /** JSON text: the session's current state. */
      readonly sessionState: string;
    }
  /** A run with that id already exists; nothing was written. */
  | { readonly kind: "exists"; readonly key: number }
  /** Nothing was written. */
  | { readonly kind: "refused"; readonly reason: Refusal }
  /** Another attempt owns the run, or it is gone; nothing of the write was applied. */
  | { readonly kind: "lost" }
  /**
   * A cancel is requested, or the state does not allow the transition, or the run has messages to take (`isSteered`). Nothing of the write was applied.
   */
  | {
      readonly kind: "state";
      readonly status: RunStatus;
      readonly cancelRequested: boolean;
      readonly isSteered?: boolean | undefined;
    }
  /** The database rejects the data of this write; nothing of it was applied, and a retry would fail too. */
  | { readonly kind: "failed"; readonly error: Error };
