import type { Clock } from "../model/runtime.ts";
import type { RunQueue, Store } from "../store/contract/store.ts";
import { within } from "./within.ts";

/** Maximum milliseconds to wait for the database: a scrape must not take longer than its interval. */
const maxWait = 2_000;

/** The queue of background runs; undefined if the database does not answer in time. */
export async function readQueue(
  store: Pick<Store, "availability" | "queue">,
  clock: Pick<Clock, "after">,
  limit: number,
): Promise<RunQueue | undefined> {
  if (!store.availability.available) return undefined;
  const read = store.queue(limit).catch(() => undefined);
  return await within(clock, maxWait, read, undefined);
}
