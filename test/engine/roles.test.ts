import { describe, expect, onTestFinished, test } from "vitest";
import { createServer, defineAgent, definePlatform } from "../../src/index.ts";
import type { Log } from "../../src/model/runtime.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { createDatabase, eachDatabase } from "../support/databases.ts";
import { Gate } from "../support/gate.ts";
import { openServer } from "../support/open-server.ts";
import { silentLog } from "../support/runtime.ts";

const talker = defineAgent({ id: "talker", model: scriptedModel(() => "Hello.") });
const settings = { sweepInterval: 50 };
const background = { message: "go", background: true, stream: false };

/** Waits for several sweeps of a process. */
const severalSweeps = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 5 * settings.sweepInterval));

describe("processes with the roles api and worker, on postgres", () => {
  async function openBoth() {
    const { url, drop } = await createDatabase();
    const database = { kind: "postgres", url } as const;
    const open = (role: "api" | "worker") => openServer(database, { agents: [talker], settings }, silentLog, role);
    const servers = [await open("api")];
    onTestFinished(async () => {
      for (const server of servers) await server.end(0);
      await drop();
    });
    const openWorker = async () => {
      const worker = await open("worker");
      servers.push(worker);
      return worker;
    };
    return { api: servers[0]!, openWorker };
  }

  test("an api process executes foreground runs and leaves background runs to a worker", async () => {
    const { api, openWorker } = await openBoth();
    const stream = await api.client.start("agents/talker", "hello");
    await stream.closed;
    expect(stream.ending?.event).toBe("RunCompleted");
    const { status, body } = await api.client.post("/agents/talker/runs", background);
    expect([status, body.status]).toEqual([202, "PENDING"]);
    const run = { runId: body.run_id, sessionId: body.session_id };
    const statusOf = async () => (await api.client.record("agents/talker", run)).status;
    await severalSweeps();
    expect(await statusOf()).toBe("PENDING");
    await openWorker();
    await expect.poll(statusOf).toBe("COMPLETED");
  });

  test("a foreground run behind a background run of its session waits until a worker has executed the background run", async () => {
    const { api, openWorker } = await openBoth();
    const session = { session_id: "one" };
    const { body } = await api.client.post("/agents/talker/runs", { ...background, ...session });
    const waiting = await api.client.start("agents/talker", "hello", session);
    await severalSweeps();
    expect(waiting.events).toEqual([]);
    await openWorker();
    await waiting.closed;
    expect(waiting.ending?.event).toBe("RunCompleted");
    const first = await api.client.record("agents/talker", { runId: body.run_id, sessionId: "one" });
    expect(first.status).toBe("COMPLETED");
  });

  test("a worker rejects starts with 503 and serves resume", async () => {
    const { api, openWorker } = await openBoth();
    const worker = await openWorker();
    const { status, body, headers } = await worker.client.post("/agents/talker/runs", background);
    expect([status, body.error_code, headers["retry-after"]]).toEqual([503, "SERVICE_UNAVAILABLE", "5"]);
    const stream = await api.client.start("agents/talker", "hello");
    await stream.closed;
    const elsewhere = await worker.client.resume("agents/talker", stream.runId);
    await elsewhere.closed;
    expect(elsewhere.events).toEqual(stream.events);
  });
});

test.each([
  [{ role: "api" }, /embedded database has one process only/],
  [{ role: "worker" }, /DATABASE_URL/],
  [{ role: "boss", database: "postgres://127.0.0.1:1/none" }, /Role "boss" is unknown; there are api, worker, all/],
])("createServer rejects an invalid role: %j", async (options, message) => {
  await expect(createServer(definePlatform({ id: "p", agents: [talker] }), options as object)).rejects.toThrow(message);
});

eachDatabase("runs of a component that the process does not host", (openDatabase) => {
  test("the process logs their number and leaves them, and a process that hosts the component completes them", async () => {
    const database = await openDatabase();
    const gate = new Gate();
    const model = scriptedModel(async () => {
      await gate.pass();
      return "Hello.";
    });
    const gated = defineAgent({ id: "gated", model });
    const before = await openServer(database, { agents: [gated], settings });
    const runs = [];
    for (let n = 0; n < 2; n++) {
      runs.push((await before.client.post("/agents/gated/runs", { ...background, session_id: "s" })).body.run_id);
    }
    await gate.crowd(1);
    await before.end(0);

    const told: unknown[] = [];
    const log: Log = { ...silentLog, warn: (fields) => void told.push(fields) };
    {
      await using other = await openServer(database, { agents: [talker], settings }, log);
      await expect
        .poll(() => told)
        .toMatchObject([{ unhostedRuns: [{ kind: "agent", componentId: "gated", runs: 2 }] }]);
      await severalSweeps();
      expect(await other.store.unhostedRuns([{ kind: "agent", id: "talker" }])).toMatchObject([{ runs: 2 }]);
    }
    gate.open();
    await using again = await openServer(database, { agents: [gated], settings });
    for (const runId of runs) {
      const statusOf = async () => (await again.client.record("agents/gated", { runId, sessionId: "s" })).status;
      await expect.poll(statusOf).toBe("COMPLETED");
    }
  });
});
