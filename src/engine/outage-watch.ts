/** Watches for a database that is away for longer than the limit: then streams end with their cursor, until it is back. */
import type { Logs } from "../events/logs.ts";
import type { Runtime } from "../model/runtime.ts";
import type { Settings } from "../model/settings.ts";
import type { Store } from "../store/seam.ts";

/** What the watch needs. */
export interface OutageWatchParts {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly logs: Logs;
}

const interval = 1_000;

export class OutageWatch {
  readonly #parts: OutageWatchParts;
  #cancelTimer: (() => void) | undefined;
  #interrupted = false;
  #closed = false;

  constructor(parts: OutageWatchParts) {
    this.#parts = parts;
  }

  start(): void {
    if (this.#closed) return;
    this.#cancelTimer = this.#parts.runtime.clock.after(interval, () => {
      void this.#look().then(() => this.start());
    });
  }

  close(): void {
    this.#closed = true;
    this.#cancelTimer?.();
  }

  async #look(): Promise<void> {
    const { store, runtime, settings, logs } = this.#parts;
    if (store.availability.available) return this.#back();
    if (!this.#interrupted && runtime.clock.monotonic() - store.availability.since > settings.outageLimit) {
      this.#interrupted = true;
      runtime.log.error(
        { database: store.capabilities.label },
        "The database has been away for too long: streams end with their cursor until it is back.",
      );
      logs.interrupt("outage");
    }
    await store.ping().then(
      () => this.#back(),
      () => undefined,
    );
  }

  #back(): void {
    if (!this.#interrupted) return;
    this.#interrupted = false;
    this.#parts.runtime.log.info({ database: this.#parts.store.capabilities.label }, "The database is back.");
    this.#parts.logs.resume();
  }
}
