/** Watches for a database outage: first gives up the starts that wait for it; after the limit, ends streams with their cursor. */
import type { Logs } from "../../events/logs.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Settings } from "../../model/settings.ts";
import type { Store } from "../../store/contract/store.ts";
import type { Engine } from "../contract.ts";

/** Dependencies of `OutageWatch`. */
export interface OutageWatchParts {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly logs: Logs;
  readonly engine: Pick<Engine, "rejectWaitingStarts">;
}

const interval = 500;

/** Milliseconds of an outage after which starts are given up. */
const startTimeout = 3_500;

export class OutageWatch {
  readonly #parts: OutageWatchParts;
  #cancelTimer: (() => void) | undefined;
  #interrupted = false;

  constructor(parts: OutageWatchParts) {
    this.#parts = parts;
  }

  /** Watches until `close`. Sends no queries: the lease's renewals show often enough whether the database accepts writes. */
  start(): void {
    this.#cancelTimer = this.#parts.runtime.clock.after(interval, () => {
      this.#check();
      this.start();
    });
  }

  close(): void {
    this.#cancelTimer?.();
  }

  #check(): void {
    const { store, runtime, settings, logs, engine } = this.#parts;
    const { available, since } = store.availability;
    const away = runtime.clock.monotonic() - since;
    if (!available && away >= startTimeout) engine.rejectWaitingStarts();
    const database = store.capabilities.label;
    if (available && this.#interrupted) {
      this.#interrupted = false;
      runtime.log.info({ database }, "The database is back.");
      logs.resume();
    } else if (!available && !this.#interrupted && away > settings.outageTimeout) {
      this.#interrupted = true;
      runtime.log.error(
        { database },
        "The database has been away for too long: streams end with their cursor until it is back.",
      );
      logs.interrupt("outage");
    }
  }
}
