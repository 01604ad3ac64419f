/** Runs that pause at a limit, and raises of limits. */
import { expect, onTestFinished, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import type { PlatformOptions } from "../../src/define/platform.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";
import type { Limits } from "../../src/model/usage/limits.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";

import { note, prices, turns, usage } from "./support/limited-agent.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped bodies
type Run = any;

eachDatabase("a run that pauses at a limit", (openDatabase) => {
  async function open(hosted: Omit<PlatformOptions, "id">) {
    const { app, client, end } = await openServer(await openDatabase(), { prices, ...hosted });
    onTestFinished(() => end(0));
    const start = async (path: string): Promise<Run> =>
      (await client.post(`${path}/runs`, { message: "go", stream: "false", session_id: "s" })).body;
    const pending = async (): Promise<Run[]> => (await client.get("/approvals?status=pending")).body.data;
    const resolve = async (status: string, data?: object): Promise<Run> => {
      const [approval] = await pending();
      const answer = await app.inject({
        method: "POST",
        url: `/approvals/${approval.id}/resolve`,
        payload: { status, ...(data && { resolution_data: data }) },
      });
      return { http: answer.statusCode, ...answer.json() };
    };
    const go = async (path: string, { run_id }: Run, fields: Record<string, string> = {}): Promise<Run> => {
      const given = { session_id: "s", stream: "false", ...fields };
      const { status, body } = await client.post(`${path}/runs/${run_id}/continue`, given);
      return { http: status, ...body };
    };
    return { client, start, go, pending, resolve };
  }

  const agentOf = (count: number, limits: Limits) => {
    const model = scriptedModel(turns(count));
    return { model, agent: defineAgent({ id: "agent", model, tools: [note], limits }) };
  };

  test("shows the limit and who may raise it, and continues after a raise", async () => {
    const { agent, model } = agentOf(4, { cost: 0.004, onLimit: "pause" });
    const { start, go, pending, resolve } = await open({ agents: [agent] });
    const run = await start("/agents/agent");
    expect([run.status, model.calls.length]).toEqual(["PAUSED", 2]);
    const [{ tool_execution: call }] = run.requirements;
    expect(call).toMatchObject({ tool_name: "raise_limit", requires_confirmation: true, approval_type: "required" });
    expect(call.tool_args).toMatchObject({
      limit: { scope: "agent", id: "agent", period: "run", metric: "cost", used: 0.004, allowed: 0.004 },
      ...{ exceeded_by: 0, required_scope: "approvals:write" },
    });
    const [approval] = await pending();
    expect([approval.tool_name, approval.approval_type, approval.tool_args]).toEqual([
      ...["raise_limit", "required", call.tool_args],
    ]);
    expect((await resolve("approved", { values: { raise: 0.01 } })).http).toBe(200);
    const done = await go("/agents/agent", run);
    expect([done.status, done.metrics.cost, model.calls.length]).toEqual(["COMPLETED", 0.008, 4]);
  });

  test("pauses again after an approval without a raise", async () => {
    const { agent, model } = agentOf(4, { modelRequests: 1, onLimit: "pause" });
    const { start, go, pending, resolve } = await open({ agents: [agent] });
    const run = await start("/agents/agent");
    await resolve("approved");
    // A caller cannot add a raise to an approval that is resolved.
    const tools = JSON.stringify([
      { tool_call_id: run.tools[0].tool_call_id, confirmed: true, values: { raise: 100 }, user_input: { raise: 100 } },
    ]);
    const again = await go("/agents/agent", run, { tools });
    expect([again.status, model.calls.length, (await pending()).length]).toEqual(["PAUSED", 1, 1]);
    await resolve("approved", { values: { raise: 1 } });
    const more = await go("/agents/agent", again);
    expect([more.status, model.calls.length]).toEqual(["PAUSED", 2]);
    expect(more.tools.at(-1).tool_args.limit).toMatchObject({ used: 2, allowed: 2 });
  });

  test("ends with an error after a rejection", async () => {
    const { agent, model } = agentOf(4, { modelRequests: 1, onLimit: "pause" });
    const { start, go, resolve } = await open({ agents: [agent] });
    const run = await start("/agents/agent");
    await resolve("rejected");
    const ended = await go("/agents/agent", run);
    expect([ended.status, ended.error_type, model.calls.length]).toEqual(["ERROR", "limit_exceeded", 1]);
  });

  test.each([100, "much"])(
    "a rejection with the raise %j ends the run with an error, and raises nothing",
    async (raise) => {
      const { agent, model } = agentOf(4, { modelRequests: 1, onLimit: "pause" });
      const { start, go, resolve } = await open({ agents: [agent] });
      const run = await start("/agents/agent");
      expect((await resolve("rejected", { values: { raise } })).http).toBe(200);
      const ended = await go("/agents/agent", run);
      expect([ended.status, ended.error_type, model.calls.length]).toEqual(["ERROR", "limit_exceeded", 1]);
    },
  );

  test("rejects a raise that is no amount, and the approval stays pending", async () => {
    const { agent } = agentOf(4, { modelRequests: 1, onLimit: "pause" });
    const { start, pending, resolve } = await open({ agents: [agent] });
    await start("/agents/agent");
    for (const raise of [-1, 0, "much", null])
      expect(await resolve("approved", { values: { raise } })).toMatchObject({ http: 400 });
    expect((await pending()).length).toBe(1);
  });

  test("a team and a workflow pause at a limit that a member reaches, and continue after a raise", async () => {
    const worker = () => defineAgent({ id: "worker", model: scriptedModel(turns(3)), tools: [note] });
    const ask = { name: "delegate_task_to_member", input: { member_id: "worker", task: "t" } };
    const leader = scriptedModel([
      { text: "ask", toolCalls: [ask], usage },
      { text: "done", usage },
    ]);
    const limits: Limits = { modelRequests: 2, onLimit: "pause" };
    const team = defineTeam({ id: "team", model: leader, members: [worker()], limits });
    const workflow = defineWorkflow({ id: "flow", steps: [worker()], limits });
    const { start, go, resolve } = await open({ teams: [team], workflows: [workflow] });
    for (const path of ["/teams/team", "/workflows/flow"]) {
      const run = await start(path);
      expect([path, run.status]).toEqual([path, "PAUSED"]);
      expect((await resolve("approved", { values: { raise: 5 } })).http).toBe(200);
      const done = await go(path, run);
      expect([path, done.status]).toEqual([path, "COMPLETED"]);
    }
  });

  test("a run that reaches a limit per day pauses, and its raise applies to this run only", async () => {
    const { agent, model } = agentOf(3, {});
    const limits: PlatformOptions["limits"] = { perDay: { modelRequests: 2 }, onLimit: "pause" };
    const { client, start, go, resolve } = await open({ agents: [agent], limits });
    const run = await start("/agents/agent");
    expect(run.status).toBe("PAUSED");
    await resolve("approved", { values: { raise: 1 } });
    const done = await go("/agents/agent", run);
    expect([done.status, model.calls.length]).toEqual(["COMPLETED", 3]);
    const { status } = await client.post("/agents/agent/runs", { message: "go", stream: "false" });
    expect(status).toBe(429);
  });
});
