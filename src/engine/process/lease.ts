/** This process's lease: while it is valid, no process takes over its runs. The database's clock decides; this class uses monotonic time only. */
import type { Runtime } from "../../model/runtime.ts";
import type { Settings } from "../../model/settings.ts";
import type { Store } from "../../store/contract/store.ts";

/** Milliseconds added to an expected expiry, so that the lease has expired by every clock. */
const lapseMargin = 20;

/** Dependencies of `Lease`. */
export interface LeaseParts {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly processId: string;
}

export class Lease {
  readonly #parts: LeaseParts;
  #lastRenewed = Number.NEGATIVE_INFINITY;
  /** Start of the period in which every renewal succeeded in time. */
  #steadySince = Number.POSITIVE_INFINITY;
  #lapsed: () => Promise<void> = () => Promise.resolve();
  #othersLapsed: () => void = () => undefined;
  /** Whether the lease has expired and the process has not yet checked which of its runs it still owns. */
  #isDoubtful = false;
  #cancelTimer: (() => void) | undefined;
  #cancelLapse: (() => void) | undefined;
  #renewing: Promise<void> | undefined;
  #closed = false;
  #living = 1;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  /** Acquires the lease and renews it until `close`. Resolves when it is acquired: a run accepted without a lease could be taken over at once. */
  async start(): Promise<void> {
    await this.#renew();
    while (!this.#isAcquired && !this.#closed) {
      await this.#parts.runtime.clock.sleep(this.#parts.settings.leaseRenewInterval / 4);
      await this.#renew();
    }
    this.#schedule();
  }

  get #isAcquired(): boolean {
    return this.#lastRenewed > Number.NEGATIVE_INFINITY;
  }

  /** Processes that share the database, including this one, as of the last renewal. */
  get living(): number {
    return this.#living;
  }

  /** Whether the lease was renewed within half its duration; a tool starts only then. */
  get isFresh(): boolean {
    return this.#parts.runtime.clock.monotonic() - this.#lastRenewed <= this.#parts.settings.leaseDuration / 2;
  }

  /**
   * Whether this process may take over runs. If replicas share the database, it must have held its own lease for one whole duration first:
   * after an outage all leases have expired, and the first process to return would otherwise take over every live run.
   */
  get mayTakeOver(): boolean {
    const { store, runtime, settings } = this.#parts;
    if (!store.capabilities.replicas) return true;
    return this.isFresh && runtime.clock.monotonic() - this.#steadySince >= settings.leaseDuration;
  }

  /**
   * Registers a callback. It is called when the process renews an expired lease, because other processes may own some of its runs by then. The lease is not fresh
   * until the callback resolves; a rejected call is repeated.
   */
  onLapse(callback: () => Promise<void>): void {
    this.#lapsed = callback;
  }

  /** Registers a callback for the probable expiry of another process's lease, whose runs can then be taken over. */
  onOthersLapse(callback: () => void): void {
    this.#othersLapsed = callback;
  }

  /** Resolves when the lease is fresh; renews it when it is not. Waits while the database is unreachable. */
  async confirm(): Promise<void> {
    while (!this.isFresh && !this.#closed) {
      await this.#renew();
      if (!this.isFresh) await this.#parts.runtime.clock.sleep(this.#parts.settings.leaseRenewInterval / 4);
    }
  }

  /** Ends the lease, so that other processes can take over the remaining runs at once. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#cancelLapse?.();
    await this.#renewing;
    await this.#parts.store.endProcess(this.#parts.processId).catch((error: unknown) => {
      this.#parts.runtime.log.warn({ error }, "The process's lease could not be ended; it will expire.");
    });
  }

  #renew(): Promise<void> {
    this.#renewing ??= this.#renewOnce().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  async #renewOnce(): Promise<void> {
    const { store, runtime, settings, processId } = this.#parts;
    const sentAt = runtime.clock.monotonic();
    try {
      const { inTime, liveProcesses, nextExpiry } = await store.renewProcess(processId, settings.leaseDuration);
      this.#living = liveProcesses;
      this.#expectLapse(nextExpiry);
      // The database deletes a lease after a day and then creates a new one.
      const isLate = !inTime || sentAt - this.#lastRenewed > settings.leaseDuration;
      if (isLate && this.#isAcquired) {
        runtime.log.warn(
          { processId },
          "This process's lease expired before it was renewed; some of its runs may have been taken over.",
        );
        this.#steadySince = sentAt;
        this.#isDoubtful = true;
      }
      if (this.#isDoubtful) await this.#lapsed();
      this.#isDoubtful = false;
      this.#steadySince = Math.min(this.#steadySince, sentAt);
      this.#lastRenewed = sentAt;
    } catch (error) {
      this.#steadySince = Number.POSITIVE_INFINITY;
      runtime.log.warn({ error, processId }, "This process's lease could not be renewed; trying again.");
    }
  }

  /** If another lease expires before this process's next renewal, its process has failed to renew it. */
  #expectLapse(nextLapse: number | null): void {
    const { runtime, settings } = this.#parts;
    this.#cancelLapse?.();
    if (nextLapse === null || nextLapse > settings.leaseRenewInterval || this.#closed) return;
    this.#cancelLapse = runtime.clock.after(nextLapse + lapseMargin, () => this.#othersLapsed());
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#cancelTimer = this.#parts.runtime.clock.after(this.#parts.settings.leaseRenewInterval, () => {
      void this.#renew().then(() => this.#schedule());
    });
  }
}
