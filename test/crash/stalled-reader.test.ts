/** A reader that stops reading: it costs bounded memory, delays no other reader, and loses no event. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { lossesOfReader, noLosses } from "../support/losses.ts";
import { startServerProcess } from "../support/server-process.ts";

vi.setConfig({ testTimeout: 180_000 });

const MiB = 1024 * 1024;
const stall = 30_000;
const readers = 4;

test.concurrent.each(databaseKinds)(
  "readers that stall for 30 s on %s cost bounded memory, do not delay another reader, and then get the whole log [L3] [L8]",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    await using server = await startServerProcess(database, { heartbeatInterval: 1_000 });
    const { client } = server;
    const warm = await client.start("agents/talker", { deltas: 100, size: 8_000 });
    await warm.closed;
    const before = await server.memory();

    // More than the socket buffers of the machine hold.
    const healthy = await client.start("agents/talker", { deltas: 700, size: 8_000 });
    const { runId } = healthy;
    const stalled = await Promise.all(Array.from({ length: readers }, () => client.resume("agents/talker", runId, -1)));
    for (const stream of stalled) stream.stall();
    const stalledAt = Date.now();

    expect(await healthy.closed).toBe("ended");
    expect(healthy.ending?.event).toBe("RunCompleted");
    const log = await client.log("agents/talker", runId);
    expect(lossesOfReader(log, healthy.events)).toEqual(noLosses);
    const bytes = log.reduce((sum, { raw }) => sum + Buffer.byteLength(raw), 0);
    expect(bytes).toBeGreaterThan(16 * MiB);
    await sleep(Math.max(0, stalledAt + stall - Date.now()));
    expect(stalled.every(({ ending }) => ending === undefined)).toBe(true);
    // Far less than the unread bytes.
    expect((await server.memory()) - before).toBeLessThan(readers * 7 * MiB);

    for (const stream of stalled) stream.readOn();
    expect(await Promise.all(stalled.map(({ closed }) => closed))).toEqual(stalled.map(() => "ended"));
    for (const { events } of stalled) {
      expect(lossesOfReader(log, events)).toEqual(noLosses);
      expect(events.map(({ id }) => id)).toEqual(log.map(({ id }) => id));
    }
  },
);
