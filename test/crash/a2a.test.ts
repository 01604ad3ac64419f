/** A2A tasks survive the death of their process, and a reader resumes its stream by the last event id. */
import { expect, test, vi } from "vitest";
import { framesOf, openStream, postJson, request, results } from "../conformance/support/a2a.ts";
import { Client } from "../conformance/support/client.ts";
import { databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { startServerProcess } from "../support/server-process.ts";

vi.setConfig({ testTimeout: 180_000 });

const settings = { leaseDuration: 4_000, leaseRenewInterval: 500, sweepInterval: 500 };
const orders = {
  "agents/talker": JSON.stringify({ deltas: 20_000, delay: 5 }),
  "teams/desk": JSON.stringify({
    deltas: 1,
    members: [
      { deltas: 20_000, delay: 5 },
      { deltas: 20_000, delay: 7 },
    ],
  }),
};

test.concurrent.each(databaseKinds)(
  "after kill -9 during A2A streams on %s, a client that resumes on another process gets every frame once with equal bytes and one task id [L2] [L3]",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    await using first = await startServerProcess(database, settings);
    const before = new Client(first.client.address.href);
    const cut = await Promise.all(
      Object.entries(orders).map(async ([component, order]) => {
        const path = `/a2a/${component}/v1/message:stream`;
        const stream = await openStream(before, path, request(order, { contextId: component }));
        await stream.untilEvents(60);
        return { component, path, stream };
      }),
    );
    await first.crash();
    await using second = await startServerProcess(database, settings);
    const client = new Client(second.client.address.href);
    for (const { component, path, stream } of cut) {
      const taskId = stream.runId;
      const seen = stream.events.map(({ raw }) => raw);
      const again = request("not delivered", { taskId, contextId: component });
      const rest = await openStream(client, path, again, { "last-event-id": String(stream.events.at(-1)?.id) });
      await rest.until((frames) =>
        frames.some(({ data }) => data?.result?.metadata?.agno_event_type === "run_recovered"),
      );
      await rest.untilEvents(rest.events.length + 20);
      const cancelled = await postJson(client, `/a2a/${component}/v1/tasks:cancel`, { id: 1, params: { id: taskId } });
      expect([cancelled.status, cancelled.json.result.status.state]).toEqual([200, "canceled"]);
      await rest.all();
      const whole = await framesOf(client, path, again, { "last-event-id": "-1" });
      expect([...seen, ...rest.events.map(({ raw }) => raw)]).toEqual(whole.map(({ raw }) => raw));
      const told = results(whole);
      expect([...new Set(told.map((result) => result.taskId ?? result.id))]).toEqual([taskId]);
      expect(told.at(-1)).toMatchObject({ kind: "task", status: { state: "canceled" } });
    }
    // The resumed request started no second run.
    expect((await client.get("/agents/talker/runs?session_id=agents/talker")).json.length).toBe(1);
  },
);
