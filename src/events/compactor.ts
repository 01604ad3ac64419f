/**
 * Rewrites the logs of finished runs as few compressed rows, in the background: at token speed a live log has one row per event. Each process
 * compacts the runs that ended in it, and sweeps less often for logs that other processes left. Frequent sweeps would compress the same logs in
 * several processes. Each round also adds the usage of compacted runs to their days.
 */
import type { Runtime } from "../model/runtime.ts";
import type { Settings } from "../model/settings.ts";
import type { Store } from "../store/contract/store.ts";
import type { StoredTrace } from "../store/contract/traces.ts";
import type { UsageDayStore } from "../store/contract/usage-days.ts";

/** Runs fetched per batch. */
const batch = 50;
/** Compaction intervals between two sweeps for logs that other processes left. */
const intervalsPerSweep = 30;
/** Max ended runs remembered; a sweep finds the others. */
const maxEnded = 10_000;
/** Milliseconds for which counters of usage per day are kept. */
const usageRetention = 35 * 24 * 3_600_000;
/** Max runs that one log entry names. */
const maxNamed = 20;
/** Lower than every run key. */
const beforeAll = -1;

type UsageDays = Pick<UsageDayStore, "countQueued" | "queueEarlier">;

/** Further work of a compactor. */
export interface CompactorOptions {
  /** Called with each trace that this process stores. */
  readonly onTrace?: ((trace: StoredTrace) => void) | undefined;
  /** Undefined if usage by day is not counted. */
  readonly usageDays?: UsageDays | undefined;
}

export class Compactor {
  readonly #store: Store;
  readonly #runtime: Runtime;
  readonly #settings: Settings;
  readonly #usageDays: UsageDays | undefined;
  #stop: (() => void) | undefined;
  #closed = false;
  /** Key of the last run that was processed; after the newest run, a sweep restarts from the oldest. */
  #after = beforeAll;
  #working: Promise<void> = Promise.resolve();
  /** Keys of runs that ended in this process and are not compacted yet. */
  #ended: number[] = [];
  /** Time of the next sweep, by the monotonic clock. */
  #nextSweep = 0;
  readonly #onTrace: CompactorOptions["onTrace"];
  /** Whether runs may exist whose logs were compacted before their usage was counted. */
  #mayHaveEarlier = true;

  constructor(store: Store, runtime: Runtime, settings: Settings, { onTrace, usageDays }: CompactorOptions = {}) {
    this.#onTrace = onTrace;
    this.#store = store;
    this.#runtime = runtime;
    this.#settings = settings;
    this.#usageDays = usageDays;
  }

  /** Schedules the log of a run that ended in this process. */
  ended(key: number): void {
    if (this.#ended.length < maxEnded) this.#ended.push(key);
  }

  /** Compacts periodically, until `close`. */
  start(): void {
    if (this.#closed) return;
    this.#stop = this.#runtime.clock.after(this.#settings.compactionInterval, () => {
      this.#working = this.#round().then(() => this.start());
    });
  }

  async #round(): Promise<void> {
    const { clock, randomness } = this.#runtime;
    const ended = this.#ended.splice(0);
    await this.#compact(ended);
    const days = this.#usageDays;
    if (days && (ended.length > 0 || this.#mayHaveEarlier)) await this.#countUsage(days);
    if (this.#closed || clock.monotonic() < this.#nextSweep) return;
    this.#mayHaveEarlier = true;
    await this.run();
    if (days) await this.#countUsage(days);
    await this.#forgetUsage();
    const pause = this.#settings.compactionInterval * intervalsPerSweep;
    this.#nextSweep = clock.monotonic() + pause * (0.75 + 0.5 * randomness.fraction());
  }

  /**
   * Compacts all due logs once, yielding to other work between runs. A log that cannot be compacted does not delay the others: it is retried in a
   * later sweep. If a whole batch fails, the database may have failed, so the rest waits for a later sweep.
   */
  async run(): Promise<void> {
    try {
      for (;;) {
        const keys = await this.#store.uncompacted(batch, this.#after);
        const failed = await this.#compact(keys);
        if (this.#closed) return;
        this.#after = keys.length < batch ? beforeAll : (keys.at(-1) ?? beforeAll);
        if (keys.length < batch || failed === keys.length) return;
      }
    } catch (error) {
      if (!this.#closed) this.#runtime.log.warn({ error }, "Compacting finished logs stopped; it is tried again.");
    }
  }

  /** Compacts up to `limit` due logs now, the oldest runs first. @throws if the database does not respond */
  async compactOldest(limit: number): Promise<void> {
    await this.#compact(await this.#store.uncompacted(limit));
  }

  /** Adds the usage of compacted runs to their days. */
  async #countUsage(days: UsageDays): Promise<void> {
    if (this.#closed) return;
    try {
      if (this.#mayHaveEarlier) this.#mayHaveEarlier = await days.queueEarlier();
      while (!this.#closed && (await days.countQueued()).length > 0);
    } catch (error) {
      if (!this.#closed) this.#runtime.log.warn({ error }, "Some usage was not added to its day; it is tried again.");
    }
  }

  /** Deletes old counters of usage per day. */
  async #forgetUsage(): Promise<void> {
    const oldest = new Date(this.#runtime.clock.now() - usageRetention).toISOString().slice(0, 10);
    try {
      await this.#store.forgetUsage(oldest);
    } catch (error) {
      if (!this.#closed) this.#runtime.log.warn({ error }, "Old usage counters were not deleted; it is tried again.");
    }
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#stop?.();
    await this.#working;
  }

  /** Returns how many logs failed. Uses a random order, so that processes that begin together do not compress the same logs. */
  async #compact(keys: readonly number[]): Promise<number> {
    const failed: number[] = [];
    let reason: unknown;
    for (const key of this.#shuffled(keys)) {
      if (this.#closed) break;
      try {
        const trace = await this.#store.compact(key, this.#settings.maxCompactedRowBytes);
        if (trace) this.#onTrace?.(trace);
      } catch (error) {
        reason ??= error;
        failed.push(key);
      }
    }
    if (failed.length > 0 && !this.#closed) {
      this.#runtime.log.warn(
        { error: reason, count: failed.length, runs: failed.slice(0, maxNamed) },
        "Some finished logs were not compacted; it is tried again.",
      );
    }
    return failed.length;
  }

  #shuffled(keys: readonly number[]): readonly number[] {
    const drawn = keys.map((key) => ({ key, place: this.#runtime.randomness.fraction() }));
    return drawn.sort((a, b) => a.place - b.place).map(({ key }) => key);
  }
}
