/**
 * Rewrites the logs of finished runs in few, compressed rows, in the background: at token speed a live log has a row an event. Each process does so
 * with what ended in it; what others have left is looked for more seldom. If all of them looked for all of it, they would compress the same logs.
 */
import type { Runtime } from "../model/runtime.ts";
import type { Settings } from "../model/settings.ts";
import type { Store } from "../store/contract/store.ts";

/** Runs looked up at a time. */
const batch = 50;
/** Intervals between two looks for what others have left. */
const intervalsPerSweep = 30;
/** Most ended runs that are remembered; of more, a sweep finds the rest. */
const mostEnded = 10_000;
/** No run has a key as low. */
const beforeAll = -1;

export class Compactor {
  readonly #store: Store;
  readonly #runtime: Runtime;
  readonly #settings: Settings;
  #stop: (() => void) | undefined;
  #closed = false;
  /** Key of the last run that was looked at; rounds begin again from the oldest once they have come to the end. */
  #after = beforeAll;
  #working: Promise<void> = Promise.resolve();
  /** What ended here. */
  #ended: number[] = [];
  /** When what others have left is looked for again, by the monotonic clock. */
  #nextSweep = 0;

  constructor(store: Store, runtime: Runtime, settings: Settings) {
    this.#store = store;
    this.#runtime = runtime;
    this.#settings = settings;
  }

  /** A run ended here: its log is due. */
  ended(key: number): void {
    if (this.#ended.length < mostEnded) this.#ended.push(key);
  }

  /** Compacts now and then, until `close`. */
  start(): void {
    if (this.#closed) return;
    this.#stop = this.#runtime.clock.after(this.#settings.compactionInterval, () => {
      this.#working = this.#round().then(() => this.start());
    });
  }

  async #round(): Promise<void> {
    const { clock, randomness } = this.#runtime;
    await this.#compact(this.#ended.splice(0));
    if (this.#closed || clock.monotonic() < this.#nextSweep) return;
    await this.run();
    const pause = this.#settings.compactionInterval * intervalsPerSweep;
    this.#nextSweep = clock.monotonic() + pause * (0.75 + 0.5 * randomness.fraction());
  }

  /**
   * Compacts whatever is due, each log once; gives way to other work between runs. A log that cannot be compacted holds up no other one: it
   * waits for a later round. So does everything else after a batch that failed as a whole, which may be the database's failure.
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

  async close(): Promise<void> {
    this.#closed = true;
    this.#stop?.();
    await this.#working;
  }

  /** How many of them failed. In an order of its own, so that processes that begin together do not compress the same logs. */
  async #compact(keys: readonly number[]): Promise<number> {
    const failed: number[] = [];
    let reason: unknown;
    for (const key of this.#shuffled(keys)) {
      if (this.#closed) break;
      try {
        await this.#store.compact(key, this.#settings.compactedRowBytes);
      } catch (error) {
        reason ??= error;
        failed.push(key);
      }
    }
    if (failed.length > 0 && !this.#closed) {
      this.#runtime.log.warn(
        { error: reason, runs: failed },
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
