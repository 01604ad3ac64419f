/** What borders may ask of the engine. */

import type { Remote } from "../define/remote.ts";
import type { Approval, RunApproval } from "../model/approval.ts";
import type { Media } from "../model/message.ts";
import type { Principal } from "../model/principal.ts";
import type { PushTarget } from "../model/push.ts";
import type { RunOptions } from "../model/record.ts";
import type { ComponentKind, RunStatus } from "../model/run.ts";
import type { LocatedRun, RunRef } from "../store/contract/store.ts";
import type { GivenAnswers } from "./pause/answers.ts";
import type { SessionOfComponent } from "./run/copied-session.ts";
import type { Idempotency } from "./run/idempotency.ts";
import type { Succession } from "./run/successor.ts";

/** A start as a border asks for it: already validated. */
export interface StartRequest {
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly message: string;
  readonly media: readonly Media[];
  /** Session to run in; a new one when undefined. */
  readonly sessionId: string | undefined;
  /** User the run is for, when the caller's identity does not say. */
  readonly userId: string | undefined;
  readonly options: RunOptions;
  /** The caller's token, for servers that execute remote components. It is never stored. */
  readonly bearer?: string | undefined;
  /** Makes the start one however often it is sent. */
  readonly idempotency?: Idempotency | undefined;
  /** The id that the run has: a start that comes again with it is the same start. For callers of this process only. */
  readonly runId?: string | undefined;
  /** The run that it goes on from: then session, user and message are that run's, unless the succession brings an input. */
  readonly from?: Succession | undefined;
  /** True starts nothing: there must have been a start with the key. */
  readonly again?: boolean | undefined;
  /** Who is told of its changes, from its beginning on. */
  readonly pushTargets?: readonly PushTarget[] | undefined;
  /** `now`: executed here as soon as its session is free. `dispatch`: any process with a free slot takes it. */
  readonly execution: "now" | "dispatch";
}

/** What a component is found by, or built from. */
export type BuildRequest = Pick<StartRequest, "kind" | "componentId" | "userId" | "options">;

/** A run that is recorded: whatever happens next, it will not be forgotten. */
export interface AcceptedRun extends RunRef {
  readonly sessionId: string;
  readonly status: RunStatus;
  /** Whether an earlier start with the same idempotency key, or the same id, made it. */
  readonly isRepeated: boolean;
}

/** A continue as a border asks for it. */
export interface ContinueRequest extends Omit<GivenAnswers, "pause" | "approvals"> {
  /** As of a start. */
  readonly bearer?: string | undefined;
  /** Makes the continue one however often it is sent. */
  readonly idempotency?: Idempotency | undefined;
  /** What was asked and what was said to it, in the words of the interface that took the answer. It is kept with the run. */
  readonly exchange?: unknown;
  /** True continues nothing: there must have been a continue with the key. */
  readonly again?: boolean | undefined;
}

/** A pause that is answered durably. */
export interface Continuation {
  /** Index of the last event before the run goes on. */
  readonly cursor: number;
  /** Whether an earlier continue with the same idempotency key did it. */
  readonly isRepeated: boolean;
}

/** Starts and stops runs. */
export interface Engine {
  /**
   * Accepts a run: resolves when its row is durable.
   * @throws TroupeError `notFound` (component; with `again` also the run; of a fork the session), `unavailable` (shutting down, database away, too
   * many live runs: with retryAfter), `tooManyRequests` (too many background runs wait), `validation` (an idempotency key of another request, a
   * message that does not fit the workflow's `input`)
   */
  start(caller: Principal, request: StartRequest): Promise<AcceptedRun>;
  /**
   * Builds the component of a factory once more, and throws it away: what is asked for must be something that it builds for the caller.
   * @throws TroupeError as the factory refuses
   */
  rebuild(caller: Principal, request: BuildRequest): Promise<void>;
  /** What the server that executes it shows of a remote component. @throws TroupeError `badGateway`, or as that server refuses */
  describeRemote(remote: Remote, bearer: string | undefined): Promise<Readonly<Record<string, unknown>>>;
  /**
   * Lets a paused run go on: resolves when the answers are durable.
   * @throws TroupeError `badRequest` for answers that leave something open, `conflict` for a run that is not paused, or when somebody else has
   * answered, `forbidden` where somebody else must approve, or for the run of another user that sends its user's token to other servers,
   * `validation` for an idempotency key of another request, `notFound` (with `again`)
   */
  continueRun(caller: Principal, run: LocatedRun, request: ContinueRequest): Promise<Continuation>;
  /** Whether a run can go on with what an approval is to bring. @throws TroupeError `badRequest` naming what does not fit */
  checkResolution(
    caller: Principal,
    approval: RunApproval,
    resolution: Pick<Approval, "status" | "resolutionData">,
  ): Promise<void>;
  /**
   * Copies a session with its finished runs of a component: resolves with the copy's id, or with undefined where there is nothing to copy (any
   * more).
   * @throws TroupeError `unavailable`
   */
  forkSession(source: SessionOfComponent): Promise<string | undefined>;
  /** Cancels a root run: resolves when the wish is durable. A run that is over stays as it is. */
  cancel(run: RunRef): Promise<void>;
  /** Deletes a run or a session: what is unfinished is cancelled first, and waited for. */
  deleteRun(run: RunRef): Promise<void>;
  deleteSession(sessionKey: number): Promise<void>;
  /**
   * Answers all starts that still wait for the database with `unavailable`. None of them begins a run later, unless its caller can ask for it
   * again by an idempotency key.
   */
  giveUpStarts(): void;
  /** Whether starts are taken now; else why not. */
  readonly acceptance:
    | { readonly open: true }
    | { readonly open: false; readonly reason: string; readonly retryAfter: number };
}
