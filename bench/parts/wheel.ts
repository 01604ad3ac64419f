/** One timer for all paced models: thousands of timers of their own would cost more than what is measured. */

const slots = 1024;

/** Calls back at multiples of a millisecond. It wakes up only when something is due: what is measured beside it pays for every turn of the loop. */
export class Wheel {
  readonly #slots: (() => void)[][] = Array.from({ length: slots }, () => []);
  readonly #start = performance.now();
  #turn = 0;
  #waiting = 0;
  #next: { readonly turn: number; readonly timer: NodeJS.Timeout } | undefined;

  /** Milliseconds since the wheel began. */
  get now(): number {
    return performance.now() - this.#start;
  }

  /** Calls back at the time (at most a second away), or as soon as it can when that has passed. */
  at(milliseconds: number, callback: () => void): void {
    if (this.#waiting++ === 0) this.#turn = Math.floor(this.now);
    const turn = Math.max(this.#turn + 1, Math.ceil(milliseconds));
    this.#slots[turn % slots]?.push(callback);
    this.#wake(turn);
  }

  #wake(turn: number): void {
    if (this.#next !== undefined && this.#next.turn <= turn) return;
    clearTimeout(this.#next?.timer);
    this.#next = { turn, timer: setTimeout(() => this.#advance(), Math.max(1, Math.ceil(turn - this.now))).unref() };
  }

  #advance(): void {
    this.#next = undefined;
    const until = Math.floor(this.now);
    while (this.#turn < until && this.#waiting > 0) {
      this.#turn++;
      const due = this.#slots[this.#turn % slots] ?? [];
      this.#slots[this.#turn % slots] = [];
      this.#waiting -= due.length;
      for (const callback of due) callback();
    }
    if (this.#waiting > 0) this.#wake(this.#nextTurn());
  }

  #nextTurn(): number {
    for (let turn = this.#turn + 1; turn < this.#turn + slots; turn++) {
      if (this.#slots[turn % slots]?.length) return turn;
    }
    return this.#turn + slots;
  }
}
