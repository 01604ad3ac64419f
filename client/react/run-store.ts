/** A run outside of React: it starts, follows and answers a run, and keeps its state. */
import type { ToolExecution, ToolRequirement } from "../../src/model/run/record.ts";
import type { ComponentKind } from "../../src/model/run/run.ts";
import type { StepRequirement } from "../../src/model/workflow.ts";
import type { Component } from "../client.ts";
import type { ConnectionState } from "../connection.ts";
import type { RunEvent } from "../events.ts";
import type { Answers } from "../kinds.ts";
import type { StartOptions } from "../records.ts";
import type { FollowOptions, Run } from "../run.ts";
import { Store } from "./store.ts";

/** What a paused run waits for. */
export interface RunPause {
  /** Calls of an agent: answer each with its `tool_call_id`. */
  readonly tools: readonly ToolExecution[];
  /** Calls of an agent or of members of a team: answer each with its `id`. */
  readonly requirements: readonly ToolRequirement[];
  /** Questions of a workflow's steps. */
  readonly stepRequirements: readonly StepRequirement[];
}

/** The state of a run. */
export interface RunState<Content = unknown> {
  /** `idle`: no run yet. `starting`: the start was sent. */
  readonly status: "idle" | "starting" | "running" | "paused" | "completed" | "cancelled" | "failed";
  readonly runId: string | undefined;
  readonly sessionId: string | undefined;
  /** The message of the start; undefined for a run that was started elsewhere. */
  readonly input: unknown;
  /** The answer so far, of the run itself; members are not included. */
  readonly text: string;
  /** The reasoning so far. */
  readonly reasoning: string;
  /** Calls of the run and its members, in the order of their start. */
  readonly tools: readonly ToolExecution[];
  /** The complete answer of a completed run. */
  readonly content: Content | undefined;
  /** Set while the run is paused. */
  readonly pause: RunPause | undefined;
  /** Why the run failed, or why it cannot be started or followed. */
  readonly error: Error | undefined;
  /** The connection, for a display of it. */
  readonly connection: ConnectionState | undefined;
  /** Index of the last event; -1 for none. */
  readonly cursor: number;
}

/** The state of a run with content of any type. */
export type RunSnapshot = RunState;

/** The state before the first run. It is also the state on a server, which starts and follows nothing. */
export const idle: RunState = Object.freeze({
  status: "idle",
  runId: undefined,
  sessionId: undefined,
  input: undefined,
  text: "",
  reasoning: "",
  tools: [],
  content: undefined,
  pause: undefined,
  error: undefined,
  connection: undefined,
  cursor: -1,
});

const ends: Readonly<Record<string, RunState["status"]>> = {
  COMPLETED: "completed",
  PAUSED: "paused",
  CANCELLED: "cancelled",
  ERROR: "failed",
};

/** The members of events that are used here, of all kinds of components. */
interface AnyEvent {
  readonly event: string;
  readonly run_id: string;
  readonly event_index: number;
  readonly content?: unknown;
  readonly reasoning_content?: string;
  readonly tool?: ToolExecution;
  readonly tools?: readonly ToolExecution[];
  readonly requirements?: readonly ToolRequirement[];
  readonly step_requirements?: readonly StepRequirement[];
  readonly discard_from_index?: number;
}

/** A piece of the answer with the index of its event. */
interface Piece {
  readonly index: number;
  readonly text: string;
  readonly isReasoning: boolean;
}

export class RunStore {
  readonly store: Store<RunState> = new Store(idle);
  readonly #component: Component<ComponentKind>;
  #run: Run | undefined;
  #following: AbortController | undefined;
  /** The pieces of the answer since the last durable turn: after a crash, some of them may be void. */
  #pieces: Piece[] = [];
  #next: RunState = idle;
  /** Called with every event. */
  onEvent: ((event: RunEvent) => void) | undefined;

  constructor(component: Component<ComponentKind>) {
    this.#component = component;
  }

  /** Starts a run and follows it. Resolves with its id once the server has accepted it. A run that was followed before continues unfollowed. */
  async start(input: unknown, options: StartOptions = {}): Promise<string> {
    const following = this.#begin({ status: "starting", input, sessionId: options.sessionId });
    try {
      const run = await this.#component.start(input as string, { ...options, ...this.#followOptions(following) });
      this.#open(run, following);
      return run.id;
    } catch (error) {
      this.#fail(following, error);
      throw error;
    }
  }

  /** Follows a run that was started elsewhere. */
  follow(runId: string, options: Pick<FollowOptions, "cursor" | "sessionId" | "readOnly"> = {}): void {
    const following = this.#begin({ status: "running", runId, sessionId: options.sessionId });
    this.#open(this.#component.follow(runId, { ...options, ...this.#followOptions(following) }), following);
  }

  /** Continues a paused run. @throws Error if there is no run */
  async continue(answers: readonly Answers[ComponentKind][]): Promise<void> {
    const run = this.#required();
    const following = this.#following ?? new AbortController();
    await run.continue(answers as never);
    this.#change({ status: "running", pause: undefined });
    void this.#read(run, following);
  }

  /** Requests the cancellation of the run. @throws Error if there is no run */
  async cancel(): Promise<void> {
    await this.#required().cancel();
  }

  /** Stops following; the run continues. */
  detach(): void {
    this.#following?.abort();
  }

  /** Follows the run again, from the last event on, if it was detached before its end. */
  attach(): void {
    const run = this.#run;
    if (!run || !this.#following?.signal.aborted || this.#next.status !== "running") return;
    const following = new AbortController();
    this.#following = following;
    const { sessionId } = run;
    const options = { cursor: run.cursor, ...(sessionId !== undefined && { sessionId }) };
    this.#open(this.#component.follow(run.id, { ...options, ...this.#followOptions(following) }), following);
  }

  /** Forgets the run; it continues unfollowed. */
  reset(): void {
    this.#begin({});
  }

  #required(): Run {
    if (!this.#run) throw new Error("There is no run: start or follow one first.");
    return this.#run;
  }

  #begin(state: Partial<RunState>): AbortController {
    this.#following?.abort();
    this.#following = new AbortController();
    this.#run = undefined;
    this.#pieces = [];
    this.#next = { ...idle, ...state };
    this.store.set(this.#next);
    return this.#following;
  }

  #followOptions({ signal }: AbortController): Pick<FollowOptions, "signal" | "onConnection"> {
    const onConnection = (connection: ConnectionState): void => {
      if (!signal.aborted) this.#change({ connection });
    };
    return { signal, onConnection };
  }

  #open(run: Run, following: AbortController): void {
    if (following !== this.#following) return;
    this.#run = run;
    this.#change({ status: "running", runId: run.id, sessionId: run.sessionId ?? this.#next.sessionId });
    void this.#read(run, following);
  }

  async #read(run: Run, following: AbortController): Promise<void> {
    try {
      for await (const event of run) {
        if (following.signal.aborted) return;
        this.#take(run, event);
      }
      const { status, content } = await run.result();
      if (following.signal.aborted) return;
      const ended = ends[status] ?? "failed";
      const text = ended === "completed" && typeof content === "string" ? { text: content } : {};
      this.#change({
        status: ended,
        ...text,
        ...(ended === "completed" && { content }),
        ...(ended === "failed" && { error: new Error(typeof content === "string" ? content : "The run failed.") }),
      });
    } catch (error) {
      this.#fail(following, error);
    }
  }

  #fail(following: AbortController, error: unknown): void {
    if (following.signal.aborted) return;
    this.#change({ status: "failed", error: error instanceof Error ? error : new Error(String(error)) });
  }

  #take(run: Run, told: RunEvent): void {
    const event = told as AnyEvent;
    const isOwn = event.run_id === run.id;
    const base = event.event.replace(/^Team(?=[A-Z])/, "");
    const changes: Partial<{ -readonly [Name in keyof RunState]: RunState[Name] }> = {};
    if (isOwn) this.#takeOwn(base, event, changes);
    const { tool } = event;
    if (tool && base.startsWith("ToolCall")) changes.tools = withCall(this.#next.tools, tool);
    this.#next = { ...this.#next, ...changes, cursor: event.event_index, sessionId: run.sessionId };
    this.store.setSoon(() => this.#next);
    this.onEvent?.(told);
  }

  #takeOwn(
    base: string,
    event: AnyEvent,
    changes: Partial<{ -readonly [Name in keyof RunState]: RunState[Name] }>,
  ): void {
    const { content, reasoning_content: reasoning } = event;
    if (base === "RunContent") {
      if (typeof content === "string" && content !== "") {
        this.#pieces.push({ index: event.event_index, text: content, isReasoning: false });
        changes.text = this.#next.text + content;
      } else if (reasoning) {
        this.#pieces.push({ index: event.event_index, text: reasoning, isReasoning: true });
        changes.reasoning = this.#next.reasoning + reasoning;
      }
    } else if (base === "ReasoningContentDelta" || base === "ReasoningStep") {
      this.#pieces.push({ index: event.event_index, text: reasoning ?? "", isReasoning: true });
      changes.reasoning = this.#next.reasoning + (reasoning ?? "");
    } else if (base === "ModelRequestStarted") {
      // What the run said before is durable.
      this.#pieces = [];
    } else if (base === "RunRecovered") {
      const from = event.discard_from_index ?? 0;
      const voided = this.#pieces.filter(({ index }) => index >= from);
      this.#pieces = this.#pieces.filter(({ index }) => index < from);
      changes.text = without(this.#next.text, voided, false);
      changes.reasoning = without(this.#next.reasoning, voided, true);
    } else if (base === "RunPaused" || base === "WorkflowPaused") {
      const { tools = [], requirements = [], step_requirements: stepRequirements = [] } = event;
      changes.pause = { tools, requirements, stepRequirements };
    }
  }

  #change(changes: Partial<RunState>): void {
    this.#next = { ...this.#next, ...changes };
    this.store.set(this.#next);
  }
}

/** The calls with one that started or changed. */
function withCall(calls: readonly ToolExecution[], call: ToolExecution): readonly ToolExecution[] {
  const place = calls.findLastIndex(({ tool_call_id: id, result }) => id === call.tool_call_id && result === null);
  return place === -1 ? [...calls, call] : calls.with(place, call);
}

/** A text without its last pieces. */
function without(text: string, voided: readonly Piece[], isReasoning: boolean): string {
  const length = voided.reduce((sum, piece) => sum + (piece.isReasoning === isReasoning ? piece.text.length : 0), 0);
  return text.slice(0, text.length - length);
}
