/** The trace context of requests that start runs, and of the calls that runs make (W3C Trace Context). */
import { parseTraceparent, spanIdOf, traceIdOf } from "./ids.ts";

/** The headers of a trace context. */
export interface TraceContext {
  readonly traceparent: string;
  readonly tracestate?: string;
}

/** A root run, with the trace context of the request that started it. */
export interface TraceOrigin extends Partial<TraceContext> {
  readonly runId: string;
}

/** How this process connects runs to traces of other systems. */
export interface Tracing {
  /** Whether calls to other servers carry the trace context. */
  readonly propagates: boolean;
  /** Whether a trace is sampled for export. Default: as the caller's flag says, and yes without a caller. */
  readonly isSampled?: ((traceId: string, traceparent: string | undefined) => boolean) | undefined;
  /** Calls a function in the OpenTelemetry context of a span. Undefined if nothing in this process uses OpenTelemetry. */
  readonly inSpan?: (<Result>(span: TraceContext, call: () => Result) => Result) | undefined;
}

/** Headers as Node.js returns them: a repeated header is one text. */
type Headers = Readonly<Record<string, string | string[] | undefined>>;

/** Length of a `traceparent` of version 00. */
const contextLength = 55;

/** A list of at most 512 printable characters (section 3.3.1.5). */
const listedState = /^[\x20-\x7e]{1,512}$/;

/** Returns the trace context of a request. An invalid `traceparent` counts as none, an invalid `tracestate` is left out. */
export function toTraceContext({ traceparent, tracestate }: Headers): TraceContext | undefined {
  if (typeof traceparent !== "string" || !parseTraceparent(traceparent)) return undefined;
  // Later versions may append fields, which are not passed on (section 3.2.4).
  if (traceparent.startsWith("00") && traceparent.length !== contextLength) return undefined;
  const kept = `00${traceparent.slice(2, contextLength)}`;
  return { traceparent: kept, ...(typeof tracestate === "string" && listedState.test(tracestate) && { tracestate }) };
}

/** Whether the sampled flag of a `traceparent` is set. */
export function isFlagged(traceparent: string): boolean {
  return (Number.parseInt(traceparent.slice(53, contextLength), 16) & 1) === 1;
}

/**
 * Returns the trace context of a call that a span of a run makes.
 *
 * @param place - the span, as in `spanIdOf`
 */
export function contextOf(
  { runId, traceparent, tracestate }: TraceOrigin,
  place: number | string,
  isSampled: Tracing["isSampled"],
): TraceContext {
  const traceId = traceIdOf(runId, traceparent);
  const sampled = isSampled ? isSampled(traceId, traceparent) : traceparent === undefined || isFlagged(traceparent);
  const made = `00-${traceId}-${spanIdOf(runId, place)}-${sampled ? "01" : "00"}`;
  return { traceparent: made, ...(tracestate !== undefined && { tracestate }) };
}
