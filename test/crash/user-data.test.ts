/** kill -9 during the erasure of a user: a later request completes it, and other users lose nothing. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import { Client } from "../conformance/support/client.ts";
import { databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { querySql } from "../support/execute-sql.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";

vi.setConfig({ testTimeout: 180_000 });

const clientOf = ({ client }: ServerProcess): Client => new Client(client.address.href);
const order = JSON.stringify({ deltas: 3 });

test.each(databaseKinds)("on %s", async (kind) => {
  await using database = await openDatabaseOf(kind);
  const settings = { leaseDuration: 1_500, leaseRenewInterval: 300, sweepInterval: 200, compactionInterval: 50 };
  const start = (): Promise<ServerProcess> => startServerProcess(database, settings);
  let server = await start();
  try {
    const runs = Array.from({ length: 160 }, (_, n) => ({
      ...{ message: order, stream: false, background: true },
      ...{ user_id: n % 4 === 3 ? "bob" : "alice", session_id: `s-${n % 40}` },
    }));
    for (let n = 0; n < runs.length; n += 20)
      await Promise.all(runs.slice(n, n + 20).map((fields) => clientOf(server).post("/agents/parallel/runs", fields)));
    const unfinished = "select count(*) as n from run_heads where status in ('PENDING', 'RUNNING')";
    const count = async (text: string): Promise<number> => {
      return Number((await querySql<{ readonly n: unknown }>(database, text))[0]?.n);
    };
    await eventually(async () => expect(await count(unfinished)).toBe(0));
    const removed: number[] = [];
    const left = (): Promise<number> => count("select count(*) as n from runs where user_id = 'alice'");
    for (let kills = 0; kills < 2; kills++) {
      const before = await left();
      const erasing = clientOf(server)
        .send("/users/alice/data", { method: "DELETE" })
        .catch(() => undefined);
      for (const deadline = Date.now() + 5_000; (await left()) === before && Date.now() < deadline; ) await sleep(1);
      await server.crash();
      await erasing;
      server = await start();
      removed.push(120 - (await left()));
    }
    // At least one of the kills came between two batches.
    expect([removed, removed.some((runs) => runs > 0 && runs < 120)]).toEqual([removed, true]);
    const report = (await clientOf(server).send("/users/alice/data", { method: "DELETE" })).json;
    expect(report).toMatchObject({ complete: true, removed: { runs: 120 - (removed.at(-1) ?? 0) } });
    for (const table of ["runs", "run_heads", "sessions", "traces", "push_targets", "usage_pending"])
      expect([table, await count(`select count(*) as n from ${table} where user_id = 'alice'`)]).toEqual([table, 0]);
    expect(await count("select count(*) as n from runs where user_id = 'bob'")).toBe(40);
    expect(await count("select count(*) as n from segments where run_key not in (select run_key from run_heads)")).toBe(
      0,
    );
    expect(await count("select count(*) as n from messages where run_key not in (select run_key from run_heads)")).toBe(
      0,
    );
  } finally {
    await server[Symbol.asyncDispose]();
  }
});
