/** Deletes runs, those in progress, too: they are ended first. */
import { TroupeError, usualRetryAfter } from "../../errors.ts";
import type { EngineParts } from "../parts.ts";

/** What is to be deleted. */
export interface Deletion {
  /** What it is called where it takes too long. */
  readonly title: string;
  /** Root runs that go with it; asked again while they end, because others may come meanwhile. */
  readonly keys: () => Promise<readonly number[]>;
  /** False while one of them is unfinished. */
  readonly remove: () => Promise<boolean>;
}

/** Milliseconds between two looks whether the runs are over. */
const lookEvery = 50;

/**
 * Cancels what is unfinished, and what comes meanwhile, waits for its end, and deletes; of what does not end in time nothing is deleted.
 * @throws TroupeError `unavailable`
 */
export async function deleteEnded(
  { runtime, settings, signals }: Pick<EngineParts, "runtime" | "settings" | "signals">,
  { title, keys, remove }: Deletion,
  cancel: (key: number) => Promise<void>,
): Promise<void> {
  const known = new Set<number>();
  const deadline = runtime.clock.monotonic() + settings.deleteWait;
  for (;;) {
    for (const key of await keys()) {
      if (!known.has(key)) await cancel(key);
      known.add(key);
    }
    if (await remove()) break;
    if (runtime.clock.monotonic() >= deadline)
      throw new TroupeError("unavailable", `${title} is still being cancelled.`, { retryAfter: usualRetryAfter });
    await runtime.clock.sleep(lookEvery);
  }
  for (const key of known) signals.publish({ topic: "deleted", key });
}
