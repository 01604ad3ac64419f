/** Time as one simulated process sees it. */
import type { Clock } from "../../src/model/runtime.ts";
import type { Owner, Scheduler } from "./scheduler.ts";

/** The start of simulated time, in milliseconds since the epoch. */
export const epoch = 1_795_252_181_000;

/** A process's clock. The scheduler owns the time, the wall clock may be wrong, and timers of a dead process never fire. */
export class SimulatedClock implements Clock {
  readonly #scheduler: Scheduler;
  readonly #owner: Owner;
  readonly #error: number;
  readonly #booted: number;

  /** @param error offset of the wall clock, in milliseconds */
  constructor(scheduler: Scheduler, owner: Owner, error: number) {
    this.#scheduler = scheduler;
    this.#owner = owner;
    this.#error = error;
    this.#booted = scheduler.time - 1_000;
  }

  now(): number {
    return Math.floor(epoch + this.#scheduler.time + this.#error);
  }

  monotonic(): number {
    return this.#scheduler.time - this.#booted;
  }

  sleep(milliseconds: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const done = (): void => {
        cancel();
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const cancel = this.#scheduler.after(milliseconds, this.#owner, done);
      signal?.addEventListener("abort", done, { once: true });
    });
  }

  after(milliseconds: number, callback: () => void): () => void {
    return this.#scheduler.after(milliseconds, this.#owner, callback);
  }

  defer(callback: () => void): void {
    this.#scheduler.after(0, this.#owner, callback);
  }
}
