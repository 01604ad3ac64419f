/** Readers that wait for a run. A wake-up only means "check again". */

/** One reader's wait. */
export interface Waiter {
  /** Wakes this reader only. */
  wake(): void;
  /** Discards earlier wake-ups; call it before checking. */
  clear(): void;
  /** Calls back at the next wake-up, or at once if one arrived since `clear`. */
  wait(callback: () => void): void;
  close(): void;
}

/** Wake-ups by run key. */
export class Waiters {
  readonly #byRun = new Map<number, Set<PendingWaiter>>();

  subscribe(key: number): Waiter {
    const waiting = this.#byRun.get(key) ?? new Set<PendingWaiter>();
    this.#byRun.set(key, waiting);
    const wake = new PendingWaiter(() => {
      waiting.delete(wake);
      if (waiting.size === 0 && this.#byRun.get(key) === waiting) this.#byRun.delete(key);
    });
    waiting.add(wake);
    return wake;
  }

  wake(key: number): void {
    const waiting = this.#byRun.get(key);
    if (waiting) for (const wake of waiting) wake.wake();
  }

  wakeAll(): void {
    for (const waiting of this.#byRun.values()) for (const wake of waiting) wake.wake();
  }
}

class PendingWaiter implements Waiter {
  readonly #leave: () => void;
  #woken = false;
  #callback: (() => void) | undefined;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  wake(): void {
    this.#woken = true;
    const callback = this.#callback;
    this.#callback = undefined;
    callback?.();
  }

  clear(): void {
    this.#woken = false;
  }

  wait(callback: () => void): void {
    if (this.#woken) callback();
    else this.#callback = callback;
  }

  close(): void {
    this.#callback = undefined;
    this.#leave();
  }
}
