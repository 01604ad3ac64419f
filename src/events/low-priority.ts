/** Runs batches of background work so that flushes do not wait for them: a batch begins when no flush waits, and a pause follows it. */
import type { Runtime } from "../model/runtime.ts";

/** The pause after a batch: its min milliseconds, and its length as a multiple of the batch's duration. */
export interface Pace {
  readonly minPause: number;
  readonly pauseFactor: number;
}

/** Milliseconds between two looks at a busy journal, and the number of looks. After the last one a batch runs even under load, because data arrives under load, too. */
const busyInterval = 10;
const maxBusyLooks = 50;

/** Dependencies of low-priority work. */
export interface LowPriorityParts {
  readonly runtime: Pick<Runtime, "clock">;
  /** Whether a flush is in flight and others wait. Default: never. */
  readonly isBusy?: (() => boolean) | undefined;
  readonly pace: Pace;
  /** Ends the pauses. */
  readonly signal?: AbortSignal | undefined;
}

/** Low-priority work. */
export class LowPriority {
  readonly #parts: LowPriorityParts;

  constructor(parts: LowPriorityParts) {
    this.#parts = parts;
  }

  /** Runs a batch when the journal is idle, and pauses after it. @param onDone receives the duration of the batch in milliseconds */
  async run<T>(batch: () => Promise<T>, onDone?: (duration: number) => void): Promise<T> {
    const { isBusy, runtime, pace, signal } = this.#parts;
    const { clock } = runtime;
    for (let looks = 0; isBusy?.() && looks < maxBusyLooks && !signal?.aborted; looks++)
      await clock.sleep(busyInterval, signal);
    const begun = clock.monotonic();
    const result = await batch();
    const duration = clock.monotonic() - begun;
    onDone?.(duration);
    await clock.sleep(Math.max(pace.minPause, duration * pace.pauseFactor), signal);
    return result;
  }
}
