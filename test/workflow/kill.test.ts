/** kill -9 inside steps and during a pause: no finished step is repeated, and no event that a client has received is lost. */
import { readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { lossesOfLog, noLosses } from "../support/losses.ts";
import { startServerProcess } from "../support/server-process.ts";

vi.setConfig({ testTimeout: 180_000 });

const app = fileURLToPath(new URL("./kill-app.ts", import.meta.url));
const settings = { leaseDuration: 2_000, leaseRenewInterval: 400, sweepInterval: 300 };

test.concurrent.each(databaseKinds)(
  "after kill -9 inside a step, while paused and after the answer on %s, the workflow completes and each step finishes once [L2] [L5]",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    const folder = await mkdtemp(join(tmpdir(), "troupe-steps-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "steps");
    const open = () => startServerProcess(database, settings, { app, env: { TEST_STEPS: file } });
    const timesOf = (name: string): number =>
      readFileSync(file, "utf8")
        .split("\n")
        .filter((line) => line === name).length;

    // Kill inside the slow step, after the parallel quick step has finished.
    let server = await open();
    const first = await server.client.stream("/workflows/flow/runs", { message: "text", session_id: "s" });
    await first.next(({ event, data }) => event === "StepCompleted" && data.step_name === "quick");
    const { runId } = first;
    await server.crash();

    // The recovered run continues up to the pause.
    server = await open();
    const second = await server.client.resume("workflows/flow", runId, first.cursor);
    await second.next(({ event }) => event === "WorkflowPaused");
    expect(second.events.map(({ event }) => event)).toContain("WorkflowRecovered");
    await server.crash();

    // The pause survives the process; after the answer the process dies inside the step.
    server = await open();
    const record = await server.client.record("workflows/flow", { runId, sessionId: "s" });
    expect(record).toMatchObject({ status: "PAUSED", paused_step_name: "publish" });
    const answer = { session_id: "s", step_requirements: '[{"step_name":"publish","confirmed":true}]' };
    const third = await server.client.stream(`/workflows/flow/runs/${runId}/continue`, answer);
    await third.next(({ event, data }) => event === "StepStarted" && data.step_name === "publish");
    await server.crash();

    server = await open();
    const log = await server.client.log("workflows/flow", runId);
    expect(lossesOfLog(log, [...first.events, ...second.events, ...third.events])).toEqual(noLosses);
    const content = ["text>draft>quick", "text>draft>slow", true];
    expect(log.at(-1)).toMatchObject({ event: "WorkflowCompleted", data: { content } });
    const completed = log.filter(({ event }) => event === "StepCompleted").map(({ data }) => data.step_name);
    expect(completed.sort()).toEqual(["draft", "publish", "quick", "slow", "tell"]);
    for (const once of ["draft", "quick", "slow", "publish", "tell"]) expect([once, timesOf(once)]).toEqual([once, 1]);
    expect(log.filter(({ event }) => event === "StepContinued")).toHaveLength(1);
    const late = await server.client.post(`/workflows/flow/runs/${runId}/continue`, answer);
    expect(late.status).toBe(409);
    await server.crash();
  },
);
