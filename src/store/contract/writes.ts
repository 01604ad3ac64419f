/** What runs write, a flush at a time, and what becomes of it. */

import type { ModelUsage } from "../../model/message.ts";
import type { PushTarget } from "../../model/push.ts";
import type { ComponentKind, RunStatus, SessionPolicy } from "../../model/run.ts";
import type { ApprovalCreation } from "./approvals.ts";

/** What a run is made of when it is accepted. */
export interface RunCreation {
  readonly runId: string;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly componentName: string;
  /** Session as the wire names it. Created when it does not exist; touched when it does. */
  readonly sessionId: string;
  /** Whether the id was made for this run, so that there is no such session yet. A hint: it may be wrong. */
  readonly hasNewSession?: boolean | undefined;
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
  /** Runs of its session that may be PENDING: a run that would have to wait behind that many is refused. */
  readonly maxWaiting: number;
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
  /** Whether the caller was told that nothing was started: then the run is not made any more. Asked when the flush is decided. */
  readonly isWithdrawn?: (() => boolean) | undefined;
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
  /** Of a pause: when the first of what it asks is overdue. */
  readonly answerBy?: number | undefined;
  /** Whether there may be approvals from earlier pauses, which end with the run. */
  readonly endsApprovals?: boolean | undefined;
}

/** What a flush takes. */
export type Write =
  | { readonly kind: "create"; readonly key: number; readonly run: RunCreation }
  | ({ readonly kind: "run" } & RunWrite);

/**
 * Why a run is not made: the one that it was to replace has been replaced or deleted, its reservation is gone, it was made by a try whose
 * outcome nobody knew, and deleted since, as many runs of its session wait as may, or nobody waits for it any more.
 */
export type Refusal = "replaced" | "unreserved" | "deleted" | "full" | "withdrawn";

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
  /** Nothing was written. */
  | { readonly kind: "refused"; readonly reason: Refusal }
  /** Another attempt has the run, or it is gone; nothing of the write was applied. */
  | { readonly kind: "lost" }
  /** A cancel is requested, or the state does not allow the transition; nothing of the write was applied. */
  | { readonly kind: "state"; readonly status: RunStatus; readonly cancelRequested: boolean }
  /** The database refuses this write's data; nothing of it was applied, and trying again is of no use. */
  | { readonly kind: "failed"; readonly error: Error };
