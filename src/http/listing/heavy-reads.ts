/**
 * Limits concurrent expensive reads (listings of runs, and whole records) per process. Waiting reads are served in turn by caller, so that one
 * caller's read does not wait behind a hundred reads of another caller.
 */
import { defaultRetryAfter, TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";

declare module "fastify" {
  interface FastifyInstance {
    heavyReads: HeavyReads;
  }
}

/** Maximum number of concurrent reads. They share one thread: more would finish no sooner and use more memory. */
const maxReads = 4;

/** Maximum number of waiting reads per caller. */
const maxWaiting = 1_000;

export class HeavyReads {
  #open = 0;
  /** Waiting reads by caller. The caller whose turn is next comes first. */
  readonly #waiting = new Map<string, (() => void)[]>();

  /** Runs the read when it is the caller's turn. @throws TroupeError `tooManyRequests` while too many reads of the caller wait */
  async take<T>({ kind, userId }: Principal, read: () => T | Promise<T>): Promise<T> {
    if (this.#open >= maxReads) await this.#turnOf(`${kind} ${userId ?? ""}`);
    else this.#open++;
    try {
      return await read();
    } finally {
      // Hands the slot directly to the next waiting read, so that a new read cannot overtake it.
      const next = this.#next();
      if (next) next();
      else this.#open--;
    }
  }

  #turnOf(name: string): Promise<void> {
    const waiting = this.#waiting.get(name) ?? [];
    if (waiting.length >= maxWaiting) {
      const message = `${waiting.length} reads of this caller wait already: retry later.`;
      throw new TroupeError("tooManyRequests", message, { retryAfter: defaultRetryAfter });
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
