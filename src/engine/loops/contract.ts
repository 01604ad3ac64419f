/** What the loops of agents and teams write through: one scope a run, members' scopes under the root's. */
import type { RunContext } from "../../define/context.ts";
import type { Component, Hosted } from "../../define/platform.ts";
import type { Workflow } from "../../define/workflow/types.ts";
import type { Message, PlacedMessage } from "../../model/message.ts";
import type { Answered, Pause, RunInput, RunOptions, RunOutput } from "../../model/record.ts";
import type { TerminalStatus } from "../../model/run.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Settings } from "../../model/settings.ts";

/** Why a run stops before its answer. */
export type StopReason =
  /** Somebody cancelled it. */
  | { readonly kind: "cancelled" }
  /** It took longer than its component allows. */
  | { readonly kind: "timeout"; readonly milliseconds: number }
  /** It has become larger than the settings allow. */
  | { readonly kind: "failed"; readonly failure: RunFailure }
  /** Another attempt has the run, or this process hands it over: write nothing more, say nothing. */
  | { readonly kind: "lost" };

/** Thrown through the loops when a run must stop; `signal.reason` of a run's abort signal is one, too. */
export class RunStopped extends Error {
  override readonly name = "RunStopped";
  readonly reason: StopReason;

  constructor(reason: StopReason) {
    super(`The run stops: ${reason.kind}.`);
    this.reason = reason;
  }
}

/** Whether a signal's reason says that the run is not this process's any more. */
export function isLost(reason: unknown): boolean {
  return reason instanceof RunStopped && reason.reason.kind === "lost";
}

/** A failure that ends a run as ERROR with this text; anything else a loop throws ends it as ERROR with a text that tells nothing. */
export class RunFailure extends Error {
  override readonly name = "RunFailure";
  /** `error_type` on the wire. */
  readonly type: string;

  constructor(type: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.type = type;
  }
}

/** Fields of an event that another server told. */
export type RelayedFields = Readonly<Record<string, unknown>> & { readonly event: string };

/** One run in execution. */
export interface RunScope<C extends Hosted = Component> {
  readonly runKey: number;
  readonly component: C;
  readonly input: RunInput;
  readonly options: RunOptions;
  /** What the component's functions are given. */
  readonly context: RunContext;
  /** Aborts with a `RunStopped` as its reason. */
  readonly signal: AbortSignal;
  readonly runtime: Runtime;
  readonly settings: Settings;
  /** Whether the run goes on after a pause: then nothing that was told before is void. */
  readonly isContinued: boolean;
  /** The token of the caller, for servers that are sent it; undefined where this process has not heard it. */
  readonly bearer: string | undefined;
  /** Index of the last event that earlier attempts took over from another server's run, in that run's log; -1 for none. */
  readonly relayedBefore: number;
  /** Messages of this run so far, in order; not those of its history or its members. */
  readonly messages: readonly PlacedMessage[];
  /** How many of them it took over from the run that it goes on from. */
  readonly kept: number;
  /** Whether it has told that it started. */
  readonly hasBegun: boolean;
  /** Tool calls without a result that an earlier attempt of the run had begun: whether they took effect is not known. */
  readonly interrupted: ReadonlySet<string>;
  /** What the run, and those under it, waited for before. */
  readonly answered: Answered | undefined;
  /** What the run has come to so far: set by its loop, asked by whoever ends the run before its answer. */
  soFar?: (() => RunOutput) | undefined;

  /**
   * Appends an event to the root's log. `name` is the agent's name of it (`RunContent`); a team's scope puts `Team` before it.
   * The common fields (created_at, event, ids, session_id, nested_depth) are added; undefined members are left out.
   * @throws RunStopped when the run has been stopped
   */
  emit(name: string, fields?: Readonly<Record<string, unknown>>): void;
  /**
   * Appends an event as another server told it, under our ids. `index` is its place in the log there, where that is known.
   * @throws RunStopped
   */
  relay(fields: RelayedFields, index: number | undefined): void;
  /** The text of its answer as the log has it, piece by piece. */
  toldText(): Promise<string>;
  /** Undefined while the log takes more; else resolves when it does. Ask after each emit of a stream. */
  room(): Promise<void> | undefined;
  /** Resolves when the log takes a whole answer: wait for it before an answer is put together, and write the answer without a wait in between. */
  roomForAnswer(): Promise<void>;
  /**
   * Counts characters that a model has answered. The run ends when it has `maxOutputBytes` of them.
   * @throws RunStopped
   */
  count(characters: number): void;
  /** Adds a message to the run. It becomes durable with the next event, in the same flush: say first what an event tells. */
  say(message: Message): PlacedMessage;
  /** Resolves when all that was emitted and said so far is durable, with the changed keys of the session's state. @throws RunStopped */
  commit(): Promise<void>;
  /** Messages of the session's last `runs` completed runs of this component, oldest first. */
  history(runs: number): Promise<readonly Message[]>;
  /** The member's run of a call that an earlier attempt of this run has made. */
  earlierMember(component: Component, toolCallId: string): MemberScope | undefined;
  /** Opens a member's run under this one. `toolCallId` is the delegating call. */
  member(component: Component, input: RunInput, toolCallId: string): Promise<MemberScope>;
  /** What the run has settled under a name: JSON as it was given. */
  settled(name: string): unknown;
  /** Settles it, once and for all. It becomes durable with the next event, in the same flush. */
  settle(name: string, value: unknown): void;
}

/** A workflow's run in execution: its members are the executors of its steps. */
export interface WorkflowScope extends RunScope<Workflow> {
  /** The executor's run that an earlier attempt has begun for a try of a step. */
  earlierExecutor<C extends Hosted>(component: C, place: StepPlace, attempt: string): MemberScope<C> | undefined;
  /** Runs of its executors that have ended, as the wire shows them. */
  executorRuns(): readonly Readonly<Record<string, unknown>>[];
  /** Opens the run of a step's executor. */
  executor<C extends Hosted>(component: C, input: RunInput, place: StepPlace, attempt: string): Promise<MemberScope<C>>;
}

/** Where a step stands, as events tell it. */
export interface StepPlace {
  readonly stepId: string;
  readonly parentStepId: string | undefined;
  readonly name: string;
  readonly index: number | readonly number[];
}

/** A member's run in execution. */
export interface MemberScope<C extends Hosted = Component> extends RunScope<C> {
  /** Tells that the run goes on in another attempt, and which of its events are void; says nothing of a run that has told nothing yet. */
  tellRecovery(): void;
  /** Set for a member that an earlier attempt of the team has brought to its end: there is nothing to run. */
  readonly earlierEnd?: { readonly status: TerminalStatus; readonly output: RunOutput } | undefined;
  /** Leaves the member's row paused; it becomes durable with the next event, which tells so. */
  pause(output: RunOutput): void;
  /** Ends the member's row; it becomes durable with the next event, which tells the end. */
  end(status: TerminalStatus, output: RunOutput): void;
}

/** Runs one component in its scope up to its answer; emits everything but the run's terminal event. */
export type Loop = (scope: RunScope) => Promise<RunOutput>;

/** Says which loop runs what: for loops that run others under theirs. */
export type LoopOf = <C extends Hosted>(component: C) => (scope: MemberScope<C>) => Promise<RunOutput>;

/** Something in the run waits for a person: it pauses. */
export class RunPaused extends Error {
  override readonly name = "RunPaused";
  readonly pause: Pause;

  constructor(pause: Pause) {
    super("The run pauses.");
    this.pause = pause;
  }
}
