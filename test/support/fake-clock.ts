/** A clock that advances only by `advance` and by sleeps. */
import { noMeasurements } from "../../src/model/measurements.ts";
import type { Clock, Runtime } from "../../src/model/runtime.ts";
import { silentLog } from "./runtime.ts";

interface Timer {
  readonly due: number;
  readonly callback: () => void;
}

/** A clock with virtual time. */
export class FakeClock implements Clock {
  /** Durations of all sleeps, in order. */
  readonly slept: number[] = [];
  #time = 0;
  #timers: Timer[] = [];

  now(): number {
    return 1_795_252_181_000 + this.#time;
  }

  monotonic(): number {
    return this.#time;
  }

  async sleep(milliseconds: number): Promise<void> {
    this.slept.push(milliseconds);
    this.advance(milliseconds);
  }

  after(milliseconds: number, callback: () => void): () => void {
    const timer = { due: this.#time + milliseconds, callback };
    this.#timers.push(timer);
    return () => {
      this.#timers = this.#timers.filter((other) => other !== timer);
    };
  }

  defer(callback: () => void): void {
    setImmediate(callback);
  }

  /** Advances the time and fires due timers. */
  advance(milliseconds: number): void {
    this.#time += milliseconds;
    const due = this.#timers.filter((timer) => timer.due <= this.#time);
    this.#timers = this.#timers.filter((timer) => timer.due > this.#time);
    for (const { callback } of due) callback();
  }

  /** Number of pending timers. */
  get timers(): number {
    return this.#timers.length;
  }
}

/** A runtime with a fake clock. Ids count up, and random numbers are always 0.5. */
export function fakeRuntime(clock: FakeClock = new FakeClock()): Runtime & { readonly clock: FakeClock } {
  let ids = 0;
  const uuid = (): string => `00000000-0000-4000-8000-${String(++ids).padStart(12, "0")}`;
  return { clock, log: silentLog, measurements: noMeasurements, randomness: { uuid, fraction: () => 0.5 } };
}
