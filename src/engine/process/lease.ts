/** This process's lease: while it lasts, nobody takes over its runs. Compared by the database's clock; here only monotonic time counts. */
import type { Runtime } from "../../model/runtime.ts";
import type { Settings } from "../../model/settings.ts";
import type { Store } from "../../store/contract/store.ts";

/** Milliseconds after which a lease that was about to run out has done so, whatever the clocks say. */
const lapseMargin = 20;

/** What a lease needs. */
export interface LeaseParts {
  readonly store: Store;
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly processId: string;
}

export class Lease {
  readonly #parts: LeaseParts;
  #lastGood = Number.NEGATIVE_INFINITY;
  /** Since when every renewal has succeeded in time. */
  #steadySince = Number.POSITIVE_INFINITY;
  #lapsed: () => Promise<void> = () => Promise.resolve();
  #othersLapsed: () => void = () => undefined;
  /** The lease had run out, and what became of this process's runs has not been looked up since. */
  #isDoubtful = false;
  #cancelTimer: (() => void) | undefined;
  #cancelLapse: (() => void) | undefined;
  #renewing: Promise<void> | undefined;
  #closed = false;
  #living = 1;

  constructor(parts: LeaseParts) {
    this.#parts = parts;
  }

  /** Makes the lease and keeps it renewed until `close`. Resolves when there is one: whoever accepts a run without it has lost it already. */
  async start(): Promise<void> {
    await this.#renew();
    while (!this.#isMade && !this.#closed) {
      await this.#parts.runtime.clock.sleep(this.#parts.settings.leaseRenewal / 4);
      await this.#renew();
    }
    this.#schedule();
  }

  get #isMade(): boolean {
    return this.#lastGood > Number.NEGATIVE_INFINITY;
  }

  /** Processes that share the database, this one among them, as of the last renewal. */
  get living(): number {
    return this.#living;
  }

  /** Whether the lease was renewed within half its length: a tool may be started. */
  get isFresh(): boolean {
    return this.#parts.runtime.clock.monotonic() - this.#lastGood <= this.#parts.settings.lease / 2;
  }

  /**
   * Whether this process may take over what others seem to have left. Where processes share a database, it must have held its own lease
   * for a whole period first: after an outage all leases have run out, and the first one back would end everybody's live runs.
   */
  get mayTakeOver(): boolean {
    const { store, runtime, settings } = this.#parts;
    if (!store.capabilities.replicas) return true;
    return this.isFresh && runtime.clock.monotonic() - this.#steadySince >= settings.lease;
  }

  /**
   * Calls back when the lease had run out before it was renewed: some of this process's runs may be others' now. The lease is not fresh
   * before that has resolved; it is called again when it rejects.
   */
  onLapse(callback: () => Promise<void>): void {
    this.#lapsed = callback;
  }

  /** Calls back when the lease of another process has probably just run out: what it left can be taken over. */
  onOthersLapse(callback: () => void): void {
    this.#othersLapsed = callback;
  }

  /** Resolves when the lease is fresh; renews it when it is not. Waits as long as the database is away. */
  async confirm(): Promise<void> {
    while (!this.isFresh && !this.#closed) {
      await this.#renew();
      if (!this.isFresh) await this.#parts.runtime.clock.sleep(this.#parts.settings.leaseRenewal / 4);
    }
  }

  /** Gives the lease up, so that what this process leaves can be taken at once. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer?.();
    this.#cancelLapse?.();
    await this.#renewing;
    await this.#parts.store.endProcess(this.#parts.processId).catch((error: unknown) => {
      this.#parts.runtime.log.warn({ error }, "The process's lease could not be ended; it runs out by itself.");
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
    const asked = runtime.clock.monotonic();
    try {
      const { inTime, living, nextLapse } = await store.renewProcess(processId, settings.lease);
      this.#living = living;
      this.#expectLapse(nextLapse);
      // After a day the database does not know the lease any more, and makes it anew.
      const isLate = !inTime || asked - this.#lastGood > settings.lease;
      if (isLate && this.#isMade) {
        runtime.log.warn(
          { processId },
          "This process's lease had run out before it was renewed; some of its runs may have been taken over.",
        );
        this.#steadySince = asked;
        this.#isDoubtful = true;
      }
      if (this.#isDoubtful) await this.#lapsed();
      this.#isDoubtful = false;
      this.#steadySince = Math.min(this.#steadySince, asked);
      this.#lastGood = asked;
    } catch (error) {
      this.#steadySince = Number.POSITIVE_INFINITY;
      runtime.log.warn({ error, processId }, "This process's lease could not be renewed; trying again.");
    }
  }

  /** A lease that would not last until the next renewal here is one that its process has failed to renew. */
  #expectLapse(nextLapse: number | null): void {
    const { runtime, settings } = this.#parts;
    this.#cancelLapse?.();
    if (nextLapse === null || nextLapse > settings.leaseRenewal || this.#closed) return;
    this.#cancelLapse = runtime.clock.after(nextLapse + lapseMargin, () => this.#othersLapsed());
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#cancelTimer = this.#parts.runtime.clock.after(this.#parts.settings.leaseRenewal, () => {
      void this.#renew().then(() => this.#schedule());
    });
  }
}
