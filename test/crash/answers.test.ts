/** kill -9 after each model request of a run: the next process makes only the requests that have no stored answer. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { createDataDir, openDatabaseOf } from "../support/databases.ts";
import { lossesOfReader, noLosses } from "../support/losses.ts";
import { startServerProcess } from "../support/server-process.ts";
import type { Step } from "./points/points.ts";

// Every kill needs the start of another process.
vi.setConfig({ testTimeout: 300_000 });

const app = fileURLToPath(new URL("./answers-app.ts", import.meta.url));
const preload = fileURLToPath(new URL("./points/preload.ts", import.meta.url));
const settings = { leaseDuration: 1_500, leaseRenewInterval: 300, sweepInterval: 200, shutdownTimeout: 100 };

const requests = ["reasoning", "draft", "output", "parser", "followups"];
/** The steps that kill the process, and the number of requests whose answers are then stored. */
const stored = { reasoned: 1, drafted: 2, written: 3, parsed: 4, "parser reported": 4, suggested: 5 } satisfies Partial<
  Record<Step, number>
>;
const steps = Object.keys(stored) as readonly (keyof typeof stored)[];

/** Events that a run emits once, in their order. */
const stages = [
  ...["ReasoningStarted", "ReasoningStep", "ReasoningCompleted"],
  ...["OutputModelResponseStarted", "OutputModelResponseCompleted"],
  ...["ParserModelResponseStarted", "ParserModelResponseCompleted"],
  ...["FollowupsStarted", "FollowupsCompleted", "RunCompleted"],
];

test.each([
  ["sqlite", steps],
  ["postgres", ["written", "parsed"] as const],
] as const)("on %s, no stored answer is requested again, and each stage is in the log once", async (kind, killed) => {
  await using database = await openDatabaseOf(kind);
  const folder = await createDataDir();
  for (const [number, step] of killed.entries()) {
    const file = join(folder.path, `requests-${number}`);
    const session = `session-${number}`;
    const point = { session, step, moment: "after" };
    const env = (crash: object | null) => ({ TEST_CRASH_POINT: JSON.stringify(crash), TEST_EFFECTS: file });
    const first = await startServerProcess(database, settings, { app, preload, env: env(point) });
    const seen = await first.client.stream("/agents/shaped/runs", { message: "Where?", session_id: session });
    expect({ step, signal: (await first.exited)?.signal }).toEqual({ step, signal: "SIGKILL" });
    await seen.closed;

    const second = await startServerProcess(database, settings, { app, preload, env: env(null) });
    const { body: runs } = await second.client.get(`/agents/shaped/runs?session_id=${session}`);
    const [{ run_id: runId }] = runs;
    const rest = await second.client.stream(`/agents/shaped/runs/${runId}/resume`, {
      last_event_index: seen.cursor ?? -1,
      follow: true,
    });
    await rest.closed;
    const log = await second.client.log("agents/shaped", runId);
    expect({ step, losses: lossesOfReader(log, [...seen.events, ...rest.events]) }).toEqual({ step, losses: noLosses });
    const made = (await readFile(file, "utf8")).trim().split("\n");
    expect({ step, made: [...new Set(made)] }).toEqual({ step, made: requests });
    // The requests after the stored answer may have been sent when the process died.
    const twice = requests.filter((name) => made.indexOf(name) !== made.lastIndexOf(name));
    expect({ step, twice: twice.filter((name) => requests.indexOf(name) < stored[step]) }).toEqual({
      step,
      twice: [],
    });
    const recovered = log.filter(({ event }) => event === "RunRecovered");
    const isValid = (index: number): boolean =>
      recovered.every(({ data }) => index < data.discard_from_index || index >= data.event_index);
    const shown = log.filter(({ event, data }) => stages.includes(event ?? "") && isValid(data.event_index));
    expect({ step, stages: shown.map(({ event }) => event) }).toEqual({ step, stages });
    const record = await second.client.record("agents/shaped", { runId, sessionId: session });
    expect(record).toMatchObject({ status: "COMPLETED", content: { city: "Paris" }, followups: ["And Rome?"] });
    expect(Object.keys(record.metrics.details).sort()).toEqual([
      "followup_model",
      "model",
      "output_model",
      "parser_model",
      "reasoning_model",
    ]);
    await second.crash();
  }
  await folder.remove();
});
