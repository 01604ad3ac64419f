/**
 * Claims runs that wait for a process: background runs, runs whose session was busy, and runs that another process left. A signal wakes it; a
 * sweep finds runs whose signal was lost.
 */
import { intervalFactor } from "../../model/interval-factor.ts";
import type { ClaimedRun, ClaimRequest } from "../../store/contract/store.ts";
import type { EngineParts } from "../parts.ts";
import type { LiveRuns } from "./live-runs.ts";
import { Takeovers } from "./takeovers.ts";

/** Maximum number of runs in one claim. */
const maxRuns = 500;

export class Dispatcher {
  readonly #parts: EngineParts;
  readonly #live: LiveRuns;
  readonly #execute: (run: ClaimedRun) => Promise<void>;
  readonly #takeovers: Takeovers;
  #unlisten: (() => void) | undefined;
  #cancelTimer: (() => void) | undefined;
  /** Background runs that started here and have not ended. */
  #slotsInUse = 0;
  #polling: Promise<void> | undefined;
  readonly #following = new Set<Promise<void>>();
  #again = false;
  #closed = false;

  /** @param execute executes a claimed run; resolves when it has ended */
  constructor(parts: EngineParts, live: LiveRuns, execute: (run: ClaimedRun) => Promise<void>) {
    this.#parts = parts;
    this.#live = live;
    this.#execute = execute;
    this.#takeovers = new Takeovers({ clock: parts.runtime.clock, onRoom: () => void this.poll() });
  }

  /** Starts to claim waiting runs. */
  start(): void {
    this.#unlisten = this.#parts.signals.listen((signal) => {
      if (signal.topic === "work" || signal.topic === "all") void this.poll();
    });
    this.#parts.lease.onOthersLapse(() => void this.poll());
    this.#sweep();
  }

  /** Claims runs for the free slots. Polls run one at a time; a request during a poll starts another one after it. */
  async poll(): Promise<void> {
    if (this.#polling) {
      this.#again = true;
      return;
    }
    this.#polling = this.#claimAll();
    await this.#polling;
  }

  /**
   * Claims the next run of a session when another one of its runs ends here, so that its client does not wait for a poll.
   * A background run gets its slot as usual; other processes are signalled about a run that this process cannot execute.
   */
  async claimNext(sessionKey: number): Promise<void> {
    const taking = this.#claimNext(sessionKey);
    this.#following.add(taking);
    await taking;
    this.#following.delete(taking);
  }

  /** Claims no more runs; runs claimed meanwhile are released when it resolves. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#unlisten?.();
    await Promise.all([this.#polling, ...this.#following]);
  }

  #sweep(): void {
    void this.poll().then(() => {
      if (this.#closed) return;
      // The interval grows with the number of processes, so that together they sweep as often as one process. Runs of a dead process do not depend on the sweep: its lease expires.
      const { runtime, settings, lease } = this.#parts;
      this.#cancelTimer = runtime.clock.after(settings.sweepInterval * intervalFactor(lease.living), () =>
        this.#sweep(),
      );
    });
  }

  async #claimAll(): Promise<void> {
    do {
      this.#again = false;
      await this.#claimFree();
    } while (this.#again && !this.#closed);
    this.#polling = undefined;
  }

  async #claimFree(): Promise<void> {
    const { settings, lease, role } = this.#parts;
    const slots = Math.min(this.#freeRuns, maxRuns);
    const freshSlots = Math.max(settings.maxBackgroundRuns - this.#slotsInUse, 0);
    const background = role !== "api";
    const orphans = lease.mayTakeOver && this.#takeovers.slots;
    if (await this.#claim({ slots, freshSlots, background, orphans })) this.#again = true;
  }

  async #claimNext(sessionKey: number): Promise<void> {
    const slots = Math.min(this.#freeRuns, 1);
    if (!(await this.#claim({ slots, sessionKey, background: false, orphans: false })))
      this.#parts.signals.publish({ topic: "work" });
  }

  get #freeRuns(): number {
    const { settings, memory } = this.#parts;
    return memory.isFull ? 0 : settings.maxLiveRuns - this.#live.size;
  }

  /** Returns whether any run was claimed. */
  async #claim(request: Omit<ClaimRequest, "owner" | "components" | "key">): Promise<boolean> {
    const { store, processId, registry, runtime } = this.#parts;
    if (request.slots <= 0 || this.#closed) return false;
    try {
      const claimed = await store.claim({ ...request, owner: processId, components: registry.claimable });
      if (this.#closed) {
        await this.#releaseClaimed(claimed);
        return false;
      }
      for (const run of claimed) this.#executeClaimed(run);
      return claimed.length > 0;
    } catch (error) {
      if (!this.#closed) runtime.log.warn({ error }, "Waiting runs could not be claimed; trying again.");
      return false;
    }
  }

  async #releaseClaimed(claimed: readonly ClaimedRun[]): Promise<void> {
    for (const { key, attempt } of claimed) await this.#parts.store.release(key, attempt);
  }

  /** Only background runs that start here take a slot; runs that other processes started do not. */
  #executeClaimed(run: ClaimedRun): void {
    const takesSlot = run.background && run.attempt === 1;
    if (takesSlot) this.#slotsInUse++;
    const over = this.#execute(run);
    if (run.stalledTakeovers > 0) this.#parts.runtime.measurements.takeover(run);
    this.#takeovers.begin(run, over);
    void over.finally(() => {
      if (!takesSlot) return;
      const wasFull = this.#slotsInUse >= this.#parts.settings.maxBackgroundRuns;
      this.#slotsInUse--;
      if (wasFull) void this.poll();
    });
  }
}
