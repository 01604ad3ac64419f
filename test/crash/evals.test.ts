/** An eval survives the death of its process: finished iterations are not repeated, and the others are made once. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { createDataDir, databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { startServerProcess } from "../support/server-process.ts";

vi.setConfig({ testTimeout: 240_000 });

const app = fileURLToPath(new URL("./evals-app.ts", import.meta.url));
const settings = { leaseDuration: 3_000, leaseRenewInterval: 500, sweepInterval: 500, pushSweepInterval: 500 };
const iterations = 8;
/** Iterations of one eval that execute concurrently. */
const parallel = 4;

test.for(databaseKinds)(
  "after kill -9 during an eval on %s, the next process finishes it without repeating finished iterations",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    const folder = await createDataDir();
    const env = { NOTES: join(folder.path, "notes") };
    const notes = async (kindOfNote: string): Promise<number> =>
      (await readFile(env.NOTES, "utf8").catch(() => "")).split("\n").filter((line) => line.endsWith(kindOfNote))
        .length;
    await using first = await startServerProcess(database, settings, { app, env: { ...env, HANG: "1" } });
    const body = {
      ...{ eval_type: "accuracy", agent_id: "agent", input: "2+2?", expected_output: "4" },
      ...{ num_iterations: iterations, background: true },
    };
    const headers = { "content-type": "application/json" };
    const sent = { method: "POST", headers, body: JSON.stringify(body) };
    const { id } = (await (await fetch(new URL("/eval-runs", first.client.address), sent)).json()) as { id: string };
    const read = async (server: typeof first) => (await server.client.get(`/eval-runs/${id}`)).body;
    // Three iterations are stored, and as many runs as execute concurrently never end.
    await expect.poll(async () => (await read(first)).progress?.done, { timeout: 60_000 }).toBe(3);
    await expect.poll(() => notes("run"), { timeout: 60_000 }).toBe(3 + parallel);
    await first.crash();
    await using second = await startServerProcess(database, settings, { app, env });
    await expect.poll(async () => (await read(second)).status, { timeout: 90_000 }).toBe("COMPLETED");
    const record = await read(second);
    expect([record.passed, record.progress]).toEqual([true, { done: iterations, total: iterations }]);
    const runIds = record.eval_data.results.map((one: { run_id: string }) => one.run_id);
    expect(new Set(runIds).size).toBe(iterations);
    // The interrupted runs asked their model again; no finished one did, and each iteration is judged once.
    expect([await notes("run"), await notes("judge")]).toEqual([iterations + parallel, iterations]);
    // No iteration has two runs.
    expect((await second.client.get("/agents/agent/runs?limit=100")).body).toHaveLength(iterations);
    await folder.remove();
  },
);
