/** A tick fires once, whoever is killed. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { Client } from "../conformance/support/client.ts";
import { databaseKinds, openDatabaseOf } from "../support/databases.ts";
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

test.concurrent.each(databaseKinds)(
  "kill -9 during fires on %s: every tick has one record and one run, and all of them end",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    const settings = { lease: 3_000, leaseRenewal: 500, sweep: 500, scheduleSweep: 500 };
    const start = (): Promise<ServerProcess> => startServerProcess(database, settings);
    await using first = await start();
    const others = kind === "postgres" ? [await start()] : [];
    const made = await new Client(first.client.address.href).send("/schedules", {
      ...{ method: "POST", headers },
      body: JSON.stringify({
        ...{ name: "each second", cron_expr: "* * * * * *", endpoint: "/teams/desk/runs", max_fires: 8 },
        ...{ payload: { message: order }, overlap: "allow", catch_up: "all" },
      }),
    });
    const { id, next_run_at: begin } = made.json;
    await sleep(3_500);
    await first.crash();
    if (kind === "sqlite") others.push(await start());
    const [second] = others as [ServerProcess];
    await using _ = second;
    const client = new Client(second.client.address.href);
    let rows: Row[] = [];
    while (rows.length < 8 || rows.some(({ status }) => status === "running" || status === "pending")) {
      await sleep(200);
      rows = (await client.get(`/schedules/${id}/runs`)).json.data;
    }
    expect(rows.map(({ status }) => status)).toEqual(rows.map(() => "success"));
    const ticks = rows.map(({ planned_at }) => planned_at).sort((one, other) => one - other);
    expect(ticks).toEqual(Array.from({ length: 8 }, (_, n) => begin + n));
    const runs: Row[] = (await client.get("/teams/desk/runs?limit=100")).json;
    expect(runs.map(({ run_id }) => run_id).sort()).toEqual(rows.map(({ run_id }) => run_id).sort());
  },
);
