/** Answered requirements of paused runs in records and events: after further pauses, a recovery, and an upgrade from an earlier version. */
import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineTool } from "../../src/define/tool.ts";
import { step } from "../../src/define/workflow/steps.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";
import { system } from "../../src/model/principal.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped bodies
type Any = any;

const names = ["shred", "ask", "sign"];

/** An agent that pauses at three calls in turn, in a team and in a workflow. With `holds`, the last call never returns. */
function office(holds?: () => void) {
  const shred = defineTool({
    ...{ name: "shred", description: "Shreds.", input: z.object({}), confirm: true },
    execute: () => "shredded",
  });
  const ask = defineTool({
    ...{ name: "ask", description: "Asks.", input: z.object({ name: z.string() }), userInput: ["name"] },
    execute: ({ name }) => `hello ${name}`,
  });
  const sign = defineTool({
    ...{ name: "sign", description: "Signs.", input: z.object({}), confirm: true, idempotent: true },
    async execute(_, { signal }) {
      holds?.();
      if (holds) await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
      return "signed";
    },
  });
  const clerk = defineAgent({
    ...{ id: "clerk", tools: [shred, ask, sign] },
    model: scriptedModel(({ results }) => {
      const name = names[results.length];
      return name ? { toolCalls: [{ name, input: {} }] } : "done";
    }),
  });
  const team = defineTeam({
    ...{ id: "desk", members: [clerk] },
    model: scriptedModel(({ results }) =>
      results.length > 0
        ? "all done"
        : { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "clerk", task: "work" } }] },
    ),
  });
  const flow = defineWorkflow({ id: "flow", steps: [step({ name: "work", agent: clerk, confirm: true })] });
  return { agents: [clerk], teams: [team], workflows: [flow] };
}

const answers: Record<string, object> = {
  shred: { confirmed: false, confirmation_note: "keep it" },
  ask: { user_input_schema: [{ name: "name", value: "Ada" }] },
  sign: { confirmed: true },
};

/** The form of a continue: all requirements of the record, as clients send them, with the answers in the calls. */
function answerOf(run: Any): Record<string, string> {
  const answered = (call: Any): object => ({ ...call, ...answers[call.tool_name] });
  const inside = (one: Any): object => ({ ...one, tool_execution: answered(one.tool_execution) });
  if (run.workflow_id) {
    const steps = run.step_requirements.map((one: Any) => ({
      ...{ ...one, confirmed: true },
      ...(one.executor_requirements && { executor_requirements: one.executor_requirements.map(inside) }),
    }));
    return { step_requirements: JSON.stringify(steps) };
  }
  if (run.team_id) return { requirements: JSON.stringify(run.requirements.map(inside)) };
  return { tools: JSON.stringify(run.tools.map(answered)) };
}

async function goOn(server: OpenServer, path: string, run: Any): Promise<Any> {
  const form = { session_id: run.session_id, stream: false, ...answerOf(run) };
  const { status, body } = await server.client.post(`/${path}/runs/${run.run_id}/continue`, form);
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
}

/** Answers every pause. The process ends during the last call; returns the record after another process completes the run. */
async function throughAll(
  database: TestDatabase,
  path: string,
  between?: (server: OpenServer, run: Any) => Promise<void>,
): Promise<{ readonly record: Any; readonly pauses: readonly Any[] }> {
  let begun = (): void => undefined;
  const isAtWork = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const pauses: Any[] = [];
  {
    await using server = await openServer(database, office(begun));
    const started = await server.client.post(`/${path}/runs`, { message: "go", session_id: "s", stream: false });
    let run = started.body;
    for (;;) {
      pauses.push(run);
      await between?.(server, run);
      if (JSON.stringify(run).includes('"sign"')) break;
      run = await goOn(server, path, run);
    }
    const rest = await server.client.stream(`/${path}/runs/${run.run_id}/continue`, {
      session_id: "s",
      ...answerOf(run),
    });
    await isAtWork;
    expect(rest.status).toBe(200);
  }
  await using server = await openServer(database, office());
  const [{ run_id: runId }] = pauses;
  await (await server.client.resume(path, runId)).closed;
  return { record: await server.client.record(path, { runId, sessionId: "s" }), pauses };
}

const shredded = { tool_name: "shred", requires_confirmation: false, confirmed: false, confirmation_note: "keep it" };
const asked = { tool_name: "ask", requires_user_input: false, answered: true, tool_args: { name: "Ada" } };
const calls = [
  { ...shredded, tool_call_error: true, result: null },
  { ...asked, tool_call_error: false, result: "hello Ada", user_input_schema: [{ name: "name", value: "Ada" }] },
  { tool_name: "sign", requires_confirmation: false, confirmed: true, tool_call_error: false, result: "signed" },
];
const asRequired = calls.map((call) => ({ tool_execution: call }));

eachDatabase("answered requirements of a paused run", (openDatabase) => {
  test("an agent's record contains them during further pauses, and after another process completes the run", async () => {
    const { record, pauses } = await throughAll(await openDatabase(), "agents/clerk");
    expect(pauses.map(({ requirements }) => requirements.length)).toEqual([1, 2, 3]);
    expect(pauses[2].requirements.slice(0, 2)).toMatchObject(asRequired.slice(0, 2));
    expect(pauses[2].tools).toMatchObject([calls[0], calls[1], { tool_name: "sign", requires_confirmation: true }]);
    expect(record).toMatchObject({ status: "COMPLETED", content: "done", tools: calls, requirements: asRequired });
    expect(record.requirements.map(({ id }: Any) => id)).toEqual(pauses[2].requirements.map(({ id }: Any) => id));
  });

  test("a team's record contains its member's answered requirements, at the top and in member_responses", async () => {
    const { record, pauses } = await throughAll(await openDatabase(), "teams/desk");
    expect(pauses[1].tools).toMatchObject([{ tool_name: "delegate_task_to_member", result: null }]);
    expect(record).toMatchObject({ status: "COMPLETED", content: "all done", requirements: asRequired });
    expect(record.tools).toMatchObject([{ tool_name: "delegate_task_to_member" }]);
    expect(record.member_responses).toMatchObject([{ tools: calls, requirements: asRequired }]);
  });

  test("a workflow's record and each later pause event contain its steps' answered requirements", async () => {
    const path = "workflows/flow";
    const told: Any[] = [];
    const { record, pauses } = await throughAll(await openDatabase(), path, async ({ client }, { run_id: runId }) => {
      const record = await client.record(path, { runId, sessionId: "s" });
      const log = await client.log(path, runId);
      told.push([log.at(-1)?.event, log.at(-1)?.data, record.step_requirements]);
    });
    expect(pauses.map(({ step_requirements }) => step_requirements.length)).toEqual([1, 2, 3, 4]);
    for (const [event, data, shown] of told)
      expect([event, data.step_requirements]).toEqual(["WorkflowRunOutput", shown]);
    expect(record.step_requirements).toMatchObject([
      { step_name: "work", requires_confirmation: true, confirmed: true },
      ...asRequired.map((one) => ({ step_name: "work", executor_requirements: [one] })),
    ]);
    expect(record.step_executor_runs).toMatchObject([{ tools: calls, requirements: asRequired }]);
  });

  test("a step's old answer, sent again before the new one, does not answer the step's next requirement", async () => {
    const steps = [step({ name: "draft", run: () => "text", confirm: true, review: true, onReject: "skip" })];
    await using server = await openServer(await openDatabase(), {
      workflows: [defineWorkflow({ id: "paper", steps })],
    });
    const runs = "/workflows/paper/runs";
    const { body: first } = await server.client.post(runs, { message: "go", session_id: "s", stream: false });
    const say = (...said: object[]) => {
      const step_requirements = JSON.stringify(said.map((one) => ({ step_name: "draft", ...one })));
      return server.client.post(`${runs}/${first.run_id}/continue`, {
        session_id: "s",
        stream: false,
        step_requirements,
      });
    };
    const { body: second } = await say({ confirmed: true });
    expect(second.step_requirements).toMatchObject([
      { requires_confirmation: true, confirmed: true },
      { requires_output_review: true, confirmed: null },
    ]);
    const { body } = await say({ confirmed: true }, { edited_output: "better" });
    expect(body).toMatchObject({ status: "COMPLETED", content: "better" });
    expect(body.step_requirements[1]).toMatchObject({ edited_output: "better" });
  });

  test("a run completes without the answers that an earlier version did not store", async () => {
    const database = await openDatabase();
    const { record } = await throughAll(database, "agents/clerk", async (_, { requirements }) => {
      if (requirements.length > 0) await executeSql(database, "delete from marks where name like 'answered:%'");
    });
    expect(record).toMatchObject({ status: "COMPLETED", content: "done" });
    expect(record.requirements.map(({ tool_execution }: Any) => tool_execution.tool_name)).toEqual(["sign"]);
    expect(record.tools).toMatchObject([
      { tool_name: "shred", tool_call_error: true, result: null, requires_confirmation: null },
      { tool_name: "ask", result: "hello Ada" },
      calls[2],
    ]);
  });

  test("a run that an earlier version paused keeps its answered requirements", async () => {
    const database = await openDatabase();
    const { record } = await throughAll(database, "teams/desk", async ({ store }, { run_id: runId }) => {
      const { key, output } = (await store.findRun(system, runId)) ?? {};
      const { pause, ...others } = JSON.parse(output ?? "{}");
      const { tools: _, executorRunId: __, requirements, ...known } = pause;
      const older = requirements.map(({ user_input_schema: _, ...one }: Any) => one);
      const text = JSON.stringify({ ...others, pause: { ...known, requirements: older } });
      await executeSql(database, `update runs set output = '${text.replaceAll("'", "''")}' where key = ${key}`);
      const waiting = await store.findRun(system, runId);
      expect(waiting?.status).toBe("PAUSED");
    });
    expect(record).toMatchObject({ status: "COMPLETED", content: "all done", requirements: asRequired });
  });
});
