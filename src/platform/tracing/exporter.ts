/**
 * Exports stored traces over OTLP. Only this process's queue waits for the collector: runs and the compaction of logs do not. This module is loaded
 * only if the export is on.
 */
import {
  type Context,
  type HrTime,
  ROOT_CONTEXT,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  trace,
} from "@opentelemetry/api";
import { OTLPTraceExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import {
  defaultResource,
  detectResources,
  resourceAttributesEnvDetector,
  resourceFromAttributes,
  serviceNameEnvDetector,
} from "@opentelemetry/resources";
import { AlwaysOnSampler, BatchSpanProcessor, type SpanExporter, TracerProvider } from "@opentelemetry/sdk-trace";
import { troupeVersion } from "../../http/transport/version.ts";
import { abortable } from "../../model/abortable.ts";
import type { Runtime } from "../../model/runtime.ts";
import { parseTraceparent, traceIdOf } from "../../model/trace/ids.ts";
import { isFlagged, type Tracing } from "../../model/trace/propagation.ts";
import type { Span, SpanKind as TroupeSpanKind } from "../../model/trace/span.ts";
import type { StoredTrace } from "../../store/contract/traces.ts";
import type { Content } from "./content.ts";
import { samplingOf } from "./sampler.ts";
import type { ExportSettings } from "./settings.ts";

/** Dependencies of the export. */
export interface ExporterParts {
  readonly settings: ExportSettings;
  readonly runtime: Pick<Runtime, "clock" | "log">;
  /** `service.name`, unless the environment names the service. */
  readonly platformId: string;
  readonly processId: string;
  /** Reads the texts of a trace; undefined if they are not exported. */
  readonly contentOf: ((trace: StoredTrace, spans: readonly Span[]) => Promise<Content>) | undefined;
}

/** Maximum number of spans that wait for the queue of the processor. */
const maxWaitingSpans = 20_000;

/** Minimum milliseconds between two log entries about failures. */
const reportInterval = 60_000;

/** Minimum milliseconds for the last export at a shutdown. */
const minFlushTime = 1_000;

const noContent: Content = new Map();

const kinds: Readonly<Partial<Record<TroupeSpanKind, SpanKind>>> = { request: SpanKind.SERVER, model: SpanKind.CLIENT };

const codes = { UNSET: SpanStatusCode.UNSET, OK: SpanStatusCode.OK, ERROR: SpanStatusCode.ERROR } as const;

export class TraceExporter {
  readonly isSampled: NonNullable<Tracing["isSampled"]>;
  readonly #parts: ExporterParts;
  readonly #provider: TracerProvider;
  /** Ids of the span that begins next. */
  #ids = { traceId: "", spanId: "" };
  readonly #waiting: { readonly trace: StoredTrace; readonly spans: readonly Span[] }[] = [];
  #waitingSpans = 0;
  #working: Promise<void> | undefined;
  /** Spans in the processor's queue, or on their way to the collector. */
  #unexported = 0;
  #onExported: (() => void) | undefined;
  /** Spans that were not exported since the last log entry. */
  #lost = 0;
  #nextReport = Number.NEGATIVE_INFINITY;

  constructor(parts: ExporterParts) {
    const { settings, platformId, processId } = parts;
    this.#parts = parts;
    this.isSampled = samplingOf(settings);
    const service = { "service.name": platformId, "service.instance.id": processId };
    const detectors = [resourceAttributesEnvDetector, serviceNameEnvDetector];
    this.#provider = new TracerProvider({
      resource: defaultResource().merge(resourceFromAttributes(service)).merge(detectResources({ detectors })),
      // The decision is made once for each trace.
      sampler: new AlwaysOnSampler(),
      spanLimits: settings.limits,
      idGenerator: { generateTraceId: () => this.#ids.traceId, generateSpanId: () => this.#ids.spanId },
      spanProcessors: [
        new BatchSpanProcessor({ ...settings.batch, exporter: this.#observed(new OTLPTraceExporter()) }),
      ],
    });
  }

  /** Takes a trace for export. Drops it if too many spans wait for a slow collector. */
  take(trace: StoredTrace): void {
    const { runId, traceparent } = trace.run;
    if (!this.isSampled(traceIdOf(runId, traceparent), traceparent)) return;
    const spans = trace.spans();
    if (this.#waitingSpans > 0 && this.#waitingSpans + spans.length > maxWaitingSpans) {
      this.#reportLost(spans.length, "too many spans wait for the collector");
      return;
    }
    this.#waiting.push({ trace, spans });
    this.#waitingSpans += spans.length;
    this.#working ??= this.#work();
  }

  /** Exports what is left, for at most `milliseconds`, and at least for a second. */
  async close(milliseconds: number): Promise<void> {
    const over = new AbortController();
    const stop = this.#parts.runtime.clock.after(Math.max(milliseconds, minFlushTime), () =>
      over.abort(new Error("the shutdown did not wait longer")),
    );
    try {
      await abortable(Promise.resolve(this.#working), over.signal);
      await abortable(this.#provider.shutdown(), over.signal);
    } catch (error) {
      if (over.signal.aborted) this.#reportLost(this.#unexported + this.#waitingSpans, messageOf(error));
    } finally {
      stop();
    }
  }

  async #work(): Promise<void> {
    for (let next = this.#waiting.shift(); next; next = this.#waiting.shift()) {
      const { trace, spans } = next;
      const content = await this.#contentOf(trace, spans);
      for (const span of spans) {
        while (this.#unexported >= this.#parts.settings.batch.maxQueueSize)
          await new Promise<void>((resolve) => {
            this.#onExported = resolve;
          });
        this.#add(trace, span, content);
        this.#waitingSpans -= 1;
      }
    }
    this.#working = undefined;
  }

  async #contentOf(trace: StoredTrace, spans: readonly Span[]): Promise<Content> {
    try {
      return (await this.#parts.contentOf?.(trace, spans)) ?? noContent;
    } catch (error) {
      this.#parts.runtime.log.warn({ error, runId: trace.run.runId }, "The texts of a trace could not be read.");
      return noContent;
    }
  }

  #add({ run }: StoredTrace, span: Span, content: Content): void {
    const { traceId, spanId, name, kind, status, statusMessage: message } = span;
    this.#ids = { traceId, spanId };
    const attributes = { ...span.attributes, ...content.get(spanId) };
    const startTime = toTime(span.startedAt);
    const made = this.#provider
      .getTracer("troupe", troupeVersion)
      .startSpan(
        name,
        { kind: kinds[kind] ?? SpanKind.INTERNAL, attributes, startTime },
        parentOf(span, run.traceparent),
      );
    made.setStatus({ code: codes[status], ...(message !== undefined && { message }) });
    this.#unexported += 1;
    made.end(toTime(span.endedAt ?? span.startedAt));
  }

  /** Counts the spans that leave the queue, and reports failures. */
  #observed(exporter: SpanExporter): SpanExporter {
    return {
      export: (spans, done) =>
        exporter.export(spans, (result) => {
          this.#unexported -= spans.length;
          if (result.code !== 0) this.#reportLost(spans.length, messageOf(result.error));
          done(result);
          this.#onExported?.();
        }),
      forceFlush: async () => await exporter.forceFlush?.(),
      shutdown: () => exporter.shutdown(),
    };
  }

  #reportLost(spans: number, reason: string): void {
    const { clock, log } = this.#parts.runtime;
    this.#lost += spans;
    if (this.#lost === 0 || clock.monotonic() < this.#nextReport) return;
    log.warn({ spans: this.#lost, reason }, "Traces could not be exported. They stay in the database.");
    this.#lost = 0;
    this.#nextReport = clock.monotonic() + reportInterval;
  }
}

function parentOf({ traceId, parentSpanId: spanId }: Span, traceparent: string | undefined): Context {
  if (spanId === null) return ROOT_CONTEXT;
  const isRemote = parseTraceparent(traceparent)?.spanId === spanId;
  const traceFlags = isRemote && !isFlagged(traceparent ?? "") ? TraceFlags.NONE : TraceFlags.SAMPLED;
  return trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags, isRemote });
}

/** A number could mean a time since the start of the process. */
function toTime(milliseconds: number): HrTime {
  const seconds = Math.floor(milliseconds / 1000);
  return [seconds, Math.round((milliseconds - seconds * 1000) * 1e6)];
}

function messageOf(error: unknown): string {
  const { message, code } = (error ?? {}) as { readonly message?: string; readonly code?: unknown };
  return message || String(code ?? "no reason given");
}
