/** What was said in a session, as far as it is shown with it. */
import type { MessageRow, RunRow } from "../store/seam.ts";
import type { SessionRow } from "../store/session-seam.ts";
import { byRun } from "./records/run.ts";
import type { Services } from "./services.ts";

/** Runs whose messages a session shows: the last ones. */
const mostRuns = 100;

/** Runs of one read: how large they are is known afterwards. */
const mostAtOnce = 16;

/** The messages of the last runs, oldest first: of as many runs as have room in `listingBytes`, of the last one in any case. */
export async function sessionHistory(
  { store, platform }: Pick<Services, "store" | "platform">,
  { key: sessionKey }: Pick<SessionRow, "key">,
): Promise<readonly MessageRow[]> {
  const { listingBytes } = platform.settings;
  const said: (readonly MessageRow[])[] = [];
  let bytes = 0;
  let last: RunRow | undefined;
  for (let read = 0, wanted = 1; read < mostRuns; wanted = Math.min(2 * wanted, mostAtOnce)) {
    const limit = Math.min(wanted, mostRuns - read);
    const after = last && { after: { sessionSeq: last.sessionSeq ?? 0 } };
    const runs = await store.sessionRuns({ sessionKey, limit, descending: true, ...after });
    const standing = runs.filter(({ replacedBy }) => replacedBy === null);
    const messages = byRun(await store.messages(standing.map(({ key }) => key)));
    for (const { key } of standing) {
      const own = messages.get(key) ?? [];
      bytes += own.reduce((sum, { body }) => sum + body.length, 0);
      if (bytes > listingBytes && said.length > 0) return said.reverse().flat();
      said.push(own);
    }
    if (runs.length < limit || bytes > listingBytes) break;
    last = runs.at(-1);
    read += runs.length;
  }
  return said.reverse().flat();
}
