/** Rewrites the logs of finished runs in few, compressed rows, in the background: at token speed a live log has a row an event. */
import type { Runtime } from "../model/runtime.ts";
import type { Settings } from "../model/settings.ts";
import type { Store } from "../store/seam.ts";

/** Runs looked up at a time. */
const batch = 50;

export class Compactor {
  readonly #store: Store;
  readonly #runtime: Runtime;
  readonly #settings: Settings;
  #stop: (() => void) | undefined;
  #closed = false;
  #working: Promise<void> = Promise.resolve();

  constructor(store: Store, runtime: Runtime, settings: Settings) {
    this.#store = store;
    this.#runtime = runtime;
    this.#settings = settings;
  }

  /** Looks for finished logs now and then, until `close`. */
  start(): void {
    if (this.#closed) return;
    this.#stop = this.#runtime.clock.after(this.#settings.compactionInterval, () => {
      this.#working = this.run().then(() => this.start());
    });
  }

  /** Compacts everything that is due; gives way to other work between runs. */
  async run(): Promise<void> {
    try {
      for (;;) {
        const keys = await this.#store.uncompacted(batch);
        for (const key of keys) {
          if (this.#closed) return;
          await this.#store.compact(key, this.#settings.compactedRowBytes);
        }
        if (keys.length < batch) return;
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
}
