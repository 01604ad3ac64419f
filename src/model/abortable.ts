/** Resolves or rejects as the work does, but rejects with the signal's reason as soon as the signal aborts: the caller does not wait for work that ignores its signal. */
export function abortable<T>(work: PromiseLike<T>, signal: AbortSignal): Promise<T> {
  const promise = Promise.resolve(work);
  if (signal.aborted) {
    promise.catch(() => undefined);
    return Promise.reject(signal.reason);
  }
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason);
    signal.addEventListener("abort", stop, { once: true });
    promise.then(resolve, reject).finally(() => signal.removeEventListener("abort", stop));
  });
}

/** Executes a loop in so many lanes. The first error aborts the other lanes, and is thrown when all have ended, unless the given signal aborted. */
export async function inLanes(
  count: number,
  lane: (signal: AbortSignal) => Promise<void>,
  signal: AbortSignal,
): Promise<void> {
  const failed = new AbortController();
  const both = AbortSignal.any([signal, failed.signal]);
  const lanes = Array.from({ length: count }, () => lane(both).catch((error: unknown) => failed.abort(error)));
  await Promise.all(lanes);
  if (failed.signal.aborted && !signal.aborted) throw failed.signal.reason;
}
