/** Readers that wait for a run. A wake-up only means "check again". */

/** One reader's wait. */
export interface Wake {
  /** Wakes this reader only. */
  ring(): void;
  /** Discards earlier wake-ups; call it before checking. */
  clear(): void;
  /** Calls back at the next wake-up, or at once if one arrived since `clear`. */
  wait(callback: () => void): void;
  close(): void;
}

/** Wake-ups by run key. */
export class Wakes {
  readonly #byRun = new Map<number, Set<PendingWake>>();

  subscribe(key: number): Wake {
    const waiting = this.#byRun.get(key) ?? new Set<PendingWake>();
    this.#byRun.set(key, waiting);
    const wake = new PendingWake(() => {
      waiting.delete(wake);
      if (waiting.size === 0 && this.#byRun.get(key) === waiting) this.#byRun.delete(key);
    });
    waiting.add(wake);
    return wake;
  }

  wake(key: number): void {
    const waiting = this.#byRun.get(key);
    if (waiting) for (const wake of waiting) wake.ring();
  }

  wakeAll(): void {
    for (const waiting of this.#byRun.values()) for (const wake of waiting) wake.ring();
  }
}

class PendingWake implements Wake {
  readonly #leave: () => void;
  #rung = false;
  #callback: (() => void) | undefined;

  constructor(leave: () => void) {
    this.#leave = leave;
  }

  ring(): void {
    this.#rung = true;
    const callback = this.#callback;
    this.#callback = undefined;
    callback?.();
  }

  clear(): void {
    this.#rung = false;
  }

  wait(callback: () => void): void {
    if (this.#rung) callback();
    else this.#callback = callback;
  }

  close(): void {
    this.#callback = undefined;
    this.#leave();
  }
}
