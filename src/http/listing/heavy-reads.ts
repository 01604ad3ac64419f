/**
 * Reads that take long and hold much: listings of runs, and whole records. A process makes a few of them at a time. The others wait, and callers
 * have their turns one after the other, so that the read of one caller is not behind a hundred reads of another one.
 */
import { TroupeError, usualRetryAfter } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";

declare module "fastify" {
  interface FastifyInstance {
    heavyReads: HeavyReads;
  }
}

/** Reads at a time. They share one thread: more at a time end no sooner, and hold more. */
const maxReads = 4;

/** Reads of one caller that may wait. */
const maxWaiting = 1_000;

export class HeavyReads {
  #open = 0;
  /** Reads that wait, by caller. The caller whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Reads when it is the caller's turn. @throws TroupeError `tooManyRequests` while too many reads of the caller wait */
  async take<T>({ kind, userId }: Principal, read: () => T | Promise<T>): Promise<T> {
    if (this.#open >= maxReads) await this.#turnOf(`${kind} ${userId ?? ""}`);
    else this.#open++;
    try {
      return await read();
    } finally {
      // The place goes to the next one: nobody who comes now is faster.
      const next = this.#next();
      if (next) next();
      else this.#open--;
    }
  }

  #turnOf(name: string): Promise<void> {
    const waiting = this.#waiting.get(name) ?? [];
    if (waiting.length >= maxWaiting) {
      const message = `${waiting.length} reads of this caller wait already: come again later.`;
      throw new TroupeError("tooManyRequests", message, { retryAfter: usualRetryAfter });
    }
    this.#waiting.set(name, waiting);
    return new Promise((resolve) => waiting.push(resolve));
  }

  #next(): (() => void) | undefined {
    for (const [name, waiting] of this.#waiting) {
      const next = waiting.shift();
      this.#waiting.delete(name);
      if (waiting.length > 0) this.#waiting.set(name, waiting);
      return next;
    }
    return undefined;
  }
}
