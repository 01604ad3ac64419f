/** Tasks over the platform's own A2A endpoints: send, get, cancel, continue, and resume of a stream. */
import { describe, expect, onTestFinished, test } from "vitest";
import { definePlatform } from "../../src/index.ts";
import { system } from "../../src/model/principal.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { openServer } from "../support/open-server.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { answerIn, framesOf, openStream, postJson, request, results } from "./support/a2a.ts";
import { type Answer, Client } from "./support/client.ts";
import { conformancePlatform } from "./support/platform.ts";
import { eachServer, startServer } from "./support/server.ts";

const team = "/a2a/teams/duo-team/v1";
const task = (id: unknown, contextId?: unknown, more = {}): object => ({
  ...{ jsonrpc: "2.0", id: "g1", method: "tasks/get" },
  params: { id, contextId, ...more },
});

/** Removes the null members that tasks:get has and a stream's task does not. */
function withoutNulls({ artifacts, metadata, history, status, ...rest }: Answer["json"]): object {
  expect([metadata, status.message, status.timestamp]).toEqual([null, null, null]);
  const bare = history.map(({ extensions: _, referenceTaskIds: __, metadata: said, ...message }: Answer["json"]) => ({
    ...message,
    ...(said ? { metadata: said } : {}),
  }));
  return { ...rest, status: { state: status.state }, history: bare, ...(artifacts ? { artifacts } : {}) };
}

eachServer("A2A tasks", (client) => {
  test("message:send returns the completed task; with blocking: false it returns 202 and tasks:get returns the result later", async () => {
    for (const family of ["agents/plain-agent", "teams/duo-team", "workflows/simple-flow"]) {
      const path = `/a2a/${family}/v1/message:send`;
      const { status, json } = await postJson(client(), path, request("hello", { contextId: "s" }, {}, { id: 3 }));
      const history = json.result?.history;
      expect([status, json]).toEqual([
        200,
        {
          ...{ id: 3, jsonrpc: "2.0" },
          result: {
            ...{ kind: "task", id: expect.any(String), contextId: "s", status: { state: "completed" } },
            history: [
              expect.objectContaining({ kind: "message", role: "agent", taskId: json.result.id, contextId: "s" }),
            ],
          },
        },
      ]);
      expect(history[0].parts).toEqual([
        { kind: "text", text: expect.stringContaining("Hello there, you said: hello") },
      ]);
    }
    const later = { configuration: { blocking: false } };
    const accepted = await postJson(client(), `${team}/message:send`, request("slow solo", {}, later));
    expect([accepted.status, accepted.json.result.status, accepted.json.result.history[0].parts]).toEqual([
      ...[202, { state: "submitted" }, []],
    ]);
    const { id, contextId } = accepted.json.result;
    const working = await postJson(client(), `${team}/tasks:get`, task(id, contextId));
    expect(["submitted", "working"]).toContain(working.json.result.status.state);
    await eventually(async () => {
      const { json } = await postJson(client(), `${team}/tasks:get`, task(id, contextId));
      expect(json.result.status.state).toBe("completed");
    });
  });

  test("message:send returns 200 with a failed task whose metadata has only an error type and an error id", async () => {
    for (const [family, text, error_type] of [
      ["agents/plain-agent", "explode", "model_provider_error"],
      ["teams/duo-team", "explode", "model_provider_error"],
      ["workflows/bad-flow", "x", "step_failed"],
    ]) {
      const { status, json } = await postJson(client(), `/a2a/${family}/v1/message:send`, request(text ?? ""));
      expect([status, json.result.status.state]).toEqual([200, "failed"]);
      const { id, contextId, history } = json.result;
      const [, error_id] = /^The task failed\. \(error ([0-9a-f-]{36})\)$/.exec(history[0].parts[0].text) ?? [];
      expect(history[0].metadata).toEqual({ error_type, error_id });
      if (family !== "teams/duo-team") continue;
      const got = await postJson(client(), `${team}/tasks:get`, task(id, contextId));
      expect(got.json.result.history[0].metadata).toEqual({ error_type, error_id });
    }
  });

  test("tasks:get and tasks:cancel send null for empty members, 400 for a missing parameter, and 404 for an unknown task", async () => {
    const sent = (await postJson(client(), `${team}/message:send`, request("hello"))).json.result;
    const got = await postJson(client(), `${team}/tasks:get`, task(sent.id, sent.contextId));
    expect([got.status, got.json.id]).toEqual([200, "g1"]);
    const metadata = { metrics: expect.objectContaining({ total_tokens: expect.any(Number) }) };
    expect(got.json.result).toEqual({
      ...{ kind: "task", id: sent.id, contextId: sent.contextId, artifacts: null, metadata: null },
      status: { state: "completed", message: null, timestamp: null },
      history: [{ ...sent.history[0], extensions: null, referenceTaskIds: null, metadata }],
    });
    // As recorded, message:send returns the sender's user id if the request names a user.
    expect(sent.history[0]).not.toHaveProperty("metadata");
    const headers = { "x-user-id": "alice" };
    const hers = (await postJson(client(), `${team}/message:send`, request("hello"), headers)).json.result;
    expect(hers.history[0].metadata).toEqual({ userId: "alice" });
    expect(
      (await postJson(client(), `${team}/tasks:get`, task(sent.id, sent.contextId, { historyLength: 0 }))).json.result
        .history,
    ).toEqual([]);
    const refused: [string, object, number, string][] = [
      ["get", task(undefined, "c"), 400, "Task ID (params.id) is required"],
      ["cancel", task(undefined), 400, "Task ID (params.id) is required"],
      ["get", task(sent.id), 400, "contextId is required to poll a task"],
      ["get", task("nope", sent.contextId), 404, "Task not found"],
      ["get", task(sent.id, "another"), 404, "Task not found"],
      ["cancel", task("nope"), 404, "Task not found"],
    ];
    for (const [action, body, status, detail] of refused) {
      const answer = await postJson(client(), `${team}/tasks:${action}`, body);
      expect([action, answer.status, answer.json.detail]).toEqual([action, status, detail]);
    }
    expect((await postJson(client(), `${team}/tasks:get`, task(1))).json.detail[0].loc).toEqual([
      "body",
      "params",
      "id",
    ]);
    // Tasks of another component and runs of members count as unknown.
    expect(
      (await postJson(client(), "/a2a/agents/plain-agent/v1/tasks:get", task(sent.id, sent.contextId))).status,
    ).toBe(404);
    const all = results(await framesOf(client(), `${team}/message:stream`, request("delegate hello")));
    const { member_run_id } = all.find(({ metadata }) => metadata?.member_run_id).metadata;
    expect((await postJson(client(), `${team}/tasks:cancel`, task(member_run_id))).status).toBe(404);
    expect((await postJson(client(), "/a2a/workflows/simple-flow/v1/tasks:get", task("x", "y"))).status).toBe(404);
  });

  test("tasks:get returns the same task as the last frame of its stream", async () => {
    for (const text of ["hello", "delegate hello", "explode", "delegate email"]) {
      for (const component of ["teams/hitl-team", "agents/hitl-agent"]) {
        const base = `/a2a/${component}/v1`;
        const last = (await framesOf(client(), `${base}/message:stream`, request(text))).at(-1)?.data.result;
        const got = (await postJson(client(), `${base}/tasks:get`, task(last.id, last.contextId))).json.result;
        expect(withoutNulls(got)).toEqual(last);
      }
    }
    const stream = await openStream(client(), `${team}/message:stream`, request("endless solo"));
    await stream.untilEvents(1);
    await postJson(client(), `${team}/tasks:cancel`, task(stream.runId));
    const last = (await stream.all()).at(-1)?.data.result;
    const got = (await postJson(client(), `${team}/tasks:get`, task(last.id, last.contextId))).json.result;
    expect(withoutNulls(got)).toEqual(last);
  });

  test("[A40] tasks:cancel returns a canceled task and ends its stream; a completed task stays completed", async () => {
    const stream = await openStream(client(), `${team}/message:stream`, request("endless solo"));
    await stream.until((frames) => frames.some(({ event }) => event === "Message"));
    const cancelled = await postJson(client(), `${team}/tasks:cancel`, task(stream.runId));
    expect([cancelled.status, cancelled.json.result.status.state]).toEqual([200, "canceled"]);
    const [update, last] = results(await stream.all()).slice(-2);
    expect([update.status, update.final, last.status]).toEqual(["canceled", true, { state: "canceled" }]);
    const sent = (await postJson(client(), `${team}/message:send`, request("hello"))).json.result;
    const late = await postJson(client(), `${team}/tasks:cancel`, task(sent.id));
    expect([late.status, late.json.result.status.state]).toEqual([200, "completed"]);
  });

  test("[A21] a task that needs input ends its stream as input-required, and a message with the answer continues it", async () => {
    const paused = async (path: string, text: string) => {
      const all = results(await framesOf(client(), path, request(text, { contextId: `pause-${text}` })));
      const [update, last] = all.slice(-2);
      expect([update.final, last.status.state]).toEqual([true, "input-required"]);
      const [told, asked] = last.history[0].parts;
      expect([told.kind, asked.kind]).toEqual(["text", "data"]);
      return { id: last.id as string, text: told.text as string, asked: asked.data };
    };
    const agent = "/a2a/agents/hitl-agent/v1/message:stream";
    const yes = await paused(agent, "email");
    expect(yes.text).toBe("I have tools to execute, but I need confirmation.");
    const goesOn = await framesOf(client(), agent, request("Yes!", { taskId: yes.id, contextId: "pause-email" }));
    expect(goesOn[0]?.data.result).toMatchObject({ taskId: yes.id, status: { state: "working" } });
    expect(answerIn(goesOn)).toBe("Tool said: sent to a@example.com");
    expect(goesOn.at(-1)?.data.result).toMatchObject({ id: yes.id, status: { state: "completed" } });

    const no = await paused(agent, "email please");
    const [tool] = no.asked.tools;
    const rejected = { tools: [{ ...tool, confirmed: false, confirmation_note: "not now" }] };
    const answer = request("", { taskId: no.id, parts: [{ kind: "data", data: rejected }] });
    const sent = await postJson(client(), "/a2a/agents/hitl-agent/v1/message:send", answer);
    expect(sent.json.result.history[0].parts[0].text).toContain("not now");

    const name = await paused(agent, "name");
    expect(answerIn(await framesOf(client(), agent, request("Ada", { taskId: name.id })))).toBe("Tool said: hello Ada");
    const browser = await paused(agent, "browser");
    expect(answerIn(await framesOf(client(), agent, request("2", { taskId: browser.id })))).toBe("Tool said: 2");

    const hitlTeam = "/a2a/teams/hitl-team/v1/message:stream";
    const inTeam = await paused(hitlTeam, "delegate email");
    const [requirement] = inTeam.asked.requirements;
    const data = { requirements: [{ ...requirement, confirmation: true }] };
    const answered = await framesOf(
      client(),
      hitlTeam,
      request("", { taskId: inTeam.id, parts: [{ kind: "data", data }] }),
    );
    expect(answered.at(-1)?.data.result).toMatchObject({ id: inTeam.id, status: { state: "completed" } });
    expect([...new Set(results(answered).map((result) => result.taskId ?? result.id))]).toEqual([inTeam.id]);

    for (const flow of ["hitl-flow", "executor-flow"]) {
      const path = `/a2a/workflows/${flow}/v1/message:stream`;
      const step = await paused(path, "email");
      const { status } = await postJson(client(), path, request("maybe", { taskId: step.id }));
      expect(status).toBe(400);
      const ended = await framesOf(client(), path, request("yes", { taskId: step.id }));
      expect(ended.at(-1)?.data.result).toMatchObject({ id: step.id, status: { state: "completed" } });
    }
  });

  test("[A21] a message to a task returns 404 for an unknown task, 409 for a completed one, and steers a running one", async () => {
    const path = `${team}/message:stream`;
    const to = (taskId: string, more = {}) => postJson(client(), path, request("x", { taskId, ...more }));
    const missing = await to("nope");
    expect([missing.status, missing.json]).toEqual([404, { detail: "Task not found", error_code: "NOT_FOUND" }]);
    const done = (await postJson(client(), `${team}/message:send`, request("hello"))).json.result;
    expect((await to(done.id)).status).toBe(409);
    expect((await to(done.id, { contextId: "another" })).status).toBe(404);
    const stream = await openStream(client(), path, request("slow solo"));
    await stream.untilEvents(1);
    const steered = await openStream(client(), path, request("x", { taskId: stream.runId }));
    await steered.untilEvents(1);
    expect(steered.runId).toBe(stream.runId);
    await postJson(client(), `${team}/tasks:cancel`, task(stream.runId));
  });

  test("message:stream with Last-Event-ID returns the missed frames byte for byte and ignores its message", async () => {
    const path = `${team}/message:stream`;
    const first = await openStream(client(), path, request("delegate slow", { contextId: "cut" }));
    const [some = []] = [await first.untilEvents(8)];
    first.cut();
    const again = request("delegate slow", { contextId: "cut", taskId: first.runId });
    const headers = { "last-event-id": String(some.at(-1)?.id) };
    const rest = await framesOf(client(), path, again, headers);
    const whole = await framesOf(client(), path, again, { "last-event-id": "-1" });
    const raw = (frames: typeof rest) => frames.filter(({ id }) => id !== undefined).map((frame) => frame.raw);
    expect([...some.map((frame) => frame.raw), ...raw(rest)]).toEqual(raw(whole));
    const ids = whole.map(({ id }) => id?.split(".").map(Number) ?? []);
    expect(ids).toEqual(ids.toSorted(([a = 0, b = 0], [c = 0, d = 0]) => a - c || b - d));
    expect(new Set(raw(whole)).size).toBe(whole.length);
    // Cursors between two frames of one event, after the last frame, and beyond the end.
    const last = String(whole.at(-1)?.id);
    const between = last.replace(/1$/, "0");
    expect(raw(await framesOf(client(), path, again, { "last-event-id": between }))).toEqual(raw(whole).slice(-1));
    expect(await framesOf(client(), path, again, { "last-event-id": last })).toEqual([]);
    expect(await framesOf(client(), path, again, { "last-event-id": "999999" })).toEqual([]);
    const runs = (await client().get("/teams/duo-team/runs?session_id=cut")).json;
    expect(runs.map((run: { run_id: string }) => run.run_id)).toEqual([first.runId]);
  });

  test("Last-Event-ID returns 422 if malformed, 400 without a taskId, 404 for an unknown task, 403 with a reserved user id", async () => {
    const path = `${team}/message:stream`;
    const bad = await postJson(client(), path, request("x", { taskId: "t" }), { "last-event-id": "abc" });
    expect([bad.status, bad.json.detail[0].loc]).toEqual([422, ["header", "last-event-id"]]);
    const none = await postJson(client(), path, request("x"), { "last-event-id": "3.0" });
    expect([none.status, none.json.detail]).toEqual([400, expect.stringContaining("params.message.taskId")]);
    expect((await postJson(client(), path, request("x", { taskId: "t" }), { "last-event-id": "3" })).status).toBe(404);
    const reserved = { "last-event-id": "3", "x-user-id": "sa:x" };
    expect((await postJson(client(), path, request("x", { taskId: "t" }), reserved)).status).toBe(403);
  });

  test("messages with one Idempotency-Key create one task, and each repetition returns or resumes its stream", async () => {
    const path = `${team}/message:stream`;
    const key = { "idempotency-key": crypto.randomUUID() };
    const once = await framesOf(client(), path, request("hello"), key);
    const twice = await openStream(client(), path, request("hello"), key);
    expect(twice.headers["idempotency-replayed"]).toBe("true");
    expect((await twice.all()).map(({ raw }) => raw)).toEqual(once.map(({ raw }) => raw));
    const rest = await framesOf(client(), path, request("hello"), { ...key, "last-event-id": String(once[2]?.id) });
    expect(rest.map(({ raw }) => raw)).toEqual(once.slice(3).map(({ raw }) => raw));
    const other = await postJson(client(), path, request("other"), key);
    expect([other.status, Object.keys(other.json)]).toEqual([422, ["detail"]]);
    expect(other.json.detail).toMatchObject([{ loc: ["header", "idempotency-key"], msg: expect.any(String) }]);

    // The same holds for a message that answers a paused task.
    const agent = "/a2a/agents/hitl-agent/v1/message:stream";
    const taskId = (await framesOf(client(), agent, request("email"))).at(-1)?.data.result.id;
    const answerKey = { "idempotency-key": crypto.randomUUID() };
    const answered = await framesOf(client(), agent, request("yes", { taskId }), answerKey);
    const repeated = await openStream(client(), agent, request("yes", { taskId }), answerKey);
    expect(repeated.headers["idempotency-replayed"]).toBe("true");
    expect((await repeated.all()).map(({ raw }) => raw)).toEqual(answered.map(({ raw }) => raw));
    expect((await postJson(client(), agent, request("no", { taskId }), answerKey)).status).toBe(422);
  });

  test("the deprecated routes read the component's id from the message or from X-Agent-ID", async () => {
    for (const id of ["plain-agent", "duo-team", "simple-flow"]) {
      const { status, json } = await postJson(client(), "/a2a/message/send", request("hello", { agentId: id }));
      expect([status, json.result.status.state]).toEqual([200, "completed"]);
      const frames = await framesOf(client(), "/a2a/message/stream", request("hello"), { "x-agent-id": id });
      expect(frames.at(-1)?.data.result.status.state).toBe("completed");
    }
    const none = await postJson(client(), "/a2a/message/stream", request("hello"));
    const text = "Entity ID required. Provide 'agentId' in params.message or 'X-Agent-ID' header.";
    expect([none.status, none.json.detail]).toEqual([400, text]);
    const unknown = await postJson(client(), "/a2a/message/send", request("hello", { agentId: "nope" }));
    expect([unknown.status, unknown.json.detail]).toEqual([404, "Agent, Team, or Workflow with ID 'nope' not found"]);
  });
});

const pair = makePair();
const as = (sub: string, ...scopes: string[]) => bearer(token({ sub, scopes }, pair));

eachDatabase("A2A with authorization", (openDatabase) => {
  const serve = async (database: TestDatabase): Promise<Client> => {
    const { agents, teams, workflows } = conformancePlatform();
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    const platform = definePlatform({ id: "test-os", agents, teams, workflows, authorization });
    const { server, client } = await startServer(database, platform);
    onTestFinished(() => server.close({ shutdownTimeout: 0 }));
    return client;
  };

  test("[A3] [A8] [A41] [A42] the token determines the caller: 401 without one, 403 without the scope, 404 for another user's task", async () => {
    const client = await serve(await openDatabase());
    const path = `${team}/message:stream`;
    expect((await postJson(client, path, request("x"))).json).toMatchObject({ error_code: "UNAUTHENTICATED" });
    expect((await postJson(client, path, request("x"), bearer("nonsense"))).status).toBe(401);
    const detail = "Insufficient permissions. Required scope(s): teams:run";
    const refused = await postJson(client, path, request("x"), as("alice", "teams:read", "agents:run"));
    expect([refused.status, refused.json]).toEqual([403, { detail }]);
    const claims = { "x-user-id": "mallory", ...as("alice", "teams:run", "teams:read") };
    const body = request("hello", { metadata: { userId: "sa:x" }, contextId: "c" });
    const all = results(await framesOf(client, path, body, claims));
    const { taskId } = all[0];
    const run = await client.get(`/teams/duo-team/runs/${taskId}?session_id=c`, as("alice", "teams:read"));
    expect(run.json.user_id).toBe("alice");

    const bob = as("bob", "teams:run", "teams:read", "agents:run");
    const others = [
      await postJson(client, `${team}/tasks:get`, task(taskId, "c"), bob),
      await postJson(client, `${team}/tasks:cancel`, task(taskId, "c"), bob),
      await postJson(client, path, request("x", { taskId }), bob),
      await postJson(client, path, request("x", { taskId }), { ...bob, "last-event-id": "-1" }),
    ];
    expect(others.map(({ status, json }) => [status, json.detail])).toEqual(others.map(() => [404, "Task not found"]));
    const read = await postJson(client, `${team}/tasks:get`, task(taskId, "c"), as("alice", "teams:read"));
    expect([read.status, read.json.result.id]).toEqual([200, taskId]);
    const cancel = await postJson(client, `${team}/tasks:cancel`, task(taskId, "c"), as("alice", "teams:read"));
    expect(cancel.status).toBe(403);

    // The deprecated route needs its own scope and the scope of the named component.
    const named = request("hello", { agentId: "duo-team" });
    const family = await postJson(client, "/a2a/message/send", named, as("alice", "agents:run"));
    expect([family.status, family.json]).toEqual([403, { detail: "Insufficient permissions to run this team" }]);
    expect((await postJson(client, "/a2a/message/send", named, as("alice", "teams:run"))).status).toBe(403);
    expect(
      (await postJson(client, "/a2a/message/send", named, as("alice", "agents:run", "teams:duo-team:run"))).status,
    ).toBe(200);
  });

  test("a task that waits for an approval is auth-required, and continues after an admin approves it", async () => {
    const { agents } = conformancePlatform();
    const platform = definePlatform({ id: "test-os", agents, authorization: { verificationKeys: [pair.pem] } });
    const { server, client } = await startServer(await openDatabase(), platform);
    onTestFinished(() => server.close({ shutdownTimeout: 0 }));
    const path = "/a2a/agents/hitl-agent/v1/message:stream";
    const alice = as("alice", "agents:run");
    const asked = (await framesOf(client, path, request("money"), alice)).at(-1)?.data.result;
    expect(asked.status.state).toBe("auth-required");
    const answer = request("yes", { taskId: asked.id });
    const refused = await postJson(client, path, answer, alice);
    const detail = "This run requires admin approval before it can be continued";
    expect([refused.status, refused.json]).toEqual([403, { detail }]);
    const [{ approval_id }] = asked.history[0].parts[1].data.tools;
    const resolved = await postJson(
      client,
      `/approvals/${approval_id}/resolve`,
      { status: "approved" },
      as("root", "approvals:write"),
    );
    expect(resolved.status).toBe(200);
    expect(answerIn(await framesOf(client, path, answer, alice))).toBe("Tool said: wired 5");
  });
});

describe("an A2A stream", () => {
  eachDatabase("on each database", (openDatabase) => {
    test.concurrent("[V9] sends heartbeats, and a disconnected client resumes after its last event", async ({
      expect,
      onTestFinished,
    }) => {
      const { server, client } = await startServer(
        await openDatabase(),
        conformancePlatform({ heartbeatInterval: 100 }),
      );
      onTestFinished(() => server.close({ shutdownTimeout: 0 }));
      const path = `${team}/message:stream`;
      const stream = await openStream(client, path, request("silent solo", { contextId: "left" }));
      const frames = await stream.until((some) => some.some(({ comment }) => comment === "heartbeat"));
      expect(frames.find(({ comment }) => comment !== undefined)?.raw).toBe(": heartbeat\n\n");
      stream.cut();
      const headers = { "last-event-id": String(stream.events.at(-1)?.id) };
      const rest = await framesOf(client, path, request("x", { taskId: stream.runId }), headers);
      expect(answerIn(rest)).toBe("at last");
    });

    test.concurrent("ends with a cursor when the server shuts down, and resumes from it on another server", async ({
      expect,
      onTestFinished,
    }) => {
      const database = await openDatabase();
      const one = await startServer(database);
      const path = `${team}/message:stream`;
      const stream = await openStream(one.client, path, request("slow solo"));
      await stream.untilEvents(5);
      const closing = one.server.close({ shutdownTimeout: 0 });
      const frames = await stream.all();
      await closing;
      const [, cursor] = /^: interrupted, resume with Last-Event-ID: (\d+)\n\n$/.exec(frames.at(-1)?.raw ?? "") ?? [];
      expect(cursor).toBe(stream.events.at(-1)?.id?.split(".")[0]);
      const other = await startServer(database);
      onTestFinished(() => other.server.close({ shutdownTimeout: 0 }));
      const rest = await framesOf(other.client, path, request("x", { taskId: stream.runId }), {
        "last-event-id": String(cursor),
      });
      expect(rest.at(-1)?.data.result).toMatchObject({ id: stream.runId, status: { state: "completed" } });
      const whole = await framesOf(other.client, path, request("x", { taskId: stream.runId }), {
        "last-event-id": "-1",
      });
      const raw = (some: typeof rest): string[] => some.map((frame) => frame.raw);
      expect([...raw(stream.events), ...raw(rest)]).toEqual(raw(whole));
    });

    test.concurrent("[L4] sends a gap for events that are no longer kept, and ends when its task is deleted", async ({
      expect,
    }) => {
      const { agents } = conformancePlatform();
      const settings = { compactionInterval: 3_600_000 };
      const database = await openDatabase();
      const path = "/a2a/agents/plain-agent/v1/message:stream";
      const first = await startServer(database, conformancePlatform(settings));
      const stream = await openStream(first.client, path, request("hello"));
      const all = await stream.all();
      await first.server.close({ shutdownTimeout: 0 });
      await using server = await openServer(database, { agents, settings });
      const { port } = server.app.server.address() as { port: number };
      const client = new Client(`http://127.0.0.1:${port}`);
      const run = await server.store.locateRun(system, stream.runId);
      await server.store.compact(run?.key ?? 0, 1);
      await server.store.expireEvents(run?.key ?? 0, 5);
      const again = request("x", { taskId: stream.runId });
      const [gap, ...rest] = await framesOf(client, path, again, { "last-event-id": "2.0" });
      expect([gap?.id, gap?.data.result.metadata]).toEqual([
        undefined,
        { agno_event_type: "gap", requested_index: 3, first_available_index: 5 },
      ]);
      const kept = all.filter(({ id = "" }) => Number.parseInt(id, 10) >= 5).map(({ raw }) => raw);
      expect(rest.map(({ raw }) => raw)).toEqual(kept);
      const later = await framesOf(client, path, again, { "last-event-id": "4.0" });
      expect(later.map(({ raw }) => raw)).toEqual(kept);
      expect(await framesOf(client, path, again, { "last-event-id": "999999999999999.9" })).toEqual([]);

      const endless = await openStream(client, path, request("endless", { contextId: "gone" }));
      await endless.untilEvents(3);
      expect((await client.send("/sessions/gone", { method: "DELETE" })).status).toBe(204);
      const frames = await endless.all();
      // The cancelled run's last event may arrive before the error frame.
      expect(
        frames.some(
          ({ event, data }) =>
            event === "error" || data?.result?.status === "canceled" || data?.result?.status?.state === "canceled",
        ),
      ).toBe(true);
    });
  });
});
