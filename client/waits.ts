/** When to try again: longer each time, with some chance in it, and not for ever. */
import { RequestError } from "./errors.ts";

const shortest = 250;
const longest = 10_000;

/** The waits between the tries of one thing. */
export class Waits {
  readonly #retryFor: number;
  #tries = 0;
  #since: number | undefined;

  /** @param retryFor milliseconds without any success after which it is given up */
  constructor(retryFor: number) {
    this.#retryFor = retryFor;
  }

  /** It went on: the next failure is a first one. */
  reset(): void {
    this.#tries = 0;
    this.#since = undefined;
  }

  /** Waits after a failure. @throws the failure itself when waiting does not help, or has lasted for too long; the signal's reason */
  async after(failure: unknown, signal: AbortSignal | undefined): Promise<void> {
    signal?.throwIfAborted();
    if (!(failure instanceof RequestError && failure.isTemporary)) throw failure;
    this.#since ??= performance.now();
    const asked = (failure.retryAfter ?? 0) * 1000;
    const wait = Math.max(asked, Math.min(longest, shortest * 2 ** this.#tries++) * (0.5 + Math.random() / 2));
    if (performance.now() + wait - this.#since > this.#retryFor) throw failure;
    await pause(wait, signal);
  }
}

function pause(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", stop);
      resolve();
    }, milliseconds);
    signal?.addEventListener("abort", stop, { once: true });
  });
}
