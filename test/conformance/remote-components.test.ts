/** Remote components: a second server on a real socket, and a scripted server that misbehaves. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  definePlatform,
  type PlatformOptions,
  type RemoteOptions,
  remoteAgent,
  remoteTeam,
  remoteWorkflow,
  type Server,
} from "../../src/index.ts";
import { eachDatabase, openDatabaseOf, type TestDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { type HeardRequest, scriptedServer } from "../support/http-script.ts";
import { SocketClient } from "../support/socket-client.ts";
import { tcpRelay } from "../support/tcp-relay.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import type { Client } from "./support/client.ts";
import type { Frame } from "./support/frames.ts";
import { startServer } from "./support/server.ts";

const kinds = ["agent", "team", "workflow"] as const;
const ids = { agent: "plain-agent", team: "duo-team", workflow: "simple-flow" } as const;
const runs = (kind: keyof typeof ids, id: string = ids[kind]) => `/${kind}s/${id}/runs`;

function gateway(url: string, more: Partial<RemoteOptions> = {}, platform: Partial<PlatformOptions> = {}) {
  const open = { resumable: true, ...more };
  return definePlatform({
    id: "gateway",
    agents: [
      remoteAgent({ id: "plain-agent", name: "Far Agent", description: "Far away", url, ...more }),
      remoteAgent({ id: "here", url, remoteId: "plain-agent", ...open }),
      remoteAgent({ id: "nobody", url, ...more }),
    ],
    teams: [
      remoteTeam({ id: "duo-team", url, ...more }),
      remoteTeam({ id: "open-team", url, remoteId: "duo-team", ...open }),
    ],
    workflows: [remoteWorkflow({ id: "simple-flow", url, ...more }), remoteWorkflow({ id: "hitl-flow", url, ...more })],
    ...platform,
  });
}

/** The frames without members that differ from server to server. */
function told(frames: readonly Frame[], ours: Record<string, string> = {}): unknown[] {
  const named = (text: string) => Object.entries(ours).reduce((all, [one, other]) => all.replaceAll(one, other), text);
  return frames.map(({ id, event, data }) => {
    const {
      created_at: _,
      created_at_ms: _____,
      agent_name: __,
      team_name: ___,
      workflow_name: ____,
      ...rest
    } = JSON.parse(named(JSON.stringify(data)));
    return [id, event, rest];
  });
}

eachDatabase("remote components", (openDatabase) => {
  let database: TestDatabase;
  let there: { server: Server; client: Client };
  let here: { server: Server; client: Client };
  beforeAll(async () => {
    database = await openDatabase();
    there = await startServer(await openDatabase());
    here = await startServer(database, gateway(there.client.base.href));
  });
  afterAll(async () => {
    await here?.server.close({ shutdownTimeout: 0 });
    await there?.server.close({ shutdownTimeout: 0 });
  });

  test("are listed with their local definition, and a single one is shown as the remote server describes it", async () => {
    const { json: agents } = await here.client.get("/agents");
    expect(agents[0]).toEqual({
      ...{ id: "plain-agent", name: "Far Agent", db_id: "main", description: "Far away" },
      ...{ is_factory: false, is_component: false },
    });
    for (const kind of kinds) {
      const path = `/${kind}s/${ids[kind]}`;
      expect((await here.client.get(path)).json).toEqual((await there.client.get(path)).json);
    }
    expect((await here.client.get("/agents/here")).json).toMatchObject({ id: "here", name: "Plain Agent" });
    expect((await here.client.get("/info")).json).toMatchObject({ agent_count: 3, team_count: 2, workflow_count: 2 });
    expect((await here.client.get("/config")).json.workflows).toHaveLength(2);
    expect((await here.client.get("/models")).json).toEqual([]);
  });

  test.each(kinds)(
    "a remote %s streams the events of the remote run under the same indices, in a local log [L1] [L3]",
    async (kind) => {
      const session_id = `stream-${kind}`;
      const message = kind === "team" ? "delegate this" : "hello";
      const stream = await here.client.stream(runs(kind), { message, session_id, user_id: "u1" });
      await stream.all();
      const { json: list } = await there.client.get(`${runs(kind)}?session_id=${session_id}`);
      expect(list).toMatchObject([{ status: "COMPLETED", ...(kind !== "team" && { user_id: "u1" }) }]);
      const [{ run_id }] = list;
      expect(run_id).not.toBe(stream.runId);
      const original = await there.client.stream(`${runs(kind)}/${run_id}/resume`);
      await original.all();
      expect(told(stream.events)).toEqual(told(original.events, { [run_id]: stream.runId }));
      const { json } = await here.client.get(`${runs(kind)}/${stream.runId}?session_id=${session_id}`);
      expect(json).toMatchObject({ run_id: stream.runId, status: "COMPLETED", session_id });
      expect(json.content).toBe(stream.events.at(-1)?.data.content);
      const listed = await here.client.get(`${runs(kind)}?session_id=${session_id}&status=COMPLETED`);
      expect(listed.json).toMatchObject([{ run_id: stream.runId }]);
    },
  );

  test.each(kinds)("a remote %s returns the completed run without a stream", async (kind) => {
    const fields = { message: "hello", stream: false, session_id: `wait-${kind}` };
    const [{ status, json }, { json: original }] = [
      await here.client.post(runs(kind), fields),
      await there.client.post(runs(kind), { ...fields, session_id: `wait2-${kind}` }),
    ];
    expect([status, json.status, json.content]).toEqual([200, "COMPLETED", original.content]);
    expect(Object.keys(json.metrics)).toEqual(
      expect.arrayContaining(kind === "workflow" ? ["steps"] : ["total_tokens"]),
    );
    if (kind !== "workflow")
      expect(json.messages.map(({ role }: { role: string }) => role)).toEqual(["user", "assistant"]);
    const session = await here.client.get(`/sessions/wait-${kind}?type=${kind}`);
    expect(session.status).toBe(200);
  });

  test.each(kinds)(
    "resume of a remote %s returns 400 if not resumable, and so do continue, fork and background starts [R26]",
    async (kind) => {
      const { json } = await here.client.post(runs(kind), { message: "hello", stream: false });
      for (const id of [json.run_id, "x"]) {
        const refused = await here.client.post(`${runs(kind)}/${id}/resume`, {});
        expect([refused.status, refused.json]).toEqual([
          ...[400, { detail: `Stream resumption is not supported for remote ${kind}s`, error_code: "BAD_REQUEST" }],
        ]);
      }
      const more = await here.client.post(`${runs(kind)}/x/continue`, { session_id: "x" });
      expect([more.status, more.json.detail]).toEqual([400, `Continue is not supported for remote ${kind}s`]);
      if (kind !== "workflow") {
        const fork = await here.client.post(`/${kind}s/${ids[kind]}/sessions/${json.session_id}/fork`);
        expect([fork.status, fork.json.detail]).toEqual([400, `Fork is not supported for remote ${kind}s`]);
      }
      for (const stream of [true, false]) {
        const refused = await here.client.post(runs(kind), { message: "x", background: true, stream });
        expect([refused.status, refused.json.detail]).toEqual([
          ...[400, `Background execution is not supported for remote ${kind}s`],
        ]);
      }
    },
  );

  test.each(kinds)(
    "a schedule runs a remote %s, although requests cannot start one in the background",
    async (kind) => {
      const body = JSON.stringify({
        ...{ name: `remote ${kind}`, cron_expr: "@yearly", endpoint: runs(kind) },
        payload: { message: "hello", session_id: "scheduled" },
      });
      const headers = { "content-type": "application/json" };
      const { json: made } = await here.client.send("/schedules", { method: "POST", headers, body });
      const { json: fired } = await here.client.send(`/schedules/${made.id}/trigger`, { method: "POST" });
      expect(fired).toMatchObject({
        status: "success",
        output: { content: expect.stringContaining("you said: hello") },
      });
      const path = `${runs(kind)}/${fired.run_id}?session_id=scheduled`;
      expect((await here.client.get(path)).json).toMatchObject({ status: "COMPLETED", content: fired.output.content });
    },
  );

  test("a cancel cancels the remote run, and a failed or cancelled remote run ends the local run with the same state", async () => {
    const stream = await here.client.stream(runs("agent", "here"), { message: "endless", session_id: "cancel" });
    await stream.untilEvents(10);
    expect((await here.client.post(`${runs("agent", "here")}/${stream.runId}/cancel`)).status).toBe(200);
    expect((await stream.all()).at(-1)?.event).toBe("RunCancelled");
    await eventually(async () => {
      const { json } = await there.client.get(`${runs("agent")}?session_id=cancel`);
      expect(json).toMatchObject([{ status: "CANCELLED" }]);
    });
    const failed = await here.client.post(runs("agent"), { message: "explode", stream: false });
    expect([failed.status, failed.json.error_code]).toEqual([500, "RUN_FAILED"]);
    expect(failed.json.detail).toMatch(/model exploded/);
    const cancelled = await here.client.stream(runs("agent", "here"), { message: "endless", session_id: "there" });
    await cancelled.untilEvents(3);
    const { json: list } = await there.client.get(`${runs("agent")}?session_id=there`);
    await there.client.post(`${runs("agent")}/${list[0].run_id}/cancel`);
    expect((await cancelled.all()).at(-1)?.event).toBe("RunCancelled");
  });

  test("after a cut connection and after a restart, a run continues after its last event without gaps [L3] [P5]", async () => {
    await using relay = await tcpRelay(there.client.base);
    const own = await openDatabase();
    let near = await startServer(own, gateway(relay.url));
    const session_id = "broken";
    const stream = await near.client.stream(runs("agent", "here"), { message: "endless", session_id });
    await stream.untilEvents(15);
    relay.cut();
    await stream.untilEvents(40);
    await near.server.close({ shutdownTimeout: 0 });
    near = await startServer(own, gateway(relay.url));
    const count = stream.events.length;
    const rest = await near.client.stream(`${runs("agent", "here")}/${stream.runId}/resume`, {
      last_event_index: count - 1,
    });
    await rest.untilEvents(30);
    await near.client.post(`${runs("agent", "here")}/${stream.runId}/cancel`);
    await rest.all();
    const all = [...stream.events, ...rest.events];
    expect(all.map(({ id }) => Number(id))).toEqual(all.map((_, place) => place));
    const { json: list } = await there.client.get(`${runs("agent")}?session_id=${session_id}`);
    expect(list).toHaveLength(1);
    const original = await there.client.stream(`${runs("agent")}/${list[0].run_id}/resume`);
    await original.all();
    const same = { [list[0].run_id]: stream.runId, '"plain-agent"': '"here"' };
    expect(told(all.slice(0, -1))).toEqual(told(original.events, same).slice(0, all.length - 1));
    relay.closed = true;
    relay.cut();
    const refused = await near.client.post(runs("agent"), { message: "x" });
    expect([refused.status, refused.json.error_code]).toEqual([502, "BAD_GATEWAY"]);
    await near.server.close({ shutdownTimeout: 0 });
  });

  test("[J3] a remote workflow starts and reconnects over the web socket", async () => {
    const socket = await SocketClient.open(here.client.base);
    socket.send({ action: "start-workflow", workflow_id: "simple-flow", message: "hello" });
    const { run_id } = await socket.event("WorkflowCompleted");
    expect((await socket.ask({ action: "reconnect", run_id })).event).toBe("replay");
    socket.close();
  });
});

describe("a misbehaving remote server", () => {
  const start = { message: "hello", stream: false };
  type Script = Parameters<typeof scriptedServer>[0];

  async function facing(
    script: Script,
    more: Partial<RemoteOptions> = {},
    platform: Partial<PlatformOptions> = {},
    environment = {},
  ) {
    const far = await scriptedServer(script);
    const database = await openDatabaseOf("sqlite");
    const { server, client } = await startServer(database, gateway(far.url, more, platform), { environment });
    const end = async () => {
      await server.close({ shutdownTimeout: 0 });
      await far[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    };
    return { far, client, [Symbol.asyncDispose]: end };
  }

  const event = (index: number | undefined, fields: object) =>
    `event: x\ndata: ${JSON.stringify({ run_id: "far", session_id: "s", ...fields, event_index: index })}\r\n\r\n`;
  const begun = event(0, { event: "RunStarted" });
  const done = (index: number | undefined) => event(index, { event: "RunCompleted", content: "done" });
  const asStream: Record<string, string> = { "content-type": "text/event-stream" };

  test("that is unreachable, rejects, redirects or stays silent causes 502 or its own status, and no run", async () => {
    let status = 0;
    let silent = false;
    await using near = await facing(
      (_request, response) => {
        if (silent) return;
        response.writeHead(status, { location: "/elsewhere", "retry-after": "7", "content-type": "application/json" });
        response.end(status === 500 ? "<secret trace>" : JSON.stringify({ detail: `told ${status}`, error_code: "X" }));
      },
      {},
      { settings: { remoteTimeout: 500 } },
    );
    const ask = async () => {
      const answer = await near.client.post(runs("agent"), start);
      return [answer.status, answer.json.detail, answer.headers["retry-after"]];
    };
    for (status of [400, 401, 403, 404, 409, 422]) expect(await ask()).toEqual([status, `told ${status}`, "7"]);
    for (status of [429, 503]) expect(await ask()).toEqual([status, `told ${status}`, "7"]);
    status = 500;
    expect((await ask()).slice(0, 2)).toEqual([
      ...[502, 'The remote agent "plain-agent" failed: Far Agent answered with the status 500'],
    ]);
    status = 302;
    expect((await ask())[0]).toBe(502);
    status = 200;
    expect((await ask())[1]).toBe(
      'The remote agent "plain-agent" cannot be reached: it did not answer with a stream of events',
    );
    silent = true;
    expect((await ask()).slice(0, 2)).toEqual([
      ...[502, 'The remote agent "plain-agent" cannot be reached: it was silent for 0.5 s'],
    ]);
    expect((await near.client.get("/agents/plain-agent")).status).toBe(502);
    expect(near.far.heard.some(({ url }) => url === "/elsewhere")).toBe(false);
    expect((await near.client.get("/agents/plain-agent/runs")).json).toEqual([]);
  });

  test("[J3] receives only the caller's token, an idempotency key and the trace context, and never the local server's own keys", async () => {
    const script: Script = (_request, response) => {
      response.writeHead(200, asStream);
      response.end(begun + done(1));
    };
    await using named = await facing(script);
    await named.client.post(runs("agent"), { ...start, db_id: "far-db" });
    await named.client.post(runs("agent"), start);
    const databases = named.far.heard.map(({ body }) => new URLSearchParams(body).get("db_id"));
    expect(databases).toEqual(["far-db", null]);
    const sent = { cookie: "session=secret", "x-api-key": "secret", "x-forwarded-for": "10.0.0.1", "x-user-id": "me" };
    const seen = ({ headers }: HeardRequest) =>
      Object.keys(headers).filter((name) => !/^(host|connection|content-|accept|user-agent|sec-fetch-mode)/.test(name));
    await using open = await facing(script);
    expect((await open.client.post(runs("agent"), start, { ...sent, ...bearer("theirs") })).json.content).toBe("done");
    expect(open.far.heard.map(({ headers }) => headers.authorization)).toEqual(["Bearer theirs"]);
    expect(open.far.heard.map(seen)).toEqual([["idempotency-key", "traceparent", "authorization"]]);
    expect(JSON.stringify(open.far.heard)).not.toContain("secret");

    await using none = await facing(script, { credential: "none" });
    await none.client.post(runs("agent"), start, bearer("theirs"));
    await using fixed = await facing(script, { credential: async () => "ours" });
    await fixed.client.post(runs("agent"), start, bearer("theirs"));
    expect([none, fixed].map(({ far }) => far.heard[0]?.headers.authorization)).toEqual([undefined, "Bearer ours"]);

    await using keyed = await facing(script, {}, {}, { OS_SECURITY_KEY: "our-own-key" });
    expect((await keyed.client.post(runs("agent"), start, bearer("our-own-key"))).status).toBe(200);
    expect(keyed.far.heard[0]?.headers.authorization).toBe(undefined);

    const pair = makePair();
    const alice = token({ sub: "alice", scopes: ["agents:run", "service_accounts:write", "agents:read"] }, pair);
    await using guarded = await facing(script, {}, { authorization: { verificationKeys: [pair.pem] } });
    await guarded.client.post(runs("agent"), start, bearer(alice));
    const { json: account } = await guarded.client.send("/service-accounts", {
      ...{ method: "POST", headers: { ...bearer(alice), "content-type": "application/json" } },
      body: JSON.stringify({ name: "ci", scopes: [{ scope: "agents:run" }] }),
    });
    expect((await guarded.client.post(runs("agent"), start, bearer(account.token))).status).toBe(200);
    expect(guarded.far.heard.map(({ headers }) => headers.authorization)).toEqual([`Bearer ${alice}`, undefined]);
  });

  test("that sends no indices is followed, and an interrupted or invalid stream ends the run with a clear error", async () => {
    let text =
      event(undefined, { event: "RunStarted" }) +
      event(undefined, { event: "RunContent", content: "a" }) +
      done(undefined);
    await using near = await facing((_request, response) => {
      response.writeHead(200, asStream);
      response.end(text);
    });
    const whole = await near.client.stream(runs("agent"), { message: "hello" });
    expect((await whole.all()).map(({ id, data }) => [id, data.event])).toEqual([
      ["0", "RunStarted"],
      ["1", "RunContent"],
      ["2", "RunCompleted"],
    ]);
    text = event(undefined, { event: "RunStarted" });
    const broken = await near.client.post(runs("agent"), start);
    expect([broken.status, broken.json.error_code, broken.json.status]).toEqual([502, "BAD_GATEWAY", "ERROR"]);
    expect(broken.json.detail).toBe(
      'The remote agent "plain-agent" cannot be reached: its stream ended before the run did',
    );
    text = begun + event(5, { event: "RunContent" });
    expect((await near.client.post(runs("agent"), start)).json.detail).toBe("Events of the other server are missing.");
    text = begun + event(1, { event: "RunPaused", tools: [] });
    expect((await near.client.post(runs("agent"), start)).json.detail).toMatch(
      /waits for a person on the other server/,
    );
    text = "event: x\ndata: no json\n\n";
    expect((await near.client.post(runs("agent"), start)).json.detail).toMatch(/it sent an event that is no JSON/);
    // A name becomes a line of a local frame: with more lines in it, the remote server could forge local events.
    text = begun + event(1, { event: "RunContent\ndata: {}\nid: 1\n\nevent: RunCompleted" });
    expect((await near.client.post(runs("agent"), start)).json.detail).toMatch(/whose name is no word/);
  });

  test("receives a cancel before its first event, if its response named the run", async () => {
    await using near = await facing(({ url }, response) => {
      const isCancel = url.includes("/cancel");
      response.writeHead(200, isCancel ? {} : { ...asStream, "x-run-id": "far" });
      if (isCancel) response.end("{}");
      else response.write(": nothing yet\n\n");
    });
    const stream = await near.client.stream(runs("agent"), { message: "hello", session_id: "early" });
    await near.client.post(`${runs("agent")}/${stream.runId}/cancel`);
    expect((await stream.all()).map(({ event }) => event)).toEqual(["RunCancelled"]);
    await eventually(() => {
      expect(near.far.heard.at(-1)?.url).toBe("/agents/plain-agent/runs/far/cancel?session_id=early");
    });
  });

  test("that rejects background runs receives a plain start with the same idempotency key", async () => {
    await using near = await facing(({ body }, response) => {
      if (body.includes("background=true")) {
        response.writeHead(400, { "content-type": "application/json" });
        response.end(JSON.stringify({ detail: "Background execution is not supported for remote agents" }));
        return;
      }
      response.writeHead(200, asStream);
      response.end(begun + done(1));
    });
    expect((await near.client.post(runs("agent"), { ...start, session_state: '{"a":1}' })).json.content).toBe("done");
    const forms = near.far.heard.map(({ body }) => Object.fromEntries(new URLSearchParams(body)));
    const common = { message: "hello", stream: "true", session_state: '{"a":1}' };
    expect(forms).toMatchObject([
      { ...common, background: "true" },
      { ...common, background: "false" },
    ]);
    expect(new Set(near.far.heard.map(({ headers }) => headers["idempotency-key"])).size).toBe(1);
  });
});

describe("definitions of remote components", () => {
  const url = "https://agents.example";
  test.each([
    [() => remoteAgent({ id: "a" } as never), /url must be an http or https address/],
    [() => remoteAgent({ id: "a", url: "ftp://x" }), /url must be an http or https address/],
    [() => remoteTeam({ id: "a", url: "https://me:secret@x" }), /must not hold a password/],
    [() => remoteWorkflow({ id: "a", url, credential: "token" as never }), /credential must be/],
    [() => remoteWorkflow({ id: "a", url, uri: url } as never), /did you mean "url"/],
  ])("%s throws", (define, message) => {
    expect(define).toThrow(message);
  });

  test("url may have a path", () => {
    expect(remoteAgent({ id: "a", url: `${url}/os/` }).target.url).toBe(`${url}/os`);
  });
});
