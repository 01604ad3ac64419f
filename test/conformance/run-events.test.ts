/** `GET …/runs/{run_id}/events`: the log of a run for callers who may read it. */
import { describe, expect, onTestFinished, test } from "vitest";
import { definePlatform } from "../../src/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { type Client, EventStream } from "./support/client.ts";
import { rawEvents } from "./support/frames.ts";
import { conformancePlatform } from "./support/platform.ts";
import { eachServer, startServer } from "./support/server.ts";

const kinds = [
  { kind: "agent", path: "/agents/plain-agent/runs", other: "/agents/tool-agent/runs" },
  { kind: "team", path: "/teams/duo-team/runs", other: "/teams/quiet-team/runs" },
  { kind: "workflow", path: "/workflows/simple-flow/runs", other: "/teams/duo-team/runs" },
] as const;

async function read(client: Client, path: string, headers: Record<string, string> = {}): Promise<EventStream> {
  const stream = new EventStream(await client.open(path, { headers }));
  await stream.all();
  return stream;
}

describe.each(kinds)("GET …/events of a run of a $kind", ({ path, other }) => {
  eachServer("the stream", (client) => {
    test("has the frames of resume, from the index in the query or in Last-Event-ID on", async () => {
      const started = await client().stream(path, { message: "hello", session_id: "s" });
      await started.all();
      const run = `${path}/${started.runId}`;
      const resumed = await client().stream(`${run}/resume`, { last_event_index: 1 });
      await resumed.all();
      const byQuery = await read(client(), `${run}/events?last_event_index=1&session_id=s`);
      const byHeader = await read(client(), `${run}/events`, { "last-event-id": "1" });
      const byBoth = await read(client(), `${run}/events?last_event_index=1`, { "last-event-id": "3" });
      expect(byQuery.headers["content-type"]).toBe("text/event-stream; charset=utf-8");
      for (const one of [byQuery, byHeader, byBoth]) {
        expect(one.status).toBe(200);
        expect(one.runId).toBe(started.runId);
        expect(one.frames.map(({ raw }) => raw)).toEqual(resumed.frames.map(({ raw }) => raw));
      }
      expect(rawEvents((await read(client(), `${run}/events`)).frames)).toEqual(rawEvents(started.frames));
    });

    test("of an index that is not an integer returns 422, and of an unknown run, another component or session 404", async () => {
      const started = await client().post(path, { message: "hello", session_id: "s", stream: false });
      const id = started.json.run_id;
      expect((await client().get(`${path}/${id}/events?last_event_index=x`)).status).toBe(422);
      for (const place of [`${path}/nope/events`, `${other}/${id}/events`, `${path}/${id}/events?session_id=t`]) {
        const { status, json } = await client().get(place);
        expect([place, status, json.error_code]).toEqual([place, 404, "NOT_FOUND"]);
      }
    });
  });
});

eachServer("the events of a live run", (client) => {
  test("are sent while it runs, up to its end", async () => {
    const running = await client().stream("/teams/duo-team/runs", { message: "slow" });
    await running.untilEvents(3);
    const reader = await read(client(), `/teams/duo-team/runs/${running.runId}/events`);
    await running.all();
    expect(rawEvents(reader.frames)).toEqual(rawEvents(running.frames));
  });
});

eachDatabase("the events of a run with authorization", (openDatabase) => {
  const pair = makePair();
  const writes = ["teams:read", "teams:run"];

  async function serve(): Promise<Client> {
    const { agents, teams } = conformancePlatform();
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    const platform = definePlatform({ id: "test-os", agents, teams, authorization });
    const { server, client } = await startServer(await openDatabase(), platform, {});
    onTestFinished(() => server.close({ shutdownTimeout: 0 }));
    return client;
  }

  test("are for callers who may read runs: their own, and with the session", async () => {
    const client = await serve();
    const as = (sub: string, scopes: readonly string[]) => bearer(token({ sub, scopes }, pair));
    const run = await client.stream("/teams/duo-team/runs", { message: "x", session_id: "s" }, as("alice", writes));
    await run.all();
    const path = `/teams/duo-team/runs/${run.runId}`;
    const reader = as("alice", ["teams:read"]);
    expect((await client.post(`${path}/resume`, { session_id: "s" }, reader)).status).toBe(403);
    const events = await read(client, `${path}/events?session_id=s`, reader);
    expect(rawEvents(events.frames)).toEqual(rawEvents(run.frames));

    expect((await client.get(`${path}/events?session_id=s`)).status).toBe(401);
    expect((await client.get(`${path}/events?session_id=s`, as("alice", ["agents:read", "teams:run"]))).status).toBe(
      403,
    );
    expect((await client.get(`${path}/events?session_id=s`, as("bob", writes))).status).toBe(404);
    const { status, json } = await client.get(`${path}/events`, reader);
    expect([status, json.detail]).toEqual([400, "session_id is required for this action"]);
    expect((await read(client, `${path}/events`, as("root", ["agent_os:admin"]))).status).toBe(200);
  });
});
