/** Removes all data of a user in small transactions of low priority, within a bounded time. */
import { isTerminal } from "../model/run/run.ts";
import type { Runtime } from "../model/runtime.ts";
import type { Signals } from "../store/contract/signals.ts";
import type { ErasedRows, UserDataStore } from "../store/contract/user-data.ts";
import { LowPriority } from "./low-priority.ts";

/** Milliseconds after which an erasure stops, so that its caller gets an answer before a proxy gives up. */
const maxDuration = 20_000;

/** Milliseconds between two looks at runs that are being cancelled. */
const checkInterval = 50;

/** Max runs per transaction. */
const maxRuns = 20;

/** A caller waits for the erasure, so it uses up to half of the time. */
const pace = { minPause: 0, pauseFactor: 1 };

/** The result of an erasure. */
export interface Erasure extends ErasedRows {
  /** Whether nothing is left. If not, another erasure continues. */
  readonly isComplete: boolean;
}

/** Dependencies of erasures. */
export interface ErasureParts {
  readonly store: UserDataStore;
  readonly signals: Pick<Signals, "publish">;
  readonly runtime: Pick<Runtime, "clock">;
  /** Whether a flush is in flight and others wait. Default: never. */
  readonly isBusy?: (() => boolean) | undefined;
}

/** Erasures of users' data. */
export class UserErasures {
  readonly #parts: ErasureParts;
  readonly #lowPriority: LowPriority;

  constructor(parts: ErasureParts) {
    this.#parts = parts;
    this.#lowPriority = new LowPriority({ ...parts, pace });
  }

  /**
   * Cancels the user's unfinished runs, waits for their end, and removes all data of the user. Stops after 20 seconds.
   * @param cancel requests the cancellation of a run
   */
  async erase(userId: string, cancel: (key: number) => Promise<void>): Promise<Erasure> {
    const { store, runtime } = this.#parts;
    const { clock } = runtime;
    const deadline = clock.monotonic() + maxDuration;
    const isLate = (): boolean => clock.monotonic() >= deadline;
    const sums = new Sums();
    const work = { sums, isLate };
    // First: schedules, evals and experiments would start more runs.
    if (!(await this.#eraseAll(store.eraseStarters(userId), work))) return sums.result(false);
    const cancelled = new Set<number>();
    for (let isFirst = true, unfinished = 1; unfinished > 0; isFirst = false) {
      if (!isFirst) await clock.sleep(checkInterval);
      unfinished = 0;
      for await (const page of store.runs(userId)) {
        if (isLate()) return sums.result(false);
        const open = page.filter(({ status }) => !isTerminal(status)).map(({ key }) => key);
        for (const key of open) if (!cancelled.has(key)) await cancel(key);
        for (const key of open) cancelled.add(key);
        unfinished += open.length;
        const ended = page.filter(({ status }) => isTerminal(status)).map(({ key }) => key);
        if (!(await this.#eraseRuns(userId, ended, work))) return sums.result(false);
      }
    }
    for (const batches of [store.eraseSessions(userId), store.eraseOthers(userId)])
      if (!(await this.#eraseAll(batches, work))) return sums.result(false);
    return sums.result(true);
  }

  /** Returns false when the time is over. */
  async #eraseAll(batches: AsyncIterable<ErasedRows>, { sums, isLate }: Work): Promise<boolean> {
    const iterator = batches[Symbol.asyncIterator]();
    for (;;) {
      if (isLate()) return false;
      const { done, value } = await this.#lowPriority.run(() => iterator.next());
      if (done) return true;
      sums.add(value);
    }
  }

  /** Returns false when the time is over. */
  async #eraseRuns(userId: string, keys: readonly number[], { sums, isLate }: Work): Promise<boolean> {
    const { store, signals } = this.#parts;
    for (let left = keys; left.length > 0; ) {
      if (isLate()) return false;
      const some = left.slice(0, maxRuns);
      const batch = await this.#lowPriority.run(() => store.eraseRuns(userId, some));
      sums.add(batch);
      for (const key of batch.keys) signals.publish({ topic: "deleted", key });
      const gone = new Set(batch.keys);
      left = left.filter((key) => !gone.has(key));
    }
    return true;
  }
}

/** The state of one erasure. */
interface Work {
  readonly sums: Sums;
  readonly isLate: () => boolean;
}

/** The sums of the batches of an erasure. */
class Sums {
  readonly #removed: Record<string, number> = {};
  readonly #anonymized: Record<string, number> = {};

  add({ removed, anonymized }: ErasedRows): void {
    for (const [kind, rows] of Object.entries(removed)) this.#removed[kind] = (this.#removed[kind] ?? 0) + rows;
    for (const [kind, rows] of Object.entries(anonymized))
      this.#anonymized[kind] = (this.#anonymized[kind] ?? 0) + rows;
  }

  result(isComplete: boolean): Erasure {
    return { removed: this.#removed, anonymized: this.#anonymized, isComplete };
  }
}
