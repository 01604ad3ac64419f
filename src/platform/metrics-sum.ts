/** Sums the metrics of several processes to those of one target for Prometheus. It is loaded only where metrics are served. */
import { AggregatorRegistry, Counter, Gauge, Registry } from "prom-client";

/** A metric of one process, as prom-client describes it. */
interface MetricOfProcess {
  readonly name: string;
  readonly type: string;
  readonly values: readonly { readonly value: number }[];
}

/** The metrics of one process, as data for other processes. */
export type MetricValues = readonly MetricOfProcess[];

/** The metrics of a process, for `SummedMetrics`. */
export interface SummableMetrics {
  /** Returns all metrics. */
  values(): Promise<MetricValues>;
  /** Returns the counters and histograms only. They are available after the platform has closed, too. */
  counts(): Promise<MetricValues>;
}

/** Returns the counters and histograms. */
export function countsOf(metrics: MetricValues): MetricValues {
  return metrics.filter(({ type }) => type === "counter" || type === "histogram");
}

/**
 * The metrics of the processes that share a port. A counter is the sum over all processes that ever served, so that the end of a process does not reduce it:
 * Prometheus would take a lower value for a restart from 0, and count the rest a second time.
 */
export class SummedMetrics {
  readonly contentType: string;
  readonly #own: Registry = new Registry();
  readonly #ready: Gauge;
  readonly #exits: Counter;
  #ended: MetricValues = [];

  /** @param started start of the command, in milliseconds since the epoch */
  constructor(started: number) {
    this.contentType = this.#own.contentType;
    const registers = [this.#own];
    this.#ready = new Gauge({ name: "troupe_server_processes", help: "Server processes that are ready.", registers });
    this.#exits = new Counter({
      name: "troupe_server_process_exits_total",
      help: "Server processes that ended and were not asked to.",
      registers,
    });
    const name = "process_start_time_seconds";
    new Gauge({ name, help: "Start time of the command since unix epoch in seconds.", registers }).set(started / 1000);
  }

  /** Counts a process that ended and was not asked to. */
  exited(): void {
    this.#exits.inc();
  }

  /** Keeps the counts of a process that has ended. */
  keep(last: MetricValues): void {
    // The library has no type for it: what `aggregate` registers are the values.
    this.#ended = summed([this.#ended, countsOf(last)]).getMetricsAsArray() as unknown as MetricValues;
  }

  /**
   * Returns the sum of the running and the ended processes, in the text format of Prometheus. Values that are not current are from an earlier scrape: their
   * gauges are left out, and their counters are not, because they must not decrease.
   */
  async text(
    running: readonly { readonly values: MetricValues; readonly isCurrent: boolean }[],
    ready: number,
  ): Promise<string> {
    this.#ready.set(ready);
    const current = running.map(({ values, isCurrent }) => (isCurrent ? values : countsOf(values)));
    const sum = await summed([...current, this.#ended]).metrics();
    return `${sum}\n${await this.#own.metrics()}`;
  }
}

function summed(metrics: readonly MetricValues[]): Registry {
  return AggregatorRegistry.aggregate(metrics as object[]);
}
