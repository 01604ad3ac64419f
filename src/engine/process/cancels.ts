/** Cancellation: a flag on the run's row, and a signal to the process that executes it. A run without a process is claimed and then ended. */
import { isTerminal } from "../../model/run/run.ts";
import type { ClaimedRun } from "../../store/contract/store.ts";
import type { EngineParts } from "../parts.ts";
import type { LiveRuns } from "./live-runs.ts";

export class Cancels {
  readonly #parts: EngineParts;
  readonly #live: LiveRuns;
  readonly #execute: (run: ClaimedRun) => Promise<void>;
  readonly #unlisten: () => void;
  #cancelTimer: (() => void) | undefined;
  #closed = false;

  /** @param execute executes a claimed run */
  constructor(parts: EngineParts, live: LiveRuns, execute: (run: ClaimedRun) => Promise<void>) {
    this.#parts = parts;
    this.#live = live;
    this.#execute = execute;
    this.#unlisten = parts.signals.listen((signal) => {
      if (signal.topic === "cancel") live.stop(signal.key, { kind: "cancelled" });
      else if (signal.topic === "steer") live.notify(signal.key);
      else if (signal.topic === "all") {
        live.notifyAll();
        void this.#poll();
      }
    });
  }

  /** Starts the sweep for cancellation requests whose signal was lost. */
  start(): void {
    this.#cancelTimer = this.#parts.runtime.clock.after(this.#parts.settings.sweepInterval, () => {
      void this.#poll().then(() => {
        if (!this.#closed) this.start();
      });
    });
  }

  /** Claims no more runs to cancel; runs of this process can still be cancelled until `close`. */
  stop(): void {
    this.#closed = true;
    this.#cancelTimer?.();
  }

  close(): void {
    this.#unlisten();
  }

  /** Cancels a root run; resolves when the request is durable. */
  async cancel(key: number): Promise<void> {
    const { store, signals } = this.#parts;
    const head = await store.requestCancel(key);
    if (!head || isTerminal(head.status)) return;
    if (this.#live.stop(key, { kind: "cancelled" })) return;
    if (!(await this.#claimAndCancel(key))) signals.publish({ topic: "cancel", key });
  }

  /** Claims a run without a live owner to end it; false when a process owns it. */
  async #claimAndCancel(key: number): Promise<boolean> {
    const { store, processId } = this.#parts;
    const [unowned] = await store.claim({ owner: processId, slots: 1, key, orphans: true });
    if (unowned) void this.#execute({ ...unowned, cancelRequested: true });
    return unowned !== undefined;
  }

  /** Ends runs with a cancellation request: runs of this process whose signal was lost, and runs that a dead process left. */
  async #poll(): Promise<void> {
    try {
      for (const key of await this.#parts.store.cancelRequests(this.#parts.processId)) {
        if (this.#closed) return;
        if (!this.#live.stop(key, { kind: "cancelled" })) await this.#claimAndCancel(key);
      }
    } catch (error) {
      this.#parts.runtime.log.warn({ error }, "Requests to cancel could not be read; trying again.");
    }
  }
}
