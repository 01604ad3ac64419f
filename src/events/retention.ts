/**
 * Removes old data in the background, at low priority. A batch is one short transaction, and the pause after it is longer than the batch. Batches wait
 * for a moment in which no flush waits. There is no state: a process that begins again finds what is still due. Replicas remove different rows.
 */
import { type RetainedKind, type RetentionAges, retainedKinds } from "../model/retention.ts";
import type { Runtime } from "../model/runtime.ts";
import type { RetentionPosition, RetentionStore } from "../store/contract/retention.ts";

/** Milliseconds between two sweeps, on average. */
const sweepInterval = 600_000;
/** Milliseconds until the first sweep, at most: replicas that begin together sweep at different times. */
const maxFirstPause = 60_000;
/** Milliseconds that a batch should take. The number of items per batch follows from it. */
const batchDuration = 10;
/** Smaller batches would not be faster: most of their time is the commit. */
const minItems = 50;
const maxItems = 200;
/** The pause after a batch: its min milliseconds, and its length as a multiple of the batch's duration. */
export interface Pace {
  readonly minPause: number;
  readonly pauseFactor: number;
}

/** In the background, removal uses at most a tenth of the time. */
const background: Pace = { minPause: 50, pauseFactor: 9 };

/** Milliseconds between two looks at a busy journal, and the number of looks. After the last one a batch runs even under load, because data arrives under load, too. */
const busyInterval = 10;
const maxBusyLooks = 50;

/** Numbers of removed items, by kind. */
export type RemovedItems = Partial<Record<RetainedKind, number>>;

/** Dependencies of the retention. */
export interface RetentionParts {
  readonly store: RetentionStore;
  readonly runtime: Runtime;
  /** Milliseconds for which each kind of data is kept. */
  readonly ages: RetentionAges;
  /** Whether a flush is in flight and others wait. Default: never. */
  readonly isBusy?: (() => boolean) | undefined;
  /** Default: at most a tenth of the time. */
  readonly pace?: Pace | undefined;
}

export class RetentionJob {
  readonly #parts: RetentionParts;
  readonly #closing = new AbortController();
  #stop: (() => void) | undefined;
  #working: Promise<unknown> = Promise.resolve();
  #items = minItems;

  constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  /** Sweeps periodically, until `close`. */
  start(): void {
    if (Object.keys(this.#parts.ages).length > 0)
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
      const count = await this.#removeAll(kind);
      if (count > 0) removed[kind] = count;
    }
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

  async #removeAll(kind: RetainedKind): Promise<number> {
    const { store, ages } = this.#parts;
    const age = ages[kind];
    if (age === undefined) return 0;
    let count = 0;
    let after: RetentionPosition | undefined;
    while (!this.#isClosed) {
      const batch = await this.#inTurn(() => store.remove(kind, { age, limit: this.#items, after }));
      count += batch.items;
      if (batch.next === undefined) break;
      after = batch.next;
    }
    return count;
  }

  async #returnSpace(): Promise<void> {
    while (!this.#isClosed && (await this.#inTurn(() => this.#parts.store.returnSpace())));
  }

  /** Runs a batch when the journal is idle, and pauses after it. */
  async #inTurn<T>(batch: () => Promise<T>): Promise<T> {
    const { isBusy, runtime, pace = background } = this.#parts;
    const { clock } = runtime;
    const { signal } = this.#closing;
    for (let looks = 0; isBusy?.() && looks < maxBusyLooks && !this.#isClosed; looks++)
      await clock.sleep(busyInterval, signal);
    const begun = clock.monotonic();
    const result = await batch();
    const duration = clock.monotonic() - begun;
    if (duration > batchDuration) this.#items = Math.max(minItems, Math.floor(this.#items / 2));
    else if (duration < batchDuration / 2) this.#items = Math.min(maxItems, this.#items * 2);
    await clock.sleep(Math.max(pace.minPause, duration * pace.pauseFactor), signal);
    return result;
  }
}
