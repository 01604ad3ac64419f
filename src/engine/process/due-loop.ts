/** Looks for what is due: at once when it is woken, else when the next of it is. One look at a time; a wake meanwhile asks for another. */
import type { Clock } from "../../model/runtime.ts";

/** What is looked for, and how. */
export interface DueLoopParts {
  readonly clock: Clock;
  /** Looks once; resolves with the milliseconds until it is to look again. It does not reject. */
  readonly look: () => Promise<number>;
  /** Fewest milliseconds between the beginnings of two looks (default 0). */
  readonly gap?: number;
}

export class DueLoop {
  readonly #parts: DueLoopParts;
  #looking: Promise<void> | undefined;
  #stopTimer: (() => void) | undefined;
  #lastLook = Number.NEGATIVE_INFINITY;
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

  /** Looks, as soon as the look under way and the gap allow: something may be due. */
  wake(): void {
    if (!this.#isRunning) return;
    this.#stopTimer?.();
    if (this.#looking) {
      this.#again = true;
      return;
    }
    const { clock, gap = 0 } = this.#parts;
    const since = clock.monotonic() - this.#lastLook;
    if (since < gap) {
      this.#stopTimer = clock.after(gap - since, () => this.wake());
      return;
    }
    this.#again = false;
    this.#lastLook = clock.monotonic();
    this.#looking = this.#look().finally(() => {
      this.#looking = undefined;
      if (this.#again) this.wake();
    });
  }

  /** Looks no more; resolves when the look under way is over. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    this.#stopTimer?.();
    await this.#looking;
  }

  async #look(): Promise<void> {
    const pause = await this.#parts.look();
    if (this.#isRunning) this.#stopTimer = this.#parts.clock.after(pause, () => this.wake());
  }
}
