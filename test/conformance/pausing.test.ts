/** Paused agents and teams: they wait for a confirmation, for user input, or for the result of an external call. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent, defineTeam, defineTool, defineWorkflow } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { asRead } from "./support/answers.ts";
import type { Client, Fields } from "./support/client.ts";
import type { Frame } from "./support/frames.ts";
import { eachServer } from "./support/server.ts";

const agent = "/agents/hitl-agent/runs";
const team = "/teams/hitl-team/runs";
const flow = "/workflows/executor-flow/runs";

function namesOf(frames: readonly Frame[]): string[] {
  const names = frames.filter(({ id }) => id !== undefined).map(({ event }) => event ?? "");
  return names.filter((name, place) => !(name.endsWith("RunContent") && names[place - 1] === name));
}

const turn = ["ModelRequestStarted", "RunContent", "ModelRequestCompleted", "RunContentCompleted", "RunCompleted"];
const asked = ["ModelRequestStarted", "ModelRequestCompleted", "RunContentCompleted", "RunPaused"];

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Run = any;

async function paused(client: Client, path: string, message: string, session: string): Promise<Run> {
  const { status, json } = await client.post(path, { message, stream: false, session_id: session });
  expect([status, json.status]).toEqual([200, "PAUSED"]);
  return json;
}

const go = (client: Client, path: string, run: Run, fields: Fields) =>
  client.post(`${path}/${run.run_id}/continue`, { session_id: run.session_id, stream: false, ...fields });

const tools = (run: Run, change: object): string =>
  JSON.stringify(
    run.requirements.map(({ tool_execution }: { tool_execution: object }) => ({ ...tool_execution, ...change })),
  );

eachServer("an agent with a pausing tool", (client) => {
  test("pauses for a confirmation and continues with the events as recorded and a continuous index", async () => {
    const stream = await client().stream(agent, { message: "email", session_id: "a1" });
    expect(namesOf(await stream.all())).toEqual(["RunStarted", ...asked]);
    const { data } = stream.events.at(-1)!;
    expect(data).toMatchObject({
      content: "I have tools to execute, but I need confirmation.",
      tools: [{ tool_name: "send_email", requires_confirmation: true, confirmed: null, result: null }],
      requirements: [{ tool_execution: { tool_name: "send_email" } }],
    });
    expect(data.requirements[0].created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}\+00:00$/);
    expect(Object.keys(data.tools[0])).toHaveLength(20);
    const rest = await client().stream(`${agent}/${stream.runId}/continue`, {
      session_id: "a1",
      tools: JSON.stringify([{ ...data.tools[0], confirmed: true }]),
    });
    expect(namesOf(await rest.all())).toEqual(["RunContinued", "ToolCallStarted", "ToolCallCompleted", ...turn]);
    expect(rest.events[0]!.data.event_index).toBe(stream.events.length);
    expect(rest.events.at(-1)!.data.content).toBe("Tool said: sent to a@example.com");
    const started = rest.events[1]!.data.tool;
    expect(started).toMatchObject({ requires_confirmation: true, confirmed: true });
    const { json } = await client().get(`${agent}/${stream.runId}?session_id=a1`);
    expect(json).toMatchObject({
      status: "COMPLETED",
      tools: [
        { tool_name: "send_email", requires_confirmation: false, confirmed: true, result: "sent to a@example.com" },
      ],
    });
    expect(json.requirements).toEqual([{ ...data.requirements[0], tool_execution: json.tools[0] }]);
  });

  test("is listed as PAUSED, its record has the open call, and its session accepts another run", async () => {
    const run = await paused(client(), agent, "email", "a2");
    expect(run.content).toBe("I have tools to execute, but I need confirmation.");
    expect(run.tools).toEqual([run.requirements[0].tool_execution]);
    const { json } = await client().get(`${agent}?session_id=a2&status=PAUSED`);
    expect(json).toMatchObject([{ run_id: run.run_id, content: run.content, tools: run.tools }]);
    // A paused run does not block its session.
    const other = await client().post(agent, { message: "hello", stream: false, session_id: "a2" });
    expect(other.json.status).toBe("COMPLETED");
  });

  test("passes a rejection and its note to the model, and makes no call", async () => {
    const run = await paused(client(), agent, "email", "a3");
    const said = { confirmed: false, confirmation_note: "no thanks" };
    const { json } = await go(client(), agent, run, { tools: tools(run, said) });
    expect(json).toMatchObject({
      content: "Tool said: no thanks",
      tools: [{ tool_call_error: true, result: null, requires_confirmation: false, confirmed: false }],
    });
    expect(json.tools[0].confirmation_note).toBe("no thanks");
    expect(json.requirements).toMatchObject([{ id: run.requirements[0].id, tool_execution: json.tools[0] }]);
    expect(json.messages.at(-2)).toMatchObject({ role: "tool", content: "no thanks", tool_call_error: true });
    const frames = await (await client().stream(`${agent}/${run.run_id}/resume`)).all();
    expect(namesOf(frames)).toEqual(["RunStarted", ...asked, "RunContinued", ...turn]);
    const bare = await paused(client(), agent, "email", "a3");
    const without = await go(client(), agent, bare, { tools: tools(bare, { confirmed: false }) });
    expect(without.json.content).toBe("Tool said: Function call was rejected by the user");
    expect(without.json.tools[0].confirmation_note).toBeNull();
  });

  test("pauses for user input whose field the model does not see, and calls the tool with the entered value", async () => {
    const run = await paused(client(), agent, "name", "a4");
    const fields = [
      { name: "greeting", field_type: "str", description: null, value: "hello" },
      { name: "name", field_type: "str", description: null, value: null },
    ];
    expect(run.tools[0]).toMatchObject({ requires_user_input: true, user_input_schema: fields });
    expect(Object.keys(run.requirements[0])).toEqual(["id", "created_at", "tool_execution", "user_input_schema"]);
    expect(run.requirements[0].user_input_schema).toEqual(fields);
    expect((await go(client(), agent, run, { tools: tools(run, {}) })).status).toBe(400);
    const [greeting, name] = fields;
    const filled = { answered: true, user_input_schema: [greeting, { ...name, value: "Ada" }] };
    const { json } = await go(client(), agent, run, { tools: tools(run, filled) });
    expect(json.content).toBe("Tool said: hello Ada");
    expect(json.tools).toMatchObject([
      {
        ...{ requires_user_input: false, answered: true, user_input_schema: filled.user_input_schema },
        ...{ tool_args: { greeting: "hello", name: "Ada" }, result: "hello Ada" },
      },
    ]);
    expect(json.requirements).toEqual([
      { ...run.requirements[0], ...{ user_input_schema: filled.user_input_schema, tool_execution: json.tools[0] } },
    ]);
    const { json: shown } = await client().get("/agents/hitl-agent");
    const told = shown.tools.tools.find((tool: { name: string }) => tool.name === "ask_name");
    expect(Object.keys(told.parameters.properties)).toEqual(["greeting"]);
  });

  test("returns 400 that names the field for user input that does not match, and the run stays paused", async () => {
    const run = await paused(client(), agent, "vault", "a10");
    const enter = (values: Record<string, unknown>) => {
      const schema = Object.entries(values).map(([name, value]) => ({ name, value }));
      return go(client(), agent, run, { tools: tools(run, { user_input_schema: schema }) });
    };
    for (const [values, detail] of [
      [
        { pin: "abc", again: 1234 },
        /^Cannot continue run - user input 'pin' of the tool 'open_vault' does not fit: .*number/,
      ],
      [
        { pin: 1234, again: 4 },
        /^Cannot continue run - user input of the tool 'open_vault' does not fit: the two differ$/,
      ],
      [{ pin: 12, again: 12 }, /user input 'pin' .* does not fit: .*1000/],
      [{ door: "x", pin: 1234, again: 1234 }, /user input 'door' of the tool 'open_vault' does not fit: /],
    ] as const) {
      const answer = await enter(values);
      expect([answer.status, answer.json.detail]).toEqual([400, expect.stringMatching(detail)]);
    }
    expect((await client().get(`${agent}/${run.run_id}?session_id=a10`)).json).toEqual(asRead(run));
    expect((await enter({ pin: 1234, again: 1234 })).json.content).toBe("Tool said: door 3 is open");
  });

  test("pauses for an external call and continues with the result of the caller", async () => {
    const run = await paused(client(), agent, "browser", "a5");
    expect(run.content).toBe("I have tools to execute, but it needs external execution.");
    expect(run.tools[0]).toMatchObject({ external_execution_required: true });
    const { json } = await go(client(), agent, run, { tools: tools(run, { result: "2" }) });
    expect(json.content).toBe("Tool said: 2");
    expect(json.tools).toMatchObject([{ external_execution_required: false, result: "2" }]);
    expect(json.requirements).toMatchObject([{ id: run.requirements[0].id, tool_execution: json.tools[0] }]);
  });

  test("pauses for several calls at once, while a call that needs no confirmation is made", async () => {
    const run = await paused(client(), agent, "email plainly browser", "a6");
    expect(run.requirements).toHaveLength(2);
    expect(run.tools.map((tool: Run) => [tool.tool_name, tool.result])).toEqual([
      ["get_weather", "Sunny in Rome"],
      ["send_email", null],
      ["run_in_browser", null],
    ]);
    const half = await go(client(), agent, run, {
      tools: JSON.stringify([{ ...run.requirements[0].tool_execution, confirmed: true }]),
    });
    expect([half.status, half.json.detail]).toEqual([
      400,
      `Run has unresolved HITL requirements. Provide the tools parameter with an answer to run_in_browser. No answer names its tool_call_id, which is ${run.requirements[1].tool_execution.tool_call_id}.`,
    ]);
    const { json } = await go(client(), agent, run, { tools: tools(run, { confirmed: true, result: "2" }) });
    expect([json.status, json.tools.length]).toEqual(["COMPLETED", 3]);
    expect(json.content).toContain("sent to a@example.com");
  });

  test("stays paused after an invalid continue request: 400 or 404", async () => {
    const run = await paused(client(), agent, "email", "a7");
    for (const [fields, status, detail] of [
      [{ tools: "not json" }, 400, /^Invalid JSON in tools field$/],
      [{ tools: "" }, 400, /unresolved HITL requirements\. Provide the tools parameter/],
      [{ tools: "[]" }, 400, /unresolved/],
      [{ tools: '[{"foo": 1}]' }, 400, /^Invalid structure or content for tools: /],
      [{ tools: tools(run, { confirmed: null }) }, 400, /unresolved/],
      [
        { tools: tools(run, { tool_call_id: "other", confirmed: true }) },
        400,
        /with an answer to send_email\. No answer names its tool_call_id, which is \S+\.$/,
      ],
      [{ tools: "[]", session_id: "" }, 400, /^session_id is required for this action$/],
      [{ tools: "[]", session_id: "other" }, 404, /^Run not found$/],
    ] as const) {
      const answer = await go(client(), agent, run, fields);
      expect([fields, answer.status]).toEqual([fields, status]);
      expect(answer.json.detail).toMatch(detail);
    }
    expect((await client().get(`${agent}/${run.run_id}?session_id=a7`)).json).toEqual(asRead(run));
    expect((await go(client(), agent, { run_id: "nope", session_id: "a7" }, {})).status).toBe(404);
    expect((await client().post(`/agents/plain-agent/runs/${run.run_id}/continue`, { session_id: "a7" })).status).toBe(
      404,
    );
  });

  test("continues once for concurrent continue requests, and the others return 409", async () => {
    const run = await paused(client(), agent, "email", "a8");
    const form = { tools: tools(run, { confirmed: true }) };
    const all = await Promise.all(Array.from({ length: 6 }, () => go(client(), agent, run, form)));
    expect(all.map(({ status }) => status).sort()).toEqual([200, ...Array(5).fill(409)]);
    const late = await go(client(), agent, run, form);
    expect([late.status, late.json.detail]).toEqual([409, "run is already completed"]);
  });

  test("continues in the background with 202, and its stream can be followed", async () => {
    const run = await paused(client(), agent, "email", "a9");
    const form = { tools: tools(run, { confirmed: true }), background: true };
    const answer = await go(client(), agent, run, form);
    expect([answer.status, answer.json]).toEqual([202, { run_id: run.run_id, session_id: "a9", status: "PENDING" }]);
    const reader = await client().stream(`${agent}/${run.run_id}/resume`);
    expect(namesOf(await reader.all()).at(-1)).toBe("RunCompleted");
  });
});

describe("the run above a paused agent", () => {
  eachServer("", (client) => {
    test("of a team pauses with its member, and both continue", async () => {
      const stream = await client().stream(team, { message: "email", session_id: "t1" });
      expect(namesOf(await stream.all())).toEqual([
        ...["TeamRunStarted", "TeamModelRequestStarted", "TeamModelRequestCompleted", "TeamToolCallStarted"],
        ...["RunStarted", ...asked, "TeamRunContentCompleted", "TeamRunPaused"],
      ]);
      const { data } = stream.events.at(-1)!;
      expect(data.requirements).toEqual([
        expect.objectContaining({
          ...{ member_agent_id: "hitl-agent", member_agent_name: "HITL Agent", member_run_id: expect.any(String) },
          tool_execution: expect.objectContaining({ tool_name: "send_email", requires_confirmation: true }),
        }),
      ]);
      const [delegating] = data.tools;
      expect(data.tools).toHaveLength(1);
      expect(delegating).toMatchObject({
        ...{ tool_name: "delegate_task_to_member", requires_confirmation: null, result: null },
        ...{ child_run_id: data.requirements[0].member_run_id },
      });
      const { json: waiting } = await client().get(`${team}/${stream.runId}?session_id=t1`);
      expect(waiting).toMatchObject({ tools: data.tools, requirements: data.requirements });
      expect(waiting.content).toBe(
        "Team run paused. The following require input:\n- HITL Agent: send_email requires confirmation",
      );
      expect(waiting.member_responses[0].content).toBe("I have tools to execute, but I need confirmation.");
      const requirements = JSON.stringify([{ ...data.requirements[0], confirmation: true }]);
      const rest = await client().stream(`${team}/${stream.runId}/continue`, { session_id: "t1", requirements });
      expect(namesOf(await rest.all())).toEqual([
        ...["TeamRunContinued", "RunContinued", "ToolCallStarted", "ToolCallCompleted", ...turn],
        ...["TeamToolCallCompleted", "TeamModelRequestStarted", "TeamRunContent", "TeamModelRequestCompleted"],
        ...["TeamRunContentCompleted", "TeamRunCompleted"],
      ]);
      // As recorded, a team that continues after a pause always sends the session state.
      expect(rest.events.at(-1)!.data.session_state).toEqual({});
      const { json } = await client().get(`${team}/${stream.runId}?session_id=t1`);
      expect(json).toMatchObject({ status: "COMPLETED", member_responses: [{ status: "COMPLETED" }] });
      expect(json.member_responses).toHaveLength(1);
      const [member] = json.member_responses;
      expect(json.tools).toMatchObject([{ tool_name: "delegate_task_to_member", child_run_id: member.run_id }]);
      expect(member.tools).toMatchObject([{ requires_confirmation: false, result: "sent to a@example.com" }]);
      const made = { ...data.requirements[0], confirmation: true, tool_execution: member.tools[0] };
      expect([json.requirements, member.requirements]).toEqual([[made], [made]]);
    });

    test("of a team stays paused after an empty or malformed continue request: 400", async () => {
      const run = await paused(client(), team, "email", "t2");
      expect(run.member_responses).toMatchObject([{ status: "PAUSED" }]);
      for (const requirements of ["", "[]", "x", '[{"id":5}]', '[{"id":"other","confirmation":true}]'])
        expect((await go(client(), team, run, { requirements })).status).toBe(400);
      expect((await client().get(`${team}/${run.run_id}?session_id=t2`)).json).toEqual(asRead(run));
    });

    test("of a workflow pauses with the agent of its step, and both continue", async () => {
      const stream = await client().stream(flow, { message: "email", session_id: "w1" });
      expect(namesOf(await stream.all())).toEqual([
        ...["WorkflowStarted", "StepStarted", "RunStarted", ...asked, "StepExecutorPaused", "WorkflowPaused"],
        "WorkflowRunOutput",
      ]);
      const { data } = stream.events.at(-2)!;
      expect(data).toMatchObject({ pause_kind: "executor", paused_step_name: "mail", paused_step_index: 0 });
      const [requirement] = data.step_requirements;
      expect(requirement.executor_requirements).toHaveLength(1);
      const answered = requirement.executor_requirements.map((one: object) => ({ ...one, confirmation: true }));
      const rest = await client().stream(`${flow}/${stream.runId}/continue`, {
        session_id: "w1",
        step_requirements: JSON.stringify([{ ...requirement, executor_requirements: answered }]),
      });
      expect(namesOf(await rest.all())).toEqual([
        ...["StepExecutorContinued", "RunContinued", "ToolCallStarted", "ToolCallCompleted", ...turn, "StepCompleted"],
        ...["StepStarted", "StepOutput", "StepCompleted", "WorkflowCompleted"],
      ]);
      expect(rest.events.at(-1)!.data.content).toBe("UP:Tool said: sent to a@example.com");
      const { json } = await client().get(`/sessions/w1`);
      const { json: run } = await client().get(`${flow}/${stream.runId}?session_id=w1`);
      const [call] = run.step_executor_runs[0].tools;
      expect(call).toMatchObject({ tool_name: "send_email", requires_confirmation: false, confirmed: true });
      expect(run.step_requirements).toEqual([
        { ...requirement, executor_requirements: [{ ...answered[0], tool_execution: call }] },
      ]);
      expect(run.step_executor_runs[0].requirements).toEqual(run.step_requirements[0].executor_requirements);
      // Tokens of a paused run count once.
      expect(json.session_data.session_metrics.total_tokens).toBe(run.metrics.steps.mail.metrics.total_tokens);
    });
  });
});

test("a member and a step's agent with their own timeout keep their metrics when they pause", async () => {
  const send = defineTool({
    name: "send",
    description: "Sends",
    input: z.object({}),
    confirm: true,
    execute: () => "",
  });
  const model = () => scriptedModel([{ toolCalls: [{ name: "send" }], usage: { input: 7, output: 3 } }]);
  const sender = defineAgent({ id: "sender", model: model(), tools: [send], timeout: 60_000 });
  const flow = await defineWorkflow({ id: "flow", steps: [sender] }).run("mail");
  expect((await flow.result()).status).toBe("PAUSED");
  const delegate = { name: "delegate_task_to_member", input: { member_id: "sender", task: "mail" } };
  const leader = scriptedModel([{ toolCalls: [delegate] }]);
  const members = [defineAgent({ ...sender, model: model() })];
  const desk = await defineTeam({ id: "desk", model: leader, members }).run("mail");
  expect((await desk.result()).status).toBe("PAUSED");
  const ofStep = (await flow.record()).step_executor_runs;
  const ofMember = (await desk.record()).member_responses;
  for (const runs of [ofStep, ofMember])
    expect(runs).toMatchObject([{ metrics: { input_tokens: 7, output_tokens: 3 } }]);
});
