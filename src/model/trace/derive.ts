/** Derives the spans of a root run from its log. The result depends on the log and the run's row only, so it can be derived again at any time. */
import type { ComponentKind } from "../run/run.ts";
import {
  type Attributes,
  providerOf,
  runAttributes,
  runName,
  type SpanComponent,
  usageAttributes,
} from "./attributes.ts";
import { parseTraceparent, spanIdOf, traceIdOf } from "./ids.ts";
import type { AttributeValue, Span, SpanKind, SpanStatus, TracedRun, TraceTotals } from "./span.ts";
import { type StructuralEvent, structuralEvents } from "./structural-events.ts";

/** Maximum length of a text in a span. */
const maxText = 500;

/** A span that may still be open. */
interface OpenSpan extends Omit<Span, "status" | "statusMessage" | "endedAt" | "attributes" | "traceId"> {
  readonly parent: OpenSpan | null;
  status: SpanStatus;
  statusMessage?: string;
  endedAt: number | null;
  readonly attributes: Record<string, AttributeValue>;
}

/** The open parts of one run of the tree. */
interface RunParts {
  readonly span: OpenSpan;
  readonly depth: number;
  model?: OpenSpan | undefined;
  /** The turn during which a guardrail makes its own request. */
  checkedTurn?: OpenSpan | undefined;
  pause?: OpenSpan | undefined;
  readonly tools: Map<string, OpenSpan>;
  /** Open steps by their id; containers and iterations are kept apart. */
  readonly steps: Map<string, OpenSpan>;
}

/** Why a span ends with an error. */
interface Failure {
  readonly type: string;
  readonly message?: string | undefined;
}

/** Places of a step among the open steps. A container, its iterations and their steps may have the same id. */
const stepTypes = ["Step", "Iteration", "Parallel", "Condition", "Loop", "Router", "Steps"] as const;
type StepType = (typeof stepTypes)[number];

export class TraceBuilder {
  readonly #run: TracedRun;
  readonly #spans: OpenSpan[] = [];
  readonly #open = new Set<OpenSpan>();
  readonly #runs = new Map<string, RunParts>();
  readonly #request: OpenSpan;
  /** Time of the last event. */
  #last: number;
  #inputTokens = 0;
  #outputTokens = 0;

  constructor(run: TracedRun) {
    this.#run = run;
    this.#last = run.createdAt;
    const { kind, componentId, sessionId, userId, runId, createdAt, traceparent } = run;
    this.#request = this.#add("request", {
      name: `run ${kind} ${componentId}`,
      kind: "request",
      parent: null,
      parentSpanId: parseTraceparent(traceparent)?.spanId ?? null,
      startedAt: createdAt,
      attributes: {
        "gen_ai.conversation.id": sessionId,
        "user.id": userId ?? undefined,
        "troupe.component.kind": kind,
        "troupe.component.id": componentId,
        "troupe.run.id": runId,
      },
    });
  }

  /** Takes whole frames: the next ones of the log. */
  take(frames: Buffer): void {
    for (const event of structuralEvents(frames)) this.#takeEvent(event);
  }

  /** The spans so far, each after its parent. */
  spans(): readonly Span[] {
    const traceId = traceIdOf(this.#run.runId, this.#run.traceparent);
    return this.#spans.map(({ parent: _, ...span }) => ({ traceId, ...span, attributes: { ...span.attributes } }));
  }

  /** The totals so far. */
  totals(): TraceTotals {
    const { name, status, startedAt, endedAt } = this.#request;
    return {
      ...{ name, status, startedAt, endedAt, spans: this.#spans.length },
      errors: this.#spans.filter((span) => span.status === "ERROR").length,
      ...{ inputTokens: this.#inputTokens, outputTokens: this.#outputTokens },
    };
  }

  #takeEvent(event: StructuralEvent): void {
    // Another server's event may have any form.
    if (typeof event.run_id !== "string") return;
    const at = this.#timeOf(event);
    const name = event.event.replace(/^Team/, "").replace(/^Workflow/, "Run");
    const run = this.#runs.get(event.run_id) ?? this.#begin(event, name === "RunStarted", at);
    // Only the next event of the log shows that the pause of the root run is over.
    this.#endPause(this.#runs.get(this.#run.runId), at);
    this.#endPause(run, at);
    if (name === "RunCompleted") this.#endRun(run, at, undefined);
    else if (name === "RunError") this.#endRun(run, at, failureOf(event));
    else if (name === "RunCancelled") this.#endRun(run, at, { type: "cancelled" });
    else if (name === "RunPaused") this.#pause(run, event, at);
    else if (name === "RunRecovered") this.#takeOver(run, event, at);
    else if (name === "ModelRequestStarted") this.#beginTurn(run, event, at);
    else if (name === "ModelRequestCompleted") this.#endTurn(run, event, at);
    else if (name === "ModelFallback") this.#failTurn(run, event, at);
    else if (name.startsWith("ToolCall")) this.#takeToolCall(run, event, at, name);
    else if (!name.startsWith("Run")) this.#takeStep(run, event, at);
  }

  /** The time of an event; of an event without a valid time, the time of the event before. */
  #timeOf({ created_at_ms, created_at }: StructuralEvent): number {
    const at = Number.isFinite(created_at_ms) ? created_at_ms : created_at * 1000;
    this.#last = at !== undefined && Number.isFinite(at) ? at : this.#last;
    return this.#last;
  }

  #pause(run: RunParts, event: StructuralEvent, at: number): void {
    run.pause = this.#child(run, event, at, "pause", "pause", {
      "troupe.pause.kind": event.pause_kind ?? "tool",
      "troupe.step.name": event.paused_step_name,
    });
  }

  #beginTurn(run: RunParts, event: StructuralEvent, at: number): void {
    if (event.purpose !== undefined) run.checkedTurn = run.model;
    const operation = event.purpose === "embedding_model" ? "embeddings" : "chat";
    run.model = this.#child(run, event, at, "model", `${operation} ${event.model ?? ""}`.trim(), {
      "gen_ai.operation.name": operation,
      "gen_ai.request.model": event.model,
      "troupe.model.purpose": event.purpose,
      "gen_ai.provider.name": providerOf(event.model_provider),
      "gen_ai.conversation.id": this.#run.sessionId,
    });
  }

  #takeToolCall(run: RunParts, event: StructuralEvent, at: number, name: string): void {
    const { tool } = event;
    if (!tool) return;
    const { tool_call_id: id, tool_name, tool_call_error } = tool;
    const open = run.tools.get(id);
    if (name === "ToolCallStarted" && !open) {
      const named = { "gen_ai.tool.name": tool_name, "gen_ai.tool.call.id": id };
      const attributes = { "gen_ai.operation.name": "execute_tool", ...named };
      run.tools.set(id, this.#child(run, event, at, "tool", `execute_tool ${tool_name}`, attributes));
    } else if (name === "ToolCallCompleted" && open) {
      run.tools.delete(id);
      this.#end(open, at, tool_call_error ? { type: "tool_error" } : undefined);
    }
  }

  #endTurn(run: RunParts, event: StructuralEvent, at: number): void {
    this.#inputTokens += countOf(event.input_tokens);
    this.#outputTokens += countOf(event.output_tokens);
    if (!run.model) return;
    assign(run.model.attributes, usageAttributes(event));
    this.#end(run.model, at, undefined);
    run.model = run.checkedTurn;
    run.checkedTurn = undefined;
  }

  /** Ends a request that the next model makes again. */
  #failTurn(run: RunParts, event: StructuralEvent, at: number): void {
    if (run.model) this.#end(run.model, at, failureOf(event));
    run.model = undefined;
  }

  #takeStep(run: RunParts, event: StructuralEvent, at: number): void {
    const { step_id: id, step_name: stepName = "", event: name } = event;
    if (id === undefined) return;
    const type = stepTypeOf(name);
    const key = `${type}/${id}`;
    const open = run.steps.get(key);
    if (name.endsWith("Started") || name === "StepExecutorContinued") {
      if (open) return;
      const attributes = { "troupe.step.id": id, "troupe.step.name": stepName, "troupe.step.type": type };
      const iteration = type === "Iteration" ? { "troupe.step.iteration": event.iteration } : {};
      const parent = stepParent(run, type, event);
      const shown = type === "Iteration" ? `${stepName} ${event.iteration ?? ""}`.trim() : stepName;
      run.steps.set(key, this.#child(run, event, at, "step", `step ${shown}`, { ...attributes, ...iteration }, parent));
    } else if (open && (name.endsWith("Completed") || name === "StepError")) {
      run.steps.delete(key);
      const isFailed = name === "StepError" || event.step_response?.success === false;
      this.#end(open, at, isFailed ? { type: "step_error", message: text(event.error) } : undefined);
    }
  }

  /** Opens the span of a run with its first event. An event other than its start can be the first, for example of a run that is cancelled early. */
  #begin(event: StructuralEvent, isStart: boolean, at: number): RunParts {
    const { run_id: runId, event_index, nested_depth: depth = 0 } = event;
    const isRoot = runId === this.#run.runId;
    const component = isRoot ? rootComponent(this.#run) : componentOf(event);
    const parent = isRoot ? this.#request : this.#parentOf(event, component.kind);
    const span = this.#add(isStart ? event_index : `${event_index}/run`, {
      name: runName(component),
      kind: "run",
      parent,
      startedAt: at,
      attributes: {
        ...runAttributes(component, runId, this.#run.sessionId),
        ...(event.component_version !== undefined && { "troupe.component.version": event.component_version }),
      },
    });
    const run: RunParts = { span, depth, tools: new Map(), steps: new Map() };
    this.#runs.set(runId, run);
    return run;
  }

  /** The span above a member's run: its team's run, or the step that it executes. */
  #parentOf(event: StructuralEvent, kind: ComponentKind): OpenSpan {
    const { parent_run_id, workflow_run_id, step_id, nested_depth = 0 } = event;
    const parent = parent_run_id === undefined ? undefined : this.#runs.get(parent_run_id);
    if (parent) return parent.span;
    const workflow = workflow_run_id === undefined ? undefined : this.#runs.get(workflow_run_id);
    const step = workflow?.steps.get(`Step/${step_id}`);
    if (step) return step;
    if (kind === "workflow") return this.#stepWithoutRun(nested_depth - 1) ?? this.#rootSpan();
    return workflow?.span ?? this.#rootSpan();
  }

  /** The events of a nested workflow do not name its step: it is the first open step one level above that executes no run yet. */
  #stepWithoutRun(depth: number): OpenSpan | undefined {
    const taken = new Set([...this.#runs.values()].map(({ span }) => span.parent));
    for (const run of this.#runs.values()) {
      if (run.depth !== depth) continue;
      for (const [key, step] of run.steps) if (key.startsWith("Step/") && !taken.has(step)) return step;
    }
    return undefined;
  }

  #rootSpan(): OpenSpan {
    return this.#runs.get(this.#run.runId)?.span ?? this.#request;
  }

  /** Ends what the attempt before was doing. Containers and member runs go on; the new attempt begins steps, turns and calls again. */
  #takeOver(run: RunParts, event: StructuralEvent, at: number): void {
    const failure = { type: "takeover", message: `Attempt ${event.attempt ?? "?"} continued the run.` };
    const cut = [run.model, ...run.tools.values()].filter((span) => span !== undefined);
    for (const [key, step] of run.steps) {
      if (!key.startsWith("Step/")) continue;
      run.steps.delete(key);
      cut.push(step);
    }
    for (const span of cut) this.#end(span, at, failure);
    run.model = undefined;
    run.tools.clear();
    const marker = this.#child(run, event, at, "takeover", "takeover", { "troupe.attempt": event.attempt });
    this.#end(marker, at, undefined, "UNSET");
  }

  /** Ends a run with everything open under it; the end of the root run also ends the request. */
  #endRun(run: RunParts, at: number, failure: Failure | undefined): void {
    const isRoot = run.span.parent === this.#request;
    for (const span of [...this.#open].reverse()) {
      if (span !== run.span && isUnder(span, run.span)) this.#end(span, at, failure, "UNSET");
    }
    run.model = undefined;
    run.tools.clear();
    run.steps.clear();
    this.#end(run.span, at, failure);
    if (isRoot) this.#end(this.#request, at, failure);
  }

  #endPause(run: RunParts | undefined, at: number): void {
    if (!run?.pause) return;
    this.#end(run.pause, at, undefined, "UNSET");
    run.pause = undefined;
  }

  #child(
    run: RunParts,
    { event_index }: StructuralEvent,
    startedAt: number,
    kind: SpanKind,
    name: string,
    attributes: Attributes,
    parent: OpenSpan = run.span,
  ): OpenSpan {
    return this.#add(event_index, { name, kind, parent, startedAt, attributes });
  }

  #add(place: number | string, { attributes: given, parent, startedAt, ...span }: NewSpan): OpenSpan {
    const attributes: Record<string, AttributeValue> = {};
    assign(attributes, given);
    const added: OpenSpan = {
      spanId: spanIdOf(this.#run.runId, place),
      parentSpanId: parent?.spanId ?? null,
      ...span,
      name: cut(span.name),
      parent,
      status: "UNSET",
      // Another server's clock, or a time in whole seconds, may be earlier than the parent's start.
      startedAt: Math.max(startedAt, parent?.startedAt ?? startedAt),
      endedAt: null,
      attributes,
    };
    this.#spans.push(added);
    this.#open.add(added);
    return added;
  }

  #end(span: OpenSpan, at: number, failure: Failure | undefined, otherwise: SpanStatus = "OK"): void {
    if (span.endedAt !== null) return;
    this.#open.delete(span);
    span.endedAt = Math.max(at, span.startedAt);
    span.status = failure ? "ERROR" : otherwise;
    if (!failure) return;
    span.attributes["error.type"] = failure.type;
    if (failure.message) span.statusMessage = cut(failure.message);
  }
}

type NewSpan = Pick<OpenSpan, "name" | "kind" | "parent" | "startedAt"> & {
  readonly attributes: Attributes;
  readonly parentSpanId?: string | null;
};

function assign(attributes: Record<string, AttributeValue>, more: Attributes): void {
  for (const [name, value] of Object.entries(more)) {
    if (typeof value === "string") attributes[name] = cut(value);
    else if (typeof value === "number" || typeof value === "boolean") attributes[name] = value;
  }
}

function cut(value: string): string {
  return value.length <= maxText ? value : value.slice(0, maxText).toWellFormed();
}

function countOf(value: unknown): number {
  return Number.isSafeInteger(value) ? (value as number) : 0;
}

function isUnder(span: OpenSpan, above: OpenSpan): boolean {
  for (let at: OpenSpan | null = span; at; at = at.parent) if (at === above) return true;
  return false;
}

function rootComponent({ kind, componentId: id, componentName: name }: TracedRun): SpanComponent {
  return { kind, id, name };
}

function componentOf(event: StructuralEvent): SpanComponent {
  const kind = event.event.startsWith("Team") ? "team" : event.agent_id === undefined ? "workflow" : "agent";
  const id = event[`${kind}_id`] ?? event.run_id;
  return { kind, id, name: event[`${kind}_name`] ?? id };
}

function stepTypeOf(name: string): StepType {
  if (name.startsWith("LoopIteration")) return "Iteration";
  return stepTypes.find((type) => type !== "Step" && name.startsWith(`${type}Execution`)) ?? "Step";
}

/** The open span above a step: an iteration of a loop, a container, or the run. */
function stepParent(run: RunParts, type: StepType, { step_id, parent_step_id }: StructuralEvent): OpenSpan {
  const of = (id: string | undefined, types: readonly StepType[]): OpenSpan | undefined =>
    types.map((one) => run.steps.get(`${one}/${id}`)).find((span) => span !== undefined);
  if (type === "Iteration") return of(step_id, ["Loop"]) ?? run.span;
  return of(parent_step_id, stepTypes.slice(1)) ?? run.span;
}

function failureOf({ error_type: type = "error", content, error }: StructuralEvent): Failure {
  return { type, message: text(content ?? error) };
}

function text(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
