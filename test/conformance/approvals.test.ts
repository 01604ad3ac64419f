/** Approvals: tool calls that wait for a caller with the right to approve them. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import type { Platform } from "../../src/define/platform.ts";
import { defineAgent, definePlatform, defineTeam, defineTool, defineWorkflow, step } from "../../src/index.ts";
import type { Server } from "../../src/platform/server.ts";
import { type ScriptedCall, scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import type { Answer, Client, Fields } from "./support/client.ts";
import { eachServer, startServer } from "./support/server.ts";

const calls: Record<string, { name: string; input: Record<string, unknown> }> = {
  money: { name: "wire_money", input: { amount: 5 } },
  tip: { name: "give_tip", input: { amount: 1 } },
  sign: { name: "sign", input: { text: "hi" } },
  hand: { name: "by_hand", input: { text: "hi" } },
};

function answer({ message, results, tools }: ScriptedCall) {
  if (results.length > 0) return `Tool said: ${results.map(({ text }) => text).join(", ")}`;
  if (tools.includes("delegate_task_to_member")) {
    const [member_id, task] = message.startsWith("deep ")
      ? ["approval-team", message.slice(5)]
      : ["approval-agent", message];
    return { toolCalls: [{ name: "delegate_task_to_member", input: { member_id, task } }] };
  }
  const asked = Object.entries(calls).filter(([word]) => message.includes(word));
  return asked.length > 0 ? { toolCalls: asked.map(([, call]) => call) } : "Nothing to do.";
}

function platform(authorization?: Platform["authorization"]): Platform {
  const model = scriptedModel(answer);
  const amount = z.object({ amount: z.number() });
  const text = z.object({ text: z.string() });
  const agent = defineAgent({
    ...{ id: "approval-agent", name: "Approval Agent", model, sessionPolicy: "parallel" },
    tools: [
      defineTool({
        ...{ name: "wire_money", description: "Wire money.", input: amount, approval: "required" },
        execute: (given) => `wired ${given.amount}`,
      }),
      defineTool({
        ...{ name: "give_tip", description: "Tip.", input: amount, approval: "audit" },
        execute: (given) => `tipped ${given.amount}`,
      }),
      defineTool({
        ...{ name: "sign", description: "Sign.", input: text.extend({ name: z.string() }), approval: "required" },
        userInput: ["name"],
        execute: (given) => `${given.text}, ${given.name}`,
      }),
      defineTool({
        ...{ name: "by_hand", description: "By hand.", input: text },
        external: true,
        approval: "required",
      }),
    ],
  });
  const team = defineTeam({ id: "approval-team", model, members: [agent], sessionPolicy: "parallel" });
  const deep = defineTeam({ id: "deep-team", model, members: [team], sessionPolicy: "parallel" });
  const inner = defineWorkflow({ id: "inner-flow", steps: [step({ name: "deep", team: deep })] });
  return definePlatform({
    id: "approvals",
    agents: [agent],
    teams: [team, deep],
    workflows: [
      defineWorkflow({ id: "approval-flow", steps: [step({ name: "pay", agent })], sessionPolicy: "parallel" }),
      defineWorkflow({ id: "deep-flow", steps: [step({ name: "in", workflow: inner })], sessionPolicy: "parallel" }),
    ],
    ...(authorization && { authorization }),
  });
}

const runs = "/agents/approval-agent/runs";

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Any = any;

async function paused(client: Client, message: string, session: string, path = runs, more: Fields = {}): Promise<Any> {
  const { json } = await client.post(path, { message, stream: false, session_id: session, ...more });
  expect(json.status).toBe("PAUSED");
  return json;
}

const go = (client: Client, run: Any, fields: Fields = {}, path = runs, headers = {}): Promise<Answer> =>
  client.post(`${path}/${run.run_id}/continue`, { session_id: run.session_id, stream: false, ...fields }, headers);

function resolve(client: Client, id: string, body: unknown, headers: Record<string, string> = {}): Promise<Answer> {
  const type = { "content-type": "application/json" };
  return client.send(`/approvals/${id}/resolve`, {
    method: "POST",
    headers: { ...type, ...headers },
    body: JSON.stringify(body),
  });
}

const of = async (client: Client, query: string): Promise<Any[]> => (await client.get(`/approvals?${query}`)).json.data;

eachServer(
  "an approval",
  (client) => {
    test("is created with the pause, is listed as recorded, and lets the run continue once it is resolved", async () => {
      const run = await paused(client(), "money", "ap1", runs, { user_id: "u1" });
      const [tool] = run.tools;
      expect(tool).toMatchObject({
        requires_confirmation: true,
        approval_type: "required",
        approval_id: expect.any(String),
      });
      const id: string = tool.approval_id;
      const { json: page } = await client().get(`/approvals?run_id=${run.run_id}`);
      expect(page.meta).toMatchObject({ page: 1, limit: 100, total_pages: 1, total_count: 1 });
      expect(page.data).toEqual([
        {
          ...{ id, run_id: run.run_id, session_id: "ap1", status: "pending", source_type: "agent" },
          ...{ approval_type: "required", pause_type: "confirmation", tool_name: "wire_money" },
          ...{ tool_args: { amount: 5 }, expires_at: null, agent_id: "approval-agent", team_id: null },
          ...{ workflow_id: null, user_id: "u1", schedule_id: null, schedule_run_id: null },
          ...{ source_name: "Approval Agent", requirements: run.requirements },
          context: { tool_names: ["wire_money"], source_name: "Approval Agent" },
          ...{ resolution_data: null, resolved_by: null, resolved_at: null, run_status: "PAUSED" },
          ...{ created_at: expect.any(Number), updated_at: expect.any(Number) },
        },
      ]);
      expect((await client().get(`/approvals/${id}`)).json).toEqual(page.data[0]);
      const at = async () => (await client().get(`/approvals/${id}/status`)).json;
      const where = { approval_id: id, run_id: run.run_id };
      expect(await at()).toEqual({ ...where, status: "pending", resolved_at: null, resolved_by: null });
      const early = await go(client(), run, { tools: "" });
      expect([early.status, early.json.detail]).toEqual([
        400,
        "Run has unresolved HITL requirements. Provide the tools parameter with an answer to wire_money (or resolve an admin approval first).",
      ]);
      const said = { status: "approved", resolved_by: "admin", resolution_data: { x: 1 } };
      const resolved = await resolve(client(), id, said);
      expect([resolved.status, resolved.json]).toEqual([
        200,
        {
          ...{ ...page.data[0], ...said, run_status: "PAUSED" },
          ...{ resolved_at: expect.any(Number), updated_at: expect.any(Number) },
        },
      ]);
      expect(await at()).toMatchObject({ ...where, status: "approved", resolved_by: "admin" });
      const again = await resolve(client(), id, { status: "rejected" });
      expect([again.status, again.json.detail]).toEqual([409, "Approval is already 'approved' and cannot be resolved"]);
      const { json: done } = await go(client(), run, { tools: "" });
      expect([done.status, done.content]).toEqual(["COMPLETED", "Tool said: wired 5"]);
      expect(done.tools).toMatchObject([{ approval_type: "required", approval_id: id, confirmed: true }]);
      const { json: approval } = await client().get(`/approvals/${id}`);
      expect(approval).toMatchObject({ status: "approved", run_status: "COMPLETED" });
      expect(done.metadata).toEqual({ approval });
      const { json: read } = await client().get(`${runs}/${run.run_id}?session_id=ap1`);
      expect(read.metadata).toEqual({ approval });
      expect((await client().send(`/approvals/${id}`, { method: "DELETE" })).status).toBe(204);
      const gone = await client().send(`/approvals/${id}`, { method: "DELETE" });
      expect([gone.status, gone.json]).toEqual([404, { detail: "Approval not found", error_code: "NOT_FOUND" }]);
    });

    test("that is rejected rejects the call, even if the continue request confirms it", async () => {
      const run = await paused(client(), "money", "ap2");
      const id = run.tools[0].approval_id;
      await resolve(client(), id, { status: "rejected", resolution_data: { note: "too much" } });
      const tools = JSON.stringify([{ ...run.tools[0], confirmed: true }]);
      const { json } = await go(client(), run, { tools });
      expect(json.content).toBe("Tool said: too much");
      expect(json.tools).toMatchObject([{ approval_id: id, confirmed: false, confirmation_note: "too much" }]);
    });

    test("is resolved by a continue request of a caller who may approve, and resolved_by names that caller; an audit likewise", async () => {
      const run = await paused(client(), "money tip", "ap3");
      expect(run.tools.map((tool: Any) => tool.approval_type)).toEqual(["required", "audit"]);
      const tools = JSON.stringify([
        { ...run.tools[0], confirmed: true },
        { ...run.tools[1], confirmed: false, confirmation_note: "no tips" },
      ]);
      expect((await go(client(), run, { tools, user_id: "u3" })).json.status).toBe("COMPLETED");
      const made = await of(client(), `run_id=${run.run_id}`);
      const shown = made.map(({ tool_name, status, resolved_by, resolution_data }) => [
        ...[tool_name, status, resolved_by, resolution_data],
      ]);
      expect(shown.sort()).toEqual([
        ["give_tip", "rejected", "u3", { note: "no tips" }],
        ["wire_money", "approved", "u3", null],
      ]);
    });

    test("supplies user input through resolution_data, and an external call still needs its result", async () => {
      const run = await paused(client(), "sign hand", "ap4");
      const [sign, hand] = run.tools;
      expect(await of(client(), "pause_type=user_input")).toMatchObject([{ id: sign.approval_id }]);
      expect(await of(client(), "pause_type=external_execution")).toMatchObject([{ id: hand.approval_id }]);
      for (const values of [{ name: 5 }, {}]) {
        const unfit = await resolve(client(), sign.approval_id, { status: "approved", resolution_data: { values } });
        expect([unfit.status, unfit.json.detail]).toEqual([
          400,
          expect.stringMatching(/^Cannot resolve the approval - user input 'name' of the tool 'sign' does not fit: /),
        ]);
      }
      expect((await client().get(`/approvals/${sign.approval_id}`)).json.status).toBe("pending");
      await resolve(client(), sign.approval_id, { status: "approved", resolution_data: { values: { name: "Ada" } } });
      await resolve(client(), hand.approval_id, { status: "approved" });
      const open = await go(client(), run);
      expect([open.status, open.json.detail]).toEqual([400, expect.stringContaining("by_hand")]);
      const { json } = await go(client(), run, { tools: JSON.stringify([{ ...hand, result: "done" }]) });
      expect(json.content).toBe("Tool said: hi, Ada, done");
    });

    test("in a team's member or a workflow's step lets the whole run continue", async () => {
      const team = await paused(client(), "money", "ap5", "/teams/approval-team/runs");
      const [ofTeam] = await of(client(), "team_id=approval-team");
      expect(ofTeam).toMatchObject({
        ...{ run_id: team.run_id, source_type: "agent", agent_id: "approval-agent", team_id: "approval-team" },
      });
      await resolve(client(), ofTeam.id, { status: "approved" });
      const done = await go(client(), team, { requirements: "" }, "/teams/approval-team/runs");
      expect(done.json).toMatchObject({ status: "COMPLETED", content: expect.stringContaining("wired 5") });
      const flow = await paused(client(), "money", "ap6", "/workflows/approval-flow/runs");
      const [ofFlow] = await of(client(), "workflow_id=approval-flow");
      expect(ofFlow).toMatchObject({ run_id: flow.run_id, workflow_id: "approval-flow", agent_id: "approval-agent" });
      await resolve(client(), ofFlow.id, { status: "approved" });
      const ended = await go(client(), flow, { step_requirements: "" }, "/workflows/approval-flow/runs");
      expect(ended.json).toMatchObject({ status: "COMPLETED", content: "Tool said: wired 5" });
    });

    test("of a deeply nested call is listed under the root run, and all runs above the call continue", async () => {
      const path = "/workflows/deep-flow/runs";
      const run = await paused(client(), "deep money tip", "ap11", path);
      const made = await of(client(), "workflow_id=deep-flow");
      expect(made.map(({ run_id, tool_name }) => [run_id, tool_name]).sort()).toEqual([
        [run.run_id, "give_tip"],
        [run.run_id, "wire_money"],
      ]);
      for (const { id } of made) expect((await resolve(client(), id, { status: "approved" })).status).toBe(200);
      const { json } = await go(client(), run, {}, path);
      expect(json).toMatchObject({ status: "COMPLETED", content: expect.stringContaining("wired 5, tipped 1") });
      // The continue request of the root run can answer it with requirements, too.
      const other = await paused(client(), "deep tip", "ap12", path);
      const [requirement] = other.step_requirements;
      const answered = requirement.executor_requirements.map((one: object) => ({ ...one, confirmation: false }));
      const step_requirements = JSON.stringify([{ ...requirement, executor_requirements: answered }]);
      const refused = await go(client(), other, { step_requirements }, path);
      expect(refused.json).toMatchObject({ status: "COMPLETED", content: expect.stringContaining("rejected") });
      const done = await client().get(`/approvals?run_id=${other.run_id}`);
      expect(done.json.data).toMatchObject([{ status: "rejected" }]);
    });

    test("becomes cancelled when its run is cancelled, and is deleted with its session", async () => {
      const run = await paused(client(), "money", "ap7");
      const id = run.tools[0].approval_id;
      await client().post(`${runs}/${run.run_id}/cancel?session_id=ap7`);
      await expect
        .poll(async () => (await client().get(`/approvals/${id}`)).json)
        .toMatchObject({ status: "cancelled", run_status: "CANCELLED" });
      const late = await resolve(client(), id, { status: "approved" });
      expect([late.status, late.json.detail]).toEqual([409, "Approval is already 'cancelled' and cannot be resolved"]);
      const other = await paused(client(), "money", "ap8");
      expect((await client().send("/sessions/ap8", { method: "DELETE" })).status).toBe(204);
      expect((await client().get(`/approvals/${other.tools[0].approval_id}`)).status).toBe(404);
    });

    test("is resolved at most once by concurrent requests, and concurrent continue requests continue the run once", async () => {
      const run = await paused(client(), "money", "ap9");
      const id = run.tools[0].approval_id;
      const tools = JSON.stringify([{ ...run.tools[0], confirmed: true }]);
      const all = await Promise.all([
        ...Array.from({ length: 4 }, (_, by) => resolve(client(), id, { status: "approved", resolved_by: `by-${by}` })),
        ...Array.from({ length: 4 }, () => go(client(), run, { tools })),
      ]);
      const resolves = all.slice(0, 4).map(({ status }) => status);
      expect(resolves.filter((status) => status === 200).length).toBeLessThanOrEqual(1);
      expect(resolves.every((status) => status === 200 || status === 409)).toBe(true);
      expect(all.slice(4).filter(({ status }) => status === 200).length).toBeLessThanOrEqual(1);
      const { json: late } = await go(client(), run);
      expect([409, "COMPLETED"]).toContainEqual(late.status ?? 409);
      expect((await client().get(`${runs}/${run.run_id}?session_id=ap9`)).json.tools).toMatchObject([
        { result: "wired 5" },
      ]);
      const { json: kept } = await client().get(`/approvals/${id}`);
      expect(kept.status).toBe("approved");
    });

    test("is counted, and is found by each of its filters", async () => {
      const count = async (query = "") => (await client().get(`/approvals/count${query}`)).json.count;
      const before = await count();
      const run = await paused(client(), "tip", "ap10", runs, { user_id: "u10" });
      expect([await count(), await count("?user_id=u10"), await count("?user_id=nobody")]).toEqual([before + 1, 1, 0]);
      const found = async (query: string) => (await of(client(), `user_id=u10&${query}`)).length;
      for (const query of ["status=pending", "approval_type=audit", "source_type=agent", "agent_id=approval-agent"])
        expect([query, await found(query)]).toEqual([query, 1]);
      for (const query of ["status=approved", "approval_type=required", "source_type=team", "agent_id=x", "page=2"])
        expect([query, await found(query)]).toEqual([query, 0]);
      expect(await found("schedule_id=x")).toBe(0);
      const { json: all } = await client().get("/approvals?limit=1");
      expect([all.data.length, all.data[0].run_id, all.meta.limit]).toEqual([1, run.run_id, 1]);
      expect(all.meta.total_pages).toBe(all.meta.total_count);
    });

    test("returns 404 for an unknown id and 422 for an invalid status or page", async () => {
      for (const path of ["/approvals/nope", "/approvals/nope/status"]) {
        const { status, json } = await client().get(path);
        expect([path, status, json]).toEqual([path, 404, { detail: "Approval not found", error_code: "NOT_FOUND" }]);
      }
      expect((await resolve(client(), "nope", { status: "approved" })).status).toBe(404);
      const listed = await client().get("/approvals?status=bogus");
      expect([listed.status, listed.json.detail[0]]).toMatchObject([
        422,
        {
          ...{ type: "literal_error", loc: ["query", "status"], input: "bogus" },
          msg: "Input should be 'pending', 'approved', 'rejected', 'expired' or 'cancelled'",
        },
      ]);
      expect((await client().get("/approvals?page=0")).status).toBe(422);
      const bogus = await resolve(client(), "nope", { status: "bogus" });
      expect([bogus.status, bogus.json.detail]).toMatchObject([
        422,
        [{ type: "string_pattern_mismatch", loc: ["body", "status"], input: "bogus" }],
      ]);
      const empty = await resolve(client(), "nope", {});
      expect([empty.status, empty.json.detail]).toMatchObject([
        422,
        [{ type: "missing", loc: ["body", "status"], msg: "Field required" }],
      ]);
    });
  },
  () => platform(),
);

const pair = makePair();

eachDatabase("access to approvals", (openDatabase) => {
  describe.each([
    ["without isolation", false],
    ["with isolation", true],
  ] as const)("%s", (_, userIsolation) => {
    let server: Server;
    let client: Client;
    beforeAll(async () => {
      const authorization = { verificationKeys: [pair.pem], userIsolation };
      ({ server, client } = await startServer(await openDatabase(), platform(authorization)));
    });
    afterAll(() => server?.close({ shutdownTimeout: 0 }));
    const as = (sub: string, ...scopes: string[]) => bearer(token({ sub, scopes }, pair));
    const alice = as("alice", "agents:run", "agents:read");
    const boss = as("boss", "agent_os:admin");

    async function start(session: string): Promise<Any> {
      const fields = { message: "money", stream: false, session_id: session };
      return (await client.post(runs, fields, alice)).json;
    }

    test("a caller with only the run scope gets 403 until an admin approves the call", async () => {
      const run = await start("s1");
      const id = run.tools[0].approval_id;
      const tools = JSON.stringify([{ ...run.tools[0], confirmed: true }]);
      for (const fields of [{ tools }, { tools: "" }]) {
        const refused = await go(client, run, fields, runs, alice);
        expect([refused.status, refused.json]).toEqual([
          403,
          { detail: "This run requires admin approval before it can be continued" },
        ]);
      }
      expect((await resolve(client, id, { status: "approved" }, alice)).status).toBe(403);
      const said = await resolve(client, id, { status: "approved", resolved_by: "mallory" }, boss);
      expect([said.status, said.json.resolved_by]).toEqual([200, "boss"]);
      expect((await go(client, run, { tools: "" }, runs, alice)).json.content).toBe("Tool said: wired 5");
    });

    test("a deleted approval still requires a caller with the right to approve", async () => {
      const run = await start("s2");
      const tools = JSON.stringify([{ ...run.tools[0], confirmed: true }]);
      const path = `/approvals/${run.tools[0].approval_id}`;
      expect((await client.send(path, { method: "DELETE", headers: boss })).status).toBe(204);
      expect((await go(client, run, { tools }, runs, alice)).status).toBe(403);
      expect((await go(client, run, { tools }, runs, boss)).json.status).toBe("COMPLETED");
    });

    test("users read their own approvals, and other users' approvals only without isolation", async () => {
      const run = await start("s3");
      const id = run.tools[0].approval_id;
      const everything = ["approvals:read", "approvals:write", "approvals:delete"];
      const [owner, bob] = [as("alice", ...everything), as("bob", ...everything)];
      const seen = async (headers: Record<string, string>) => (await client.get(`/approvals/${id}`, headers)).status;
      expect([await seen(owner), await seen(bob), await seen(boss)]).toEqual([200, userIsolation ? 404 : 200, 200]);
      const listed = async (headers: Record<string, string>) =>
        (await client.get(`/approvals?run_id=${run.run_id}&user_id=alice`, headers)).json.data.length;
      expect([await listed(owner), await listed(bob)]).toEqual([1, userIsolation ? 0 : 1]);
      expect((await client.get("/approvals/count", bob)).json.count).toBe(userIsolation ? 0 : 1);
      if (userIsolation) {
        for (const headers of [owner, bob]) {
          expect((await resolve(client, id, { status: "approved" }, headers)).status).toBe(404);
          expect((await client.send(`/approvals/${id}`, { method: "DELETE", headers })).status).toBe(404);
        }
        // The owner cannot approve it by a continue request either.
        const tools = JSON.stringify([{ ...run.tools[0], confirmed: true }]);
        const self = as("alice", "agents:run", ...everything);
        expect((await go(client, run, { tools }, runs, self)).status).toBe(403);
      }
      const by = userIsolation ? boss : bob;
      expect((await resolve(client, id, { status: "approved" }, by)).json.resolved_by).toBe(
        userIsolation ? "boss" : "bob",
      );
    });
  });
});
