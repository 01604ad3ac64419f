/** Delays between retries: exponential backoff with jitter, up to a total time. */
import { RequestError } from "./errors.ts";

const shortest = 250;
const longest = 10_000;

/** The delays between the attempts of one operation. */
export class Waits {
  readonly #retryFor: number;
  #tries = 0;
  #since: number | undefined;

  /** @param retryFor milliseconds without success after which `after` throws */
  constructor(retryFor: number) {
    this.#retryFor = retryFor;
  }

  /** Call it after progress: the next failure then counts as the first. */
  reset(): void {
    this.#tries = 0;
    this.#since = undefined;
  }

  /** Waits after a failure. @throws the failure if it is not temporary or `retryFor` is used up; the signal's reason when it aborts */
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
