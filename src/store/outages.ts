/** Tracks whether the database responds, as seen by this process. */
import type { Runtime } from "../model/runtime.ts";
import type { Availability } from "./contract/store.ts";
import { classifyPostgresError, describeError, NoResponse } from "./database-errors.ts";

/** Milliseconds between two checks of pending requests. */
const checkInterval = 500;

/** Consecutive checks without any response before a probe on a separate connection: the database may be busy with long statements. */
const checksBeforeProbe = 3;

/**
 * Consecutive checks without any response before the database counts as unavailable. Checks are counted, not time: a process that was suspended must
 * first check again.
 */
const checksBeforeTimeout = 7;

/** Tracks a database's availability, and logs its changes. */
export class Outages {
  readonly #runtime: Runtime;
  readonly #probe: () => Promise<unknown>;
  #state: Availability;
  /** Pending requests. */
  readonly #pending = new Set<(silence: NoResponse) => void>();
  #checks = 0;
  #isChecking = false;

  /** @param probe sends any request on a new connection; resolves on any response */
  constructor(runtime: Runtime, probe: () => Promise<unknown> = () => Promise.resolve()) {
    this.#runtime = runtime;
    this.#probe = probe;
    this.#state = { available: true, since: runtime.clock.monotonic() };
  }

  get availability(): Availability {
    return this.#state;
  }

  /** The connection failed, or nothing was answered on it. */
  failed(error: unknown): void {
    if (!this.#state.available) return;
    const unansweredTime = error instanceof NoResponse ? checkInterval * checksBeforeTimeout : 0;
    this.#state = { available: false, since: this.#runtime.clock.monotonic() - unansweredTime };
    this.#runtime.log.error(describeError(error), "the database does not respond; retrying");
  }

  /** The database responded. */
  responded(): void {
    if (this.#state.available) return;
    const downtime = Math.round(this.#runtime.clock.monotonic() - this.#state.since);
    this.#state = { available: true, since: this.#runtime.clock.monotonic() };
    this.#runtime.log.info({ downtime }, "the database responds again");
  }

  /** Waits for a response. Rejects with `NoResponse` when the database has not responded to any request for about four seconds. */
  wait<T>(request: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      request.then(
        (response) => {
          this.#pending.delete(reject);
          this.#checks = 0;
          resolve(response);
        },
        (error: unknown) => {
          this.#pending.delete(reject);
          // A connection error is not a response.
          if (classifyPostgresError(error) !== "disconnected") this.#checks = 0;
          reject(error);
        },
      );
      this.#pending.add(reject);
      if (!this.#isChecking) this.#scheduleCheck();
    });
  }

  #scheduleCheck(): void {
    this.#isChecking = true;
    this.#runtime.clock.after(checkInterval, () => {
      this.#isChecking = false;
      if (this.#pending.size === 0) {
        this.#checks = 0;
        return;
      }
      this.#checks += 1;
      if (this.#checks === checksBeforeProbe) void this.#callProbe();
      if (this.#checks >= checksBeforeTimeout) this.#timeOut();
      if (this.#pending.size > 0) this.#scheduleCheck();
    });
  }

  async #callProbe(): Promise<void> {
    try {
      await this.#probe();
      this.#checks = 0;
    } catch {
      // Pending requests are rejected after `checksBeforeTimeout` checks.
    }
  }

  #timeOut(): void {
    this.#checks = 0;
    const noResponse = new NoResponse();
    this.failed(noResponse);
    const pending = [...this.#pending];
    this.#pending.clear();
    for (const reject of pending) reject(noResponse);
  }
}
