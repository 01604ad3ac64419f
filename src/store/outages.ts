/** Whether the database answers, as the writer sees it. */
import type { Runtime } from "../model/runtime.ts";
import { describeFault } from "./faults.ts";
import type { Availability } from "./seam.ts";

/** Keeps a database's availability, and logs its changes. */
export class Outages {
  readonly #runtime: Runtime;
  #state: Availability;

  constructor(runtime: Runtime) {
    this.#runtime = runtime;
    this.#state = { available: true, since: runtime.clock.monotonic() };
  }

  get availability(): Availability {
    return this.#state;
  }

  /** The database did not answer. */
  failed(error: unknown): void {
    if (!this.#state.available) return;
    this.#state = { available: false, since: this.#runtime.clock.monotonic() };
    this.#runtime.log.error(describeFault(error), "the database does not answer; trying again until it does");
  }

  /** The database answered. */
  answered(): void {
    if (this.#state.available) return;
    const away = Math.round(this.#runtime.clock.monotonic() - this.#state.since);
    this.#state = { available: true, since: this.#runtime.clock.monotonic() };
    this.#runtime.log.info({ away }, "the database answers again");
  }
}
