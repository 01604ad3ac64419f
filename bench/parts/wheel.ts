/** One timer for all paced models: thousands of timers of their own would cost more than what is measured. */

const slots = 1024;

/** Calls back at multiples of a millisecond, from one interval. */
export class Wheel {
  readonly #slots: (() => void)[][] = Array.from({ length: slots }, () => []);
  readonly #start = performance.now();
  #turn = 0;

  constructor() {
    setInterval(() => this.#advance(), 1).unref();
  }

  /** Milliseconds since the wheel began. */
  get now(): number {
    return performance.now() - this.#start;
  }

  /** Calls back at the time (at most a second away), or as soon as it can when that has passed. */
  at(milliseconds: number, callback: () => void): void {
    const turn = Math.max(this.#turn + 1, Math.ceil(milliseconds));
    this.#slots[turn % slots]?.push(callback);
  }

  #advance(): void {
    const until = Math.floor(this.now);
    while (this.#turn < until) {
      this.#turn++;
      const due = this.#slots[this.#turn % slots] ?? [];
      this.#slots[this.#turn % slots] = [];
      for (const callback of due) callback();
    }
  }
}
