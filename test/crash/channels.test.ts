/** An answer reaches its chat although the process dies while it is being written. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { slackDouble } from "../channels/support/doubles.ts";
import { fromSlack, signingSecret, slackEvent } from "../channels/support/requests.ts";
import { databaseKinds, openDatabaseOf, type TestDatabase } from "../support/databases.ts";

vi.setConfig({ testTimeout: 180_000 });

const app = fileURLToPath(new URL("./channels-app.ts", import.meta.url));

async function start(
  database: TestDatabase,
  api: string,
): Promise<{ origin: string; kill(): Promise<void> } & AsyncDisposable> {
  const place = database.kind === "sqlite" ? { dataDir: database.dataDir } : { database: database.url };
  const env = { ...process.env, TEST_PLACE: JSON.stringify(place), TEST_API: api, TEST_SECRET: signingSecret };
  const child = spawn(process.execPath, ["--conditions=troupe-source", app], {
    env,
    stdio: ["ignore", "pipe", "ignore"],
  });
  const exited = once(child, "exit");
  const kill = async (): Promise<void> => {
    child.kill("SIGKILL");
    await exited;
  };
  const first = await Promise.race([once(createInterface(child.stdout), "line"), exited]);
  return { origin: String(first[0]), kill, [Symbol.asyncDispose]: kill };
}

test.for(databaseKinds)(
  "after kill -9 in the middle of an answer on %s, the next process completes the message",
  async (kind) => {
    const double = await slackDouble();
    await using database = await openDatabaseOf(kind);
    await using first = await start(database, double.url);
    expect((await fromSlack(first.origin, "/slack/events", slackEvent("hello"))).status).toBe(200);
    const updates = (): string[] => double.of("chat.update").map(({ fields }) => String(fields.blocks[0].text));
    await expect.poll(() => updates().length).toBeGreaterThan(0);
    await first.kill();
    expect(updates().at(-1)).not.toContain("word49");
    await using _ = await start(database, double.url);
    await expect.poll(() => updates().at(-1), { timeout: 90_000 }).toContain("word49");
    expect(double.of("chat.postMessage")).toHaveLength(1);
    expect(
      updates()
        .at(-1)!
        .match(/word0 /g),
    ).toHaveLength(1);
  },
);
