/** One timer a millisecond for all paced models: thousands of timers of their own would cost more than what is measured. */

/** Calls back at multiples of a millisecond. It wakes up only when something is due: what is measured beside it pays for every turn of the loop. */
export class Wheel {
  readonly #due = new Map<number, (() => void)[]>();
  readonly #start = performance.now();

  /** Milliseconds since the wheel began. */
  get now(): number {
    return performance.now() - this.#start;
  }

  /** Calls back at the time, or as soon as it can when that has passed. */
  at(milliseconds: number, callback: () => void): void {
    const { now } = this;
    const turn = Math.max(Math.ceil(milliseconds), Math.floor(now) + 1);
    const due = this.#due.get(turn);
    if (due) {
      due.push(callback);
      return;
    }
    this.#due.set(turn, [callback]);
    setTimeout(() => this.#call(turn), Math.ceil(turn - now)).unref();
  }

  #call(turn: number): void {
    const due = this.#due.get(turn) ?? [];
    this.#due.delete(turn);
    for (const callback of due) callback();
  }
}
