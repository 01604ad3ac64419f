import type { Transact, Transaction } from "../transaction.ts";

type Work<T> = () => Transaction<T>;

/** How writes are committed. */
interface GroupParts {
  /** Calls a function in the next turn of the event loop. */
  readonly defer: (callback: () => void) => void;
  /** Commits one write, and waits out errors that pass. */
  readonly alone: Transact;
  /** Commits writes in one transaction, from the first one on, and returns their results. May leave out the last ones. @throws the error of any write */
  readonly together: (works: readonly Work<unknown>[]) => readonly unknown[];
}

interface WaitingWrite {
  readonly work: Work<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Commits all writes of one turn of the event loop in one transaction. Each commit waits until its data is on disk, which takes much longer than the statements
 * of most writes. A write that fails in a group is repeated alone, like the others of its group.
 */
export class GroupedWrites {
  readonly #parts: GroupParts;
  #waiting: WaitingWrite[] = [];

  constructor(parts: GroupParts) {
    this.#parts = parts;
  }

  /** Resolves with the result of a write when it is committed. */
  run<T>(work: Work<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      this.#add([{ work, resolve: resolve as WaitingWrite["resolve"], reject }]);
    });
  }

  #add(writes: readonly WaitingWrite[]): void {
    if (this.#waiting.length === 0) this.#parts.defer(() => this.#commit());
    this.#waiting.push(...writes);
  }

  #commit(): void {
    const group = this.#waiting;
    this.#waiting = [];
    const results = group.length > 1 ? this.#tryTogether(group) : [];
    for (const [place, { work, resolve, reject }] of group.entries()) {
      if (place < results.length) resolve(results[place]);
      else if (results.length === 0) this.#parts.alone(work).then(resolve, reject);
    }
    if (results.length > 0 && results.length < group.length) this.#add(group.slice(results.length));
  }

  /** The results of the writes that are committed; none if a write fails. */
  #tryTogether(group: readonly WaitingWrite[]): readonly unknown[] {
    try {
      return this.#parts.together(group.map(({ work }) => work));
    } catch {
      return [];
    }
  }
}
