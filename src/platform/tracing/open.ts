/** Opens tracing. The packages of OpenTelemetry are loaded only if they are used. */
import type { Environment } from "../../model/authorization.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Tracing } from "../../model/trace/propagation.ts";
import type { Store } from "../../store/contract/store.ts";
import type { TraceExporter } from "./exporter.ts";
import { readTracingSettings } from "./settings.ts";

/** Dependencies of tracing. */
export interface TracingParts {
  readonly environment: Environment;
  readonly runtime: Runtime;
  readonly store: Pick<Store, "memberRuns" | "messages">;
  readonly platformId: string;
  readonly processId: string;
}

/** Tracing of a platform. */
export interface OpenedTracing {
  readonly tracing: Tracing;
  /** Undefined if traces are not exported. */
  readonly exporter: TraceExporter | undefined;
}

/** Key under which an application registers OpenTelemetry. All versions of the API with the same major version share it. */
const registration = Symbol.for("opentelemetry.js.api.1");

export async function openTracing({ environment, store, ...parts }: TracingParts): Promise<OpenedTracing> {
  const { export: settings, propagates, warnings } = readTracingSettings(environment);
  for (const warning of warnings) parts.runtime.log.warn({}, warning);
  const isUsed = settings !== undefined || registration in globalThis;
  const inSpan = isUsed ? (await import("./active-context.ts")).inSpan : undefined;
  if (!settings) return { tracing: { propagates, inSpan }, exporter: undefined };
  const { TraceExporter } = await import("./exporter.ts");
  const content = settings.capturesContent ? await import("./content.ts") : undefined;
  const exporter = new TraceExporter({
    ...parts,
    settings,
    contentOf: content && ((trace, spans) => content.contentOf(store, trace, spans)),
  });
  return { tracing: { propagates, inSpan, isSampled: exporter.isSampled }, exporter };
}
