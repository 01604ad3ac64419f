/** Whether a process reports that it is ready, and how long it serves after it began to shut down. */
import { expect, test } from "vitest";
import { definePlatform } from "../../src/index.ts";
import { ProcessReadiness } from "../../src/platform/readiness.ts";
import { Client } from "../conformance/support/client.ts";
import { startServer } from "../conformance/support/server.ts";
import { createDataDir, eachDatabase } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { FakeClock } from "../support/fake-clock.ts";

interface State {
  available: boolean;
  open: boolean;
  reads: number;
  isMigrated: () => Promise<boolean>;
}

function openReadiness(): { clock: FakeClock; state: State; readiness: ProcessReadiness } {
  const clock = new FakeClock();
  const state: State = { available: true, open: true, reads: 0, isMigrated: async () => true };
  const readiness = new ProcessReadiness({
    runtime: { clock },
    settings: { drainDuration: 5_000 },
    engine: {
      get acceptance() {
        return state.open ? ({ open: true } as const) : ({ open: false, reason: "full", retryAfter: 1 } as const);
      },
    },
    store: {
      get availability() {
        return { available: state.available, since: 0 };
      },
      isMigrated: () => {
        state.reads++;
        return state.isMigrated();
      },
    },
  });
  return { clock, state, readiness };
}

test("a process is ready while its database answers, its tables are current and it accepts starts", async () => {
  const { clock, state, readiness } = openReadiness();
  const reasonsAfter = async (change: () => void): Promise<readonly string[]> => {
    clock.advance(1_000);
    change();
    return await readiness.reasons();
  };
  expect(await reasonsAfter(() => {})).toEqual([]);
  expect(await reasonsAfter(() => (state.open = false))).toEqual(["not_accepting"]);
  expect(await reasonsAfter(() => (state.isMigrated = async () => false))).toEqual(["migrations"]);
  expect(await reasonsAfter(() => (state.isMigrated = () => Promise.reject(new Error("away"))))).toEqual(["database"]);
  expect(await reasonsAfter(() => (state.available = false))).toEqual(["database"]);
});

test("a database that does not answer makes the check fail after a second", async () => {
  const { clock, state, readiness } = openReadiness();
  state.isMigrated = () => new Promise(() => {});
  const checked = readiness.reasons();
  await Promise.resolve();
  clock.advance(1_000);
  expect(await checked).toEqual(["database"]);
});

test("many checks read the database twice a second", async () => {
  const { clock, state, readiness } = openReadiness();
  for (let count = 0; count < 100; count++) {
    await Promise.all([readiness.reasons(), readiness.reasons()]);
    clock.advance(10);
  }
  expect(state.reads).toBe(2);
});

test("a process that was checked recently serves for the drain duration after it began to shut down", async () => {
  const { clock, readiness } = openReadiness();
  await readiness.reasons();
  clock.advance(59_000);
  await readiness.leave();
  expect(clock.slept).toEqual([5_000]);
  expect(await readiness.reasons()).toEqual(["shutting_down"]);
});

test("a process that was not checked in the last minute shuts down at once", async () => {
  const unchecked = openReadiness();
  await unchecked.readiness.leave();
  expect(unchecked.clock.slept).toEqual([]);
  const { clock, readiness } = openReadiness();
  await readiness.reasons();
  clock.advance(60_001);
  await readiness.leave();
  expect(clock.slept).toEqual([]);
});

eachDatabase("the health checks", (openDatabase) => {
  test("of a running server succeed for GET and HEAD without a credential", async () => {
    const { server, client } = await startServer(await openDatabase());
    for (const path of ["/health", "/health/live", "/health/ready"]) {
      const { status, json } = await client.get(path);
      expect([path, status, json.status]).toEqual([path, 200, "ok"]);
      expect((await client.send(path, { method: "HEAD" })).status).toBe(200);
    }
    await server.close({ shutdownTimeout: 0 });
  });

  test("of a server with authorization need no token, and ignore a wrong one", async () => {
    const environment = { OS_SECURITY_KEY: "the key of the operator" };
    const { server, client } = await startServer(await openDatabase(), definePlatform({ id: "p" }), { environment });
    expect((await client.get("/config")).status).toBe(401);
    expect((await client.get("/health/ready")).status).toBe(200);
    expect((await client.get("/health/ready", { authorization: "Bearer wrong" })).status).toBe(200);
    await server.close({ shutdownTimeout: 0 });
  });

  test("name a missing migration, and nothing else about the database", async () => {
    const database = await openDatabase();
    const { server, client } = await startServer(database);
    await executeSql(database, "delete from migrations where number > 1");
    const { status, json } = await client.get("/health/ready");
    expect([status, json]).toEqual([503, { status: "unavailable", reasons: ["migrations"] }]);
    expect((await client.get("/health/live")).status).toBe(200);
    await server.close({ shutdownTimeout: 0 });
  });

  test("stay successful after a newer version has migrated the tables", async () => {
    const database = await openDatabase();
    const { server, client } = await startServer(database);
    await executeSql(database, "insert into migrations (number, name, hash, applied_at) values (9999, 'next', 'x', 1)");
    expect((await client.get("/health/ready")).status).toBe(200);
    await server.close({ shutdownTimeout: 0 });
  });
});

test("a server that shuts down fails its readiness check and serves starts until the drain duration has passed", async () => {
  const { path, remove } = await createDataDir();
  const platform = definePlatform({ id: "p", settings: { drainDuration: 700 } });
  const { server, client } = await startServer({ kind: "sqlite", dataDir: path }, platform);
  expect((await client.get("/health/ready")).status).toBe(200);
  const closing = server.close({ shutdownTimeout: 1_000 });
  const { status, json } = await client.get("/health/ready");
  expect([status, json]).toEqual([503, { status: "unavailable", reasons: ["shutting_down"] }]);
  expect((await client.get("/config")).status).toBe(200);
  expect((await client.post("/agents/none/runs", { message: "hi" })).status).toBe(404);
  await closing;
  await expect(new Client(client.base.href).get("/health/ready")).rejects.toThrow("ECONNREFUSED");
  await remove();
});
