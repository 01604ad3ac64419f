/** A tick of a schedule fires once under kill -9, SIGTERM, outages and wrong clocks. */
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { Client } from "../conformance/support/client.ts";
import { databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";

vi.setConfig({ testTimeout: 180_000 });

interface Row {
  readonly run_id: string | null;
  readonly session_id: string | null;
  readonly status: string;
  readonly planned_at: number;
}

const headers = { "content-type": "application/json" };
const order = JSON.stringify({ deltas: 1, members: [{ deltas: 150, delay: 10 }, { deltas: 1 }] });
const settings = { leaseDuration: 3_000, leaseRenewInterval: 500, sweepInterval: 500, scheduleSweepInterval: 500 };
const eachSecond = {
  ...{ name: "each second", cron_expr: "* * * * * *", endpoint: "/teams/desk/runs", payload: { message: order } },
  ...{ overlap: "allow", catch_up: "all" },
};

const clientOf = ({ client }: ServerProcess): Client => new Client(client.address.href);

async function make(
  server: ServerProcess,
  plan: object,
): Promise<{ readonly id: string; readonly next_run_at: number }> {
  const made = await clientOf(server).send("/schedules", { method: "POST", headers, body: JSON.stringify(plan) });
  return made.json;
}

/** Waits until `count` fires are recorded and all of them have ended. */
async function settled(server: ServerProcess, id: string, count: number): Promise<readonly Row[]> {
  for (;;) {
    const answer = await clientOf(server).get(`/schedules/${id}/runs`);
    const rows: Row[] = answer.status === 200 ? answer.json.data : [];
    const isOver = ({ status }: Row): boolean => status !== "running" && status !== "pending";
    if (rows.length >= count && rows.every(isOver)) return rows;
    await sleep(200);
  }
}

/** Each second from `first` on has one fire with one run. */
async function expectWhole(server: ServerProcess, rows: readonly Row[], first: number, count: number): Promise<void> {
  expect(rows.map(({ status }) => status)).toEqual(rows.map(() => "success"));
  const ticks = rows.map(({ planned_at }) => planned_at).sort((one, other) => one - other);
  expect(ticks).toEqual(Array.from({ length: count }, (_, n) => first + n));
  const runs: Row[] = (await clientOf(server).get("/teams/desk/runs?limit=100")).json;
  expect(runs.map(({ run_id }) => run_id).sort()).toEqual(rows.map(({ run_id }) => run_id).sort());
}

test.concurrent.each(databaseKinds)(
  "after kill -9 during fires on %s, every tick has one successful fire and one run",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    const start = (): Promise<ServerProcess> => startServerProcess(database, settings);
    await using first = await start();
    const others = kind === "postgres" ? [await start()] : [];
    const { id, next_run_at } = await make(first, { ...eachSecond, max_fires: 8 });
    await sleep(3_500);
    await first.crash();
    if (kind === "sqlite") others.push(await start());
    const [second] = others as [ServerProcess];
    await using _ = second;
    await expectWhole(second, await settled(second, id, 8), next_run_at, 8);
  },
);

test.concurrent.each(databaseKinds)(
  "after SIGTERM during a fire on %s, the process exits with 0, and another process completes the fire and its run",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    const start = (): Promise<ServerProcess> => startServerProcess(database, { ...settings, shutdownTimeout: 500 });
    await using first = await start();
    const others = kind === "postgres" ? [await start()] : [];
    const long = JSON.stringify({ deltas: 1, members: [{ deltas: 400, delay: 10 }, { deltas: 1 }] });
    const { id, next_run_at } = await make(first, { ...eachSecond, payload: { message: long }, max_fires: 3 });
    const running = async (): Promise<void> => {
      const { data } = (await clientOf(first).get(`/schedules/${id}/runs`)).json;
      expect(data.filter(({ status }: Row) => status === "running").length).toBeGreaterThan(0);
    };
    await eventually(running);
    first.signal("SIGTERM");
    expect(await first.exited).toEqual({ code: 0, signal: null });
    if (kind === "sqlite") others.push(await start());
    const [second] = others as [ServerProcess];
    await using _ = second;
    await expectWhole(second, await settled(second, id, 3), next_run_at, 3);
  },
);

test.concurrent.each(["stop", "kill"] as const)(
  "a database outage of 4 s (%s) during fires loses, doubles or fails no tick",
  async (how) => {
    const postgres = await startPostgres();
    await using server = await startServerProcess({ kind: "postgres", url: postgres.url }, settings);
    const { id, next_run_at } = await make(server, { ...eachSecond, max_fires: 10 });
    await sleep(2_500);
    await postgres[how]();
    await sleep(4_000);
    await postgres.restart();
    await expectWhole(server, await settled(server, id, 10), next_run_at, 10);
    await server.crash();
    await postgres.dispose();
  },
);

test.concurrent("processes whose clocks are wrong by a minute fire each tick once, at the database's time", async () => {
  await using database = await openDatabaseOf("postgres");
  const preload = fileURLToPath(new URL("../support/shifted-clock.ts", import.meta.url));
  const start = (shift: number): Promise<ServerProcess> =>
    startServerProcess(database, settings, { preload, env: { TEST_CLOCK_SHIFT: String(shift) } });
  await using slow = await start(-60_000);
  await using fast = await start(60_000);
  const begun = Math.floor(Date.now() / 1000);
  const { id, next_run_at } = await make(slow, { ...eachSecond, max_fires: 6 });
  const other = await make(fast, {
    ...eachSecond,
    name: "of the fast one",
    max_fires: 1,
    endpoint: "/agents/talker/runs",
  });
  const rows = await settled(fast, id, 6);
  const ended = Math.ceil(Date.now() / 1000);
  await expectWhole(slow, rows, next_run_at, 6);
  for (const { planned_at } of [...rows, ...(await settled(slow, other.id, 1))]) {
    expect(planned_at).toBeGreaterThanOrEqual(begun);
    expect(planned_at).toBeLessThanOrEqual(ended + 1);
  }
});
