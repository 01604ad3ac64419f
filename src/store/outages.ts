/** Whether the database answers, as this process sees it. */
import type { Runtime } from "../model/runtime.ts";
import type { Availability } from "./contract/store.ts";
import { describeFault, postgresFault, Silence } from "./faults.ts";

/** Milliseconds between two looks at what waits for an answer. */
const interval = 500;

/** Looks in a row without any answer after which the database is asked on a connection of its own: it may be busy with long statements. */
const looksBeforeProbe = 3;

/** Looks in a row without any answer after which it counts as away. Looks are counted, not time: a process that was stopped asks again first. */
const looksBeforeSilence = 7;

/** Keeps a database's availability, and logs its changes. */
export class Outages {
  readonly #runtime: Runtime;
  readonly #probe: () => Promise<unknown>;
  #state: Availability;
  /** What waits for an answer. */
  readonly #waiting = new Set<(silence: Silence) => void>();
  #looks = 0;
  #isLooking = false;

  /** @param probe asks for anything on a new connection; resolves when there is any answer */
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

  /** The database answered. */
  answered(): void {
    if (this.#state.available) return;
    const away = Math.round(this.#runtime.clock.monotonic() - this.#state.since);
    this.#state = { available: true, since: this.#runtime.clock.monotonic() };
    this.#runtime.log.info({ away }, "the database answers again");
  }

  /** Waits for an answer. Rejects with `Silence` when the database has answered nothing to anybody for about four seconds. */
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
          // An error of the connection is no answer.
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
      // Whoever waits is told when the time is over.
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
