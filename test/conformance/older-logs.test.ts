/** Logs that version 0.1.0 stored: every interface serves them with the same bytes as new logs. */
import { expect, test } from "vitest";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { makeOlder } from "../support/older-logs.ts";
import { SocketClient, type Told } from "../support/socket-client.ts";
import { openStream } from "./support/a2a.ts";
import type { Client, EventStream } from "./support/client.ts";
import { rawEvents } from "./support/frames.ts";
import { startServer } from "./support/server.ts";

const separated = "a\u2028b\u2029c\u0085d é";

/** Line ends of Unicode that JSON does not escape. */
const otherLineEnds = /[\u0085\u2028\u2029]/;

interface Runs {
  readonly team: string;
  readonly flow: string;
  readonly task: string;
}

async function ended(client: Client, path: string, message: string): Promise<EventStream> {
  const stream = await client.stream(path, { message, session_id: "s" });
  await stream.all();
  expect(stream.text).not.toMatch(otherLineEnds);
  return stream;
}

async function resumed(client: Client, path: string, cursor: number): Promise<string> {
  const stream = await client.stream(`${path}/resume`, { last_event_index: cursor });
  return rawEvents(await stream.all()).join("");
}

async function onSocket(client: Client, run_id: string, last_event_index: number): Promise<readonly Told[]> {
  const socket = await SocketClient.open(client.base);
  socket.send({ action: "reconnect", workflow_id: "rich-flow", run_id, last_event_index });
  await socket.event("WorkflowCompleted");
  socket.close();
  return socket.events.map((text) => ({ text }));
}

async function asTask(client: Client, id: string, cursor?: string): Promise<string> {
  const asked = { jsonrpc: "2.0", id: 1, method: "tasks/resubscribe", params: { id } };
  const headers = cursor === undefined ? {} : { "last-event-id": cursor };
  const stream = await openStream(client, "/a2a/agents/plain-agent", asked, headers);
  await stream.all();
  return stream.text;
}

/** What each interface returns for the runs. */
async function shown(client: Client, { team, flow, task }: Runs): Promise<unknown> {
  const record = async (path: string): Promise<unknown> => (await client.get(`${path}?session_id=s`)).json;
  return {
    resumed: [await resumed(client, team, -1), await resumed(client, team, 4), await resumed(client, flow, 2)],
    records: [await record(team), await record(flow)],
    socket: [await onSocket(client, flow.split("/").at(-1) ?? "", 1)],
    task: [await asTask(client, task, "0.0"), await asTask(client, task, "2.0")],
  };
}

eachDatabase("logs of 0.1.0", (openDatabase) => {
  let database: TestDatabase;

  test("are served with the same bytes on every interface, from every cursor", async () => {
    database = await openDatabase();
    const first = await startServer(database);
    const team = await ended(first.client, "/teams/duo-team/runs", `delegate ${separated}`);
    const flow = await ended(first.client, "/workflows/rich-flow/runs", separated);
    const agent = await ended(first.client, "/agents/plain-agent/runs", separated);
    const runs = {
      team: `/teams/duo-team/runs/${team.runId}`,
      flow: `/workflows/rich-flow/runs/${flow.runId}`,
      task: agent.runId,
    };
    const before = await shown(first.client, runs);
    expect(JSON.stringify(before)).toContain("completed");
    await first.server.close({ shutdownTimeout: 0 });

    await makeOlder(database);
    const second = await startServer(database);
    expect(await shown(second.client, runs)).toEqual(before);
    await second.server.close({ shutdownTimeout: 0 });
  });

  test("of a paused run continue in the current form", async () => {
    database = await openDatabase();
    const first = await startServer(database);
    const paused = await ended(first.client, "/teams/hitl-team/runs", `email ${separated}`);
    const { requirements } = paused.events.at(-1)?.data ?? {};
    const path = `/teams/hitl-team/runs/${paused.runId}`;
    await first.server.close({ shutdownTimeout: 0 });

    await makeOlder(database);
    const second = await startServer(database);
    const [requirement] = requirements;
    const answer = { ...requirement, confirmation: true };
    const more = await second.client.stream(`${path}/continue`, {
      session_id: "s",
      requirements: JSON.stringify([answer]),
    });
    await more.all();
    const whole = [...rawEvents(paused.frames), ...rawEvents(more.frames)].join("");
    expect(more.events.at(-1)?.event).toBe("TeamRunCompleted");
    expect(await resumed(second.client, path, -1)).toBe(whole);
    await second.server.close({ shutdownTimeout: 0 });
  });
});
