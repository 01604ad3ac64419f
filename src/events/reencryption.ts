/** Encrypts values from before the encryption, and values under earlier data keys, in the background. See `RetentionJob` for its pace. */
import type { Runtime } from "../model/runtime.ts";
import type { ReencryptionPosition, ReencryptionStore } from "../store/queries/reencrypt.ts";

/** Milliseconds until the first batch, at most: replicas that begin together begin at different times. */
const maxFirstPause = 10_000;
/** Milliseconds until the next try after an error. */
const retryInterval = 60_000;
/** Rows of a batch. */
const batchRows = 100;
/** The pause after a batch: min milliseconds, and a multiple of its duration. So at most a fifth of the time is used. */
const minPause = 20;
const pauseFactor = 4;
/** A batch waits until no flush waits, at most so many times so many milliseconds. */
const busyInterval = 10;
const maxBusyLooks = 50;

/** Dependencies of the re-encryption. */
export interface ReencryptionParts {
  readonly store: ReencryptionStore;
  readonly runtime: Runtime;
  /** Whether a flush is in flight and others wait. */
  readonly isBusy: () => boolean;
}

export class ReencryptionJob {
  readonly #parts: ReencryptionParts;
  readonly #closing = new AbortController();
  #stop: (() => void) | undefined;
  #working: Promise<unknown> = Promise.resolve();

  constructor(parts: ReencryptionParts) {
    this.#parts = parts;
  }

  start(): void {
    this.#after(maxFirstPause * this.#parts.runtime.randomness.fraction());
  }

  async close(): Promise<void> {
    this.#closing.abort();
    this.#stop?.();
    await this.#working;
  }

  /** Encrypts all values that are due, and returns the number of rows. Rejects when the database fails; the next call continues. */
  async run(): Promise<number> {
    const { store } = this.#parts;
    let rows = 0;
    if (!(await store.isDue())) return rows;
    for (let after: ReencryptionPosition | undefined; !this.#closing.signal.aborted; ) {
      const batch = await this.#inTurn(() => store.reencrypt(batchRows, after));
      rows += batch.rows;
      if (batch.next === undefined) break;
      after = batch.next;
    }
    return rows;
  }

  #after(pause: number): void {
    if (this.#closing.signal.aborted) return;
    this.#stop = this.#parts.runtime.clock.after(pause, () => {
      this.#working = this.#logged();
    });
  }

  async #logged(): Promise<void> {
    const { log } = this.#parts.runtime;
    try {
      const rows = await this.run();
      if (rows > 0) log.info({ rows }, "Stored values were encrypted with the current data key.");
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      log.warn({ error }, "The encryption of stored values stopped; it is tried again.");
      this.#after(retryInterval);
    }
  }

  async #inTurn<T>(batch: () => Promise<T>): Promise<T> {
    const { isBusy, runtime } = this.#parts;
    const { clock } = runtime;
    const { signal } = this.#closing;
    for (let looks = 0; isBusy() && looks < maxBusyLooks && !signal.aborted; looks++)
      await clock.sleep(busyInterval, signal);
    const begun = clock.monotonic();
    const result = await batch();
    await clock.sleep(Math.max(minPause, (clock.monotonic() - begun) * pauseFactor), signal);
    return result;
  }
}
