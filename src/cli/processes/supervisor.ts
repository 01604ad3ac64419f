/** Keeps the server processes of one command running: starts, replaces, restarts and ends them. */
import type { Log } from "../../model/runtime.ts";
import type { SummedMetrics } from "../../platform/metrics-sum.ts";
import { checkedRecently } from "../../platform/readiness.ts";
import type { Assignment } from "./assignment.ts";
import { ServerProcess } from "./server-process.ts";

/** Milliseconds before the second replacement of a process that does not stay; each further one waits twice as long. */
const firstPause = 1_000;

/** Maximum milliseconds before a replacement. */
const maxPause = 30_000;

/** The process of one number. */
interface Place {
  readonly number: number;
  /** The process that serves, or starts; undefined before a replacement. */
  current?: ServerProcess | undefined;
  /** The process that starts to replace `current` at a restart. */
  next?: ServerProcess | undefined;
  /** Number of processes in sequence that ended before they were healthy. */
  failures: number;
  /** Cancels the replacement that waits for its time. */
  cancel?: (() => void) | undefined;
}

/** Dependencies of `Supervisor`. */
export interface SupervisorParts {
  readonly assignment: Omit<Assignment, "number">;
  readonly log: Log;
  /** Undefined without metrics. */
  readonly metrics: SummedMetrics | undefined;
}

type Ready = NonNullable<Awaited<ServerProcess["ready"]>>;

export class Supervisor {
  readonly #parts: SupervisorParts;
  readonly #places: readonly Place[];
  /** Every process that has not ended. */
  readonly #running = new Set<ServerProcess>();
  #hasStarted = false;
  #isEnding = false;
  #isRestarting = false;
  #restartsAgain = false;
  #checkedAt = Number.NEGATIVE_INFINITY;
  #scraping: Promise<string> | undefined;

  constructor(parts: SupervisorParts) {
    this.#parts = parts;
    this.#places = Array.from({ length: parts.assignment.of }, (_, place) => ({ number: place + 1, failures: 0 }));
  }

  /**
   * Starts all processes: the first one alone, because it migrates the database and finds most mistakes. Returns the report of the first one; undefined if
   * one of them ended before it was ready, or `end` was called.
   */
  async start(): Promise<Ready | undefined> {
    const [first, ...others] = this.#places;
    const report = first && (await this.#startFirst(first));
    if (!report || this.#isEnding) return undefined;
    const reports = await Promise.all(others.map((place) => this.#startFirst(place)));
    this.#hasStarted = !this.#isEnding && reports.every(Boolean);
    if (!this.#hasStarted) return undefined;
    // One of them may have ended while the others started.
    for (const place of this.#places) if (place.current?.isOver) this.#replace(place, place.current);
    return report;
  }

  /** Restarts the processes one by one; each new process is ready before the old one closes. During a restart, it restarts once more afterwards. */
  restart(): void {
    if (!this.#hasStarted || this.#isEnding) return;
    this.#restartsAgain = this.#isRestarting;
    if (this.#isRestarting) return;
    this.#isRestarting = true;
    void this.#restartAll().finally(() => {
      this.#isRestarting = false;
      if (this.#restartsAgain) this.restart();
    });
  }

  /** Closes all processes. Returns false if one of them did not end with code 0. */
  async end(): Promise<boolean> {
    this.#isEnding = true;
    for (const { cancel } of this.#places) cancel?.();
    const isChecked = performance.now() - this.#checkedAt <= checkedRecently;
    const ends = [...this.#running].map(async (each) => {
      const { wasReady } = each;
      each.close(isChecked);
      const { code } = await each.exited;
      return code === 0 || !wasReady;
    });
    return (await Promise.all(ends)).every(Boolean);
  }

  get isEnding(): boolean {
    return this.#isEnding;
  }

  /** Ends all processes at once. */
  kill(): void {
    this.#isEnding = true;
    for (const each of this.#running) each.kill("SIGKILL");
  }

  /** Returns the metrics of all processes in the text format of Prometheus. */
  scrape(): Promise<string> {
    this.#scraping ??= this.#scrape().finally(() => {
      this.#scraping = undefined;
    });
    return this.#scraping;
  }

  /** @returns undefined if the process ended before it was ready */
  async #startFirst(place: Place): Promise<Ready | undefined> {
    const started = this.#begin(place.number);
    place.current = started;
    const report = await started.ready;
    if (report || this.#isEnding) return report;
    const { code, signal } = await started.exited;
    const end = signal === null ? `with code ${code}` : `by ${signal}`;
    console.error(`troupe: The server did not start: its process ${place.number} ended ${end} before it was ready.`);
    return undefined;
  }

  #begin(number: number): ServerProcess {
    const { assignment, metrics } = this.#parts;
    const started = new ServerProcess({ ...assignment, number }, () => {
      this.#checkedAt = performance.now();
    });
    this.#running.add(started);
    void started.exited.then(() => {
      this.#running.delete(started);
      metrics?.keep(started.metrics);
      const place = this.#places[number - 1];
      if (place?.current === started && this.#hasStarted && !this.#isEnding) this.#replace(place, started);
    });
    return started;
  }

  /** Replaces a process that has ended and was not asked to. */
  #replace(place: Place, ended: ServerProcess): void {
    const { log, metrics } = this.#parts;
    place.current = undefined;
    place.failures = ended.wasHealthy ? 0 : place.failures + 1;
    const pause =
      ended.wasReady && place.failures <= 1 ? 0 : Math.min(maxPause, firstPause * 2 ** Math.max(0, place.failures - 1));
    if (!ended.isLeaving) {
      metrics?.exited();
      const { pid } = ended;
      void ended.exited.then((exit) =>
        log.error(
          { serverProcess: place.number, ended: { pid, ...exit }, pause },
          "A server process ended; it is replaced.",
        ),
      );
    }
    // The process that a restart has started takes its place.
    if (place.next) return;
    const timer = setTimeout(() => {
      place.cancel = undefined;
      place.current = this.#begin(place.number);
    }, pause);
    place.cancel = () => clearTimeout(timer);
  }

  async #restartAll(): Promise<void> {
    const { log } = this.#parts;
    for (const place of this.#places) {
      if (this.#isEnding) return;
      place.cancel?.();
      place.cancel = undefined;
      const next = this.#begin(place.number);
      place.next = next;
      const report = await next.ready;
      place.next = undefined;
      if (this.#isEnding) return;
      if (!report) {
        const exit = await next.exited;
        log.error(
          { serverProcess: place.number, ended: { pid: next.pid, ...exit } },
          "The restart was stopped, because a new process ended before it was ready. The old processes continue.",
        );
        // Its process ended during the restart.
        if (!place.current) this.#replace(place, next);
        return;
      }
      const old = place.current;
      place.current = next;
      place.failures = 0;
      // One that is not ready had no connection yet.
      if (old?.wasReady) old.retire();
      else old?.close(false);
      await old?.exited;
    }
    log.info({ processes: this.#places.length }, "All server processes were restarted.");
  }

  async #scrape(): Promise<string> {
    const answered = new Set<ServerProcess>();
    const measure = async (each: ServerProcess): Promise<void> => {
      if (await each.measure()) answered.add(each);
    };
    await Promise.all([...this.#running].map(measure));
    const running = [...this.#running];
    const ready = running.filter(({ isReady, isLeaving }) => isReady && !isLeaving).length;
    const values = running.map((each) => ({ values: each.metrics, isCurrent: answered.has(each) }));
    return (await this.#parts.metrics?.text(values, ready)) ?? "";
  }
}
