/**
 * Bounds the memory of all runs that this process executes (L8). Each run counts what it holds until its end: its messages and its models'
 * answers. At the bound the process starts no run, and only a few of its runs at a time continue to grow: they end and free their memory.
 */
import type { Clock } from "../../model/runtime.ts";
import { Shares } from "../../model/shares.ts";

/** Bytes that a run holds in addition to its texts: scopes, timers, its request and its socket. */
const bytesOfRun = 32 * 1024;

/** Maximum number of runs that grow at the bound. At 125 % of the bound or more, only one run grows. */
const maxGrowing = 8;

/** Milliseconds without growth after which another run may grow instead, because this one waits for a tool or a slow model. */
const maxIdle = 1_000;

/** The memory of one run. */
export class HeldMemory {
  readonly #memory: RunMemory;
  readonly user: string | null;
  #bytes = 0;

  constructor(memory: RunMemory, user: string | null) {
    this.#memory = memory;
    this.user = user;
  }

  get bytes(): number {
    return this.#bytes;
  }

  add(bytes: number): void {
    this.#bytes += bytes;
    this.#memory.changed(this, bytes);
  }

  /** Undefined while the run may grow; otherwise resolves when it may again. */
  room(): Promise<void> | undefined {
    return this.#memory.room(this);
  }

  /** The run has ended, or another process owns it. */
  release(): void {
    const bytes = this.#bytes;
    this.#bytes = 0;
    this.#memory.released(this, bytes);
  }
}

export class RunMemory {
  readonly #maxBytes: number;
  readonly #clock: Clock;
  readonly #held = new Shares();
  /** Runs that may grow at the bound, with the time of their last growth. */
  readonly #growing = new Map<HeldMemory, number>();
  /** Runs that wait for memory, the longest wait first. */
  readonly #waiting = new Map<HeldMemory, (() => void)[]>();
  #cancelTimer: (() => void) | undefined;

  constructor({ maxBytes, clock }: { readonly maxBytes: number; readonly clock: Clock }) {
    this.#maxBytes = maxBytes;
    this.#clock = clock;
  }

  /** Starts to count a run of a user (null for a run without a user). */
  open(user: string | null): HeldMemory {
    const held = new HeldMemory(this, user);
    held.add(bytesOfRun);
    return held;
  }

  get isFull(): boolean {
    return this.#held.total >= this.#maxBytes;
  }

  /** Whether the runs of a user hold the user's whole share. */
  isFullFor(user: string | null): boolean {
    return this.#held.of(user) >= this.#held.shareOf(user, this.#maxBytes);
  }

  changed({ user }: HeldMemory, bytes: number): void {
    this.#held.add(user, bytes);
  }

  released(held: HeldMemory, bytes: number): void {
    this.#held.add(held.user, -bytes);
    this.#growing.delete(held);
    this.#wake(held);
    this.#wakeNext();
  }

  room(held: HeldMemory): Promise<void> | undefined {
    if (!this.isFull || this.#mayGrow(held)) return undefined;
    this.#cancelTimer ??= this.#clock.after(maxIdle, () => this.#replaceIdle());
    return new Promise((resolve) => {
      const waiting = this.#waiting.get(held);
      if (waiting) waiting.push(resolve);
      else this.#waiting.set(held, [resolve]);
    });
  }

  #mayGrow(held: HeldMemory): boolean {
    const now = this.#clock.monotonic();
    const limit = this.#held.total < this.#maxBytes * 1.25 ? maxGrowing : 1;
    if (!this.#growing.has(held)) {
      if (this.#growing.size >= limit) return false;
      this.#growing.set(held, now);
      return true;
    }
    let place = 0;
    for (const one of this.#growing.keys()) {
      if (one === held) break;
      place++;
    }
    if (place >= limit) return false;
    this.#growing.set(held, now);
    return true;
  }

  /** Below the bound all runs continue; at the bound as many runs as may grow. */
  #wakeNext(): void {
    if (!this.isFull) {
      this.#growing.clear();
      for (const held of [...this.#waiting.keys()]) this.#wake(held);
      return;
    }
    // Wake the growing runs that waited because the bound was exceeded by too much; each checks again.
    for (const held of this.#growing.keys()) this.#wake(held);
    for (const held of this.#waiting.keys()) {
      if (this.#growing.size >= maxGrowing) return;
      this.#growing.set(held, this.#clock.monotonic());
      this.#wake(held);
    }
  }

  #replaceIdle(): void {
    this.#cancelTimer = undefined;
    const now = this.#clock.monotonic();
    for (const [held, at] of this.#growing)
      if (now - at >= maxIdle && !this.#waiting.has(held)) this.#growing.delete(held);
    this.#wakeNext();
    if (this.#waiting.size > 0) this.#cancelTimer ??= this.#clock.after(maxIdle, () => this.#replaceIdle());
  }

  #wake(held: HeldMemory): void {
    const waiting = this.#waiting.get(held);
    this.#waiting.delete(held);
    for (const resolve of waiting ?? []) resolve();
  }
}
