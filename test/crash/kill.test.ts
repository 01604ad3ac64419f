/** kill -9 of a process: no event that a client has received is lost, and other processes continue. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { blockWrites } from "../support/block-writes.ts";
import { databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { lossesOfLog, noLosses } from "../support/losses.ts";
import type { TeamOrder } from "../support/orders.ts";
import { startServerProcess } from "../support/server-process.ts";
import type { StreamClient } from "../support/stream-client.ts";

vi.setConfig({ testTimeout: 180_000 });

const endless: TeamOrder = {
  deltas: 1,
  members: [
    { deltas: 20_000, delay: 5 },
    { deltas: 20_000, delay: 7 },
  ],
};

async function statusOf(client: StreamClient, runId: string, sessionId: string): Promise<string> {
  return (await client.record("teams/desk", { runId, sessionId })).status;
}

test.concurrent.each(databaseKinds)(
  "after kill -9 during streams on %s, received events are stored with the same index and bytes, runs recover, and cancel ends them once [L2] [L5]",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    await using first = await startServerProcess(database, {
      leaseDuration: 4_000,
      leaseRenewInterval: 500,
      sweepInterval: 500,
    });
    const streams = await Promise.all(Array.from({ length: 5 }, () => first.client.start("teams/desk", endless)));
    await Promise.all(streams.map((stream, place) => stream.until(60 + 20 * place)));
    await first.crash();
    expect(await Promise.all(streams.map(({ closed }) => closed))).toEqual(streams.map(() => "broken"));
    expect(streams.map(({ ending }) => ending)).toEqual(streams.map(() => undefined));

    await using second = await startServerProcess(database, {
      leaseDuration: 4_000,
      leaseRenewInterval: 500,
      sweepInterval: 500,
    });
    const { client } = second;
    for (const shown of streams) {
      const { runId } = shown;
      const sessionId = shown.events[0]?.data.session_id;
      expect(await statusOf(client, runId, sessionId)).toBe("RUNNING");

      const whole = await client.resume("teams/desk", runId);
      const rest = await client.resume("teams/desk", runId, shown.cursor);
      await whole.next(({ event }) => event === "subscribed");
      await rest.next(({ event }) => event === "subscribed");
      await rest.next(({ event, data }) => event === "TeamRunRecovered" && data.run_id === runId);
      expect([whole.ending, rest.ending]).toEqual([undefined, undefined]);

      const answers = await Promise.all([client.cancel("teams/desk", runId), client.cancel("teams/desk", runId)]);
      expect(answers.map(({ status }) => status)).toEqual([200, 200]);
      expect(await Promise.all([whole.closed, rest.closed])).toEqual(["ended", "ended"]);
      const log = await client.log("teams/desk", runId);
      expect(lossesOfLog(log, whole.events)).toEqual(noLosses);
      expect(lossesOfLog(log, [...shown.events, ...rest.events])).toEqual(noLosses);
      const endings = log.filter(
        ({ event, data }) => /^TeamRun(Completed|Error|Cancelled)$/.test(event!) && data.run_id === runId,
      );
      expect(endings.map(({ event, id }) => ({ event, id }))).toEqual([
        { event: "TeamRunCancelled", id: log.length - 1 },
      ]);
      expect(await statusOf(client, runId, sessionId)).toBe("CANCELLED");
      const members = (await client.record("teams/desk", { runId, sessionId })).member_responses;
      expect(new Set(members.map(({ status }: { status: string }) => status))).toEqual(new Set(["CANCELLED"]));
    }

    const next = await client.start("teams/desk", { deltas: 3, members: [{ deltas: 3 }, { deltas: 3 }] });
    await next.closed;
    expect(next.ending?.event).toBe("TeamRunCompleted");
  },
);

test.concurrent.each(databaseKinds)(
  "after kill -9 while %s blocks writes, every event that a client has received is stored [L2] [L5]",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    await using first = await startServerProcess(database, {
      leaseDuration: 4_000,
      leaseRenewInterval: 500,
      sweepInterval: 500,
    });
    const long = await Promise.all(Array.from({ length: 3 }, () => first.client.start("teams/desk", endless)));
    await Promise.all(long.map((stream) => stream.until(40)));
    const short = await Promise.all(
      Array.from({ length: 10 }, () => first.client.start("agents/talker", { deltas: 3, wait: 1_000 })),
    );
    const release = await blockWrites(database);
    // Models continue to emit, and the short runs reach their end.
    await sleep(2_000);
    await first.crash();
    await release();

    await using second = await startServerProcess(database, {
      leaseDuration: 4_000,
      leaseRenewInterval: 500,
      sweepInterval: 500,
    });
    for (const stream of long) {
      const whole = await second.client.resume("teams/desk", stream.runId);
      await whole.next(({ event }) => event === "subscribed");
      expect(lossesOfLog(whole.events, stream.events)).toEqual(noLosses);
      whole.cut();
    }
    for (const stream of short) {
      const whole = await second.client.resume("agents/talker", stream.runId);
      const meta = await whole.next(({ event }) => event === "subscribed" || event === "replay");
      if (meta?.event === "replay") await whole.closed;
      expect(lossesOfLog(whole.events, stream.events)).toEqual(noLosses);
      whole.cut();
    }
  },
);
