/** The typed client with a server that is killed repeatedly: it receives every event once, and the whole answer. */
import { expect, test, vi } from "vitest";
import { createClient, type RunEvent } from "../../client/index.ts";
import { databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { startServerProcess } from "../support/server-process.ts";

vi.setConfig({ testTimeout: 180_000 });

test.concurrent.each(databaseKinds)(
  "a client's loop over a run continues after two kill -9 of the server on %s, with every event once [L2] [L3]",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    const settings = { leaseDuration: 2_000, leaseRenewInterval: 400, sweepInterval: 300 };
    let server = await startServerProcess(database, settings);
    // The client's address stays the same; the server's port changes.
    const client = createClient({
      url: "http://server",
      fetch: (url, init) => fetch(String(url).replace("http://server", server.client.address.origin), init),
    });
    const run = await client.agent("talker").start(JSON.stringify({ deltas: 300, delay: 10 }), { sessionId: "s" });
    const events: RunEvent[] = [];
    let kills = 0;
    for await (const event of run) {
      events.push(event);
      if (kills < 2 && events.length === 30 * (kills + 1)) {
        kills++;
        await server.crash();
        server = await startServerProcess(database, settings);
      }
    }
    expect(kills).toBe(2);
    const log = await server.client.log("agents/talker", run.id);
    expect(events).toEqual(log.map(({ data }) => data));
    expect((await run.result()).content).toBe(Array.from({ length: 300 }, (_, place) => `${place} `).join(""));
    await server.crash();
  },
);
