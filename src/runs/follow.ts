/** Reads the logs of runs. Before an interface calls them, it has found the run for its caller. */
import { TroupeError } from "../errors.ts";
import type { FollowOptions, LogItem } from "../events/run-logs.ts";
import { storedFrames } from "../events/stored-frames.ts";
import type { RunHead, RunRef } from "../store/contract/store.ts";
import type { RunParts } from "./parts.ts";

export type { RunHead } from "../store/contract/store.ts";

/** Reads a log until its signal aborts, or until the end. */
export type Follow = (signal: AbortSignal) => AsyncIterable<LogItem>;

/** A cursor that is beyond the end of every log and fits into every database's integers. */
export const beyondAnyEnd: number = 2 ** 31 - 2;

/** Position and state of a run's log; undefined if the run was deleted. @throws TroupeError `unavailable` */
export async function headOf(
  { logs }: Pick<RunParts, "logs">,
  { key }: Pick<RunRef, "key">,
): Promise<RunHead | undefined> {
  return await logs.head(key);
}

/**
 * A reader of one run's log, from a cursor on. It keeps no reference to its caller's other data.
 *
 * @throws TroupeError `badRequest` (a cursor that is no event's index and not -1)
 */
export function followRun(
  { logs }: Pick<RunParts, "logs">,
  { key }: Pick<RunRef, "key">,
  options: Omit<FollowOptions, "signal">,
): Follow {
  if (!Number.isSafeInteger(options.cursor) || options.cursor < -1)
    throw new TroupeError("badRequest", "The cursor must be the index of an event, or -1.");
  const cursor = Math.min(options.cursor, beyondAnyEnd);
  return (signal) => logs.follow(key, { ...options, cursor, signal });
}

/** The stored frames of a run before the index `until`, many in one buffer. */
export function readFrames(
  { store }: Pick<RunParts, "store">,
  { key }: Pick<RunRef, "key">,
  until: number,
): AsyncIterable<Buffer> {
  return storedFrames(store, key, until);
}

/** Waits for the end or a pause of a run without reading its events. Returns the log's last item; undefined if the signal aborts first. */
export async function waitForEnd(
  { logs }: Pick<RunParts, "logs">,
  { key }: Pick<RunRef, "key">,
  signal: AbortSignal,
): Promise<Exclude<LogItem, { kind: "frames" | "gap" }> | undefined> {
  if (signal.aborted) return undefined;
  for await (const item of logs.follow(key, { cursor: beyondAnyEnd, signal })) {
    if (item.kind !== "frames" && item.kind !== "gap") return item;
  }
  return undefined;
}
