/**
 * Takes runs that wait for a process: background runs, those whose session was busy, and those that another process left. The event wakes
 * it; a sweep finds what was missed.
 */
import type { ClaimedRun } from "../../store/seam.ts";
import type { EngineParts } from "../parts.ts";
import type { LiveRuns } from "./live-runs.ts";

/** Most runs of one claim. */
const mostRuns = 500;

export class Dispatcher {
  readonly #parts: EngineParts;
  readonly #live: LiveRuns;
  readonly #begin: (run: ClaimedRun) => Promise<void>;
  #unlisten: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;
  #busy = 0;
  #looking: Promise<void> | undefined;
  #again = false;
  #closed = false;

  /** @param begin executes a claimed run; resolves when it is over */
  constructor(parts: EngineParts, live: LiveRuns, begin: (run: ClaimedRun) => Promise<void>) {
    this.#parts = parts;
    this.#live = live;
    this.#begin = begin;
  }

  /** Takes up what waits, now and from now on. */
  start(): void {
    this.#unlisten = this.#parts.signals.listen((signal) => {
      if (signal.topic === "work" || signal.topic === "all") void this.look();
    });
    this.#sweep();
  }

  /** Claims what there are free slots for. One look at a time; a look asked for meanwhile follows it. */
  async look(): Promise<void> {
    if (this.#looking) {
      this.#again = true;
      return;
    }
    this.#looking = this.#claimAll();
    await this.#looking;
  }

  /** Takes nothing more; what was being claimed is given back when it resolves. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#unlisten?.();
    await this.#looking;
  }

  #sweep(): void {
    void this.look().then(() => {
      if (this.#closed) return;
      this.#cancelTimer = this.#parts.runtime.clock.after(this.#parts.settings.sweep, () => this.#sweep());
    });
  }

  async #claimAll(): Promise<void> {
    do {
      this.#again = false;
      await this.#claim();
    } while (this.#again && !this.#closed);
    this.#looking = undefined;
  }

  async #claim(): Promise<void> {
    const { store, settings, processId, lease, runtime } = this.#parts;
    const slots = Math.min(settings.maxLiveRuns - this.#live.size, mostRuns);
    const freshSlots = Math.max(settings.backgroundSlots - this.#busy, 0);
    if (slots <= 0 || this.#closed) return;
    try {
      const claimed = await store.claim({ owner: processId, slots, freshSlots, orphans: lease.mayTakeOver });
      if (this.#closed) return await this.#giveBack(claimed);
      for (const run of claimed) this.#execute(run);
      if (claimed.length > 0) this.#again = true;
    } catch (error) {
      if (!this.#closed) runtime.log.warn({ error }, "Waiting runs could not be claimed; trying again.");
    }
  }

  async #giveBack(claimed: readonly ClaimedRun[]): Promise<void> {
    for (const { key, attempt } of claimed) await this.#parts.store.release(key, attempt);
  }

  /** Only runs that begin here take a slot: those that others began are taken up as they come. */
  #execute(run: ClaimedRun): void {
    const takesSlot = run.attempt === 1;
    if (takesSlot) this.#busy++;
    void this.#begin(run).finally(() => {
      if (!takesSlot) return;
      const wasFull = this.#busy === this.#parts.settings.backgroundSlots;
      this.#busy--;
      if (wasFull) void this.look();
    });
  }
}
