/**
 * Prometheus metrics of this process. Counters and histograms receive facts; gauges are read when they are scraped. This module is loaded only by a
 * server that serves metrics.
 */
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from "prom-client";
import type { Platform } from "../define/platform.ts";
import { type Measurements, searchLacks, standbyOutcomes } from "../model/measurements.ts";
import type { TurnMetrics } from "../model/run/message.ts";
import type { ConnectionCounts, RunQueue } from "../store/contract/store.ts";
import { KnownNames } from "./metrics-names.ts";
import { countsOf, type MetricValues, type SummableMetrics } from "./metrics-sum.ts";

/** Values that are read at each scrape. */
export interface MeasuredState {
  readonly followers: () => number;
  /** Bytes of events in memory. */
  readonly ringBytes: () => number;
  readonly isDatabaseAvailable: () => boolean;
  readonly connections: () => ConnectionCounts | undefined;
  /** Undefined if the database does not answer in time. */
  readonly queue: () => Promise<RunQueue | undefined>;
}

/** The metrics of a server. */
export interface Metrics extends SummableMetrics {
  readonly measurements: Measurements;
  readonly contentType: string;
  /** Sets the source of the gauges. */
  read(state: MeasuredState): void;
  /** Returns the metrics in the text format of Prometheus. */
  scrape(): Promise<string>;
}

/** Upper bounds of histograms, in seconds and bytes. */
const buckets = {
  requests: [0.005, 0.025, 0.1, 0.5, 2.5, 10],
  firstToken: [0.1, 0.25, 0.5, 1, 2, 4, 8, 16, 32],
  models: [0.25, 0.5, 1, 2, 4, 8, 16, 32, 64, 128],
  tools: [0.01, 0.05, 0.25, 1, 4, 16, 64],
  flushes: [0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.25, 1, 4],
  flushBytes: [1_024, 4_096, 16_384, 65_536, 262_144, 1_048_576],
  lateness: [0.1, 0.5, 1, 5, 15, 60, 300],
};

/** Kinds of tokens, with the metric of a model turn that counts each. */
const tokenKinds = [
  ["input", "input_tokens"],
  ["output", "output_tokens"],
  ["reasoning", "reasoning_tokens"],
  ["cache_read", "cache_read_tokens"],
  ["cache_write", "cache_write_tokens"],
] as const satisfies readonly (readonly [string, keyof TurnMetrics])[];

/** Creates the metrics of a platform. `platform` bounds the values of labels: names that it does not define become `other`. */
export function createMetrics(platform: Platform): Metrics {
  const registry = new Registry();
  const names = new KnownNames(platform);
  const registers = [registry];
  const counter = <T extends string>(name: string, help: string, labelNames: T[] = []): Counter<T> =>
    new Counter({ name, help, labelNames, registers });
  const histogram = <T extends string>(
    name: string,
    help: string,
    bounds: number[],
    labelNames: T[] = [],
  ): Histogram<T> => new Histogram({ name, help, labelNames, buckets: bounds, registers });
  /** @param aggregator how the values of several processes become one */
  const gauge = <T extends string>(
    name: string,
    help: string,
    labelNames: T[] = [],
    aggregator: "sum" | "min" | "max" = "sum",
  ): Gauge<T> => new Gauge({ name, help, labelNames, registers, aggregator });

  const requests = counter("troupe_http_requests_total", "Finished HTTP requests.", ["method", "route", "status"]);
  const requestSeconds = histogram(
    "troupe_http_request_duration_seconds",
    "Duration of HTTP requests, except of routes whose response may take as long as a run.",
    buckets.requests,
    ["method", "route"],
  );
  const started = counter("troupe_runs_started_total", "Runs that this process recorded.", ["kind", "component"]);
  const ended = counter("troupe_runs_ended_total", "Runs that this process ended or paused.", [
    "kind",
    "component",
    "status",
  ]);
  const live = gauge("troupe_live_runs", "Runs that this process executes.", ["kind", "component"]);
  const takeovers = counter("troupe_run_takeovers_total", "Runs that this process took over from one that ended.", [
    "kind",
    "component",
  ]);
  const modelRequests = counter("troupe_model_requests_total", "Requests to models, with retries.", [
    "model",
    "provider",
    "outcome",
  ]);
  const modelSeconds = histogram(
    "troupe_model_request_duration_seconds",
    "Duration of successful requests to models.",
    buckets.models,
    ["model", "provider"],
  );
  const firstToken = histogram(
    "troupe_model_time_to_first_token_seconds",
    "Time from a request to a model to its first token.",
    buckets.firstToken,
    ["model", "provider"],
  );
  const retries = counter("troupe_model_retries_total", "Repeated requests to models.", ["model", "provider"]);
  const tokens = counter(
    "troupe_model_tokens_total",
    "Tokens of recorded model turns. Input includes cached tokens, output includes reasoning.",
    ["model", "provider", "kind"],
  );
  const cost = counter("troupe_model_cost_usd_total", "Cost of recorded model turns in US dollars.", [
    "model",
    "provider",
  ]);
  const toolCalls = counter("troupe_tool_calls_total", "Finished tool calls.", ["tool", "outcome"]);
  const toolSeconds = histogram("troupe_tool_call_duration_seconds", "Duration of tool calls.", buckets.tools, [
    "tool",
  ]);
  const flushSeconds = histogram(
    "troupe_flush_duration_seconds",
    "Duration of a commit of the run log.",
    buckets.flushes,
  );
  const flushBytes = histogram(
    "troupe_flush_size_bytes",
    "Approximate size of a commit of the run log.",
    buckets.flushBytes,
  );
  const commitSeconds = histogram(
    "troupe_commit_latency_seconds",
    "Time from the oldest write of a commit of the run log to its durability.",
    buckets.flushes,
  );
  const pushes = counter("troupe_push_notifications_total", "Attempts to deliver push notifications.", ["outcome"]);
  const lateness = histogram(
    "troupe_schedule_lateness_seconds",
    "Time from the due time of a schedule's fire to its begin.",
    buckets.lateness,
  );
  const standbyReads = counter(
    "troupe_standby_reads_total",
    "Reads that the standby (DATABASE_READ_URL) may serve. The primary served all except the outcome served.",
    ["outcome"],
  );
  const wordsOnly = counter(
    "troupe_knowledge_searches_by_words_only_total",
    "Hybrid searches of documents that used words only, by what failed.",
    ["failed"],
  );
  for (const failed of searchLacks) wordsOnly.inc({ failed }, 0);
  for (const outcome of ["delivered", "retried", "failed"]) pushes.inc({ outcome }, 0);
  for (const outcome of standbyOutcomes) standbyReads.inc({ outcome }, 0);

  const gauges = {
    followers: gauge("troupe_followers", "Open reads that follow a run."),
    ringBytes: gauge("troupe_ring_bytes", "Bytes of events in memory."),
    isUp: gauge("troupe_database_up", "Whether the database responds.", [], "min"),
    connections: gauge("troupe_database_connections", "Open connections of the pool.", ["state"]),
    waiting: gauge("troupe_database_pool_waiting", "Requests that wait for a connection of the pool."),
    // Read from the shared database, so every process has the same value.
    queue: gauge(
      "troupe_queued_runs",
      "Background runs that wait for a process, counted up to maxQueuedRuns.",
      [],
      "max",
    ),
    oldest: gauge("troupe_queue_oldest_wait_seconds", "Waiting time of the oldest of these runs.", [], "max"),
  };
  collectDefaultMetrics({ register: registry });

  const update = async ({ followers, ringBytes, isDatabaseAvailable, connections, queue }: MeasuredState) => {
    gauges.followers.set(followers());
    gauges.ringBytes.set(ringBytes());
    gauges.isUp.set(isDatabaseAvailable() ? 1 : 0);
    const counts = connections();
    if (counts) {
      gauges.connections.set({ state: "idle" }, counts.idle);
      gauges.connections.set({ state: "busy" }, counts.open - counts.idle);
      gauges.waiting.set(counts.waiting);
    }
    const queued = await queue();
    // A number that could not be read is left out: an old one would be taken for the present one.
    if (queued) {
      gauges.queue.set(queued.length);
      gauges.oldest.set(queued.oldestWait / 1000);
    } else {
      gauges.queue.remove();
      gauges.oldest.remove();
    }
  };

  let state: MeasuredState | undefined;
  let scraping: Promise<string> | undefined;
  return {
    contentType: registry.contentType,
    read(source) {
      state = source;
    },
    scrape() {
      scraping ??= (async () => {
        if (state) await update(state);
        return await registry.metrics();
      })().finally(() => {
        scraping = undefined;
      });
      return scraping;
    },
    async values() {
      if (state) await update(state);
      return await valuesOf(registry);
    },
    async counts() {
      return countsOf(await valuesOf(registry));
    },
    measurements: {
      requestFinished({ method, route = "other", status, seconds }) {
        const labels = { method: names.method(method), route };
        requests.inc({ ...labels, status });
        if (seconds !== undefined) requestSeconds.observe(labels, seconds);
      },
      runStarted: (run) => started.inc(names.component(run)),
      runOpened: (run) => live.inc(names.component(run)),
      runClosed(run, status) {
        const component = names.component(run);
        live.dec(component);
        if (status) ended.inc({ ...component, status: status.toLowerCase() });
      },
      takeover: (run) => takeovers.inc(names.component(run)),
      modelRequest({ model, outcome, seconds, firstToken: first }) {
        const labels = names.model(model);
        modelRequests.inc({ ...labels, outcome });
        if (outcome === "ok") modelSeconds.observe(labels, seconds);
        if (first !== undefined) firstToken.observe(labels, first);
      },
      modelRetry: (model) => retries.inc(names.model(model)),
      modelTurn(model, metrics) {
        const labels = names.model(model);
        for (const [kind, member] of tokenKinds) if (metrics[member]) tokens.inc({ ...labels, kind }, metrics[member]);
        if (metrics.cost) cost.inc(labels, metrics.cost);
      },
      toolCall({ tool, outcome, seconds }) {
        const labels = { tool: names.tool(tool) };
        toolCalls.inc({ ...labels, outcome });
        toolSeconds.observe(labels, seconds);
      },
      flush({ bytes, seconds, latency }) {
        flushBytes.observe(bytes);
        flushSeconds.observe(seconds);
        commitSeconds.observe(latency);
      },
      push: (outcome) => pushes.inc({ outcome }),
      scheduleFire: (seconds) => lateness.observe(seconds),
      standbyRead: (outcome) => standbyReads.inc({ outcome }),
      wordsOnly: (failed) => wordsOnly.inc({ failed }),
    },
  };
}

/** Returns the current values of a registry. */
async function valuesOf(registry: Registry): Promise<MetricValues> {
  const metrics = (await registry.getMetricsAsJSON()) as unknown as MetricValues;
  // JSON has no NaN, the average of nothing, and a sum with it would be useless.
  return metrics.map((metric) => ({ ...metric, values: metric.values.filter(({ value }) => Number.isFinite(value)) }));
}
