/** Shutdown of a process: every accepted run is executed. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { system } from "../../src/model/principal.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { blockWrites } from "../support/block-writes.ts";
import { eachDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";

const hosted = () => ({
  agents: [defineAgent({ id: "clerk", model: scriptedModel(() => ({ text: "Yes.", wait: 5 })) })],
});

eachDatabase("shutdown of a process", (openDatabase, kind) => {
  test("starts during the shutdown are rejected, or accepted and executed to completion", async () => {
    await using server = await openServer(await openDatabase(), hosted());
    const { client, end } = server;
    const starts = Array.from({ length: 40 }, async (_, place) => {
      if (place === 20) void end(15_000);
      const stream = await client.start("agents/clerk", "go").catch((error: Error) => error.message);
      if (typeof stream === "string")
        return /: 503\.$|ECONNREFUSED|ECONNRESET|socket hang up/.test(stream) ? "refused" : stream;
      await stream.closed;
      return stream.ending?.event ?? stream.comments.at(-1);
    });
    const results = await Promise.all(starts);
    await end(0);
    expect(results.filter((result) => result !== "RunCompleted" && result !== "refused")).toEqual([]);
  });

  test.each([
    ["", {}],
    [" with an Idempotency-Key", { "idempotency-key": "once" }],
  ])("shutdown waits for a start%s whose row is not committed yet, and the run completes", async (_, headers) => {
    const database = await openDatabase();
    await using server = await openServer(database, hosted());
    const release = await blockWrites(database);
    // SQLite already lets the reservation of the key wait.
    const isReserved = kind === "sqlite" && "idempotency-key" in headers;
    const recording = vi.spyOn(server.store, isReserved ? "reserveIdempotencyKey" : "append");
    const starting = server.client.stream("/agents/clerk/runs", { message: "go" }, headers);
    // The run's creation waits for the database when the shutdown begins.
    await expect.poll(() => recording.mock.calls.length).toBeGreaterThan(0);
    const ending = server.end(30_000);
    await sleep(200);
    await release();
    const stream = await starting;
    await ending;
    await stream.closed;
    expect(stream.ending?.event).toBe("RunCompleted");
  });

  test("background runs that the process has claimed are released, and the next process executes each of them once", async () => {
    const database = await openDatabase();
    const runs: string[] = [];
    for (let process = 0; process < 3; process++) {
      await using server = await openServer(database, { ...hosted(), settings: { maxBackgroundRuns: 3 } });
      const form = { message: "go", background: true, stream: false };
      const started = await Promise.all(
        Array.from({ length: 15 }, () => server.client.post("/agents/clerk/runs", form)),
      );
      runs.push(...started.map(({ body }) => body.run_id));
      await server.end(15_000);
    }
    await using server = await openServer(database, hosted());
    const statusOf = async (runId: string) => (await server.store.findRun(system, runId))?.status;
    await expect.poll(() => Promise.all(runs.map(statusOf))).toEqual(runs.map(() => "COMPLETED"));
    for (const runId of runs) {
      const names = (await server.client.log("agents/clerk", runId)).map(({ event }) => event);
      expect(names.filter((name) => name === "RunStarted" || name === "RunCompleted")).toEqual([
        "RunStarted",
        "RunCompleted",
      ]);
    }
  });
});
