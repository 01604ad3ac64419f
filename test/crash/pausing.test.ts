/** kill -9 while an approval is pending, after it is resolved, during the approved call, and in a regenerated run. */
import { existsSync, readFileSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, onTestFinished, test, vi } from "vitest";
import { databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { lossesOfLog, noLosses } from "../support/losses.ts";
import { startServerProcess } from "../support/server-process.ts";
import type { StreamClient } from "../support/stream-client.ts";

vi.setConfig({ testTimeout: 180_000 });

const app = fileURLToPath(new URL("./pausing-app.ts", import.meta.url));
const settings = { leaseDuration: 2_000, leaseRenewInterval: 400, sweepInterval: 300 };

async function approvals(client: StreamClient): Promise<{ id: string; status: string; run_id: string }[]> {
  const { body } = await client.get("/approvals");
  return body.data;
}

test.concurrent.each(databaseKinds)(
  "an approval and its run survive kill -9 before and after the answer, during the call and in a regenerated run on %s [L2] [L5]",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    const folder = await mkdtemp(join(tmpdir(), "troupe-pausing-"));
    onTestFinished(() => rm(folder, { recursive: true, force: true }));
    const file = join(folder, "calls");
    const open = () => startServerProcess(database, settings, { app, env: { TEST_CALLS: file } });

    // Kill while the approval is pending.
    let server = await open();
    const first = await server.client.stream("/teams/desk/runs", { message: "pay", session_id: "s" });
    await first.next(({ event }) => event === "TeamRunPaused");
    await first.closed;
    const { runId } = first;
    await server.crash();

    // The pending approval survives the process, and so does its resolution.
    server = await open();
    const [waiting, ...others] = await approvals(server.client);
    expect([waiting, others]).toMatchObject([{ status: "pending", run_id: runId }, []]);
    const headers = { "content-type": "application/json" };
    const body = '{"status":"approved","resolved_by":"boss"}';
    const resolved = await fetch(`${server.client.address.origin}/approvals/${waiting?.id}/resolve`, {
      method: "POST",
      headers,
      body,
    });
    expect(resolved.status).toBe(200);
    await server.crash();

    // Kill during the call.
    server = await open();
    expect(await approvals(server.client)).toMatchObject([{ status: "approved", resolved_by: "boss" }]);
    const path = `/teams/desk/runs/${runId}/continue`;
    const key = { "idempotency-key": "once" };
    const second = await server.client.stream(path, { session_id: "s" }, key);
    await second.next(({ event }) => event === "ToolCallStarted");
    // The event is sent before the call begins, so the test waits for the call's line.
    await eventually(() => expect(existsSync(file)).toBe(true));
    await server.crash();

    // The repeated continue has the same key: its stream starts where the run continued.
    server = await open();
    const third = await server.client.stream(path, { session_id: "s" }, key);
    await third.closed;
    expect(third.ending?.event).toBe("TeamRunCompleted");
    expect(third.events[0]).toEqual(second.events[0]);
    const log = await server.client.log("teams/desk", runId);
    expect(lossesOfLog(log, [...first.events, ...third.events])).toEqual(noLosses);
    expect(lossesOfLog(log, [...first.events, ...second.events])).toEqual(noLosses);
    const calls = readFileSync(file, "utf8").split("\n").filter(Boolean);
    expect([calls.length, new Set(calls).size]).toEqual([2, 1]);
    expect(log.filter(({ event }) => event === "TeamRunContinued")).toHaveLength(1);
    const late = await server.client.post(path, { session_id: "s" });
    expect(late.status).toBe(409);

    // Kill during the regenerated run.
    const again = { session_id: "s", regenerate: "true", continue_from: "3" };
    const fourth = await server.client.stream(path, again, { "idempotency-key": "again" });
    await fourth.until(8);
    await server.crash();

    server = await open();
    const fifth = await server.client.stream(path, again, { "idempotency-key": "again" });
    await fifth.closed;
    expect([fifth.runId, fifth.ending?.event]).toEqual([fourth.runId, "TeamRunCompleted"]);
    const next = await server.client.log("teams/desk", fifth.runId);
    expect(lossesOfLog(next, fifth.events)).toEqual(noLosses);
    expect(lossesOfLog(next, [...fourth.events, ...fifth.events.slice(fourth.events.length)])).toEqual(noLosses);
    const record = await server.client.record("teams/desk", { runId: fifth.runId, sessionId: "s" });
    const original = await server.client.record("teams/desk", { runId, sessionId: "s" });
    expect([record.status, record.content, original.status]).toEqual(["COMPLETED", original.content, "REGENERATED"]);
    expect(record.messages.slice(0, 3)).toEqual(original.messages.slice(0, 3));
    // No call was repeated.
    expect(readFileSync(file, "utf8").split("\n").filter(Boolean)).toHaveLength(2);
    await server.crash();
  },
);
