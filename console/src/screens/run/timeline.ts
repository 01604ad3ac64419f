/**
 * The timeline of a run: a pure function of the events of its log. The log is its source, not the trace: the log is complete while the run is live,
 * and its indices lead to the events. Stored and live events therefore give the same timeline.
 */
import type { ComponentKind } from "../../api/component-kinds.ts";
import { isChunk, type LogEvent, plainName, type ToolCall } from "./log-event.ts";
import { iterationKey, partIn } from "./parts.ts";
import type { RowKind, RowState } from "./row-kinds.ts";

export interface TimelineRow {
  /** Index of the event that opened the row: unique, and stable while the log grows. */
  readonly id: number;
  readonly parent: TimelineRow | undefined;
  readonly kind: RowKind;
  readonly label: string;
  /** A type of step, a kind of component, the question that is waited for, or what a hook did. */
  detail: string | undefined;
  /** The run that the row belongs to. */
  readonly runId: string;
  readonly stepId: string | undefined;
  /** Milliseconds since the epoch. */
  readonly startedAt: number;
  /** Undefined while the part is not over. */
  endedAt: number | undefined;
  state: RowState;
  /** Index of the last event of the part; undefined while it is not over. */
  lastIndex: number | undefined;
  /** Why it failed. */
  message?: string;
  usage?: ModelUsage;
  tool?: ToolCall;
  /** What a hook, a stage or a note produced. */
  output?: unknown;
  /** Sources that the answer of a run names. */
  citations?: unknown;
  /** Position among the finished model requests of its run, from 0. */
  turn?: number;
  readonly children: TimelineRow[];
}

/** Tokens and cost of one model request. */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Seconds. */
  readonly timeToFirstToken: number | undefined;
  /** US dollars; undefined if the price is unknown. */
  readonly cost: number | undefined;
}

/** Sums over the log so far. */
export interface TimelineTotals {
  readonly inputTokens: number;
  readonly outputTokens: number;
  /** Undefined as long as no price is known. */
  readonly cost: number | undefined;
  readonly modelRequests: number;
  readonly toolCalls: number;
  readonly takeovers: number;
  readonly chunks: number;
  /** Seconds from the start of the run to its first token. */
  readonly timeToFirstToken: number | undefined;
}

/** Events that a takeover made void: those of the run from one index up to another one, which is not included. */
export interface VoidRange {
  readonly runId: string;
  readonly from: number;
  readonly to: number;
}

export interface Timeline {
  /** The row of the run itself; undefined before its first event. */
  readonly root: TimelineRow | undefined;
  readonly totals: TimelineTotals;
  readonly voids: readonly VoidRange[];
  /** Time of the last event, in milliseconds. */
  readonly lastAt: number | undefined;
}

/** The open parts of one run. */
interface OpenRun {
  readonly row: TimelineRow;
  readonly depth: number;
  /** By purpose: `""` for the turns. */
  readonly models: Map<string, TimelineRow>;
  wait: TimelineRow | undefined;
  turns: number;
  readonly tools: Map<string, TimelineRow>;
  /** By type and id: a container, its iterations and their steps may have the same id. */
  readonly steps: Map<string, TimelineRow>;
  /** Hooks and stages by their keys, in the order in which they began. */
  readonly parts: Map<string, TimelineRow>;
}

/** Returns the timeline of events. They begin with index 0 and have no gaps. */
export function timelineOf(events: Iterable<LogEvent>): Timeline {
  const builder = new TimelineBuilder();
  for (const event of events) builder.take(event);
  return builder.timeline();
}

/** Builds a timeline event by event, for a run that is live. */
export class TimelineBuilder {
  readonly #runs = new Map<string, OpenRun>();
  readonly #open = new Set<TimelineRow>();
  readonly #voids: VoidRange[] = [];
  #root: TimelineRow | undefined;
  #lastAt: number | undefined;
  #totals: Mutable<TimelineTotals> = {
    ...{ inputTokens: 0, outputTokens: 0, modelRequests: 0, toolCalls: 0, takeovers: 0, chunks: 0 },
    ...{ cost: undefined, timeToFirstToken: undefined },
  };

  timeline(): Timeline {
    return { root: this.#root, totals: { ...this.#totals }, voids: [...this.#voids], lastAt: this.#lastAt };
  }

  take(event: LogEvent): void {
    if (typeof event.run_id !== "string" || typeof event.event !== "string") return;
    if (isChunk(event)) {
      this.#totals.chunks += 1;
      return;
    }
    const at = this.#timeOf(event);
    const name = plainName(event);
    const known = this.#runs.get(event.run_id);
    const run = known ?? this.#begin(event, at);
    // The next event of the log shows that a wait of the root run is over.
    if (this.#root) this.#endWait(this.#runs.get(this.#root.runId), event, at);
    this.#endWait(run, event, at);
    if (name === "RunCompleted") this.#endRun(run, event, at, "done");
    else if (name === "RunError") this.#endRun(run, event, at, "failed");
    else if (name === "RunCancelled") this.#endRun(run, event, at, "cancelled");
    else if (name === "RunPaused") this.#beginWait(run, event, at);
    else if (name === "RunRecovered") this.#takeOver(run, event, at);
    else if (name === "ModelRequestStarted") this.#beginTurn(run, event, at);
    else if (name === "ModelRequestCompleted") this.#endTurn(run, event, at);
    else if (name.startsWith("ToolCall")) this.#takeToolCall(run, event, at, name);
    else if (!this.#takePart(run, event, at, name)) this.#takeStep(run, event, at);
  }

  /** The time of an event. Events of older servers have whole seconds only. */
  #timeOf({ created_at_ms, created_at }: LogEvent): number {
    const at = created_at_ms ?? created_at * 1000;
    // Another server's clock may be behind.
    this.#lastAt = Math.max(this.#lastAt ?? at, at);
    return this.#lastAt;
  }

  /** Opens the row of a run with its first event, which need not be its start. */
  #begin(event: LogEvent, at: number): OpenRun {
    const kind = kindOf(event);
    const { run_id: runId, nested_depth: depth = 0 } = event;
    const label = event[`${kind}_name`] ?? event[`${kind}_id`] ?? runId;
    const parent = this.#root && this.#parentOf(event, kind);
    const row = this.#add(event, at, { kind: "run", label, detail: kind, parent });
    this.#root ??= row;
    const run: OpenRun = {
      ...{ row, depth, wait: undefined, turns: 0 },
      ...{ models: new Map(), tools: new Map(), steps: new Map(), parts: new Map() },
    };
    this.#runs.set(runId, run);
    return run;
  }

  /** The row above a member's run: its team's run, or the step that it executes. */
  #parentOf(event: LogEvent, kind: ComponentKind): TimelineRow | undefined {
    const parent = this.#runs.get(event.parent_run_id ?? "");
    if (parent) return parent.parts.get(iterationKey) ?? parent.row;
    const workflow = this.#runs.get(event.workflow_run_id ?? "");
    const step = workflow?.steps.get(`Step/${event.step_id}`);
    if (step) return step;
    if (kind === "workflow") return this.#stepWithoutRun((event.nested_depth ?? 0) - 1) ?? this.#root;
    return workflow?.row ?? this.#root;
  }

  /** The events of a nested workflow do not name its step: it is the first open step one level above that executes no run yet. */
  #stepWithoutRun(depth: number): TimelineRow | undefined {
    for (const run of this.#runs.values()) {
      if (run.depth !== depth) continue;
      for (const [key, step] of run.steps) if (key.startsWith("Step/") && step.children.length === 0) return step;
    }
    return undefined;
  }

  #beginWait(run: OpenRun, event: LogEvent, at: number): void {
    const detail = event.paused_step_name ?? (event.pause_kind === undefined ? undefined : `${event.pause_kind}`);
    run.wait = this.#add(event, at, { kind: "wait", label: "Waits for an answer", detail, parent: run.row });
    run.wait.state = "waiting";
    run.row.state = "waiting";
  }

  #endWait(run: OpenRun | undefined, event: LogEvent, at: number): void {
    if (!run?.wait) return;
    this.#end(run.wait, event, at, "done");
    run.wait = undefined;
    run.row.state = "running";
  }

  #beginTurn(run: OpenRun, event: LogEvent, at: number): void {
    const { model: label = "model", purpose = "" } = event;
    const detail = purpose === "" ? event.model_provider : purpose.replaceAll("_", " ");
    // A request for another purpose belongs to the hook or the stage that makes it.
    const parent = purpose === "" ? run.row : ([...run.parts.values()].at(-1) ?? run.row);
    run.models.set(purpose, this.#add(event, at, { kind: "model", label, detail, parent }));
  }

  #endTurn(run: OpenRun, event: LogEvent, at: number): void {
    const usage: ModelUsage = {
      inputTokens: event.input_tokens ?? 0,
      outputTokens: event.output_tokens ?? 0,
      timeToFirstToken: event.time_to_first_token,
      cost: event.cost,
    };
    const totals = this.#totals;
    totals.modelRequests += 1;
    totals.inputTokens += usage.inputTokens;
    totals.outputTokens += usage.outputTokens;
    if (usage.cost !== undefined) totals.cost = (totals.cost ?? 0) + usage.cost;
    const { purpose = "" } = event;
    const open = run.models.get(purpose);
    if (!open) return;
    run.models.delete(purpose);
    open.usage = usage;
    this.#end(open, event, at, "done");
    if (purpose !== "") return;
    open.turn = run.turns++;
    if (usage.timeToFirstToken !== undefined && this.#root)
      totals.timeToFirstToken ??= (open.startedAt - this.#root.startedAt) / 1000 + usage.timeToFirstToken;
  }

  /** Takes an event of a hook, a stage or a note; returns false for any other. */
  #takePart(run: OpenRun, event: LogEvent, at: number, name: string): boolean {
    const part = partIn(name, event);
    // The reasoning of a model is a part of its request.
    if (!part || (name === "ReasoningStarted" && run.models.has(""))) return name.startsWith("Run");
    if (part.does === "end") {
      const open = run.parts.get(part.key);
      if (!open) return true;
      run.parts.delete(part.key);
      open.detail = part.detail ?? open.detail;
      open.output = part.output;
      if (part.message !== undefined) open.message = part.message;
      this.#end(open, event, at, part.state);
      return true;
    }
    const { kind, label, detail, output, callId = "" } = part;
    if (name === "ModelFallback") this.#failRequest(run, event, at);
    const row = this.#add(event, at, { kind, label, detail, parent: run.tools.get(callId) ?? run.row });
    if (output !== undefined) row.output = output;
    if (part.does === "happen") this.#end(row, event, at, "done");
    else run.parts.set(part.key, row);
    return true;
  }

  /** Ends the request whose model is unavailable. The next model answers it. */
  #failRequest(run: OpenRun, event: LogEvent, at: number): void {
    const [purpose, open] = [...run.models].at(-1) ?? [];
    if (purpose === undefined || !open) return;
    run.models.delete(purpose);
    const message = text(event.content);
    if (message) open.message = message;
    this.#end(open, event, at, "failed");
  }

  #takeToolCall(run: OpenRun, event: LogEvent, at: number, name: string): void {
    const { tool } = event;
    if (!tool) return;
    const open = run.tools.get(tool.tool_call_id);
    if (name === "ToolCallStarted" && !open) {
      const row = this.#add(event, at, { kind: "tool", label: tool.tool_name ?? "tool", parent: run.row });
      row.tool = tool;
      run.tools.set(tool.tool_call_id, row);
      this.#totals.toolCalls += 1;
    } else if (open && name === "ToolCallError") {
      open.message = event.error ?? "The tool failed.";
      open.tool = tool;
    } else if (open && name === "ToolCallCompleted") {
      run.tools.delete(tool.tool_call_id);
      open.tool = tool;
      this.#end(open, event, at, tool.tool_call_error ? "failed" : "done");
    }
  }

  #takeStep(run: OpenRun, event: LogEvent, at: number): void {
    const { step_id: stepId, step_name: stepName = "", event: name } = event;
    if (stepId === undefined) return;
    const type = stepTypeOf(name);
    const key = `${type}/${stepId}`;
    const open = run.steps.get(key);
    if (name.endsWith("Started") || name === "StepExecutorContinued") {
      if (open) return;
      const label = type === "Iteration" ? `${stepName} ${event.iteration ?? ""}`.trim() : stepName;
      const parent = stepParent(run, type, event);
      run.steps.set(key, this.#add(event, at, { kind: "step", label, detail: type, parent }));
    } else if (open && (name.endsWith("Completed") || name === "StepError")) {
      run.steps.delete(key);
      const isFailed = name === "StepError" || event.step_response?.success === false;
      const message = event.error ?? event.step_response?.error ?? undefined;
      if (isFailed && message) open.message = message;
      this.#end(open, event, at, isFailed ? "failed" : "done");
    }
  }

  /** Ends what the process before was doing. Containers and member runs go on; steps, requests and calls begin again. */
  #takeOver(run: OpenRun, event: LogEvent, at: number): void {
    const cut = [...run.models.values(), ...run.tools.values()];
    // A part whose start is still valid goes on without another start.
    for (const [key, part] of run.parts) {
      if (part.id < (event.discard_from_index ?? 0)) continue;
      run.parts.delete(key);
      cut.push(part);
    }
    for (const [key, step] of run.steps) {
      if (!key.startsWith("Step/")) continue;
      run.steps.delete(key);
      cut.push(step);
    }
    for (const row of cut) this.#end(row, event, at, "cut");
    run.models.clear();
    run.tools.clear();
    const label = `Process ${event.attempt ?? "?"} took over`;
    const marker = this.#add(event, at, { kind: "takeover", label, parent: run.row });
    this.#end(marker, event, at, "done");
    this.#totals.takeovers += 1;
    if (event.discard_from_index !== undefined)
      this.#voids.push({ runId: event.run_id, from: event.discard_from_index, to: event.event_index });
  }

  /** Ends a run with everything open under it. */
  #endRun(run: OpenRun, event: LogEvent, at: number, state: RowState): void {
    for (const row of [...this.#open].reverse())
      if (row !== run.row && isUnder(row, run.row)) this.#end(row, event, at, state);
    run.models.clear();
    run.tools.clear();
    run.steps.clear();
    run.parts.clear();
    const message = state === "failed" ? (event.error ?? text(event.content) ?? event.error_type) : event.reason;
    if (message) run.row.message = message;
    if (event.citations) run.row.citations = event.citations;
    const refusal = refusedBy(run.row, event.additional_data?.hook);
    if (refusal && message) refusal.message = message;
    this.#end(run.row, event, at, state);
    if (run.row === this.#root)
      this.#totals.timeToFirstToken = event.metrics?.time_to_first_token ?? this.#totals.timeToFirstToken;
  }

  #add(event: LogEvent, startedAt: number, { kind, label, detail, parent }: NewRow): TimelineRow {
    const row: TimelineRow = {
      ...{ id: event.event_index, parent, kind, label, detail, runId: event.run_id, stepId: event.step_id },
      ...{ startedAt, endedAt: undefined, state: "running", lastIndex: undefined, children: [] },
    };
    parent?.children.push(row);
    this.#open.add(row);
    return row;
  }

  #end(row: TimelineRow, event: LogEvent, at: number, state: RowState): void {
    if (row.endedAt !== undefined) return;
    this.#open.delete(row);
    row.endedAt = at;
    row.state = state;
    row.lastIndex = event.event_index;
  }
}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] };

interface NewRow {
  readonly kind: RowKind;
  readonly label: string;
  readonly detail?: string | undefined;
  readonly parent: TimelineRow | undefined;
}

/** The rows under a row in the order of the log, with their depth. */
export function flatten(
  root: TimelineRow | undefined,
): readonly { readonly row: TimelineRow; readonly depth: number }[] {
  const rows: { row: TimelineRow; depth: number }[] = [];
  const visit = (row: TimelineRow, depth: number): void => {
    rows.push({ row, depth });
    for (const child of row.children) visit(child, depth + 1);
  };
  if (root) visit(root, 0);
  return rows;
}

/** Whether a takeover made the event void: the run repeats its content. */
export function isVoid(event: Pick<LogEvent, "run_id" | "event_index">, voids: readonly VoidRange[]): boolean {
  return voids.some(
    ({ runId, from, to }) => runId === event.run_id && event.event_index >= from && event.event_index < to,
  );
}

/** The hook that refused, under a run that has ended because of it. */
function refusedBy(above: TimelineRow, hook: string | undefined): TimelineRow | undefined {
  if (hook === undefined) return undefined;
  return flatten(above).findLast(({ row }) => row.state === "refused" && row.label === hook)?.row;
}

function kindOf({ event, agent_id, team_id }: LogEvent): ComponentKind {
  if (event.startsWith("Team") || (team_id !== undefined && agent_id === undefined)) return "team";
  return agent_id === undefined ? "workflow" : "agent";
}

const stepTypes = ["Parallel", "Condition", "Loop", "Router", "Steps"] as const;
type StepType = "Step" | "Iteration" | (typeof stepTypes)[number];

function stepTypeOf(name: string): StepType {
  if (name.startsWith("LoopIteration")) return "Iteration";
  return stepTypes.find((type) => name.startsWith(`${type}Execution`)) ?? "Step";
}

/** The open row above a step: an iteration of a loop, a container, or the run. */
function stepParent(run: OpenRun, type: StepType, { step_id, parent_step_id }: LogEvent): TimelineRow {
  if (type === "Iteration") return run.steps.get(`Loop/${step_id}`) ?? run.row;
  for (const one of ["Iteration", ...stepTypes] as const) {
    const found = run.steps.get(`${one}/${parent_step_id}`);
    if (found) return found;
  }
  return run.row;
}

function isUnder(row: TimelineRow, above: TimelineRow): boolean {
  for (let at: TimelineRow | undefined = row; at; at = at.parent) if (at === above) return true;
  return false;
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
