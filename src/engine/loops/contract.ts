/** The interface between the loops and a run: one scope for each run, with members' scopes under the root's. */
import type { RunContext } from "../../define/context.ts";
import type { Component, Hosted } from "../../define/platform.ts";
import type { Workflow } from "../../define/workflow/types.ts";
import type { KnowledgeSearch } from "../../knowledge/search.ts";
import type { Message, PlacedMessage } from "../../model/run/message.ts";
import type { Answered, Pause, RunInput, RunOptions, RunOutput } from "../../model/run/record.ts";
import type { RecordedRequest } from "../../model/run/recorded-request.ts";
import type { TerminalStatus } from "../../model/run/run.ts";
import type { NumberedMessage } from "../../model/run/steering.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Settings } from "../../model/settings.ts";
import type { ShownLimit } from "../../model/usage/limits.ts";
import type { LearningStore } from "../../store/contract/learnings.ts";
import type { MemoryStore } from "../../store/contract/memories.ts";
import type { ResponseStore } from "../../store/contract/responses.ts";
import type { SummaryRow } from "../../store/contract/sessions.ts";
import type { SummaryWrite } from "../../store/contract/store.ts";
import type { Connections } from "../connections/connections.ts";
import type { ToolServers } from "../mcp/tool-servers.ts";
import type { PriceBook } from "../model-call/prices.ts";
import type { RunSpans } from "../run/run-spans.ts";

/** The reason for which a run stops before its answer. */
export type StopReason =
  /** A caller cancelled the run. */
  | { readonly kind: "cancelled" }
  /** The run exceeded its component's time-out. */
  | { readonly kind: "timeout"; readonly milliseconds: number }
  /** The run exceeded a size limit of the settings. */
  | { readonly kind: "failed"; readonly failure: RunFailure }
  /** Another attempt has the run, or this process hands it over: the loop writes and emits nothing more. */
  | { readonly kind: "lost" };

/** Thrown through the loops when a run must stop; also the `signal.reason` of a run's abort signal. */
export class RunStopped extends Error {
  override readonly name = "RunStopped";
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`The run stops: ${reason.kind}.`);
    this.reason = reason;
  }
}

/** Whether a signal's reason means that this process no longer executes the run. */
export function isLost(reason: unknown): boolean {
  return reason instanceof RunStopped && reason.reason.kind === "lost";
}

/** A failure that ends a run as ERROR with this text. Any other error that a loop throws ends it as ERROR with a generic text. */
export class RunFailure extends Error {
  override readonly name = "RunFailure";
  /** `error_type` on the wire. */
  readonly type: string;
  /** The limit that the run reached, for `limit_exceeded`. */
  readonly limit: ShownLimit | undefined;
  /** `additional_data` on the wire. */
  readonly details: Readonly<Record<string, unknown>> | undefined;

  constructor(
    type: string,
    message: string,
    cause?: unknown,
    limit?: ShownLimit,
    details?: Readonly<Record<string, unknown>>,
  ) {
    super(message, cause === undefined ? undefined : { cause });
    this.type = type;
    this.limit = limit;
    this.details = details;
  }
}

/** Prices a run's model requests, and checks its limits. */
export interface RunMeter {
  /**
   * Checks the limits before the next model request, or before the next tool calls. With limits that other runs share, makes everything so far durable
   * first. Undefined for a run without limits.
   * @throws RunFailure, RunStopped or RunPaused if a limit is reached
   */
  begin(action: "modelRequests" | "toolCalls", count: number): Promise<void> | undefined;
  /**
   * Like `begin`, but returns false if a limit is reached: for a request without which the run has its answer.
   * @throws RunStopped
   */
  mayBegin(action: "modelRequests" | "toolCalls", count: number): boolean | Promise<boolean>;
  /** Ends the actions that have no message because the run stops: they do not count. */
  end(): void;
}

/** The messages that callers put into a run. */
export interface RunInbox {
  /** Whether the loop must look for messages before its next step. */
  readonly mayHaveMessages: boolean;
  /** The waiting messages, in order. They count as taken. */
  take(): Promise<readonly NumberedMessage[]>;
  /** Begins a model request; the signal aborts if a message interrupts it. Call `endTurn` afterwards. */
  beginTurn(): AbortSignal;
  endTurn(): void;
}

/** Fields of an event from another server. */
export type RelayedFields = Readonly<Record<string, unknown>> & { readonly event: string };

/** An earlier run of a session. */
export interface HistoryRun {
  /** Its position in the session. */
  readonly seq: number;
  readonly messages: readonly Message[];
}

/** The session's earlier runs, their summary, and stored tool results. */
export interface SessionPast {
  /** The position of the root run in its session. */
  readonly seq: number;
  /** The position before which its history ends. Lower than `seq` for a run that continues from an earlier one. */
  readonly beforeSeq: number;
  /** Completed runs of this component, oldest first: the last ones, or the first ones, after a position. */
  history(range: {
    readonly runs: number;
    readonly afterSeq?: number | undefined;
    readonly end?: "last" | "first" | undefined;
  }): Promise<readonly HistoryRun[]>;
  summary(): Promise<SummaryRow | undefined>;
  /** Stores the summary, unless it has changed since its version. It becomes durable with the next event, in the same flush. */
  putSummary(summary: SummaryWrite): void;
  /** Stores a part of a long tool result with the root run. It becomes durable with the next event, in the same flush. */
  putResult(name: string, text: string): void;
  /** Reads a durable part that the run at a position of the session has stored; undefined if there is none. */
  result(seq: number, name: string): Promise<string | undefined>;
}

/** One run in execution. */
export interface RunScope<C extends Hosted = Component> {
  readonly runKey: number;
  readonly component: C;
  readonly input: RunInput;
  readonly options: RunOptions;
  /** The context that the component's functions receive. */
  readonly context: RunContext;
  /** Aborts with a `RunStopped` as its reason. */
  readonly signal: AbortSignal;
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly meter: RunMeter;
  readonly prices: Pick<PriceBook, "find" | "contextWindow">;
  /** Stored answers of models, for components with a cache. */
  readonly responses: ResponseStore | undefined;
  /** Messages of callers; undefined for a run below the root. */
  readonly inbox?: RunInbox | undefined;
  /** The MCP servers of this process. */
  readonly toolServers: Pick<ToolServers, "list" | "callable">;
  readonly learnings: Pick<LearningStore, "forRun" | "put">;
  /** Undefined on a platform without connections. */
  readonly connections: Connections | undefined;
  readonly past: SessionPast;
  /** Memories of users. A read or change waits for the end of a database outage. */
  readonly memories: Pick<MemoryStore, "latest" | "change">;
  /** Searches a knowledge base. A search waits for the end of a database outage. */
  readonly searchKnowledge: KnowledgeSearch;
  /** The open spans of the run, for the calls that they make. */
  readonly spans: RunSpans;
  /** Whether the run continues after a pause, in which case all events before it stay valid. */
  readonly isContinued: boolean;
  /** The caller's token for other servers; undefined when this process did not receive it. */
  readonly bearer: string | undefined;
  /** Ids of the root run and the runs under it whose cancellation was sent to the server that executes them. */
  readonly cancelledRemotes: Set<string>;
  /** Highest event index in another server's log that earlier attempts relayed; -1 for none. */
  readonly relayedBefore: number;
  /** Messages of this run so far, in order, without the messages of its history and its members. */
  readonly messages: readonly PlacedMessage[];
  /** The answered model requests of this run that are not turns. */
  readonly requests: readonly RecordedRequest[];
  /** Number of messages that the run copied from its predecessor. */
  readonly copiedMessages: number;
  /** Whether the run has emitted its start event. */
  readonly hasBegun: boolean;
  /** Tool calls without a result that an earlier attempt had started: it is unknown whether they took effect. */
  readonly interrupted: ReadonlySet<string>;
  /** The answered questions of earlier pauses of this run and of the runs under it. */
  readonly answered: Answered | undefined;
  /** The partial output: the loop sets it, and the code that ends the run early reads it. */
  partialOutput?: (() => RunOutput) | undefined;
  /** The answer that clients have received, of a run that was about to end when a caller's message came. The loop deletes it. */
  shownAnswer?: RunOutput | undefined;

  /**
   * Appends an event to the root's log. `name` is the agent's event name (`RunContent`); a team's scope puts `Team` before it.
   * The common fields (created_at, event, ids, session_id, nested_depth) are added; undefined members are left out.
   * @throws RunStopped when the run has been stopped
   */
  emit(name: string, fields?: Readonly<Record<string, unknown>>): void;
  /**
   * Appends an event of another server with this server's ids. `index` is its index in the other server's log, if known.
   * @throws RunStopped
   */
  relay(fields: RelayedFields, index: number | undefined): void;
  /** The text of the run's answer, joined from the events in the log. */
  emittedText(): Promise<string>;
  /** Undefined while the log accepts more; otherwise resolves when it does. Call it after each emit of a stream. */
  room(): Promise<void> | undefined;
  /** Resolves when the log has space for a complete answer. Wait for it before you build the answer, and then write the answer without another wait. */
  waitForRoom(): Promise<void>;
  /**
   * Counts the characters of a model's answer. The run ends when it exceeds `maxOutputBytes`.
   * @throws RunStopped
   */
  count(characters: number): void;
  /** Appends a message to the run. It becomes durable with the next event, in the same flush: append a message before the event that reports it. */
  appendMessage(message: Message): PlacedMessage;
  /** Records an answered model request that is not a turn, with its usage. It becomes durable with the next event, in the same flush. */
  recordRequest(name: string, request: RecordedRequest): void;
  /** Resolves when all emitted events, appended messages and changed keys of the session's state are durable. @throws RunStopped */
  commit(): Promise<void>;
  /** The member's run that an earlier attempt of this run created for a call. */
  earlierMember(component: Component, toolCallId: string): MemberScope | undefined;
  /** Opens a member's run under this one. `toolCallId` is the delegating call. */
  member(component: Component, input: RunInput, toolCallId: string): Promise<MemberScope>;
  /** The JSON value that the run has recorded under a name. */
  mark(name: string): unknown;
  /** Records a value under a name, once only. It becomes durable with the next event, in the same flush. */
  setMark(name: string, value: unknown): void;
}

/** A workflow's run in execution: its members are the executors of its steps. */
export interface WorkflowScope extends RunScope<Workflow> {
  /** The executor's run that an earlier attempt started for an attempt of a step. */
  earlierExecutor<C extends Hosted>(component: C, place: StepPlace, attempt: string): MemberScope<C> | undefined;
  /** Ended runs of its executors in their wire format. */
  executorRuns(): readonly Readonly<Record<string, unknown>>[];
  /** Opens the run of a step's executor. */
  executor<C extends Hosted>(component: C, input: RunInput, place: StepPlace, attempt: string): Promise<MemberScope<C>>;
}

/** A step's position, as events show it. */
export interface StepPlace {
  readonly stepId: string;
  readonly parentStepId: string | undefined;
  readonly name: string;
  readonly index: number | readonly number[];
}

/** A member's run in execution. */
export interface MemberScope<C extends Hosted = Component> extends RunScope<C> {
  /** Emits the event that another attempt continues the run, and which of its events are void. Emits nothing for a run without events. */
  emitRecovery(): void;
  /** Set if the member ended in an earlier attempt of the team: it must not run again. */
  readonly earlierEnd?: { readonly status: TerminalStatus; readonly output: RunOutput } | undefined;
  /** Pauses the member's row; durable with the next event, which reports the pause. */
  pause(output: RunOutput): void;
  /** Ends the member's row; durable with the next event, which reports the end. */
  end(status: TerminalStatus, output: RunOutput): void;
}

/** Runs one component in its scope until it has an answer; emits every event except the run's terminal event. */
export type Loop = (scope: RunScope) => Promise<RunOutput>;

/** Returns the loop of a component, for loops that run other components. */
export type LoopOf = <C extends Hosted>(component: C) => (scope: MemberScope<C>) => Promise<RunOutput>;

/** The run pauses because a part of it waits for a person. */
export class RunPaused extends Error {
  override readonly name = "RunPaused";
  readonly pause: Pause;

  constructor(pause: Pause) {
    super("The run pauses.");
    this.pause = pause;
  }
}
