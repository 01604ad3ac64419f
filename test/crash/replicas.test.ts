/** Several processes on one Postgres: each serves every run, and each can continue another's runs. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { test, vi } from "vitest";
import type { Settings } from "../../src/model/settings.ts";
import { createDataDir, openDatabaseOf } from "../support/databases.ts";
import { lossesOfReader, noLosses } from "../support/losses.ts";
import { type ServerProcess, startServerProcess } from "../support/server-process.ts";
import type { EventStream, Frame, StreamClient } from "../support/stream-client.ts";

vi.setConfig({ testTimeout: 120_000 });

const effectsApp = fileURLToPath(new URL("../chaos/app.ts", import.meta.url));
const brief = { leaseDuration: 2_000, leaseRenewInterval: 400, sweepInterval: 500 };

interface Replicas extends AsyncDisposable {
  readonly servers: readonly ServerProcess[];
  readonly clients: readonly StreamClient[];
  /** Names of the called tools, in call order. */
  effects(): Promise<string[]>;
}

async function openReplicas(size: number, settings: Partial<Settings>, app?: string): Promise<Replicas> {
  const database = await openDatabaseOf("postgres");
  const folder = await createDataDir();
  const file = join(folder.path, "effects");
  const options = { ...(app && { app }), env: { TEST_EFFECTS: file } };
  const start = (): Promise<ServerProcess> => startServerProcess(database, settings, options);
  const servers = await Promise.all(Array.from({ length: size }, start));
  return {
    servers,
    clients: servers.map(({ client }) => client),
    async effects() {
      const text = await readFile(file, "utf8").catch(() => "");
      return text
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line).name);
    },
    async [Symbol.asyncDispose]() {
      await Promise.all(servers.map((server) => server.crash()));
      await folder.remove();
      await database[Symbol.asyncDispose]();
    },
  };
}

const endingsOf = (log: readonly Frame[], { runId }: EventStream): (string | undefined)[] =>
  log
    .filter(({ event, data }) => /^(Team)?Run(Completed|Error|Cancelled)$/.test(event!) && data.run_id === runId)
    .map(({ event }) => event);

test.concurrent("each of three replicas lists, follows, reads and cancels runs that another one executes", async ({
  expect,
}) => {
  await using replicas = await openReplicas(3, brief);
  const [first, second, third] = replicas.clients as [StreamClient, StreamClient, StreamClient];
  const session_id = "shared";
  const shown = await first.start("agents/talker", { deltas: 20_000, delay: 5 }, { session_id });
  await shown.until(20);
  const { runId } = shown;
  const listed = await third.get(`/agents/talker/runs?session_id=${session_id}`);
  expect(listed.body.map(({ run_id, status }: Record<string, string>) => [run_id, status])).toEqual([
    [runId, "RUNNING"],
  ]);
  const followers = await Promise.all([
    second.resume("agents/talker", runId),
    third.resume("agents/talker", runId, 10),
  ]);
  // The followers receive live events, not only events that were stored when they connected.
  await Promise.all(followers.map((follower) => follower.until(shown.cursor + 100)));
  const queued = await second.start("agents/talker", { deltas: 5 }, { session_id });
  const inBackground = await third.post("/agents/talker/runs", {
    ...{ message: JSON.stringify({ deltas: 9 }), session_id: "another", stream: false, background: true },
  });

  expect((await third.cancel("agents/talker", runId)).status).toBe(200);
  const streams = [shown, ...followers, queued];
  expect(await Promise.all(streams.map(({ closed }) => closed))).toEqual(streams.map(() => "ended"));
  expect(queued.ending?.event).toBe("RunCompleted");
  const logs = await Promise.all(replicas.clients.map((client) => client.log("agents/talker", runId)));
  const texts = logs.map((log) => log.map(({ raw }) => raw).join(""));
  expect(new Set(texts).size).toBe(1);
  expect(lossesOfReader(logs[0]!, shown.events)).toEqual(noLosses);
  expect(lossesOfReader(logs[0]!, followers[0]!.events)).toEqual(noLosses);
  expect(lossesOfReader(logs[0]!, followers[1]!.events, 11)).toEqual(noLosses);
  expect(endingsOf(logs[0]!, shown)).toEqual(["RunCancelled"]);
  const other = await first.log("agents/talker", inBackground.body.run_id);
  expect(other.at(-1)?.event).toBe("RunCompleted");
});

test.concurrent("after kill -9 of the owner, another replica continues the run, and followers and resumed clients get every event once [L1] [L2] [L3]", async ({
  expect,
}) => {
  await using replicas = await openReplicas(2, brief);
  const [owner, other] = replicas.clients as [StreamClient, StreamClient];
  const order = { deltas: 30, delay: 5, members: [{ deltas: 60, delay: 10 }, { deltas: 20 }] };
  const shown = await owner.start("teams/desk", order);
  const follower = await other.resume("teams/desk", shown.runId);
  await shown.until(30);
  await replicas.servers[0]!.crash();
  expect(await shown.closed).toBe("broken");

  const rest = await other.resume("teams/desk", shown.runId, shown.cursor);
  await Promise.all([rest.closed, follower.closed]);
  const log = await other.log("teams/desk", shown.runId);
  expect(lossesOfReader(log, [...shown.events, ...rest.events])).toEqual(noLosses);
  expect(lossesOfReader(log, follower.events)).toEqual(noLosses);
  expect(endingsOf(log, shown)).toEqual(["TeamRunCompleted"]);
  const told = log.filter(({ event, data }) => event === "TeamRunRecovered" && data.run_id === shown.runId);
  expect(told.map(({ data }) => data.attempt)).toEqual([2]);
  expect(log.at(-1)?.data.content.trim().split(" ")).toHaveLength(order.deltas);
});

test.concurrent("after SIGTERM of the owner, the other replica continues its run at once, without a sweep or an expired lease [L3] [L6]", async ({
  expect,
}) => {
  // Sweeps, polls and lease expiry are too rare to help this test.
  const rare = {
    leaseDuration: 600_000,
    leaseRenewInterval: 200_000,
    sweepInterval: 600_000,
    followPollInterval: 600_000,
    shutdownTimeout: 300,
  };
  await using replicas = await openReplicas(2, rare);
  const [owner, other] = replicas.clients as [StreamClient, StreamClient];
  const shown = await owner.start("teams/desk", {
    ...{ deltas: 20, delay: 5, members: [{ deltas: 200, delay: 10 }, { deltas: 20 }] },
  });
  await shown.until(30);
  replicas.servers[0]!.signal("SIGTERM");
  expect(await shown.closed).toBe("ended");
  expect(shown.ending).toBeUndefined();
  expect(shown.comments.at(-1)).toBe(`interrupted, resume with last_event_index=${shown.cursor}`);

  const rest = await other.resume("teams/desk", shown.runId, shown.cursor);
  await rest.closed;
  expect(await replicas.servers[0]!.exited).toEqual({ code: 0, signal: null });
  const log = await other.log("teams/desk", shown.runId);
  expect(lossesOfReader(log, [...shown.events, ...rest.events])).toEqual(noLosses);
  expect(endingsOf(log, shown)).toEqual(["TeamRunCompleted"]);
});

test.concurrent("an owner that is stopped (SIGSTOP) for longer than its lease writes nothing and starts no tool when it resumes [L5] [L7]", async ({
  expect,
}) => {
  await using replicas = await openReplicas(2, brief, effectsApp);
  const [owner, other] = replicas.clients as [StreamClient, StreamClient];
  const [frozen] = replicas.servers;
  // Members emit text before they call their tools, and the leader after the calls.
  const shown = await owner.start("teams/desk", { words: 120, delay: 15 });
  await shown.next(({ event }) => event === "RunContent");
  frozen!.signal("SIGSTOP");
  expect(await replicas.effects()).toEqual([]);

  const rest = await other.resume("teams/desk", shown.runId, shown.cursor);
  await rest.next(({ event, data }) => event === "TeamRunRecovered" && data.run_id === shown.runId);
  // The old owner resumes while the other replica executes the run.
  frozen!.signal("SIGCONT");
  await expect.poll(() => frozen!.output).toContain("expired before it was renewed");
  await rest.closed;
  expect(rest.ending?.event).toBe("TeamRunCompleted");
  const log = await other.log("teams/desk", shown.runId);
  const seen = shown.events.filter(({ id }) => id! < rest.events[0]!.id!);
  expect(lossesOfReader(log, [...seen, ...rest.events])).toEqual(noLosses);
  expect(endingsOf(log, shown)).toEqual(["TeamRunCompleted"]);
  expect((await replicas.effects()).sort()).toEqual(["note", "pay"]);
  // The old owner's own stream continues from the stored log.
  await shown.closed;
  expect(lossesOfReader(log, shown.events)).toEqual(noLosses);
  expect((await owner.log("teams/desk", shown.runId)).map(({ raw }) => raw)).toEqual(log.map(({ raw }) => raw));
});
