/** The OpenTelemetry context of this process, in which the instrumentation of applications finds the parent of its spans. */
import { context, TraceFlags, trace } from "@opentelemetry/api";
import { parseTraceparent } from "../../model/trace/ids.ts";
import { isFlagged, type TraceContext } from "../../model/trace/propagation.ts";

/** Calls a function in the context of a span. Without a context manager of the application, this only calls the function. */
export function inSpan<Result>({ traceparent }: TraceContext, call: () => Result): Result {
  const span = parseTraceparent(traceparent);
  if (!span) return call();
  const traceFlags = isFlagged(traceparent) ? TraceFlags.SAMPLED : TraceFlags.NONE;
  return context.with(trace.setSpanContext(context.active(), { ...span, traceFlags }), call);
}
