/** The extraction of memories survives the death of its process: nothing is lost, and nothing is stored twice. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { createDataDir, databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";

vi.setConfig({ testTimeout: 240_000 });

const app = fileURLToPath(new URL("./memory-app.ts", import.meta.url));
const settings = { leaseDuration: 3_000, leaseRenewInterval: 500, sweepInterval: 500, pushSweepInterval: 500 };
const users = 3;

/** Starts a number of runs, each with a fact of its own; returns their ids. */
async function startRuns(servers: readonly ServerProcess[], from: number, count: number): Promise<readonly string[]> {
  const runs = Array.from({ length: count }, async (_, place) => {
    const fields = { message: `fact ${from + place}`, user_id: `u${place % users}`, stream: false };
    const server = servers[place % servers.length] as ServerProcess;
    const { body } = await server.client.post("/agents/agent/runs", fields);
    expect(body.status).toBe("COMPLETED");
    return body.run_id as string;
  });
  return await Promise.all(runs);
}

interface Stored {
  readonly memory: string;
  readonly source: { readonly run_id: string };
}

async function stored({ client }: ServerProcess): Promise<readonly Stored[]> {
  return (await client.get("/memories?limit=200")).body.data;
}

const runIdsOf = async (server: ServerProcess): Promise<readonly string[]> =>
  (await stored(server)).map(({ source }) => source.run_id).sort();

test.for(databaseKinds)(
  "after kill -9 during extractions on %s, the next process extracts every run once",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    const folder = await createDataDir();
    const env = { NOTES: join(folder.path, "notes") };
    await using first = await startServerProcess(database, settings, { app, env: { ...env, HANG: "1" } });
    const runs = await startRuns([first], 0, 6);
    const notes = async (): Promise<readonly string[]> =>
      (await readFile(env.NOTES, "utf8").catch(() => "")).split("\n").filter(Boolean);
    // One extraction of each user is in progress, and the user's other runs wait behind it.
    await expect.poll(async () => (await notes()).length, { timeout: 60_000 }).toBe(users);
    await first.crash();
    await using second = await startServerProcess(database, settings, { app, env });
    await expect.poll(() => runIdsOf(second), { timeout: 60_000 }).toEqual([...runs].sort());
    // The three interrupted extractions were repeated, and no other.
    expect((await notes()).length).toBe(users + runs.length);
    expect(new Set((await stored(second)).map(({ memory }) => memory)).size).toBe(runs.length);
    await folder.remove();
  },
);

test("of two replicas, one is killed while both extract, and the other one stores each run once", async () => {
  await using database = await openDatabaseOf("postgres");
  const folder = await createDataDir();
  const options = { app, env: { NOTES: join(folder.path, "notes") } };
  await using first = await startServerProcess(database, settings, options);
  await using second = await startServerProcess(database, settings, options);
  const runs = [...(await startRuns([first, second], 0, 30)), ...(await startRuns([first], 30, 10))];
  await first.crash();
  const more = await startRuns([second], 40, 5);
  const all = [...runs, ...more].sort();
  await expect.poll(() => runIdsOf(second), { timeout: 90_000 }).toEqual(all);
  const facts = (await stored(second)).map(({ memory }) => memory);
  expect(new Set(facts).size).toBe(all.length);
  await folder.remove();
});
