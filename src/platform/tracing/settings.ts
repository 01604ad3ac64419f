/** Settings of tracing, from the standard variables of OpenTelemetry. Without them, nothing of OpenTelemetry is loaded. */
import type { Environment } from "../../model/authorization.ts";

/** Samplers of the specification. */
const samplers = [
  "always_on",
  "always_off",
  "traceidratio",
  "parentbased_always_on",
  "parentbased_always_off",
  "parentbased_traceidratio",
] as const;

/** Bounds of the queue between the server and the collector. Omitted fields have the defaults of the specification. */
export interface BatchSettings {
  readonly scheduledDelayMillis?: number;
  readonly exportTimeoutMillis?: number;
  readonly maxQueueSize: number;
  readonly maxExportBatchSize?: number;
}

/** Settings of the export. The exporter reads `OTEL_EXPORTER_OTLP_*` and `OTEL_RESOURCE_ATTRIBUTES` itself, from `process.env`. */
export interface ExportSettings {
  readonly sampler: (typeof samplers)[number];
  /** Probability of the samplers by trace id, from 0 to 1. */
  readonly ratio: number;
  readonly batch: BatchSettings;
  readonly limits: { readonly attributeValueLengthLimit?: number; readonly attributeCountLimit?: number };
  /** Whether prompts, answers, and the arguments and results of tools are exported. */
  readonly capturesContent: boolean;
}

/** Settings of tracing. */
export interface TracingSettings {
  /** Undefined: traces are not exported. */
  readonly export: ExportSettings | undefined;
  readonly propagates: boolean;
  /** Values that are not supported, for the log. */
  readonly warnings: readonly string[];
}

/** Values with which instrumentations capture content on spans. */
const capturing = /^(true|span_only|span_and_event)$/i;

/** Reads the settings. */
export function readTracingSettings(environment: Environment): TracingSettings {
  const read = (name: string): string | undefined => environment[name]?.trim() || undefined;
  const list = (name: string): readonly string[] | undefined =>
    read(name)
      ?.toLowerCase()
      .split(/\s*,\s*/);
  const propagates = list("OTEL_PROPAGATORS")?.includes("tracecontext") ?? true;
  if (!exports(read, list("OTEL_TRACES_EXPORTER"))) return { export: undefined, propagates, warnings: [] };
  const count = (name: string): number | undefined => {
    const value = Number(read(name));
    return Number.isInteger(value) && value > 0 ? value : undefined;
  };
  const warnings: string[] = [];
  const name = read("OTEL_TRACES_SAMPLER")?.toLowerCase() ?? "parentbased_always_on";
  const sampler = samplers.find((known) => known === name);
  if (!sampler) warnings.push(`OTEL_TRACES_SAMPLER=${name} is not supported: all traces are exported.`);
  for (const variable of ["OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL"]) {
    const protocol = read(variable);
    if (protocol !== undefined && protocol !== "http/protobuf")
      warnings.push(`${variable}=${protocol} is not supported: traces are sent as http/protobuf.`);
  }
  const valueLength = count("OTEL_SPAN_ATTRIBUTE_VALUE_LENGTH_LIMIT") ?? count("OTEL_ATTRIBUTE_VALUE_LENGTH_LIMIT");
  const attributes = count("OTEL_SPAN_ATTRIBUTE_COUNT_LIMIT") ?? count("OTEL_ATTRIBUTE_COUNT_LIMIT");
  return {
    export: {
      sampler: sampler ?? "parentbased_always_on",
      ratio: ratioOf(read("OTEL_TRACES_SAMPLER_ARG")),
      batch: {
        ...setting("scheduledDelayMillis", count("OTEL_BSP_SCHEDULE_DELAY")),
        ...setting("exportTimeoutMillis", count("OTEL_BSP_EXPORT_TIMEOUT")),
        ...setting("maxExportBatchSize", count("OTEL_BSP_MAX_EXPORT_BATCH_SIZE")),
        maxQueueSize: count("OTEL_BSP_MAX_QUEUE_SIZE") ?? 2048,
      },
      limits: {
        ...setting("attributeValueLengthLimit", valueLength),
        ...setting("attributeCountLimit", attributes),
      },
      capturesContent: capturing.test(read("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT") ?? ""),
    },
    propagates,
    warnings,
  };
}

function setting<Name extends string>(name: Name, value: number | undefined): { readonly [Key in Name]?: number } {
  return (value === undefined ? {} : { [name]: value }) as { readonly [Key in Name]?: number };
}

/** An endpoint, or the exporter's name alone, turns the export on. */
function exports(read: (name: string) => string | undefined, exporters: readonly string[] | undefined): boolean {
  if (read("OTEL_SDK_DISABLED")?.toLowerCase() === "true") return false;
  if (exporters) return exporters.includes("otlp");
  return (read("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") ?? read("OTEL_EXPORTER_OTLP_ENDPOINT")) !== undefined;
}

/** The specification's default is 1. */
function ratioOf(text: string | undefined): number {
  const ratio = Number(text ?? 1);
  return ratio >= 0 && ratio <= 1 ? ratio : 1;
}
