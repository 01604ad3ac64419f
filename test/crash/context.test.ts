/** kill -9 during a compaction and during a session's summary: nothing that was recorded is made again, and the prompt stays the same. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { createDataDir, databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { startServerProcess } from "../support/server-process.ts";

vi.setConfig({ testTimeout: 240_000 });

const app = fileURLToPath(new URL("./context-app.ts", import.meta.url));
const settings = { leaseDuration: 2_000, leaseRenewInterval: 400, sweepInterval: 300, followPollInterval: 300 };

interface Request {
  readonly stage: string;
  readonly prompt: unknown;
}

async function requestsIn(file: string): Promise<Request[]> {
  const text = await readFile(file, "utf8").catch(() => "");
  return text.split("\n").flatMap((line) => (line === "" ? [] : [JSON.parse(line) as Request]));
}

const stages = ["compression", "compacted", "summary", "followups"] as const;

test.each(databaseKinds.flatMap((kind) => stages.map((stage) => [kind, stage] as const)))(
  "on %s, a process killed during the request %s is replaced by one that sends the same prompt and repeats no recorded answer [L2]",
  async (kind, stage) => {
    await using database = await openDatabaseOf(kind);
    const { path, remove } = await createDataDir();
    onTestFinished(remove);
    const files = [join(path, "first"), join(path, "second")] as const;
    const start = (file: string, hang: string) =>
      startServerProcess(database, settings, { app, env: { TEST_PROMPTS: file, TEST_HANG: hang } });
    await using first = await start(files[0], stage);
    const session = { session_id: "s" };
    await (await first.client.start("agents/keeper", "short", session)).closed;
    // The first run also has follow-ups: only the second run's requests count.
    const earlier = (await requestsIn(files[0])).length;
    const stream = await first.client.start("agents/keeper", "long", session);
    const hangs = async () => (await requestsIn(files[0])).slice(earlier).some((one) => one.stage === stage);
    await expect.poll(hangs).toBe(true);
    // An event that a client has received is durable, and the summary is durable with it.
    if (stage === "followups") await stream.next(({ event }) => event === "FollowupsStarted");
    await first.crash();
    await using second = await start(files[1], "");
    const rest = await second.client.resume("agents/keeper", stream.runId, -1);
    await rest.closed;
    expect(rest.ending?.event).toBe("RunCompleted");
    const [before, after] = await Promise.all(files.map(requestsIn));
    const promptsOf = (requests: readonly Request[] | undefined, of: string): unknown[] =>
      (requests ?? []).flatMap((one) => (one.stage === of ? [one.prompt] : []));
    // The request that the crash cut off is sent again with the same prompt.
    expect(promptsOf(after, stage)[0]).toEqual(promptsOf(before, stage).at(-1));
    // An earlier stage has its answer and is not repeated. Follow-ups are the last stage.
    if (stage === "compacted") expect(after?.[0]?.stage).toBe("compacted");
    if (stage === "followups") expect(after?.map((one) => one.stage)).toEqual(["followups"]);
    const log = await second.client.log("agents/keeper", stream.runId);
    const summaries = log.filter(({ event }) => event === "SessionSummaryCompleted");
    expect(summaries).toHaveLength(1);
    const { body } = await second.client.get("/sessions/s");
    expect(body.session_summary).toEqual(summaries[0]?.data.session_summary);
    expect(log.filter(({ event }) => event === "CompressionStarted").length).toBeGreaterThan(0);
  },
);
