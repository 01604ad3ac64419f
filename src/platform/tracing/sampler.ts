/** Decides which traces are exported. All spans of a trace share the decision. */
import { ROOT_CONTEXT, SpanKind, TraceFlags, trace } from "@opentelemetry/api";
import {
  AlwaysOffSampler,
  AlwaysOnSampler,
  ParentBasedSampler,
  type Sampler,
  SamplingDecision,
  TraceIdRatioBasedSampler,
} from "@opentelemetry/sdk-trace";
import { parseTraceparent } from "../../model/trace/ids.ts";
import { isFlagged, type Tracing } from "../../model/trace/propagation.ts";
import type { ExportSettings } from "./settings.ts";

/** Returns the decision of the configured sampler. The caller's flag counts for the samplers whose names begin with `parentbased`. */
export function samplingOf({ sampler: name, ratio }: ExportSettings): NonNullable<Tracing["isSampled"]> {
  const root = rootSampler(name.replace("parentbased_", ""), ratio);
  const sampler = name.startsWith("parentbased_") ? new ParentBasedSampler({ root }) : root;
  return (traceId, traceparent) => {
    const parent = parseTraceparent(traceparent);
    const traceFlags = traceparent !== undefined && isFlagged(traceparent) ? TraceFlags.SAMPLED : TraceFlags.NONE;
    const context = parent
      ? trace.setSpanContext(ROOT_CONTEXT, { ...parent, traceFlags, isRemote: true })
      : ROOT_CONTEXT;
    const { decision } = sampler.shouldSample(context, traceId, "", SpanKind.SERVER, {}, []);
    return decision === SamplingDecision.RECORD_AND_SAMPLED;
  };
}

function rootSampler(name: string, ratio: number): Sampler {
  if (name === "always_off") return new AlwaysOffSampler();
  return name === "traceidratio" ? new TraceIdRatioBasedSampler(ratio) : new AlwaysOnSampler();
}
