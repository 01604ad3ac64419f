/** Returns memory to the system while the server has nothing to do. After a burst, most of the memory that a process holds is garbage and caches. */
import type { Clock } from "../model/runtime.ts";

const MiB = 1024 * 1024;

/** Interval of checks, in milliseconds. A process that has nothing to do for a whole interval is idle. */
const checkInterval = 5_000;

/** Growth of the resident memory since the last release, in bytes, that is worth another release. */
const minGrowth = 16 * MiB;

/** Share of an interval for which the event loop of an idle process may be busy: with polls, with reads, or with waiting for a core. */
const maxUtilization = 0.25;

/** Intervals between two releases. A release blocks the process for a tenth of a second. */
const intervalsPerRelease = 6;

/** Readers of the process's state: its live runs, its load and its memory. */
export interface IdleMemoryParts {
  readonly clock: Pick<Clock, "after">;
  /** Whether runs are live in this process. */
  readonly isBusy: () => boolean;
  /** Returns the share of time for which the event loop was busy since the previous call. */
  readonly utilization: () => number;
  /** Returns the resident memory, in bytes. */
  readonly resident: () => number;
  readonly release: () => void;
}

export class IdleMemory {
  readonly #parts: IdleMemoryParts;
  #cancel: (() => void) | undefined;
  /** Whether the process was idle during the whole last interval. */
  #wasIdle = false;
  /** Number of checks until the next release is allowed. */
  #pause = 0;
  /** Resident memory after the last release; a process that has just started holds little that can be released. */
  #floor: number;

  constructor(parts: IdleMemoryParts) {
    this.#parts = parts;
    this.#floor = parts.resident();
  }

  /** Checks periodically, until `close`. */
  start(): void {
    this.#cancel = this.#parts.clock.after(checkInterval, () => {
      this.#check();
      this.start();
    });
  }

  close(): void {
    this.#cancel?.();
  }

  #check(): void {
    const { isBusy, utilization, resident, release } = this.#parts;
    const isIdle = utilization() <= maxUtilization && !isBusy();
    const wasIdle = this.#wasIdle;
    this.#wasIdle = isIdle;
    if (this.#pause > 0) this.#pause -= 1;
    if (!isIdle || !wasIdle || this.#pause > 0) return;
    const before = resident();
    this.#floor = Math.min(this.#floor, before);
    if (before - this.#floor < minGrowth) return;
    release();
    this.#pause = intervalsPerRelease;
    this.#floor = resident();
  }
}
