/** Spans of a run: its trace, as the log determines it. */
import type { ComponentKind } from "../run/run.ts";

/**
 * The part of a run that a span covers:
 *
 * - `request`: the root run from its acceptance to its end, with the time in its session's queue. The root of the trace.
 * - `run`: the root run, a member's run, or the run of a step's executor, from its first event.
 * - `step`: a step of a workflow, a container of steps, or an iteration of a loop.
 * - `model`: one model turn, with its retries.
 * - `tool`: one tool call.
 * - `pause`: the time for which a run waited for an answer.
 * - `takeover`: the moment at which another attempt continued a run. It has no duration.
 */
export type SpanKind = "request" | "run" | "step" | "model" | "tool" | "pause" | "takeover";

/** Status of a span (OpenTelemetry). `UNSET`: the span has not ended, or has no result of its own. */
export type SpanStatus = "UNSET" | "OK" | "ERROR";

/** A value of a span's attribute. */
export type AttributeValue = string | number | boolean;

/** A span of a trace. Times are milliseconds since the epoch. */
export interface Span {
  /** 32 hexadecimal digits. */
  readonly traceId: string;
  /** 16 hexadecimal digits; unique in its trace. */
  readonly spanId: string;
  /** Null for the root, unless the caller sent a `traceparent`. */
  readonly parentSpanId: string | null;
  readonly name: string;
  readonly kind: SpanKind;
  readonly status: SpanStatus;
  /** The reason of an `ERROR`, if the span has a text for it. At most 500 characters. */
  readonly statusMessage?: string;
  readonly startedAt: number;
  /** Null while the span is open. */
  readonly endedAt: number | null;
  /** Names of the OpenTelemetry GenAI semantic conventions, and `troupe.*`. Never a prompt, an answer, or a tool's arguments or result. */
  readonly attributes: Readonly<Record<string, AttributeValue>>;
}

/** A root run whose trace is derived. */
export interface TracedRun {
  readonly runId: string;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly componentName: string;
  readonly sessionId: string;
  readonly userId: string | null;
  /** Acceptance of the run, in milliseconds. */
  readonly createdAt: number;
  /** The `traceparent` header of the request that started the run. */
  readonly traceparent?: string | undefined;
}

/** The totals of a trace, for listings. */
export interface TraceTotals {
  readonly name: string;
  readonly status: SpanStatus;
  readonly startedAt: number;
  /** Null while the run has not ended. */
  readonly endedAt: number | null;
  readonly spans: number;
  /** Number of spans with the status `ERROR`. */
  readonly errors: number;
  /** Sums over the model turns. */
  readonly inputTokens: number;
  readonly outputTokens: number;
}
