/** Sessions: list, create, rename, change, delete, and their runs. */
import { expect, test } from "vitest";
import type { Client } from "./support/client.ts";
import { eachServer } from "./support/server.ts";

const json = (client: Client, method: string, path: string, body?: unknown) =>
  client.send(path, {
    method,
    ...(body === undefined ? {} : { headers: { "content-type": "application/json" }, body: JSON.stringify(body) }),
  });

const run = (client: Client, path: string, session: string, message = "hello", user = "u1") =>
  client.post(`${path}/runs`, { message, stream: false, session_id: session, user_id: user });

const agent = "/agents/plain-agent";
const team = "/teams/duo-team";

eachServer("sessions", (client) => {
  const ids = async (query: string): Promise<string[]> => {
    const answer = await client().get(`/sessions?${query}`);
    expect([answer.status, answer.text.slice(0, 300)]).toEqual([200, expect.any(String)]);
    return answer.json.data.map(({ session_id }: { session_id: string }) => session_id);
  };

  test("are listed newest first, filtered by type, component, user and name, in counted pages", async () => {
    await run(client(), agent, "l-1", "Tell me more");
    await run(client(), agent, "l-2", "other", "u2");
    await run(client(), team, "l-3", "of a team");
    const { json: page } = await client().get("/sessions?limit=2");
    expect(page.data.map(({ session_id }: { session_id: string }) => session_id)).toEqual(["l-3", "l-2"]);
    expect(page.meta).toEqual({
      page: 1,
      limit: 2,
      total_pages: 2,
      total_count: 3,
      search_time_ms: expect.any(Number),
    });
    expect(await ids("limit=2&page=2")).toEqual(["l-1"]);
    expect(await ids("limit=2&page=0")).toEqual(["l-3", "l-2"]);
    expect(await ids("limit=2&page=99")).toEqual([]);
    expect(await ids("sort_order=asc")).toEqual(["l-1", "l-2", "l-3"]);
    expect(await ids("sort_by=updated_at")).toEqual(["l-3", "l-2", "l-1"]);
    expect(await ids("sort_by=nonsense")).toEqual(["l-3", "l-2", "l-1"]);
    expect(await ids("type=team")).toEqual(["l-3"]);
    expect(await ids("type=workflow")).toEqual([]);
    expect(await ids("component_id=plain-agent")).toEqual(["l-2", "l-1"]);
    expect(await ids("user_id=u2")).toEqual(["l-2"]);
    expect(await ids("session_name=tell+ME")).toEqual(["l-1"]);
    expect(await ids("session_name=%25")).toEqual([]);
    expect(page.data[1]).toEqual({
      ...{ session_id: "l-2", session_name: "other", session_type: "agent", user_id: "u2", agent_id: "plain-agent" },
      ...{ session_state: {}, metrics: expect.objectContaining({ total_tokens: expect.any(Number) }) },
      ...{ total_tokens: expect.any(Number), created_at: expect.any(String), updated_at: expect.any(String) },
    });
  });

  test("return 422 for an invalid query, 404 for an unknown database, 400 for a table without a database", async () => {
    for (const query of ["type=bogus", "limit=0", "page=-1", "page=x", "sort_order=zzz", "limit=one"])
      expect([query, (await client().get(`/sessions?${query}`)).status]).toEqual([query, 422]);
    const unknown = await client().get("/sessions?db_id=nope");
    expect([unknown.status, unknown.json.detail]).toEqual([404, "No database found with id 'nope'"]);
    const table = await client().get("/sessions?table=sessions");
    expect([table.status, table.json.detail]).toEqual([
      400,
      "The db_id query parameter is required when passing a table",
    ]);
    expect((await client().get("/sessions?db_id=main&table=sessions")).status).toBe(200);
    expect((await client().get("/sessions?limit=9007199254740991&page=9007199254740991")).status).toBe(200);
    // The server cuts a limit beyond the maximum, and the response has the applied one.
    const many = await client().get("/sessions?limit=100000&page=1");
    expect([many.status, many.json.meta.limit]).toEqual([200, 1_000]);
    const { json: description } = await client().get("/openapi.json");
    const parameters: { name: string; description: string }[] = description.paths["/sessions"].get.parameters;
    expect(parameters.find(({ name }) => name === "limit")?.description).toContain("at most 1000");
  });

  test("are shown in the shape of their kind, with chat history and metrics, without the system prompt", async () => {
    await run(client(), agent, "d-1");
    await run(client(), agent, "d-1", "again");
    const { status, json: detail } = await client().get("/sessions/d-1?type=agent");
    expect(status).toBe(200);
    expect(detail).toMatchObject({
      ...{ agent_session_id: "d-1", session_id: "d-1", session_name: "hello", agent_id: "plain-agent", user_id: "u1" },
      agent_data: { name: "Plain Agent", agent_id: "plain-agent", model: { id: "fake-model", provider: "OpenAI" } },
    });
    const model = detail.metrics.details.model[0];
    expect([model.id, model.total_tokens, detail.total_tokens]).toEqual([
      "fake-model",
      detail.metrics.total_tokens,
      detail.metrics.total_tokens,
    ]);
    expect(detail.chat_history.map(({ role, content }: Record<string, string>) => [role, content])).toEqual([
      ["user", "hello"],
      ["assistant", "Hello there, you said: hello"],
      ["user", "again"],
      ["assistant", "Hello there, you said: again"],
    ]);
    expect(JSON.stringify(detail)).not.toContain("secret instructions");
    const rolesOf = (session: { chat_history: { role: string }[] }) => session.chat_history.map(({ role }) => role);
    // As recorded: the history has the model's tool call and omits the tool's result.
    await run(client(), "/agents/tool-agent", "d-3", "weather?");
    expect(rolesOf((await client().get("/sessions/d-3")).json)).toEqual(["user", "assistant", "assistant"]);
    await run(client(), team, "d-2", "delegate please");
    const ofTeam = await client().get("/sessions/d-2");
    expect(ofTeam.json).toMatchObject({ session_id: "d-2", team_id: "duo-team", team_data: { team_id: "duo-team" } });
    expect(ofTeam.json.agent_session_id).toBeUndefined();
    expect(rolesOf(ofTeam.json)).toEqual(["user", "assistant", "assistant"]);
    // The members' tokens count, too.
    const { json: record } = await client().get("/teams/duo-team/runs?session_id=d-2");
    expect(ofTeam.json.total_tokens).toBeGreaterThan(record[0].metrics.total_tokens);
  });

  test("return 404 for an unknown id, another type and another user", async () => {
    await run(client(), agent, "n-1");
    for (const [path, detail] of [
      ["/sessions/nope", "Session with id 'nope' not found"],
      ["/sessions/nope?type=agent", "Agent Session with id 'nope' not found"],
      ["/sessions/n-1?type=team", "Team Session with id 'n-1' not found"],
      ["/sessions/n-1?user_id=u2", "Session with id 'n-1' not found"],
      ["/sessions/nope/runs", "Session with ID nope not found"],
      ["/sessions/nope/runs/r", "Session with ID nope not found"],
      ["/sessions/n-1/runs/r", "Run with ID r not found in session n-1"],
    ]) {
      const answer = await client().get(path!);
      expect([path, answer.status, answer.json]).toEqual([path, 404, { detail, error_code: "NOT_FOUND" }]);
    }
    for (const [method, path] of [
      ["PATCH", "/sessions/nope"],
      ["POST", "/sessions/nope/rename"],
    ]) {
      const answer = await json(client(), method!, path!, { session_name: "x" });
      expect([answer.status, answer.json.detail]).toEqual([404, "Session with id 'nope' not found"]);
    }
  });

  test("are created with and without content, once per id, and a run continues in them", async () => {
    const body = { session_id: "m-1", agent_id: "plain-agent", session_name: "made", user_id: "u9" };
    const made = await json(client(), "POST", "/sessions", { ...body, session_state: { a: 1 }, metadata: { k: "v" } });
    expect(made.status).toBe(201);
    expect(made.json).toMatchObject({
      ...{ agent_session_id: "m-1", session_name: "made", user_id: "u9", agent_id: "plain-agent" },
      ...{ session_state: { a: 1 }, metadata: { k: "v" }, metrics: {}, chat_history: [] },
    });
    const twice = await json(client(), "POST", "/sessions", { session_id: "m-1" });
    expect([twice.status, twice.json.detail]).toEqual([
      409,
      "Session with id 'm-1' already exists. Use PATCH /sessions/m-1 to update it.",
    ]);
    expect((await run(client(), agent, "m-1")).json).toMatchObject({ session_state: { a: 1 } });
    expect((await client().get("/sessions/m-1")).json.session_name).toBe("made");
    for (const sent of [undefined, {}]) {
      const empty = await json(client(), "POST", "/sessions?type=team", sent);
      expect([empty.status, empty.json.session_name, empty.json.chat_history]).toEqual([201, "", []]);
    }
    for (const bad of [
      { session_id: "a\u0000b" },
      { session_name: 5 },
      { session_state: [] },
      { session_name: "\u0000" },
    ])
      expect((await json(client(), "POST", "/sessions", bad)).status).toBe(422);
  });

  test("are renamed, and changed in part", async () => {
    await run(client(), agent, "c-1");
    const renamed = await json(client(), "POST", "/sessions/c-1/rename?type=agent", { session_name: "My name" });
    expect([renamed.status, renamed.json.session_name]).toEqual([200, "My name"]);
    // A change returns null members, a read omits them.
    const { json: read } = await client().get("/sessions/c-1");
    expect(renamed.json).toEqual({ ...read, session_summary: null, metadata: null });
    for (const name of ["session_summary", "metadata"]) expect(read).not.toHaveProperty(name);
    expect(await ids("session_name=my+name")).toEqual(["c-1"]);
    const changes = { session_state: { b: 2 }, metadata: { z: 1 }, summary: { summary: "s" } };
    const patched = await json(client(), "PATCH", "/sessions/c-1", changes);
    const shown = {
      session_name: "My name",
      session_state: { b: 2 },
      metadata: { z: 1 },
      session_summary: { summary: "s" },
    };
    expect([patched.status, patched.json]).toEqual([200, expect.objectContaining(shown)]);
    expect((await json(client(), "PATCH", "/sessions/c-1", {})).json).toMatchObject(shown);
    expect((await json(client(), "POST", "/sessions/c-1/rename", { session_name: "" })).json.session_name).toBe("");
    expect((await json(client(), "POST", "/sessions/c-1/rename", {})).status).toBe(422);
    for (const [kind, more] of [
      ["agent", { agent_session_id: "c-agent", agent_data: null, total_tokens: null, session_summary: null }],
      ["team", { team_data: null, total_tokens: null, session_summary: null }],
      ["workflow", { workflow_name: null, workflow_data: null }],
    ] as const) {
      const id = `c-${kind}`;
      const { json: made } = await json(client(), "POST", `/sessions?type=${kind}`, { session_id: id });
      const { json: same } = await json(client(), "PATCH", `/sessions/${id}`, {});
      expect(same).toEqual({ ...made, ...more, user_id: null, [`${kind}_id`]: null, metadata: null });
      expect(Object.values(made)).not.toContain(null);
    }
    expect((await json(client(), "PATCH", "/sessions/c-1", { session_state: "x" })).status).toBe(422);
  });

  test("are deleted with their runs, one or several, and unknown ones and other users' sessions are ignored", async () => {
    for (const id of ["x-1", "x-2", "x-3"]) await run(client(), agent, id);
    expect((await client().send("/sessions/x-1?user_id=someoneelse", { method: "DELETE" })).status).toBe(204);
    expect((await client().get("/sessions/x-1")).status).toBe(200);
    const gone = await client().send("/sessions/x-1", { method: "DELETE" });
    expect([gone.status, gone.text]).toEqual([204, ""]);
    expect((await client().get("/sessions/x-1")).status).toBe(404);
    expect((await client().get(`${agent}/runs?session_id=x-1`)).status).toBe(404);
    expect((await client().send("/sessions/x-1", { method: "DELETE" })).status).toBe(204);
    const both = { session_ids: ["x-2", "x-3", "nope"], session_types: ["agent", "team", "agent"] };
    expect((await json(client(), "DELETE", "/sessions", both)).status).toBe(204);
    expect((await client().get("/sessions/x-2")).status).toBe(404);
    expect((await client().get("/sessions/x-3")).status).toBe(200);
    for (const bad of [
      undefined,
      {},
      { session_ids: [], session_types: [] },
      { session_ids: ["a"], session_types: ["b"] },
    ])
      expect((await json(client(), "DELETE", "/sessions", bad)).status).toBe(422);
    const unknown = (length: number) => ({
      session_ids: Array.from({ length }, (_, place) => `unknown-${place}`),
      session_types: Array(length).fill("agent"),
    });
    expect((await json(client(), "DELETE", "/sessions", unknown(1_000))).status).toBe(204);
    for (const length of [1_001, 20_000]) {
      const tooMany = await json(client(), "DELETE", "/sessions", unknown(length));
      expect([tooMany.status, tooMany.json.detail]).toEqual([
        422,
        `body.session_ids: List should have at most 1000 items after validation, not ${length}`,
      ]);
    }
    const uneven = await json(client(), "DELETE", "/sessions", { session_ids: ["a", "b"], session_types: ["agent"] });
    expect([uneven.status, uneven.json.detail]).toEqual([
      400,
      "Session IDs and session types must have the same length",
    ]);
  });

  test("with a run in progress are deleted after the run is cancelled", async () => {
    const stream = await client().stream(`${agent}/runs`, { message: "endless", session_id: "busy" });
    await stream.untilEvents(4);
    expect((await client().send("/sessions/busy", { method: "DELETE" })).status).toBe(204);
    await stream.all();
    expect((await client().get("/sessions/busy")).status).toBe(404);
  });

  test("list a run in progress if the status filter includes it, and return 404 if no run has ended", async () => {
    const path = "/sessions/fresh/runs";
    const noRuns = [404, { detail: "Session with ID fresh has no runs", error_code: "NOT_FOUND" }];
    const read = async (query = "") => {
      const { status, json: body } = await client().get(`${path}${query}`);
      return [status, Array.isArray(body) ? body.map((one) => [one.run_input, one.status]) : body];
    };
    await json(client(), "POST", "/sessions", { session_id: "fresh" });
    expect(await read()).toEqual(noRuns);
    const stream = await client().stream(`${agent}/runs`, { message: "endless", session_id: "fresh" });
    await stream.untilEvents(4);
    expect(await read()).toEqual(noRuns);
    expect(await read("?type=agent&created_after=1")).toEqual(noRuns);
    expect(await read("?status=RUNNING")).toEqual([200, [["endless", "RUNNING"]]]);
    expect(await read("?status=PENDING&status=COMPLETED")).toEqual([200, []]);
    expect((await read("?status=running"))[0]).toBe(422);
    await run(client(), agent, "fresh", "hello");
    expect(await read()).toEqual([200, [["hello", "COMPLETED"]]]);
    expect(await read("?status=RUNNING&status=COMPLETED")).toEqual([
      200,
      [
        ["endless", "RUNNING"],
        ["hello", "COMPLETED"],
      ],
    ]);
    expect((await client().get(`/sessions/fresh/runs/${stream.runId}`)).json.status).toBe("RUNNING");
    await client().post(`${agent}/runs/${stream.runId}/cancel`);
    await stream.all();
    expect(await read()).toEqual([
      200,
      [
        ["endless", "CANCELLED"],
        ["hello", "COMPLETED"],
      ],
    ]);
    expect(await read("?status=REGENERATED")).toEqual([200, []]);
  });

  test("list their runs oldest first with members' runs, by page and time", async () => {
    await run(client(), team, "r-1", "delegate please");
    await run(client(), team, "r-1", "second");
    const { json: runs } = await client().get("/sessions/r-1/runs");
    expect(runs.map((one: Record<string, string>) => [one.team_id ?? one.agent_id, one.run_input])).toEqual([
      ["duo-team", "delegate please"],
      ["agent-a", "delegate please"],
      ["duo-team", "second"],
    ]);
    expect(runs[1].parent_run_id).toBe(runs[0].run_id);
    const page = await client().get("/sessions/r-1/runs?limit=1");
    expect(page.json).toHaveLength(2);
    const next = /^<(.+)>; rel="next"$/.exec(String(page.headers.link))?.[1];
    const rest = await client().get(next!);
    expect([rest.json, rest.headers.link]).toEqual([[runs[2]], undefined]);
    expect((await client().get("/sessions/r-1/runs?created_after=9999999999")).json).toEqual([]);
    expect((await client().get("/sessions/r-1/runs?created_before=9999999999")).json).toHaveLength(3);
    const one = await client().get(`/sessions/r-1/runs/${runs[1].run_id}`);
    expect(one.status).toBe(200);
    // A single run has null members, the list omits them; parent_run_id and user_id are always present.
    const nulls = ["tools", "events", "citations", "response_audio", "followups", "last_checkpoint_at_message_index"];
    const origin = ["forked_from_run_id", "forked_from_message_index", "forked_from_session_id", "regenerated_from"];
    const nothing = Object.fromEntries([...nulls, ...origin].map((name) => [name, null]));
    expect(one.json).toEqual({ ...runs[1], ...nothing });
    for (const name of Object.keys(nothing)) expect(runs[1]).not.toHaveProperty(name);
    expect([runs[0].parent_run_id, runs[2].parent_run_id]).toEqual([null, null]);
    expect((await client().get(`/sessions/r-1/runs/${runs[0].run_id}`)).json.parent_run_id).toBeNull();
    await client().post(`${agent}/runs`, { message: "hello", stream: false, session_id: "r-2" });
    const [nobodys] = (await client().get("/sessions/r-2/runs")).json;
    expect([nobodys.parent_run_id, nobodys.user_id]).toEqual([null, null]);
  });
});
