/** Costs of runs, and limits on what runs use. */
import { expect, onTestFinished, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import type { PlatformOptions } from "../../src/define/platform.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineTool } from "../../src/define/tool.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";
import { type ScriptedTurn, scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";

import { prices, usage } from "./support/limited-agent.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped bodies
type Run = any;

const noted: string[] = [];
const note = defineTool({
  name: "note",
  description: "Notes",
  input: z.object({}),
  execute: () => void noted.push("note"),
});

/** Calls the tool in every turn before the last. */
const turns = (count: number): readonly ScriptedTurn[] =>
  Array.from({ length: count }, (_, place) =>
    place < count - 1 ? { text: `turn ${place}`, toolCalls: [{ name: "note" }], usage } : { text: "done", usage },
  );

eachDatabase("costs and limits", (openDatabase) => {
  async function open(hosted: Omit<PlatformOptions, "id">) {
    noted.length = 0;
    const { client, end, store } = await openServer(await openDatabase(), { prices, ...hosted });
    onTestFinished(() => end(0));
    const start = async (path: string, fields: object = {}): Promise<Run> =>
      (await client.post(`${path}/runs`, { message: "go", stream: "false", session_id: "s", ...fields })).body;
    const stream = async (path: string, fields: Record<string, string> = {}): Promise<Run[]> => {
      const events = await client.stream(`${path}/runs`, { message: "go", ...fields });
      await events.closed;
      return events.events.map(({ data }) => data);
    };
    return { client, start, stream, store };
  }

  test("every request, run, member and session has a cost, which is exact", async () => {
    const member = defineAgent({
      id: "member",
      model: scriptedModel([{ text: "yes", usage: { input: 1, output: 0 } }]),
    });
    const delegate = { name: "delegate_task_to_member", input: { member_id: "member", task: "t" } };
    const team = defineTeam({
      id: "team",
      model: scriptedModel([
        { text: "ask", toolCalls: [delegate], usage },
        { text: "done", usage },
      ]),
      members: [member],
    });
    const { client, stream } = await open({ teams: [team] });
    const events = await stream("/teams/team", { session_id: "s" });
    const requests = events.filter(({ event }) => /ModelRequestCompleted$/.test(event)).map(({ cost }) => cost);
    expect(requests).toEqual([0.002, 0.000_01, 0.002]);
    const last = events.at(-1);
    expect([last.event, last.metrics.cost, last.metrics.details.model[0].cost]).toEqual([
      "TeamRunCompleted",
      0.004,
      0.004,
    ]);
    expect(last.member_responses[0].metrics.cost).toBe(0.000_01);
    const { body: record } = await client.get(`/teams/team/runs/${last.run_id}?session_id=s`);
    expect(record.metrics.cost).toBe(0.004);
    expect(record.messages.at(-1).metrics.cost).toBe(0.002);
    const { body: session } = await client.get("/sessions/s?type=team");
    expect(session.metrics.cost).toBe(0.004_01);
  });

  test("a run with a cost limit ends before its next model request, and its terminal event names the limit", async () => {
    const model = scriptedModel(turns(9));
    const agent = defineAgent({ id: "agent", model, tools: [note], limits: { cost: 0.005 } });
    const { client, stream } = await open({ agents: [agent] });
    const events = await stream("/agents/agent", { session_id: "s" });
    // The third request exceeds the limit, so its tool call is not made.
    expect([model.calls.length, noted.length]).toEqual([3, 2]);
    const limit = {
      ...{ scope: "agent", id: "agent", period: "run", metric: "cost" },
      ...{ used: 0.006, allowed: 0.005, reset_at: null },
    };
    expect(events.at(-1)).toMatchObject({
      ...{ event: "RunError", error_type: "limit_exceeded", error_code: "LIMIT_EXCEEDED", limit },
      content: 'The limit of the agent "agent" is 0.005 US dollars in one run, and 0.006 are used.',
    });
    const { body } = await client.get(`/agents/agent/runs/${events.at(-1).run_id}?session_id=s`);
    expect(body).toMatchObject({ status: "ERROR", error_type: "limit_exceeded", limit, metrics: { cost: 0.006 } });
  });

  test("a request that waits for a run beyond its limit gets 500 with the limit", async () => {
    const agent = defineAgent({ id: "agent", model: scriptedModel(turns(3)), tools: [note], limits: { tokens: 100 } });
    const { client } = await open({ agents: [agent] });
    const { status, body } = await client.post("/agents/agent/runs", { message: "go", stream: "false" });
    expect([status, body.error_code, body.error_type, body.limit.metric]).toEqual([
      ...[500, "RUN_FAILED", "limit_exceeded", "tokens"],
    ]);
  });

  test.each([
    ["modelRequests", 2, { requests: 2, notes: 2 }],
    ["toolCalls", 2, { requests: 3, notes: 2 }],
    ["tokens", 220, { requests: 2, notes: 1 }],
  ] as const)("a platform's limit on %s applies to every run", async (metric, amount, { requests, notes }) => {
    const model = scriptedModel(turns(9));
    const agent = defineAgent({ id: "agent", model, tools: [note] });
    const { start } = await open({ agents: [agent], limits: { [metric]: amount } });
    const { status, limit } = await start("/agents/agent");
    expect([status, limit.scope, limit.allowed, model.calls.length, noted.length]).toEqual([
      ...["ERROR", "platform", amount, requests, notes],
    ]);
  });

  test("a run with exactly the allowed number of requests and calls completes", async () => {
    const agent = defineAgent({ id: "agent", model: scriptedModel(turns(3)), tools: [note] });
    const { start } = await open({ agents: [agent], limits: { modelRequests: 3, toolCalls: 2 } });
    expect((await start("/agents/agent")).status).toBe("COMPLETED");
  });

  test.each([Number.NaN, Number.POSITIVE_INFINITY, -1_000, 1e300])(
    "a counter of tokens that is no amount, %d, counts as not reported",
    async (input) => {
      const model = scriptedModel(turns(9).map((turn) => ({ ...turn, usage: { input, output: 9.6 } })));
      const limits = { tokens: 15, perDay: { tokens: 15 } };
      const agent = defineAgent({ id: "agent", model, tools: [note], limits });
      const { start } = await open({ agents: [agent] });
      const { error_type, limit, metrics } = await start("/agents/agent");
      expect([error_type, limit?.used, model.calls.length]).toEqual(["limit_exceeded", 20, 2]);
      expect(metrics).toMatchObject({ total_tokens: 20, cost: 0.002 });
    },
  );

  test("a limit on the duration stops a run before its next model request", async () => {
    const slow = turns(9).map((turn) => ({ ...turn, wait: 60 }));
    const model = scriptedModel(slow);
    const agent = defineAgent({ id: "agent", model, tools: [note], limits: { duration: 100 } });
    const { start } = await open({ agents: [agent] });
    const { limit } = await start("/agents/agent");
    // On a slow machine the first request alone may take that long.
    expect([limit.metric, limit.used >= 100, model.calls.length <= 2]).toEqual(["duration", true, true]);
  });

  test("members count toward their team, and a member's own limit ends the member only", async () => {
    const worker = (id: string, limits = {}) =>
      defineAgent({ id, model: scriptedModel(turns(3)), tools: [note], limits });
    const ask = (member_id: string) => ({ name: "delegate_task_to_member", input: { member_id, task: "t" } });
    const leader = () =>
      scriptedModel([
        { text: "ask", toolCalls: [ask("worker")], usage },
        { text: "done", usage },
      ]);
    const whole = defineTeam({
      id: "whole",
      model: leader(),
      members: [worker("worker")],
      limits: { modelRequests: 3 },
    });
    const part = defineTeam({ id: "part", model: leader(), members: [worker("worker", { modelRequests: 2 })] });
    const { start } = await open({ teams: [whole, part] });
    const stopped = await start("/teams/whole");
    expect([stopped.status, stopped.limit.scope, stopped.limit.used]).toEqual(["ERROR", "team", 3]);
    const ended = await start("/teams/part", { session_id: "t" });
    expect([ended.status, ended.content]).toEqual(["COMPLETED", "ask\n\ndone"]);
    expect(ended.member_responses[0]).toMatchObject({
      status: "ERROR",
      error_type: "limit_exceeded",
      limit: { id: "worker" },
    });
  });

  test("the steps of a workflow count toward the workflow", async () => {
    const writer = (id: string) => defineAgent({ id, model: scriptedModel([{ text: id, usage }]) });
    const workflow = defineWorkflow({
      id: "two",
      steps: [writer("first"), writer("second")],
      limits: { cost: 0.002 },
    });
    const { start } = await open({ workflows: [workflow] });
    const { status, limit } = await start("/workflows/two");
    expect([status, limit]).toEqual(["ERROR", expect.objectContaining({ scope: "workflow", id: "two", used: 0.002 })]);
  });

  test("the usage of a session is the sum of its runs' requests, also of runs and members that a limit ends", async () => {
    const worker = defineAgent({ id: "worker", model: scriptedModel(turns(5)), tools: [note] });
    const ask = { name: "delegate_task_to_member", input: { member_id: "worker", task: "t" } };
    const model = scriptedModel([{ text: "ask", toolCalls: [ask], usage }]);
    const team = defineTeam({ id: "team", model, members: [worker], limits: { modelRequests: 3 } });
    const { client, start } = await open({ teams: [team] });
    const { status, run_id } = await start("/teams/team");
    expect(status).toBe("ERROR");
    const { body: session } = await client.get("/sessions/s?type=team");
    expect([session.metrics.total_tokens, session.metrics.cost]).toEqual([330, 0.006]);
    const { body: run } = await client.get(`/teams/team/runs/${run_id}?session_id=s`);
    expect(run.metrics.total_tokens + run.member_responses[0].metrics.total_tokens).toBe(330);
  });

  test("a run that another process takes over keeps what it has used, with its members", async () => {
    const database = await openDatabase();
    let began = (): void => undefined;
    const isCalled = new Promise<void>((resolve) => {
      began = resolve;
    });
    const hosted = (holds: boolean) => {
      const wait = defineTool({
        name: "note",
        description: "Notes",
        input: z.object({}),
        idempotent: true,
        async execute(_, { signal }) {
          if (holds) {
            began();
            await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
          }
          return "noted";
        },
      });
      // The first turn of the member asks for the tool; so does every later one.
      const model = scriptedModel(() => ({ text: "t", toolCalls: [{ name: "note" }], usage }));
      const worker = defineAgent({ id: "worker", model, tools: [wait] });
      const ask = { name: "delegate_task_to_member", input: { member_id: "worker", task: "t" } };
      const leader = scriptedModel([{ text: "ask", toolCalls: [ask], usage }]);
      const team = defineTeam({ id: "team", model: leader, members: [worker], limits: { modelRequests: 4 } });
      return { model, leader, options: { prices, teams: [team] } };
    };
    const first = hosted(true);
    const runId = await (async () => {
      await using server = await openServer(database, first.options);
      const stream = await server.client.stream("/teams/team/runs", { message: "go", session_id: "s" });
      await isCalled;
      return stream.runId;
    })();
    const second = hosted(false);
    const { client, end } = await openServer(database, second.options);
    onTestFinished(() => end(0));
    const events = await client.stream(`/teams/team/runs/${runId}/resume`, { session_id: "s" });
    await events.closed;
    const requests = [first, second].flatMap(({ model, leader }) => [leader.calls.length, model.calls.length]);
    expect(requests).toEqual([1, 1, 0, 2]);
    const last: Run = events.events.at(-1)?.data;
    expect([last.event, last.limit.used, last.limit.metric]).toEqual(["TeamRunError", 4, "model_requests"]);
    const { body: session } = await client.get("/sessions/s?type=team");
    expect([session.metrics.total_tokens, session.metrics.cost]).toEqual([440, 0.008]);
  });
});
