/** One millisecond timer for all paced models: thousands of separate timers would cost more than the measured work. */

/** Calls back at multiples of a millisecond. Wakes up only when something is due, because every turn of the loop adds to the measured cost. */
export class Wheel {
  readonly #due = new Map<number, (() => void)[]>();
  readonly #start = performance.now();

  /** Milliseconds since the wheel began. */
  get now(): number {
    return performance.now() - this.#start;
  }

  /** Calls back at the given time, or as soon as possible if it has passed. */
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
