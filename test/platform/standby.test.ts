/** Two servers with a primary and a standby: what clients see while the standby lags, is up to date, is killed and is started again. */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { ConfigurationError, createServer, defineAgent, definePlatform, type Server } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { createDatabase } from "../support/databases.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { type PostgresStandby, startStandby } from "../support/postgres-standby.ts";
import { scrape } from "../support/scrape.ts";
import { StreamClient } from "../support/stream-client.ts";

let primary: PostgresServer;
let standby: PostgresStandby;
beforeAll(async () => {
  primary = await startPostgres();
  standby = await startStandby(primary);
});
afterAll(async () => {
  await standby.server.dispose();
  await primary.dispose();
});

const clerk = defineAgent({ id: "clerk", model: scriptedModel(() => ({ text: "one two three four five six seven" })) });
const platform = definePlatform({ id: "standby", agents: [clerk] });
const runs = "agents/clerk";

async function open(database: string): Promise<{ server: Server; client: StreamClient }> {
  const readDatabase = Object.assign(new URL(standby.server.url), { pathname: new URL(database).pathname }).href;
  const options = { database, readDatabase, port: 0, metricsPort: 0, logLevel: "silent", environment: {} };
  const server = await createServer(platform, options);
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  return { server, client: new StreamClient(await server.listen()) };
}

async function outcomes(server: Server): Promise<ReadonlyMap<string, number>> {
  const name = /^troupe_standby_reads_total\{outcome="(\w+)"\}$/;
  return new Map(
    [...(await scrape(server))].flatMap(([series, value]) => {
      const [, outcome] = name.exec(series) ?? [];
      return outcome === undefined ? [] : [[outcome, value] as const];
    }),
  );
}

test("clients of a replica see every ended run and no deleted one, and resume byte for byte, whatever the standby has", async () => {
  const { url, drop } = await createDatabase(primary.url);
  onTestFinished(drop);
  const writer = await open(url);
  const reader = await open(url);
  const kept = new Set<string>();
  const states = [
    () => standby.pauseReplay(),
    () => standby.resumeReplay(),
    () => standby.server.kill(),
    () => standby.server.restart(),
  ];
  for (let round = 0; round < 60; round++) {
    // A pause of reads from the standby takes a second: each state lasts longer than that.
    if (round % 15 === 14) await states[Math.floor(round / 15)]?.();
    if (round % 15 >= 13) await sleep(2_500);
    const stream = await writer.client.start(runs, "hello");
    await stream.closed;
    const { runId } = stream;
    const sessionId: string = stream.events[0]?.data.session_id;

    const { body: page } = await reader.client.get(`/${runs}/runs?limit=100`);
    const listed = page.map((run: { run_id: string; status: string }) => `${run.run_id} ${run.status}`);
    expect(new Set(listed)).toEqual(new Set([...kept, runId].map((id) => `${id} COMPLETED`)));

    const cursor = (round % stream.events.length) - 1;
    const rest = await reader.client.resume(runs, runId, cursor);
    await rest.closed;
    expect(rest.events.map(({ raw }) => raw).join("")).toBe(
      stream.events
        .slice(cursor + 1)
        .map(({ raw }) => raw)
        .join(""),
    );
    kept.add(runId);

    if (round % 3 === 0) {
      const deleted = await fetch(new URL(`/sessions/${sessionId}`, writer.client.address), { method: "DELETE" });
      expect(deleted.status).toBe(204);
      kept.delete(runId);
      const { body: sessions } = await reader.client.get("/sessions?type=agent&limit=100");
      const ids = sessions.data.map((one: { session_id: string }) => one.session_id);
      expect(ids).not.toContain(sessionId);
      expect(ids).toHaveLength(kept.size);
      await expect(reader.client.resume(runs, runId, -1)).rejects.toThrow("404");
      expect((await reader.client.get(`/sessions/${sessionId}/runs?type=agent`)).status).toBe(404);
    }
  }
  const counts = await outcomes(reader.server);
  expect(counts.get("served")).toBeGreaterThan(10);
  expect(counts.get("behind")).toBeGreaterThan(0);
  expect(counts.get("failed")).toBeGreaterThan(0);
});

test("a server without a standby counts no reads from one", async () => {
  const { url, drop } = await createDatabase(primary.url);
  onTestFinished(drop);
  const server = await createServer(platform, {
    ...{ database: url, port: 0, metricsPort: 0, logLevel: "silent", environment: {} },
  });
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  const client = new StreamClient(await server.listen());
  expect((await client.get(`/${runs}/runs`)).status).toBe(200);
  expect(new Set((await outcomes(server)).values())).toEqual(new Set([0]));
});

test("createServer rejects a standby of the embedded database, and an invalid connection string", async () => {
  const readDatabase = standby.server.url;
  await expect(createServer(platform, { readDatabase, dataDir: ":memory:" })).rejects.toThrow(ConfigurationError);
  await expect(createServer(platform, { readDatabase, dataDir: ":memory:" })).rejects.toThrow("DATABASE_READ_URL");
  await expect(createServer(platform, { database: primary.url, readDatabase: "standby:5432" })).rejects.toThrow(
    ConfigurationError,
  );
});
