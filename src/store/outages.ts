/** Tracks whether the database responds, as seen by this process. */
import type { Runtime } from "../model/runtime.ts";
import type { Availability } from "./contract/store.ts";
import { describeFault, postgresFault, Silence } from "./faults.ts";

/** Milliseconds between two checks of pending requests. */
const interval = 500;

/** Consecutive checks without any response before a probe on a separate connection: the database may be busy with long statements. */
const looksBeforeProbe = 3;

/**
 * Consecutive checks without any response before the database counts as unavailable. Checks are counted, not time: a process that was suspended must
 * first check again.
 */
const looksBeforeSilence = 7;

/** Tracks a database's availability, and logs its changes. */
export class Outages {
  readonly #runtime: Runtime;
  readonly #probe: () => Promise<unknown>;
  #state: Availability;
  /** Pending requests. */
  readonly #waiting = new Set<(silence: Silence) => void>();
  #looks = 0;
  #isLooking = false;

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
    const silence = error instanceof Silence ? interval * looksBeforeSilence : 0;
    this.#state = { available: false, since: this.#runtime.clock.monotonic() - silence };
    this.#runtime.log.error(describeFault(error), "the database does not answer; trying again until it does");
  }

  /** The database responded. */
  answered(): void {
    if (this.#state.available) return;
    const away = Math.round(this.#runtime.clock.monotonic() - this.#state.since);
    this.#state = { available: true, since: this.#runtime.clock.monotonic() };
    this.#runtime.log.info({ away }, "the database answers again");
  }

  /** Waits for a response. Rejects with `Silence` when the database has not responded to any request for about four seconds. */
  wait<T>(asked: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      asked.then(
        (answer) => {
          this.#waiting.delete(reject);
          this.#looks = 0;
          resolve(answer);
        },
        (error: unknown) => {
          this.#waiting.delete(reject);
          // A connection error is not a response.
          if (postgresFault(error) !== "away") this.#looks = 0;
          reject(error);
        },
      );
      this.#waiting.add(reject);
      if (!this.#isLooking) this.#look();
    });
  }

  #look(): void {
    this.#isLooking = true;
    this.#runtime.clock.after(interval, () => {
      this.#isLooking = false;
      if (this.#waiting.size === 0) {
        this.#looks = 0;
        return;
      }
      this.#looks += 1;
      if (this.#looks === looksBeforeProbe) void this.#ask();
      if (this.#looks >= looksBeforeSilence) this.#giveUp();
      if (this.#waiting.size > 0) this.#look();
    });
  }

  async #ask(): Promise<void> {
    try {
      await this.#probe();
      this.#looks = 0;
    } catch {
      // Pending requests are rejected after `looksBeforeSilence` checks.
    }
  }

  #giveUp(): void {
    this.#looks = 0;
    const silence = new Silence();
    this.failed(silence);
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const reject of waiting) reject(silence);
  }
}
