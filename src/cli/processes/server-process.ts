/** A server process, as its primary process sees it. */
import cluster, { type Worker } from "node:cluster";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import type { MetricValues } from "../../platform/metrics-sum.ts";
import { type Assignment, environmentOf } from "./assignment.ts";
import { contentOf, type Order, type Report } from "./messages.ts";

/** How a process ended. */
export interface Exit {
  readonly code: number | null;
  readonly signal: string | null;
}

/** Maximum milliseconds to wait for the metrics of a process: a scrape must not take longer than its interval. */
const measureTimeout = 3_000;

/** Milliseconds after which a process that is ready counts as healthy. */
const healthyAfter = 60_000;

export class ServerProcess {
  readonly number: number;
  /** Resolves when it listens; undefined if it ended before. */
  readonly ready: Promise<Extract<Report, { type: "ready" }> | undefined>;
  readonly exited: Promise<Exit>;
  /** Whether this process has been asked to end. */
  isLeaving = false;
  isOver = false;
  /** Its newest metrics. After its end, its last ones. */
  metrics: MetricValues = [];
  readonly #worker: Worker;
  #readySince: number | undefined;
  #measured: (() => void) | undefined;

  /** Starts a process. @param onChecked called when a readiness check has arrived there */
  constructor(assignment: Assignment, onChecked: () => void) {
    this.number = assignment.number;
    this.#worker = cluster.fork(environmentOf(assignment));
    // A process that is ending cannot receive.
    this.#worker.on("error", () => undefined);
    const { promise: ready, resolve: setReady } = Promise.withResolvers<
      Extract<Report, { type: "ready" }> | undefined
    >();
    this.ready = ready;
    this.#worker.on("message", (message: unknown) => {
      const report = contentOf<Report>(message);
      if (report?.type === "ready") {
        this.#readySince = performance.now();
        setReady(report);
      } else if (report?.type === "checked") {
        onChecked();
      } else if (report?.type === "measured") {
        this.metrics = report.values;
        this.#measured?.();
      }
    });
    // After "disconnect", all messages have arrived.
    const ended = Promise.all([once(this.#worker, "exit"), once(this.#worker, "disconnect")]);
    this.exited = ended.then(([[code, signal]]) => {
      this.isOver = true;
      setReady(undefined);
      this.#measured?.();
      return { code, signal };
    });
  }

  get pid(): number {
    return this.#worker.process.pid ?? 0;
  }

  get isReady(): boolean {
    return this.#readySince !== undefined && !this.isOver;
  }

  /** Whether it was ready for a while. */
  get wasHealthy(): boolean {
    return this.#readySince !== undefined && performance.now() - this.#readySince >= healthyAfter;
  }

  /** Whether it was ready, even if it has ended. */
  get wasReady(): boolean {
    return this.#readySince !== undefined;
  }

  /** Asks it to close, as on SIGTERM. A process that is not ready ends at once. */
  close(isChecked: boolean): void {
    this.isLeaving = true;
    if (this.wasReady) this.#send({ type: "close", isChecked });
    else this.kill("SIGTERM");
  }

  /** Asks it to close while others accept the connections of the port. */
  retire(): void {
    this.isLeaving = true;
    this.#send({ type: "retire" });
  }

  kill(signal: NodeJS.Signals): void {
    this.#worker.process.kill(signal);
  }

  /** Reads its metrics. Returns false if it does not answer in time. */
  async measure(): Promise<boolean> {
    if (!this.isReady) return false;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    this.#measured = () => resolve(!this.isOver);
    this.#send({ type: "measure" });
    const late = new AbortController();
    const isThere = await Promise.race([promise, sleep(measureTimeout, false, { signal: late.signal, ref: false })]);
    late.abort();
    return isThere;
  }

  #send(order: Order): void {
    if (this.#worker.isConnected()) this.#worker.send({ troupe: order });
  }
}
