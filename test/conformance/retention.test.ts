/** What callers see of data that retention has removed. */
import { describe, expect, onTestFinished, test } from "vitest";
import type { Retention } from "../../src/model/retention.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { executeSql } from "../support/execute-sql.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { Client } from "./support/client.ts";
import { conformancePlatform } from "./support/platform.ts";

const settings = { compactionInterval: 20, endedRingDuration: 1 };

/** Opens a server with a retention of one minute; the data of runs that `age` makes old is due. */
async function serve(
  database: TestDatabase,
  retention: Retention,
): Promise<{ readonly server: OpenServer; readonly client: Client; readonly age: () => Promise<void> }> {
  const { agents } = conformancePlatform();
  const server = await openServer(database, { agents, settings, retention });
  onTestFinished(() => server.end(0));
  const { port } = server.app.server.address() as { port: number };
  const age = async (): Promise<void> => {
    await eventually(async () => expect(await server.store.uncompacted(1)).toEqual([]));
    // Later than the ring of ended runs.
    await new Promise((resolve) => setTimeout(resolve, 50));
    await executeSql(database, "update run_heads set updated_at = 1000");
    await executeSql(database, "update sessions set created_at = 1000, updated_at = 1000");
  };
  return { server, client: new Client(`http://127.0.0.1:${port}`), age };
}

const path = "/agents/plain-agent/runs";

eachDatabase("retention", (openDatabase) => {
  describe("of events", () => {
    test("[L4] a resume of a run without events gets a gap frame, and the run's record and messages stay", async () => {
      const { server, client, age } = await serve(await openDatabase(), { events: "1m" });
      const stream = await client.stream(path, { message: "hello", session_id: "s" });
      await stream.all();
      const next = stream.events.length;
      const record = await client.get(`${path}/${stream.runId}?session_id=s`);
      expect(record.json.content).toContain("hello");
      await age();
      expect(await server.retention.sweep()).toEqual({ events: 1 });
      for (const [cursor, requested] of [
        [undefined, 0],
        [3, 4],
      ] as const) {
        const fields = cursor === undefined ? {} : { last_event_index: cursor };
        const resumed = await client.stream(`${path}/${stream.runId}/resume`, fields);
        const frames = await resumed.all();
        const gap = frames.find(({ event }) => event === "gap");
        expect(gap?.id).toBeUndefined();
        expect(gap?.data).toEqual({
          event: "gap",
          run_id: stream.runId,
          requested_index: requested,
          first_available_index: next,
        });
        expect(frames.filter(({ id }) => id !== undefined)).toEqual([]);
      }
      // The record lists events from the log.
      const { events, ...rest } = record.json;
      expect(events).not.toEqual([]);
      const kept = (await client.get(`${path}/${stream.runId}?session_id=s`)).json;
      expect(kept).toEqual({ ...rest, events: [] });
      const later = await client.post(path, { message: "again", session_id: "s", stream: false });
      expect(later.json.status).toBe("COMPLETED");
    });

    test("a paused run of any age keeps everything that it needs, and continues", async () => {
      const all = { events: "1m", runs: "1m", sessions: "1m", scheduleRecords: "1m" } as const;
      const { server, client, age } = await serve(await openDatabase(), all);
      const earlier = await client.post("/agents/hitl-agent/runs", { message: "hi", session_id: "s", stream: false });
      const stream = await client.stream("/agents/hitl-agent/runs", { message: "email", session_id: "s" });
      await stream.all();
      await age();
      expect(await server.retention.sweep()).toEqual({ events: 1 });
      const resumed = await client.stream(`/agents/hitl-agent/runs/${stream.runId}/resume`);
      expect((await resumed.all()).filter(({ id }) => id !== undefined)).toHaveLength(stream.events.length);
      const [tool] = stream.events.at(-1)!.data.tools as readonly object[];
      const rest = await client.stream(`/agents/hitl-agent/runs/${stream.runId}/continue`, {
        session_id: "s",
        tools: JSON.stringify([{ ...tool, confirmed: true }]),
      });
      expect((await rest.all()).at(-1)?.event).toBe("RunCompleted");
      expect(rest.events[0]?.data.event_index).toBe(stream.events.length);
      await age();
      expect(await server.retention.sweep()).toEqual({ events: 1, runs: 2, sessions: 1 });
      for (const id of [earlier.json.run_id, stream.runId])
        expect((await client.get(`/agents/hitl-agent/runs/${id}?session_id=s`)).status).toBe(404);
      expect((await client.get("/sessions/s")).status).toBe(404);
    });
  });

  test("a reader that is in the middle of a log when it is removed gets the rest or a gap, never a wrong event", async () => {
    const { server, client, age } = await serve(await openDatabase(), { events: "1m" });
    const stream = await client.stream(path, { message: "slow please, many words" });
    await stream.all();
    const log = stream.frames.filter(({ id }) => id !== undefined).map(({ raw }) => raw);
    await age();
    const readers = Array.from({ length: 20 }, async (_, n) => {
      await new Promise((resolve) => setTimeout(resolve, n));
      const resumed = await client.stream(`${path}/${stream.runId}/resume`);
      return await resumed.all();
    });
    const [frames] = await Promise.all([Promise.all(readers), server.retention.sweep()]);
    for (const seen of frames) {
      const raw = seen.filter(({ id }) => id !== undefined).map((frame) => frame.raw);
      expect(raw).toEqual(log.slice(0, raw.length));
      if (raw.length < log.length) expect(seen.some(({ event }) => event === "gap")).toBe(true);
    }
  });
});
