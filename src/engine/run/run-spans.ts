/** The trace of a run while it executes: the spans that are open, for the calls that they make. A span is named by the index of its first event. */
import { contextOf, type TraceContext, type TraceOrigin, type Tracing } from "../../model/trace/propagation.ts";

/** The root run of a trace. */
export interface TracedRoot {
  readonly tracing: Tracing | undefined;
  readonly origin: TraceOrigin;
  /** Returns the index of the next event. */
  readonly nextIndex: () => number;
}

export class RunSpans {
  readonly #root: TracedRoot;
  /** The span that the run belongs to: the call or the step of the run above it, or the root run itself. */
  readonly #own: number;
  readonly #places = new Map<string, number>();

  constructor(root: TracedRoot, own: number) {
    this.#root = root;
    this.#own = own;
  }

  /** Notes that the next event begins a span. Call it before the event is emitted. */
  begin(span: string): void {
    if (this.#root.tracing) this.#places.set(span, this.#root.nextIndex());
  }

  /** Index of the event that began a span in this attempt; otherwise the index of the run's own span. */
  placeOf(span: string): number {
    return this.#places.get(span) ?? this.#own;
  }

  /** The trace context for the calls of a span, or of the run itself. Undefined if calls carry none. */
  headers(span?: string): TraceContext | undefined {
    return this.#root.tracing?.propagates ? this.#contextOf(span) : undefined;
  }

  /** Calls a function in the OpenTelemetry context of a span, if this process uses OpenTelemetry. */
  inSpan<Result>(span: string, call: () => Result): Result {
    const { tracing } = this.#root;
    return tracing?.inSpan ? tracing.inSpan(this.#contextOf(span), call) : call();
  }

  #contextOf(span: string | undefined): TraceContext {
    const { origin, tracing } = this.#root;
    return contextOf(origin, span === undefined ? this.#own : this.placeOf(span), tracing?.isSampled);
  }
}

/** Name of a model turn. A run has one at a time. */
export const modelSpan = "model";

/** Name of a tool call. */
export function toolSpan(callId: string): string {
  return `tool/${callId}`;
}

/** Name of a workflow's step. */
export function stepSpan(stepId: string): string {
  return `step/${stepId}`;
}
