/** Reads for a run. They wait for the end of a database outage, because an outage must not fail the run. */
import { isUnavailable } from "../../errors.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Settings } from "../../model/settings.ts";

/** Reads, and retries while the database is unreachable. @throws the signal's reason when it aborts meanwhile */
export async function retryWhileUnavailable<T>(
  { runtime, settings }: { readonly runtime: Runtime; readonly settings: Settings },
  signal: AbortSignal,
  read: () => T | Promise<T>,
): Promise<T> {
  for (;;) {
    try {
      return await read();
    } catch (error) {
      signal.throwIfAborted();
      if (!isUnavailable(error)) throw error;
      runtime.log.warn({ error }, "A read that a run needs failed; trying again.");
      await runtime.clock.sleep(settings.followPollInterval, signal);
      signal.throwIfAborted();
    }
  }
}
