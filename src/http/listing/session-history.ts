/** The messages that are shown with a session. */
import { setImmediate as nextTurn } from "node:timers/promises";
import type { SessionRow } from "../../store/contract/sessions.ts";
import type { LocatedRun, MessageRow } from "../../store/contract/store.ts";
import { byRun } from "../records/run.ts";
import type { Services } from "../transport/services.ts";
import { batches } from "./bounded-page.ts";

/** Maximum number of runs, counted from the last, whose messages a session shows. */
const maxRuns = 100;

/**
 * The messages of the last runs, oldest first, without the bytes of their media. They are limited to the runs that fit into `maxListingBytes`, but the
 * last run is always included.
 */
export async function sessionHistory(
  { store, platform }: Pick<Services, "store" | "platform">,
  { key: sessionKey }: Pick<SessionRow, "key">,
): Promise<readonly MessageRow[]> {
  const { maxListingBytes } = platform.settings;
  const found = await store.sessionRuns({ sessionKey, limit: maxRuns, descending: true });
  const runs = found.filter(({ replacedBy }) => replacedBy === null);
  const keysOf = (some: readonly LocatedRun[]) => some.map(({ key }) => key);
  const sizes = await store.listedBytes(keysOf(runs), "roots");
  const said: (readonly MessageRow[])[] = [];
  let bytes = 0;
  for (const batch of batches(runs, ({ key }) => sizes.get(key) ?? 0)) {
    const messages = byRun(await store.messages(keysOf(batch), true));
    for (const { key } of batch) {
      const own = messages.get(key) ?? [];
      bytes += own.reduce((sum, { body }) => sum + body.length, 0);
      if (bytes > maxListingBytes && said.length > 0) return said.reverse().flat();
      said.push(own);
    }
    if (bytes > maxListingBytes) break;
    await nextTurn();
  }
  return said.reverse().flat();
}
