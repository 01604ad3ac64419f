/**
 * Paces the takeovers of a dead process's runs. If this process took over all runs at once, the load or the run that
 * ended the other process could end this one, too. It takes over a few runs first, and doubles the number when these make progress.
 */
import type { Clock } from "../../model/runtime.ts";
import type { ClaimedRun, OrphanSlots } from "../../store/contract/store.ts";

/** Initial number of takeovers. At most one run whose last takeover made no progress: such a run may be the cause of the crashes. */
const firstWindows: OrphanSlots = { fresh: 8, stalled: 1 };

/** Milliseconds after which a takeover that still runs has made progress. */
const progressTime = 1_000;

/** Milliseconds without takeovers after which the numbers are reset. */
const quietTime = 10_000;

/** Dependencies of `Takeovers`. */
export interface TakeoversParts {
  readonly clock: Clock;
  /** Called when more runs may be taken over. */
  readonly onRoom: () => void;
}

export class Takeovers {
  readonly #parts: TakeoversParts;
  #windows = { ...firstWindows };
  readonly #inProgress = { fresh: 0, stalled: 0 };
  #lastProgress = Number.NEGATIVE_INFINITY;

  constructor(parts: TakeoversParts) {
    this.#parts = parts;
  }

  /** Number of runs that may be taken over now. */
  get slots(): OrphanSlots {
    const { fresh, stalled } = this.#inProgress;
    const isQuiet = fresh + stalled === 0 && this.#parts.clock.monotonic() - this.#lastProgress > quietTime;
    if (isQuiet) this.#windows = { ...firstWindows };
    return {
      fresh: Math.max(this.#windows.fresh - fresh, 0),
      stalled: fresh > 0 ? 0 : Math.max(this.#windows.stalled - stalled, 0),
    };
  }

  /** Counts a run that was just claimed until it makes progress. Counts only runs that a dead process left. */
  begin({ stalledTakeovers }: Pick<ClaimedRun, "stalledTakeovers">, over: Promise<void>): void {
    if (stalledTakeovers === 0) return;
    const kind = stalledTakeovers === 1 ? "fresh" : "stalled";
    const { clock, onRoom } = this.#parts;
    this.#inProgress[kind]++;
    let isNoted = false;
    const noteProgress = (): void => {
      if (isNoted) return;
      isNoted = true;
      cancelTimer();
      this.#inProgress[kind]--;
      this.#windows = { ...this.#windows, [kind]: this.#windows[kind] + 1 };
      this.#lastProgress = clock.monotonic();
      onRoom();
    };
    const cancelTimer = clock.after(progressTime, noteProgress);
    void over.finally(noteProgress);
  }
}
