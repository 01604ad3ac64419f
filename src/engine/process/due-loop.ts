/** Polls for due work: immediately when woken, otherwise when the next item is due. Polls run one at a time; a wake during a poll starts another. */
import type { Clock } from "../../model/runtime.ts";

/** Dependencies of a `DueLoop`. */
export interface DueLoopParts {
  readonly clock: Clock;
  /** Polls once; resolves with the milliseconds until the next poll. Must not reject. */
  readonly poll: () => Promise<number>;
  /** Minimum milliseconds between the starts of two polls (default 0). */
  readonly gap?: number;
}

export class DueLoop {
  readonly #parts: DueLoopParts;
  #polling: Promise<void> | undefined;
  #stopTimer: (() => void) | undefined;
  #lastPoll = Number.NEGATIVE_INFINITY;
  #isRunning = false;
  #again = false;

  constructor(parts: DueLoopParts) {
    this.#parts = parts;
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  start(): void {
    this.#isRunning = true;
    this.wake();
  }

  /** Polls as soon as the current poll and the gap allow, because something may be due. */
  wake(): void {
    if (!this.#isRunning) return;
    this.#stopTimer?.();
    if (this.#polling) {
      this.#again = true;
      return;
    }
    const { clock, gap = 0 } = this.#parts;
    const since = clock.monotonic() - this.#lastPoll;
    if (since < gap) {
      this.#stopTimer = clock.after(gap - since, () => this.wake());
      return;
    }
    this.#again = false;
    this.#lastPoll = clock.monotonic();
    this.#polling = this.#poll().finally(() => {
      this.#polling = undefined;
      if (this.#again) this.wake();
    });
  }

  /** Stops polling; resolves when the current poll has ended. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#stopTimer?.();
    await this.#polling;
  }

  async #poll(): Promise<void> {
    const pause = await this.#parts.poll();
    if (this.#isRunning) this.#stopTimer = this.#parts.clock.after(pause, () => this.wake());
  }
}
