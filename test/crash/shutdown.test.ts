/** SIGTERM: short runs complete, and long runs are handed over with their readers' cursors. */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { expect, test, vi } from "vitest";
import { createDataDir, databaseKinds, openDatabaseOf } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { lossesOfLog, lossesOfReader, noLosses } from "../support/losses.ts";
import { startPostgres } from "../support/postgres-server.ts";
import { startServerProcess } from "../support/server-process.ts";
import type { EventStream } from "../support/stream-client.ts";

vi.setConfig({ testTimeout: 180_000 });

const endless = { deltas: 20_000, delay: 5 };
const endlessTeam = { deltas: 1, members: [endless, { deltas: 20_000, delay: 7 }] };

const lastComment = ({ comments }: EventStream): string | undefined => comments.at(-1);
const interruptedAt = ({ cursor }: EventStream): string => `interrupted, resume with last_event_index=${cursor}`;

test.concurrent.each(databaseKinds)(
  "SIGTERM with live streams on %s rejects starts, completes short runs, ends other streams with their cursor, exits with 0 and loses no event [L2] [L6]",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    await using server = await startServerProcess(database, { shutdownTimeout: 7_000, heartbeatInterval: 400 });
    const { client } = server;
    const long = await Promise.all([client.start("agents/talker", endless), client.start("teams/desk", endlessTeam)]);
    await Promise.all(long.map((stream) => stream.until(10)));
    const [agentRun] = long;
    const sessionId = agentRun!.events[0]!.data.session_id;
    const queued = await client.start("agents/talker", { deltas: 7 }, { session_id: sessionId });
    const waiting = client.post("/agents/talker/runs", { stream: false, message: JSON.stringify(endless) });
    const stalled = await client.resume("agents/talker", agentRun!.runId);
    stalled.stall();
    const brief = { deltas: 1, wait: 700 };
    const short = await Promise.all([
      client.start("agents/talker", brief),
      client.start("teams/desk", { deltas: 1, members: [brief, brief] }),
    ]);

    server.signal("SIGTERM");
    await eventually(() => expect(server.output).toContain("SIGTERM"));
    const refused = await client.post("/agents/talker/runs", { message: JSON.stringify({ deltas: 1 }) });
    expect(refused.status).toBe(503);
    expect(Number(refused.headers["retry-after"])).toBeGreaterThan(0);
    const late = await client.resume("teams/desk", long[1]!.runId, long[1]!.cursor);

    expect(await server.exited).toEqual({ code: 0, signal: null });
    expect(short.map(({ ending }) => ending?.event)).toEqual(["RunCompleted", "TeamRunCompleted"]);
    const cut = [...long, late, queued];
    expect(await Promise.all(cut.map(({ closed }) => closed))).toEqual(cut.map(() => "ended"));
    expect(cut.map(({ ending }) => ending)).toEqual(cut.map(() => undefined));
    expect([...long, queued].map(lastComment)).toEqual([...long, queued].map(interruptedAt));
    expect(lastComment(late)).toBe(interruptedAt(long[1]!));
    expect(queued.events).toEqual([]);
    const answer = await waiting;
    expect([answer.status, Number(answer.headers["retry-after"]) > 0]).toEqual([503, true]);

    await using next = await startServerProcess(database, {
      leaseDuration: 1_500,
      leaseRenewInterval: 300,
      sweepInterval: 500,
    });
    for (const [component, shown] of [
      ["agents/talker", long[0]],
      ["teams/desk", long[1]],
    ] as const) {
      const rest = await next.client.resume(component, shown!.runId, -1);
      await rest.next(({ event }) => event === "subscribed");
      expect(lossesOfLog(rest.events, shown!.events)).toEqual(noLosses);
      expect((await next.client.cancel(component, shown!.runId)).status).toBe(200);
      await rest.closed;
      expect(rest.ending?.event).toMatch(/RunCancelled$/);
    }
    for (const [component, shown] of [
      ["agents/talker", short[0]],
      ["teams/desk", short[1]],
    ] as const) {
      expect(lossesOfReader(await next.client.log(component, shown!.runId), shown!.events)).toEqual(noLosses);
    }
    const resumed = await next.client.resume("agents/talker", queued.runId, queued.cursor);
    await resumed.closed;
    expect(resumed.ending?.event).toBe("RunCompleted");
    expect(resumed.ending?.data.content.trim().split(" ")).toHaveLength(7);
  },
);

test.concurrent.each(databaseKinds)(
  "a second SIGTERM on %s ends the process at once with exit code 1, and received events are stored [L2]",
  async (kind) => {
    await using database = await openDatabaseOf(kind);
    await using server = await startServerProcess(database, { shutdownTimeout: 600_000 });
    const shown = await server.client.start("teams/desk", endlessTeam);
    await shown.until(50);
    server.signal("SIGTERM");
    await eventually(() => expect(server.output).toContain("SIGTERM"));
    server.signal("SIGTERM");
    expect(await server.exited).toEqual({ code: 1, signal: null });
    await shown.closed;

    await using next = await startServerProcess(database);
    const rest = await next.client.resume("teams/desk", shown.runId);
    await rest.next(({ event }) => event === "subscribed");
    expect(lossesOfLog(rest.events, shown.events)).toEqual(noLosses);
    expect(rest.ending).toBeUndefined();
  },
);

test.concurrent("SIGTERM ends the process although a stalled reader has an open stream", async ({ expect }) => {
  await using database = await openDatabaseOf("sqlite");
  await using server = await startServerProcess(database, { shutdownTimeout: 600_000 });
  const done = await server.client.start("agents/talker", { deltas: 600, size: 8_000 });
  await done.closed;
  const stalled = await server.client.resume("agents/talker", done.runId);
  stalled.stall();
  server.signal("SIGTERM");
  expect(await server.exited).toEqual({ code: 0, signal: null });
});

test.concurrent("SIGTERM during a database outage ends streams with their cursor and the process with exit code 0 [L2]", async ({
  expect,
}) => {
  const postgres = await startPostgres();
  try {
    const database = { kind: "postgres", url: postgres.url } as const;
    await using server = await startServerProcess(database, { shutdownTimeout: 500 });
    const shown = await server.client.start("teams/desk", endlessTeam);
    await shown.until(50);
    await postgres.kill();
    server.signal("SIGTERM");
    expect(await server.exited).toEqual({ code: 0, signal: null });
    await shown.closed;
    expect(lastComment(shown)).toBe(interruptedAt(shown));

    await postgres.restart();
    await using next = await startServerProcess(database);
    const rest = await next.client.resume("teams/desk", shown.runId);
    await rest.next(({ event }) => event === "subscribed");
    expect(lossesOfLog(rest.events, shown.events)).toEqual(noLosses);
  } finally {
    await postgres.dispose();
  }
});

test.concurrent("a program that closes its server exits before the shutdown timeout", async ({ expect }) => {
  const folder = await createDataDir();
  const main = fileURLToPath(new URL("../package/app/main.ts", import.meta.url));
  const child = spawn(process.execPath, ["--conditions=troupe-source", main, folder.path], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  try {
    const exited = once(child, "exit", { signal: AbortSignal.timeout(120_000) });
    // The program prints when its server is closed.
    await once(child.stdout, "data");
    const closedAt = performance.now();
    expect(await exited).toEqual([0, null]);
    expect(performance.now() - closedAt).toBeLessThan(20_000);
  } finally {
    child.kill("SIGKILL");
    await folder.remove();
  }
});
