import type { Clock } from "../model/runtime.ts";

/** Resolves like `work`, or with `late` if that takes longer than `milliseconds`. */
export async function within<T>(
  clock: Pick<Clock, "after">,
  milliseconds: number,
  work: Promise<T>,
  late: T,
): Promise<T> {
  let stop = (): void => undefined;
  const timeout = new Promise<T>((resolve) => {
    stop = clock.after(milliseconds, () => resolve(late));
  });
  return await Promise.race([work, timeout]).finally(() => stop());
}
