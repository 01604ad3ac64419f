/** Cancels and deletes runs. */
import type { Principal } from "../model/principal.ts";
import type { LocatedRun } from "../store/contract/store.ts";
import { findRun, type RunName, type SessionRule } from "./find.ts";
import type { RunParts } from "./parts.ts";

/**
 * Requests the cancellation of a run; resolves when the request is durable. A run that is over stays as it is.
 *
 * @throws TroupeError `notFound`, `badRequest` (no session)
 */
export async function cancelRun(
  parts: RunParts,
  caller: Principal,
  name: RunName,
  sessionRule?: SessionRule,
): Promise<LocatedRun> {
  const run = await findRun(parts, caller, name, { sessionRule });
  await parts.engine.cancel(run);
  return run;
}

/**
 * Cancels a run and waits until it is over, for at most the setting `deleteTimeout`.
 *
 * @throws TroupeError `notFound`
 */
export async function cancelAndWait(parts: RunParts, caller: Principal, name: RunName): Promise<LocatedRun> {
  const run = await cancelRun(parts, caller, name);
  const { logs, runtime, platform } = parts;
  const head = await logs.head(run.key);
  const wait = new AbortController();
  const stop = runtime.clock.after(platform.settings.deleteTimeout, () => wait.abort());
  try {
    // A pause normally ends the stream of a run; here only the end of the run counts.
    const cursor = (head?.nextIndex ?? 0) - 1;
    for await (const _ of logs.follow(run.key, { cursor, signal: wait.signal, acrossPauses: true }));
  } catch (error) {
    if (!wait.signal.aborted) throw error;
  } finally {
    stop();
  }
  return run;
}

/** Deletes a run. Cancels a run in progress first and waits for its end. @throws TroupeError `notFound` */
export async function deleteRun(parts: RunParts, caller: Principal, name: RunName): Promise<void> {
  await parts.engine.deleteRun(await findRun(parts, caller, name));
}
