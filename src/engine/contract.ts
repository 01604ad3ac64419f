/** The engine's interface for the layers above it. */

import type { Hosted } from "../define/platform.ts";
import type { Remote } from "../define/remote.ts";
import type { Principal } from "../model/principal.ts";
import type { PushTarget } from "../model/push.ts";
import type { Approval, RunApproval } from "../model/run/approval.ts";
import type { Media } from "../model/run/message.ts";
import type { GivenMessage, RunOptions } from "../model/run/record.ts";
import type { ComponentKind, RunStatus } from "../model/run/run.ts";
import type { SteeringMessage } from "../model/run/steering.ts";
import type { TraceContext } from "../model/trace/propagation.ts";
import type { SteeringOutcome } from "../store/contract/steering.ts";
import type { LocatedRun, RunRef, RunRow } from "../store/contract/store.ts";
import type { ListedTools } from "./mcp/listed-tools.ts";
import type { GivenAnswers } from "./pause/answers.ts";
import type { AnsweredRun } from "./run/answered-runs.ts";
import type { SessionOfComponent } from "./run/copy-session.ts";
import type { Idempotency } from "./run/idempotency.ts";
import type { SuccessorRequest } from "./run/successor.ts";
import type { SelectedVersion } from "./versions/live-versions.ts";

/** A validated start request. */
export interface StartRequest {
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly message: string;
  readonly media: readonly Media[];
  /** Names of the guardrails that removed text from the message. The engine sets it. */
  readonly redactedBy?: readonly string[] | undefined;
  /** Messages of the conversation so far. The model receives them before the message; workflows and remote components ignore them. */
  readonly conversation?: readonly GivenMessage[] | undefined;
  /** Session to run in; undefined creates a new one. */
  readonly sessionId: string | undefined;
  /** User of the run; applies when the caller's identity has no user id. */
  readonly userId: string | undefined;
  readonly options: RunOptions;
  /** The version of the component, or its definition in code. Default: the version that runs use, else the definition in code. */
  readonly version?: SelectedVersion | undefined;
  /** The caller's trace context: its span is the parent of the run's trace. */
  readonly trace?: TraceContext | undefined;
  /** The caller's token, for servers that execute remote components. Never stored. */
  readonly bearer?: string | undefined;
  /** Idempotency key: repeated requests with the same key start one run. */
  readonly idempotency?: Idempotency | undefined;
  /** The run's id, chosen in advance: repeated starts with the same id are one start. For callers inside this process only. */
  readonly runId?: string | undefined;
  /** The run to continue from. The new run gets that run's session, user and message, unless the request contains an input. */
  readonly from?: SuccessorRequest | undefined;
  /** If true, starts no run and returns the run that an earlier start with the same key created. */
  readonly onlyIfRepeated?: boolean | undefined;
  /** Push targets that receive the run's changes from the beginning. */
  readonly pushTargets?: readonly PushTarget[] | undefined;
  /** `now`: this process executes the run as soon as its session is free. `dispatch`: any process with a free slot takes it. */
  readonly execution: "now" | "dispatch";
}

/** The fields that find or build a component. */
export type BuildRequest = Pick<StartRequest, "kind" | "componentId" | "userId" | "options">;

/** A recorded run: it is durable and will be executed or ended. */
export interface AcceptedRun extends RunRef {
  readonly sessionId: string;
  readonly status: RunStatus;
  /** Whether an earlier start with the same idempotency key or run id created it. */
  readonly isRepeated: boolean;
}

/** A validated continue request. */
export interface ContinueRequest extends Omit<GivenAnswers, "pause" | "approvals"> {
  /** As in `StartRequest`. */
  readonly bearer?: string | undefined;
  /** Idempotency key: repeated requests with the same key continue the run once. */
  readonly idempotency?: Idempotency | undefined;
  /** The question and its answer in the format of the interface that received the answer. Stored with the run. */
  readonly exchange?: unknown;
  /** If true, continues no run and returns the result of an earlier continue with the same key. */
  readonly onlyIfRepeated?: boolean | undefined;
}

/** A pause whose answers are durable. */
export interface Continuation {
  /** Index of the last event before the run continues. */
  readonly cursor: number;
  /** Whether an earlier continue with the same idempotency key answered it. */
  readonly isRepeated: boolean;
}

/** Starts and stops runs. */
export interface Engine {
  /**
   * Accepts a run; resolves when its row is durable.
   * @throws TroupeError `notFound` (component; with `onlyIfRepeated` also the run; for a fork the session), `unavailable` with retryAfter (shutting down,
   * database unreachable, too many live runs), `tooManyRequests` (too many background runs wait), `validation` (the idempotency key belongs to
   * another request, or the message does not fit the workflow's `input`)
   */
  start(caller: Principal, request: StartRequest): Promise<AcceptedRun>;
  /** Returns the component of a run, with the versions that the run began with; undefined if this process cannot build it. */
  componentOf(run: RunRow): Promise<Hosted | undefined>;
  /** Returns the component of a version. @throws TroupeError `validation` for a version that cannot be built here */
  componentAt(component: Pick<BuildRequest, "kind" | "componentId">, version: SelectedVersion): Promise<Hosted>;
  /**
   * Builds a factory's component and discards it, to check that the factory builds it for this caller.
   * @throws TroupeError with the factory's error
   */
  checkFactory(caller: Principal, request: BuildRequest): Promise<void>;
  /**
   * Returns the tools that the MCP servers of a component and its members list for a caller. Waits a short time only: a server that is not available is missing.
   */
  listTools(caller: Principal, component: Hosted): Promise<ListedTools>;
  /** Returns the remote server's description of a component. @throws TroupeError `badGateway`, or the other server's error */
  describeRemote(remote: Remote, bearer: string | undefined): Promise<Readonly<Record<string, unknown>>>;
  /**
   * Continues a paused run; resolves when the answers are durable.
   * @throws TroupeError `badRequest` when a question stays unanswered, `conflict` when the run is not paused or another caller has answered,
   * `forbidden` when the caller may not approve, or when the run belongs to another user and sends that user's token to other servers,
   * `validation` when the idempotency key belongs to another request, `notFound` (with `onlyIfRepeated`)
   */
  continueRun(caller: Principal, run: LocatedRun, request: ContinueRequest): Promise<Continuation>;
  /** Checks that a run can continue with an approval's resolution. @throws TroupeError `badRequest` naming the value that does not fit */
  checkResolution(
    caller: Principal,
    approval: RunApproval,
    resolution: Pick<Approval, "status" | "resolutionData">,
  ): Promise<void>;
  /**
   * Copies a session with its finished runs of a component; resolves with the copy's id, or with undefined when nothing is left to copy.
   * @throws TroupeError `unavailable`
   */
  forkSession(source: SessionOfComponent): Promise<string | undefined>;
  /**
   * Returns a run that this process created, executed and ended with this status, if its start asked for the answer. Each run is returned once, and
   * only a request that may see the run asks for it.
   */
  takeAnswered(run: RunRef, status: RunStatus): AnsweredRun | undefined;
  /** Puts a message into a root run that is not over; resolves when the message is durable. */
  steer(run: Pick<RunRef, "key">, message: SteeringMessage): Promise<SteeringOutcome>;
  /** Requests the cancellation of a root run; resolves when the request is durable. Does nothing for a run that has ended. */
  cancel(run: Pick<RunRef, "key">): Promise<void>;
  /** Deletes a run or a session. Cancels unfinished runs first and waits for their end. */
  deleteRun(run: RunRef): Promise<void>;
  deleteSession(sessionKey: number): Promise<void>;
  /**
   * Answers every start that still waits for the database with `unavailable`. None of these starts creates a run
   * later, except a start with an idempotency key, which its caller can repeat.
   */
  rejectWaitingStarts(): void;
  /** Whether the engine accepts starts, and the reason when it does not. */
  readonly acceptance:
    | { readonly open: true }
    | { readonly open: false; readonly reason: string; readonly retryAfter: number };
}
