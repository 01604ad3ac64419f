/** Takes runs that wait for a process: background runs, and those whose session was busy. The event wakes it; a sweep finds what was missed. */
import type { ClaimedRun } from "../store/seam.ts";
import type { EngineParts } from "./parts.ts";

export class Dispatcher {
  readonly #parts: EngineParts;
  readonly #begin: (run: ClaimedRun) => Promise<void>;
  readonly #unlisten: () => void;
  #cancelTimer: (() => void) | undefined;
  #busy = 0;
  #looking: Promise<void> | undefined;
  #again = false;
  #closed = false;

  /** @param begin executes a claimed run; resolves when it is over */
  constructor(parts: EngineParts, begin: (run: ClaimedRun) => Promise<void>) {
    this.#parts = parts;
    this.#begin = begin;
    this.#unlisten = parts.signals.listen((signal) => {
      if (signal.topic === "work" || signal.topic === "all") void this.look();
    });
  }

  /** Begins to sweep. */
  start(): void {
    if (this.#closed) return;
    this.#cancelTimer = this.#parts.runtime.clock.after(this.#parts.settings.sweep, () => {
      void this.look().then(() => this.start());
    });
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
    this.#unlisten();
    await this.#looking;
  }

  async #claimAll(): Promise<void> {
    do {
      this.#again = false;
      await this.#claim();
    } while (this.#again && !this.#closed);
    this.#looking = undefined;
  }

  async #claim(): Promise<void> {
    const { store, settings, processId, runtime } = this.#parts;
    const slots = settings.backgroundSlots - this.#busy;
    if (slots <= 0 || this.#closed) return;
    try {
      const claimed = await store.claim({ owner: processId, slots, orphans: false });
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

  #execute(run: ClaimedRun): void {
    const wasFull = (): boolean => this.#busy === this.#parts.settings.backgroundSlots;
    this.#busy++;
    void this.#begin(run).finally(() => {
      const full = wasFull();
      this.#busy--;
      if (full) void this.look();
    });
  }
}
