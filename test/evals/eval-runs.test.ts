/** Evals over HTTP: the recorded exchanges, the four types, scorers, isolation and input that does not fit. */
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { definePlatform, type PlatformOptions } from "../../src/define/platform.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineTool } from "../../src/define/tool.ts";
import { type Script, type ScriptedCall, scriptedModel } from "../../src/testing/index.ts";
import type { Answer, Client } from "../conformance/support/client.ts";
import { startServer } from "../conformance/support/server.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { bearer, makePair, token } from "../support/tokens.ts";

type Headers = Record<string, string>;

const weather = defineTool({
  name: "get_weather",
  description: "Weather",
  input: z.object({ city: z.string() }),
  execute: () => "sunny",
});
const transfer = defineTool({
  name: "transfer",
  description: "Moves money",
  input: z.object({}),
  confirm: true,
  execute: () => "done",
});

const isJudge = (system: string): boolean => system.startsWith("You judge the output");

/** Answers as the judge if it is asked as one, otherwise by the message. Notes the requests to the judge. */
function script(verdict: object, judged: ScriptedCall[]): Script {
  return (call) => {
    const { system, message, results } = call;
    if (isJudge(system)) judged.push(call);
    if (isJudge(system)) return JSON.stringify(verdict);
    if (message === "weather?" && results.length === 0)
      return { toolCalls: [{ name: "get_weather", input: { city: "Paris" } }] };
    if (message === "pay") return { toolCalls: [{ name: "transfer" }] };
    if (message === "fail") return { error: { message: "no model", status: 400 } };
    return "The answer is 4.";
  };
}

async function serve(database: TestDatabase, verdict: object = {}, options: Partial<PlatformOptions> = {}) {
  const judged: ScriptedCall[] = [];
  const model = scriptedModel(script(verdict, judged));
  const agent = defineAgent({ id: "agent", name: "Agent", model, tools: [weather, transfer] });
  const team = defineTeam({ id: "team", model: scriptedModel(() => "Team."), members: [agent] });
  const platform = definePlatform({ id: "test", agents: [agent], teams: [team], ...options });
  const { server, client } = await startServer(database, platform);
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  return { client, judged };
}

const send = (client: Client, method: string, path: string, body: object, headers: Headers = {}): Promise<Answer> =>
  client.send(path, {
    method,
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });

const evaluate = (client: Client, body: object, headers: Headers = {}): Promise<Answer> =>
  send(client, "POST", "/eval-runs", { agent_id: "agent", ...body }, headers);

const accuracy = { eval_type: "accuracy", input: "2+2?", expected_output: "4" };
const reliability = { eval_type: "reliability", input: "weather?", expected_tool_calls: ["get_weather"] };

eachDatabase("evals over HTTP", (openDatabase) => {
  test("the recorded exchanges have the recorded answers, and POST answers with the record that GET shows", async () => {
    const { client } = await serve(await openDatabase());
    const meta = { page: 1, limit: 20, search_time_ms: expect.any(Number) };
    expect((await client.get("/eval-runs")).json).toEqual({
      data: [],
      meta: { ...meta, total_pages: 0, total_count: 0 },
    });
    const unknown = await client.get("/eval-runs/nope");
    expect([unknown.status, unknown.json.detail]).toEqual([404, "Eval run with id 'nope' not found"]);
    const made = await evaluate(client, reliability);
    expect(made.status).toBe(200);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const record = {
      ...{ id: expect.any(String), agent_id: "agent", model_id: "scripted-model", model_provider: "Scripted" },
      ...{ team_id: null, workflow_id: null, name: null, evaluated_component_name: "Agent", eval_type: "reliability" },
      eval_data: {
        ...{ eval_status: "PASSED", failed_tool_calls: [], passed_tool_calls: ["get_weather"] },
        ...{ additional_tool_calls: [], missing_tool_calls: [], failed_argument_checks: [] },
        passed_argument_checks: [],
      },
      eval_input: {
        ...{ expected_tool_calls: ["get_weather"], allow_additional_tool_calls: false },
        ...{ expected_tool_call_arguments: null, num_iterations: 1, input: "weather?" },
      },
      ...{ created_at: time, updated_at: time, status: "COMPLETED", passed: true, progress: { done: 1, total: 1 } },
    };
    expect(made.json).toEqual(record);
    expect(Object.keys(made.json)).toEqual(Object.keys(record));
    const path = `/eval-runs/${made.json.id}`;
    expect((await client.get(path)).json).toEqual(made.json);
    const missing = await send(client, "POST", "/eval-runs", { ...accuracy, agent_id: "nope" });
    expect([missing.status, missing.json.detail]).toEqual([404, "Agent with id 'nope' not found"]);
    const nobody = await send(client, "POST", "/eval-runs", { eval_type: "accuracy", input: "x" });
    expect([nobody.status, nobody.json.detail]).toEqual([400, "One of agent_id or team_id must be provided"]);
    const bogus = await send(client, "POST", "/eval-runs", { eval_type: "bogus", input: "x" });
    expect([bogus.status, bogus.json.detail]).toEqual([
      422,
      "body.eval_type: Input should be 'accuracy', 'agent_as_judge', 'performance' or 'reliability'",
    ]);
    const types = await client.get("/eval-runs?eval_types=accuracy%2Cbogus");
    expect([types.status, types.json.detail]).toEqual([
      422,
      "Invalid eval_type: 'bogus' is not a valid EvalType. Valid types: accuracy, agent_as_judge, performance, reliability",
    ]);
    const listed = await client.get("/eval-runs?sort_by=name&sort_order=asc&limit=1&agent_id=agent");
    expect(listed.json).toEqual({
      data: [made.json],
      meta: { ...meta, limit: 1, total_pages: 1, total_count: 1 },
    });
    const renamed = await send(client, "PATCH", path, { name: "new name" });
    expect([renamed.status, renamed.json.name]).toEqual([200, "new name"]);
    const other = await send(client, "PATCH", "/eval-runs/nope", { name: "x" });
    expect([other.status, other.json.detail]).toEqual([404, "Eval run with id 'nope' not found"]);
    expect((await send(client, "PATCH", path, {})).json.detail).toBe("body.name: Field required");
    expect((await send(client, "DELETE", "/eval-runs", { eval_run_ids: [] })).status).toBe(422);
    const removed = await send(client, "DELETE", "/eval-runs", { eval_run_ids: [made.json.id, "nope"] });
    expect(removed.status).toBe(204);
    expect((await client.get(path)).status).toBe(404);
  });

  test("accuracy is judged by the component's model, which gets the texts as data", async () => {
    const { client, judged } = await serve(await openDatabase(), { reason: "Right.", score: 9 });
    const guidelines = "Ignore the style.";
    const { json } = await evaluate(client, { ...accuracy, num_iterations: 2, additional_guidelines: guidelines });
    const row = { input: "2+2?", output: "The answer is 4.", expected_output: "4", score: 9, reason: "Right." };
    expect(json.eval_data).toEqual({
      results: [
        { ...row, run_id: expect.any(String), session_id: expect.any(String) },
        { ...row, run_id: expect.any(String), session_id: expect.any(String) },
      ],
      ...{ avg_score: 9, mean_score: 9, min_score: 9, max_score: 9, std_dev_score: 0 },
    });
    expect([json.status, json.passed, json.progress]).toEqual(["COMPLETED", true, { done: 2, total: 2 }]);
    expect(json.eval_input).toMatchObject({
      expected_output: "4",
      num_iterations: 2,
      additional_guidelines: guidelines,
    });
    const [asked] = judged;
    expect(asked?.system).toContain(guidelines);
    expect(asked?.message).toContain('"expected_output":"4"');
    // The runs are runs like all others, in sessions of their own.
    const [one, two] = json.eval_data.results;
    const run = (await client.get(`/agents/agent/runs/${one.run_id}?session_id=${one.session_id}`)).json;
    expect([run.status, run.metadata]).toMatchObject(["COMPLETED", { eval_id: json.id }]);
    expect([one.run_id, one.session_id]).not.toEqual([two.run_id, two.session_id]);
    expect((await client.get("/sessions")).json.meta.total_count).toBe(2);
  });

  test("a judge decides or scores by criteria, and the threshold decides what passes", async () => {
    const database = await openDatabase();
    const asked = { eval_type: "agent_as_judge", input: "2+2?", criteria: "Polite." };
    const { client } = await serve(database, { reason: "Rude.", passed: false });
    const binary = (await evaluate(client, asked)).json;
    expect(binary.eval_data).toMatchObject({
      pass_rate: 0,
      avg_score: null,
      results: [{ passed: false, score: null }],
    });
    expect(binary.passed).toBe(false);
    const { client: other } = await serve(await openDatabase(), { reason: "Good.", score: 7 });
    const passed = (await evaluate(other, { ...asked, scoring_strategy: "numeric" })).json;
    expect(passed.eval_data).toMatchObject({ pass_rate: 100, avg_score: 7, std_dev_score: 0 });
    expect(passed.passed).toBe(true);
    const failed = (await evaluate(other, { ...asked, scoring_strategy: "numeric", threshold: 8 })).json;
    expect([failed.eval_data.pass_rate, failed.passed]).toEqual([0, false]);
  });

  test("a judge whose answers do not match leaves the iteration without a score, and the eval does not pass", async () => {
    const { client } = await serve(await openDatabase(), { verdict: "fine" });
    const { json } = await evaluate(client, accuracy);
    const error = "The judge's answers do not match their schema.";
    expect(json.eval_data).toMatchObject({ results: [], avg_score: null, errors: [{ iteration: 0, error }] });
    expect([json.status, json.passed]).toEqual(["COMPLETED", false]);
  });

  test("scorers take the place of a judge: the score is ten times their mean", async () => {
    const scorers = { short: ({ output }: { output: string }) => (output.length < 100 ? 0.5 : 0) };
    const { client, judged } = await serve(await openDatabase(), {}, { scorers });
    const { json } = await evaluate(client, { ...accuracy, scorers: ["contains", "short"] });
    expect(json.eval_data).toMatchObject({ avg_score: 7.5, results: [{ score: 7.5 }] });
    expect(json.eval_data.results[0].scores).toEqual([
      { name: "contains", score: 1, reason: null },
      { name: "short", score: 0.5, reason: null },
    ]);
    expect(json.passed).toBe(true);
    expect(judged).toEqual([]);
    const unknown = await evaluate(client, { ...accuracy, scorers: ["contain"] });
    expect([unknown.status, unknown.json.detail]).toEqual([
      422,
      'There is no scorer "contain". Did you mean "contains"?',
    ]);
  });

  test("performance shows seconds and MiB in both recorded forms, without the warm-ups", async () => {
    const { client } = await serve(await openDatabase());
    const { json } = await evaluate(client, {
      ...{ eval_type: "performance", input: "2+2?", num_iterations: 3, warmup_runs: 2 },
    });
    const data = json.eval_data;
    expect(json.progress).toEqual({ done: 5, total: 5 });
    expect(json.passed).toBeNull();
    expect(data.run_times).toHaveLength(3);
    expect(data.memory_usages).toHaveLength(3);
    expect(data.runs.map(({ runtime }: { runtime: number }) => runtime)).toEqual(data.run_times);
    for (const value of [...data.run_times, ...data.memory_usages]) expect(value).toBeGreaterThanOrEqual(0);
    expect(data.max_run_time).toBe(Math.max(...data.run_times));
    expect(data.result.median_run_time).toBe(data.run_times.toSorted((a: number, b: number) => a - b)[1]);
    expect(data.result.p95_memory_usage).toBe(data.p95_memory_usage);
    expect(json.eval_input).toEqual({ num_iterations: 3, warmup_runs: 2, input: "2+2?" });
  });

  test("reliability compares the tool calls and their arguments; calls that wait for an answer count", async () => {
    const { client } = await serve(await openDatabase());
    const dataOf = async (body: object) => (await evaluate(client, { ...reliability, ...body })).json.eval_data;
    const wrong = await dataOf({ expected_tool_call_arguments: { get_weather: { city: "Rome" } } });
    expect(wrong).toMatchObject({ eval_status: "FAILED", failed_argument_checks: ["get_weather"] });
    const right = await dataOf({ expected_tool_call_arguments: { get_weather: [{ city: "Paris" }] } });
    expect(right).toMatchObject({ eval_status: "PASSED", passed_argument_checks: ["get_weather"] });
    const absent = await dataOf({ expected_tool_calls: ["search"] });
    expect(absent).toMatchObject({
      ...{ eval_status: "FAILED", failed_tool_calls: ["search", "get_weather"], passed_tool_calls: [] },
      ...{ additional_tool_calls: ["get_weather"], missing_tool_calls: ["search"] },
    });
    const allowed = await dataOf({ expected_tool_calls: [], allow_additional_tool_calls: true });
    expect(allowed).toMatchObject({ eval_status: "PASSED", additional_tool_calls: ["get_weather"] });
    const waiting = await dataOf({ input: "pay", expected_tool_calls: ["transfer"] });
    expect(waiting).toMatchObject({ eval_status: "PASSED", passed_tool_calls: ["transfer"] });
    await expect
      .poll(async () => (await client.get("/agents/agent/runs?status=PAUSED")).json, { timeout: 30_000 })
      .toEqual([]);
  });

  test("an iteration whose run fails or pauses has its error, and the eval does not pass", async () => {
    const { client } = await serve(await openDatabase(), { reason: "", score: 10 });
    const failed = (await evaluate(client, { ...accuracy, input: "fail" })).json;
    expect(failed.eval_data.errors).toMatchObject([{ iteration: 0, error: expect.stringContaining("no model") }]);
    expect([failed.status, failed.passed]).toEqual(["COMPLETED", false]);
    const paused = (await evaluate(client, { ...accuracy, input: "pay" })).json;
    expect(paused.eval_data.errors[0].error).toContain("paused");
  });

  test("a team is evaluated by its own model", async () => {
    const { client } = await serve(await openDatabase());
    const body = { ...accuracy, agent_id: undefined, team_id: "team", scorers: [{ name: "contains", text: "team" }] };
    const { json } = await evaluate(client, body);
    expect([json.team_id, json.agent_id, json.passed]).toEqual(["team", null, true]);
    const both = await evaluate(client, { ...body, agent_id: "agent" });
    expect([both.status, both.json.detail]).toEqual([400, "Only one of agent_id or team_id must be provided"]);
  });

  test("background answers 202 at once, and the record shows the progress and the result", async () => {
    const { client } = await serve(await openDatabase());
    const begun = await evaluate(client, { ...reliability, num_iterations: 5, background: true });
    expect([begun.status, begun.json.eval_data, begun.json.passed]).toEqual([202, {}, null]);
    const stored = async () => (await client.get(`/eval-runs/${begun.json.id}`)).json;
    await expect.poll(async () => (await stored()).status, { timeout: 30_000 }).toBe("COMPLETED");
    expect(await stored()).toMatchObject({ passed: true, progress: { done: 5, total: 5 } });
  });

  test.each([
    [{ eval_type: "accuracy", input: "x" }, "expected_output is required for accuracy evaluation"],
    [{ eval_type: "agent_as_judge", input: "x" }, "criteria is required for agent-as-judge evaluation"],
    [{ eval_type: "reliability", input: "x" }, "expected_tool_calls is required for reliability evaluations"],
  ])("%j gets 400", async (body, detail) => {
    const { client } = await serve(await openDatabase());
    const rejected = await evaluate(client, body);
    expect([rejected.status, rejected.json.detail]).toEqual([400, detail]);
  });

  test("the judge is a model of the platform only", async () => {
    const { client } = await serve(await openDatabase(), { reason: "", score: 8 });
    const named = (await evaluate(client, { ...accuracy, model_id: "scripted-model", model_provider: "Scripted" }))
      .json;
    expect([named.model_id, named.eval_data.avg_score]).toEqual(["scripted-model", 8]);
    const unknown = await evaluate(client, { ...accuracy, model_id: "gpt-9", model_provider: "OpenAI" });
    expect(unknown.status).toBe(422);
    expect(unknown.json.detail).toContain('No component of the platform has the model "OpenAI:gpt-9".');
  });

  test("listings filter, sort and lead to the next page by a link", async () => {
    const { client } = await serve(await openDatabase());
    for (const name of ["b", "c", "a"]) await evaluate(client, { ...reliability, name });
    const namesOf = async (query: string) => {
      const { json, headers } = await client.get(`/eval-runs?${query}`);
      return { names: json.data.map((one: { name: string }) => one.name), next: headers.link, meta: json.meta };
    };
    expect((await namesOf("")).names).toEqual(["a", "c", "b"]);
    expect((await namesOf("sort_order=asc")).names).toEqual(["b", "c", "a"]);
    expect((await namesOf("sort_by=name&sort_order=asc")).names).toEqual(["a", "b", "c"]);
    expect((await namesOf("sort_by=updated_at")).names).toEqual(["a", "c", "b"]);
    expect((await namesOf("page=2&limit=2")).names).toEqual(["b"]);
    for (const none of ["agent_id=other", "team_id=agent", "workflow_id=agent", "type=team", "eval_types=accuracy"])
      expect((await namesOf(none)).names).toEqual([]);
    expect((await namesOf("type=agent&eval_types=reliability,accuracy&model_id=scripted-model")).names).toHaveLength(3);
    const first = await namesOf("limit=2");
    expect([first.names, first.meta.total_count]).toEqual([["a", "c"], 3]);
    const path = /^<([^>]+)>; rel="next"$/.exec(String(first.next))?.[1];
    await evaluate(client, { ...reliability, name: "d" });
    const second = await client.get(String(path));
    expect(second.json.data.map((one: { name: string }) => one.name)).toEqual(["b"]);
    expect((await client.get("/eval-runs?cursor=%00")).status).toBe(422);
  });

  test("a schedule repeats an eval", async () => {
    const { client } = await serve(await openDatabase());
    const payload = { ...reliability, agent_id: "agent", background: true };
    const plan = { name: "nightly", cron_expr: "@yearly", endpoint: "/eval-runs", payload };
    const { id } = (await send(client, "POST", "/schedules", plan)).json;
    const fired = await client.send(`/schedules/${id}/trigger`, { method: "POST" });
    expect(fired.json.status).toBe("success");
    const evals = async () => (await client.get("/eval-runs")).json.data;
    await expect.poll(async () => (await evals())[0]?.passed, { timeout: 30_000 }).toBe(true);
    expect(await evals()).toHaveLength(1);
  });

  test("with user isolation, a caller sees and deletes its own evals only, and needs the permission to run the agent", async () => {
    const pair = makePair();
    const all = ["evals:read", "evals:write", "evals:delete", "agents:run"];
    const as = (sub: string, scopes = all): Headers => bearer(token({ sub, scopes }, pair));
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    const { client } = await serve(await openDatabase(), {}, { authorization });
    const mine = await evaluate(client, reliability, as("alice"));
    expect([mine.status, mine.json.passed]).toEqual([200, true]);
    const path = `/eval-runs/${mine.json.id}`;
    expect((await client.get(path, as("bob"))).status).toBe(404);
    expect((await client.get("/eval-runs", as("bob"))).json.meta.total_count).toBe(0);
    expect((await send(client, "PATCH", path, { name: "x" }, as("bob"))).status).toBe(404);
    const removal = { eval_run_ids: [mine.json.id] };
    expect((await send(client, "DELETE", "/eval-runs", removal, as("bob"))).status).toBe(204);
    expect((await client.get(path, as("alice"))).json.name).toBeNull();
    expect((await client.get(path, as("root", ["agent_os:admin"]))).status).toBe(200);
    const unable = await evaluate(client, reliability, as("alice", ["evals:write"]));
    expect(unable.status).toBe(403);
  });

  test("the usage of a judge counts to the user's limits, and a reached limit is the error of the iteration", async () => {
    const pair = makePair();
    const as = bearer(token({ sub: "alice", scopes: ["evals:write", "agents:run"] }, pair));
    const authorization = { verificationKeys: [pair.pem] };
    const limits = { user: { perDay: { modelRequests: 3 } } };
    const { client } = await serve(await openDatabase(), { reason: "", score: 8 }, { authorization, limits });
    const first = (await evaluate(client, accuracy, as)).json;
    expect(first.passed).toBe(true);
    const second = (await evaluate(client, accuracy, as)).json;
    expect(second.passed).toBe(false);
    expect(second.eval_data.errors[0].error).toContain("limit");
  });
});
