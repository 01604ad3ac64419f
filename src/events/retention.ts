/**
 * Removes old data in the background, at low priority. A batch is one short transaction, and the pause after it is longer than the batch. Batches wait
 * for a moment in which no flush waits. There is no state: a process that begins again finds what is still due. Replicas remove different rows.
 */
import { type RetainedKind, type RetentionRules, retainedKinds } from "../model/retention.ts";
import type { Runtime } from "../model/runtime.ts";
import type { RetentionPosition, RetentionStore } from "../store/contract/retention.ts";
import { LowPriority, type Pace } from "./low-priority.ts";

/** Milliseconds between two sweeps, on average. */
const sweepInterval = 600_000;
/** Milliseconds until the first sweep, at most: replicas that begin together sweep at different times. */
const maxFirstPause = 60_000;
/** Milliseconds that a batch should take. The number of items per batch follows from it. */
const batchDuration = 10;
/** Smaller batches would not be faster: most of their time is the commit. */
const minItems = 50;
const maxItems = 200;
/** In the background, removal uses at most a tenth of the time. */
const background: Pace = { minPause: 50, pauseFactor: 9 };

/** Numbers of removed items, by kind. `maxEventBytes`: runs whose events were removed because of the bound. `componentVersions`: versions of deleted components. `expired`: stored answers of models. */
export type RemovedItems = Partial<Record<RetainedKind | "maxEventBytes" | "componentVersions" | "expired", number>>;

/** Dependencies of the retention. */
export interface RetentionParts {
  readonly store: RetentionStore;
  readonly runtime: Runtime;
  /** Milliseconds for which each kind of data is kept. */
  readonly ages: RetentionRules["ages"];
  /** Bound of the stored events. Default: none. */
  readonly maxEventBytes?: RetentionRules["maxEventBytes"];
  /** Whether a flush is in flight and others wait. Default: never. */
  readonly isBusy?: (() => boolean) | undefined;
  /** Default: at most a tenth of the time. */
  readonly pace?: Pace | undefined;
}

export class RetentionJob {
  readonly #parts: RetentionParts;
  readonly #closing = new AbortController();
  readonly #lowPriority: LowPriority;
  #stop: (() => void) | undefined;
  #working: Promise<unknown> = Promise.resolve();
  #items = minItems;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
    const { runtime, isBusy, pace = background } = parts;
    this.#lowPriority = new LowPriority({ runtime, isBusy, pace, signal: this.#closing.signal });
  }

  /** Sweeps periodically, until `close`. */
  start(): void {
    this.#after(maxFirstPause * this.#parts.runtime.randomness.fraction());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#stop?.();
    await this.#working;
  }

  /** Removes everything that is due once, and returns free space. Rejects when the database fails; the next sweep continues. */
  async sweep(): Promise<RemovedItems> {
    const removed: RemovedItems = {};
    for (const kind of retainedKinds) {
      const age = this.#parts.ages[kind];
      const count = age === undefined ? 0 : await this.#removeAll(kind, age);
      if (count > 0) removed[kind] = count;
    }
    const versions = await this.#removeVersions();
    if (versions > 0) removed.componentVersions = versions;
    const count = await this.#removeExcess();
    if (count > 0) removed.maxEventBytes = count;
    const expired = await this.#removeExpired();
    if (expired > 0) removed.expired = expired;
    await this.#returnSpace();
    return removed;
  }

  /** The same, with its result in the log. */
  async #logged(): Promise<void> {
    const { log } = this.#parts.runtime;
    try {
      const removed = await this.sweep();
      if (Object.keys(removed).length > 0) log.info({ removed }, "Removed data that is older than its retention.");
    } catch (error) {
      if (!this.#isClosed) log.warn({ error }, "Removing old data stopped; it is tried again.");
    }
  }

  get #isClosed(): boolean {
    return this.#closing.signal.aborted;
  }

  #after(pause: number): void {
    if (this.#isClosed) return;
    const { clock, randomness } = this.#parts.runtime;
    this.#stop = clock.after(pause, () => {
      this.#working = this.#logged().then(() => this.#after(sweepInterval * (0.75 + 0.5 * randomness.fraction())));
    });
  }

  /** Removes the oldest events until the rest fits into the bound. */
  async #removeExcess(): Promise<number> {
    const { store, maxEventBytes: maxBytes } = this.#parts;
    if (maxBytes === undefined || this.#isClosed) return 0;
    const inTurn = <T>(page: () => Promise<T>): Promise<T> => {
      this.#closing.signal.throwIfAborted();
      return this.#lowPriority.run(page);
    };
    const until = await store.boundary({ maxBytes, inTurn });
    return until === undefined ? 0 : await this.#removeAll("events", 0, until);
  }

  async #removeAll(kind: RetainedKind, age: number, until?: RetentionPosition): Promise<number> {
    const { store } = this.#parts;
    let count = 0;
    let after: RetentionPosition | undefined;
    while (!this.#isClosed) {
      const batch = await this.#inTurn(() => store.remove(kind, { age, until, limit: this.#items, after }));
      count += batch.items;
      if (batch.next === undefined) break;
      after = batch.next;
    }
    return count;
  }

  /** Removes the versions of deleted components, at the age at which their ended runs are removed. */
  async #removeVersions(): Promise<number> {
    const { store, ages } = this.#parts;
    const { runs: age } = ages;
    if (age === undefined) return 0;
    for (let count = 0; ; ) {
      const limit = this.#items;
      const batch = this.#isClosed ? 0 : await this.#inTurn(() => store.removeVersions({ age, limit }));
      count += batch;
      if (batch === 0) return count;
    }
  }

  /** Removes answers that expired, whatever the ages are. */
  async #removeExpired(): Promise<number> {
    for (let count = 0; ; ) {
      const limit = this.#items;
      const batch = this.#isClosed ? 0 : await this.#inTurn(() => this.#parts.store.removeExpired(limit));
      count += batch;
      if (batch < limit) return count;
    }
  }

  async #returnSpace(): Promise<void> {
    while (!this.#isClosed && (await this.#inTurn(() => this.#parts.store.returnSpace())));
  }

  /** Runs a batch when the journal is idle, and adapts the number of items of the next one. */
  async #inTurn<T>(batch: () => Promise<T>): Promise<T> {
    return await this.#lowPriority.run(batch, (duration) => {
      if (duration > batchDuration) this.#items = Math.max(minItems, Math.floor(this.#items / 2));
      else if (duration < batchDuration / 2) this.#items = Math.min(maxItems, this.#items * 2);
    });
  }
}
