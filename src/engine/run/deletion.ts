/** Deletes runs; cancels unfinished ones first. */
import { defaultRetryAfter, TroupeError } from "../../errors.ts";
import type { EngineParts } from "../parts.ts";

/** A deletion. */
export interface Deletion {
  /** The name used in the error when it takes too long. */
  readonly title: string;
  /** Root runs to delete; called repeatedly while they end, because new ones may be added. */
  readonly keys: () => Promise<readonly number[]>;
  /** False while one of them is unfinished. */
  readonly remove: () => Promise<boolean>;
}

/** Milliseconds between two checks whether the runs have ended. */
const checkInterval = 50;

/**
 * Cancels unfinished runs, including new ones, waits for their end, and deletes them; deletes nothing if they do not end in time.
 * @throws TroupeError `unavailable`
 */
export async function deleteEnded(
  { runtime, settings, signals }: Pick<EngineParts, "runtime" | "settings" | "signals">,
  { title, keys, remove }: Deletion,
  cancel: (key: number) => Promise<void>,
): Promise<void> {
  const known = new Set<number>();
  const deadline = runtime.clock.monotonic() + settings.deleteTimeout;
  for (;;) {
    for (const key of await keys()) {
      if (!known.has(key)) await cancel(key);
      known.add(key);
    }
    if (await remove()) break;
    if (runtime.clock.monotonic() >= deadline)
      throw new TroupeError("unavailable", `${title} is still being cancelled.`, { retryAfter: defaultRetryAfter });
    await runtime.clock.sleep(checkInterval);
  }
  for (const key of known) signals.publish({ topic: "deleted", key });
}
