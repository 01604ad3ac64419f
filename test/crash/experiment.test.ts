/** An experiment survives the death of its process: results that are stored are not made again. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { createDataDir, databaseKinds, openDatabaseOf, type TestDatabase } from "../support/databases.ts";
import { querySql } from "../support/execute-sql.ts";
import { startServerProcess } from "../support/server-process.ts";
import { send } from "../trials/send.ts";

vi.setConfig({ testTimeout: 240_000 });

const app = fileURLToPath(new URL("./experiment-app.ts", import.meta.url));
const settings = { leaseDuration: 3_000, leaseRenewInterval: 500, sweepInterval: 500, pushSweepInterval: 500 };
const rows = 12;
const parallel = 2;

interface Stored {
  readonly row_id: string;
  readonly side: string;
  readonly run_id: string;
  readonly created_at: number | string;
}

async function resultsOf(database: TestDatabase): Promise<readonly string[]> {
  const found = await querySql<Stored>(database, "select row_id, side, run_id, created_at from experiment_results");
  return found.map((one) => `${one.row_id} ${one.side} ${one.run_id} ${one.created_at}`);
}

test.for(databaseKinds)(
  "after kill -9 during an experiment on %s, the next process completes it without repeating finished rows",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    const folder = await createDataDir();
    const NOTES = join(folder.path, "notes");
    const start = (SLOW: string) => startServerProcess(database, settings, { app, env: { NOTES, SLOW } });
    await using first = await start("150");
    const given = Array.from({ length: rows }, (_, n) => ({ input: `row ${n}.`, expected: `re: row ${n}.` }));
    const dataset = await send(first, "POST", "/datasets", { name: "d", rows: given });
    const fields = { component_type: "agent", component_id: "agent", dataset_id: dataset.body.id, parallel };
    const created = await send(first, "POST", "/experiments", { ...fields, scorers: ["exact"] });
    expect(created.status).toBe(202);
    await expect.poll(async () => (await resultsOf(database)).length, { timeout: 60_000 }).toBeGreaterThan(5);
    await first.crash();
    const before = await resultsOf(database);
    expect(before.length).toBeLessThan(rows * 2);

    await using second = await start("0");
    const path = `/experiments/${created.body.id}?limit=100`;
    await expect
      .poll(async () => (await send(second, "GET", path)).body.status, { timeout: 120_000 })
      .toBe("completed");
    const { body } = await send(second, "GET", path);
    expect(body).toMatchObject({ finished: rows * 2, total: rows * 2 });
    for (const side of ["a", "b"])
      expect(body[side]).toMatchObject({
        finished: rows,
        failures: 0,
        scores: [{ scorer: "exact", mean: 1, count: rows }],
      });
    const after = await resultsOf(database);
    expect(before.filter((one) => !after.includes(one))).toEqual([]);
    // Each run is one: those that the first process began go on in the second.
    const runs = await querySql<{ readonly count: number | string }>(database, "select count(*) as count from runs");
    expect(Number(runs[0]?.count)).toBe(rows * 2);
    const notes = (await readFile(NOTES, "utf8")).trim().split("\n");
    expect(notes.length - rows * 2).toBeLessThanOrEqual(parallel);
    expect(new Set(notes).size).toBe(rows);
    await second.crash();
    await folder.remove();
  },
);
