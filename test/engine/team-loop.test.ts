import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTeam, type TeamOptions } from "../../src/define/team.ts";
import { RunStopped } from "../../src/engine/loops/contract.ts";
import type { Message } from "../../src/model/run/message.ts";
import { type Script, type ScriptedToolCall, scriptedModel } from "../../src/testing/index.ts";
import { type FakeScope, fakeScope } from "../support/fake-scope.ts";

const usage = { input: 21, output: 9 };

function model(script: Script) {
  return scriptedModel(script, { provider: "openai.chat", modelId: "fake-model" });
}

function agent(id: string, script: Script, options = {}) {
  return defineAgent({ id, name: `Agent ${id.at(-1)?.toUpperCase()}`, model: model(script), ...options });
}

function delegate(member: string, task = "delegate please"): ScriptedToolCall {
  return { name: "delegate_task_to_member", input: { member_id: member, task } };
}

function team(script: Script, members: TeamOptions["members"], options: Partial<TeamOptions> = {}) {
  return defineTeam({ id: "duo-team", name: "Duo Team", model: model(script), members, ...options });
}

/** `<name>` of the root's events, `<name>@<run>` of members'. */
function namesOf(scope: FakeScope): string[] {
  return scope.events.map(({ name, runId }) => (runId === "run-1" ? name : `${name}@${runId}`));
}

describe("coordinate", () => {
  test("a delegation emits the recorded events and fields (contract, events.md section 5)", async () => {
    const member = agent("agent-a", [{ text: "Hello there,", usage, id: "chatcmpl-a" }]);
    const script = [
      { toolCalls: [delegate("agent-a")], usage },
      { text: "Tool said: Hello", usage, id: "chatcmpl-t" },
    ];
    const scope = fakeScope(team(script, [member, agent("agent-b", [])]), { message: "delegate please" });
    const output = await scope.run();
    expect(namesOf(scope)).toEqual([
      "TeamRunStarted",
      "TeamModelRequestStarted",
      "TeamModelRequestCompleted",
      "TeamToolCallStarted",
      "RunStarted@run-2",
      "ModelRequestStarted@run-2",
      "RunContent@run-2",
      "RunContent@run-2",
      "ModelRequestCompleted@run-2",
      "RunContentCompleted@run-2",
      "RunCompleted@run-2",
      "TeamToolCallCompleted",
      "TeamModelRequestStarted",
      "TeamRunContent",
      "TeamRunContent",
      "TeamRunContent",
      "TeamModelRequestCompleted",
      "TeamRunContentCompleted",
      "TeamRunCompleted",
    ]);
    expect(
      scope.events.filter(({ runId }) => runId === "run-2").every(({ parentRunId }) => parentRunId === "run-1"),
    ).toBe(true);
    const completed = scope.events.find(({ name }) => name === "TeamToolCallCompleted")?.fields;
    expect(completed).toMatchObject({
      content: "delegate_task_to_member(member_id=agent-a, task=delegate please) completed in 0.0000s. ",
      tool: { child_run_id: "run-2", result: "Hello there,", tool_call_error: false, stop_after_tool_call: false },
    });
    const content = scope.events.find(({ name }) => name === "TeamRunContent")?.fields;
    expect(JSON.stringify(content)).toBe(
      '{"content":"Tool","content_type":"str","reasoning_content":"","model_provider_data":{"id":"chatcmpl-t"}}',
    );
    const end = scope.events.at(-1)?.fields;
    expect(Object.keys(end ?? {})).toEqual([
      "content",
      "content_type",
      "model_provider_data",
      "member_responses",
      "metrics",
    ]);
    expect(end?.metrics).toMatchObject({ input_tokens: 42, output_tokens: 18, total_tokens: 60 });
    const [response = {}] = (end?.member_responses ?? []) as Record<string, unknown>[];
    expect(Object.keys(response)).toEqual([
      "run_id",
      "agent_id",
      "agent_name",
      "session_id",
      "parent_run_id",
      "content",
      "content_type",
      "model_provider_data",
      "model",
      "model_provider",
      "session_state",
      "created_at",
      "status",
      "metrics",
      "input",
    ]);
    expect(response).toMatchObject({
      run_id: "run-2",
      parent_run_id: "run-1",
      status: "COMPLETED",
      input: { input_content: "delegate please" },
    });
    expect(output.content).toBe("Tool said: Hello");
    expect(scope.members[0]).toMatchObject({
      toolCallId: "call_1",
      ended: { status: "COMPLETED", output: { content: "Hello there," } },
    });
    expect(scope.members[0]?.messages.map(({ message }) => message.role)).toEqual(["user", "assistant"]);
  });

  test("the leader delegates to several members at once and in several rounds, and its prompt lists their roles", async () => {
    const first = agent("agent-a", ["one", "three"], { role: "Counts" });
    const second = agent("agent-b", ["two"], { description: "Counts on" });
    const leader = model([
      { toolCalls: [delegate("agent-a"), delegate("agent-b")] },
      { toolCalls: [delegate("agent-a")] },
      "six",
    ]);
    const duo = defineTeam({ id: "duo", model: leader, members: [first, second], instructions: "Count." });
    const scope = fakeScope(duo);
    const output = await scope.run();
    expect(output.content).toBe("six");
    expect(output.tools?.map(({ result }) => result)).toEqual(["one", "two", "three"]);
    expect(output.memberResponses?.map((response) => response.content)).toEqual(["one", "two", "three"]);
    const started = namesOf(scope).indexOf("TeamToolCallStarted");
    expect(namesOf(scope).slice(started, started + 4)).toEqual([
      "TeamToolCallStarted",
      "TeamToolCallStarted",
      "RunStarted@run-2",
      "RunStarted@run-3",
    ]);
    const system = leader.calls[0]?.prompt[0];
    expect(system?.content).toContain("- agent-a (Agent A): Counts\n- agent-b (Agent B): Counts on");
    expect(system?.content).toMatch(/Count\.$/);
    expect(leader.calls[0]?.tools).toMatchObject([
      { name: "delegate_task_to_member", inputSchema: { properties: { member_id: { enum: ["agent-a", "agent-b"] } } } },
    ]);
  });

  test("an unknown member or a missing task starts no member run, and the leader receives the error", async () => {
    const calls = [delegate("agent-x"), { name: "delegate_task_to_member", input: { member_id: "agent-a" } }];
    const scope = fakeScope(team([{ toolCalls: calls }, "Sorry"], [agent("agent-a", [])]));
    const output = await scope.run();
    expect(output.tools?.map(({ result }) => result)).toEqual([
      'The arguments of delegate_task_to_member do not fit:\n- member_id: Invalid input: expected "agent-a"',
      "The arguments of delegate_task_to_member do not fit:\n- task: Invalid input: expected string, received undefined",
    ]);
    expect(scope.members).toHaveLength(0);
  });

  test("a member's failure is an error of the delegation call, and the team continues", async () => {
    const broken = agent("agent-a", [{ error: { message: "model exploded" } }]);
    const scope = fakeScope(team([{ toolCalls: [delegate("agent-a")] }, "Without A"], [broken]));
    const output = await scope.run();
    expect(output.content).toBe("Without A");
    const from = namesOf(scope).indexOf("RunStarted@run-2");
    expect(namesOf(scope).slice(from, from + 5)).toEqual([
      "RunStarted@run-2",
      "ModelRequestStarted@run-2",
      "RunError@run-2",
      "TeamToolCallCompleted",
      "TeamToolCallError",
    ]);
    expect(scope.events.find(({ name }) => name === "RunError")?.fields).toMatchObject({
      content: "model exploded",
      error_type: "model_provider_error",
    });
    expect(output.tools?.[0]).toMatchObject({
      result: "Agent A failed: model exploded",
      child_run_id: "run-2",
      tool_call_error: true,
    });
    expect(scope.members[0]?.ended).toMatchObject({
      status: "ERROR",
      output: { error: { type: "model_provider_error" } },
    });
    const { error } = scope.members[0]?.ended?.output ?? {};
    expect(output.memberResponses?.[0]).toMatchObject({
      ...{ status: "ERROR", content: "model exploded" },
      ...{ error_type: "model_provider_error", error_id: error?.id },
    });
  });

  test("an unexpected error of a member appears as an internal error without its message", async () => {
    const broken = agent("agent-a", ["never"], {
      instructions: () => {
        throw new TypeError("secret detail");
      },
    });
    const scope = fakeScope(team([{ toolCalls: [delegate("agent-a")] }, "Without A"], [broken]));
    const output = await scope.run();
    expect(output.tools?.[0]?.result).toMatch(/^Agent A failed: The run failed with an internal error \(.+\)\.$/);
    expect(JSON.stringify(scope.events)).not.toContain("secret detail");
  });

  test("a member's own time-out fails the member and stops its nested members, and the team continues", async () => {
    const stuck = agent("agent-b", [{ text: "never", wait: 60_000 }]);
    const inner = defineTeam({
      id: "inner",
      model: model([{ toolCalls: [delegate("agent-b")] }]),
      members: [stuck],
      timeout: 5_000,
    });
    const scope = fakeScope(team([{ toolCalls: [delegate("inner")] }, "Without them"], [inner]));
    const running = scope.run();
    await expect.poll(() => namesOf(scope).at(-1)).toBe("ModelRequestStarted@run-3");
    scope.clock.advance(5_000);
    const output = await running;
    expect(output.content).toBe("Without them");
    expect(output.tools?.[0]?.result).toBe("inner failed: It took longer than 5 s and was stopped.");
    expect(namesOf(scope)).toContain("TeamRunError@run-2");
    expect(namesOf(scope).filter((name) => name.endsWith("@run-3"))).toEqual([
      "RunStarted@run-3",
      "ModelRequestStarted@run-3",
    ]);
    expect(scope.clock.timers).toBe(0);
  });

  test("a cancel stops the team and its running member", async () => {
    const stuck = agent("agent-a", [{ text: "never", wait: 60_000 }]);
    const scope = fakeScope(team([{ toolCalls: [delegate("agent-a")] }], [stuck]));
    const running = scope.run();
    await expect.poll(() => namesOf(scope).at(-1)).toBe("ModelRequestStarted@run-2");
    scope.stop({ kind: "cancelled" });
    await expect(running).rejects.toBeInstanceOf(RunStopped);
    expect(namesOf(scope).at(-1)).toBe("ModelRequestStarted@run-2");
  });

  test("a nested team's run, events and responses are nested in the outer team's", async () => {
    const inner = defineTeam({
      id: "inner",
      model: model([{ toolCalls: [delegate("agent-a")] }, "inner says"]),
      members: [agent("agent-a", ["agent says"])],
    });
    const scope = fakeScope(team([{ toolCalls: [delegate("inner")] }, "outer says"], [inner]));
    const output = await scope.run();
    expect(output.content).toBe("outer says");
    expect(scope.events.find(({ runId }) => runId === "run-3")?.parentRunId).toBe("run-2");
    expect(namesOf(scope)).toContain("TeamRunCompleted@run-2");
    expect(output.memberResponses).toMatchObject([
      { team_id: "inner", content: "inner says", member_responses: [{ agent_id: "agent-a", content: "agent says" }] },
    ]);
    expect(scope.members[0]?.ended?.output).not.toHaveProperty("memberResponses");
  });

  test("members receive the team's media and share its session state", async () => {
    const media = [{ kind: "image", mediaType: "image/png", data: "AAAA" }] as const;
    const scope = fakeScope(
      team([{ toolCalls: [delegate("agent-a", "look")] }, "seen"], [agent("agent-a", ["a cat"])]),
      {
        input: { message: "what is it?", media },
      },
    );
    await scope.run();
    expect(scope.members[0]?.input).toEqual({ message: "look", media });
    expect(scope.members[0]?.context.session.state).toBe(scope.context.session.state);
  });
});

describe("route", () => {
  test("the member's answer is the team's, without a second model turn of the leader", async () => {
    const leader = model([{ toolCalls: [delegate("agent-a")] }]);
    const scope = fakeScope(
      defineTeam({ id: "desk", mode: "route", model: leader, members: [agent("agent-a", ["From A"])] }),
    );
    const output = await scope.run();
    expect(output.content).toBe("From A");
    expect(namesOf(scope).slice(-5)).toEqual([
      "RunCompleted@run-2",
      "TeamToolCallCompleted",
      "TeamRunContent",
      "TeamRunContentCompleted",
      "TeamRunCompleted",
    ]);
    expect(scope.events.at(-3)?.fields).toEqual({ content: "From A", content_type: "str", reasoning_content: "" });
    expect(leader.calls).toHaveLength(1);
  });

  test("a leader that routes to two members returns both answers in call order", async () => {
    const slow = agent("agent-a", [{ text: "From A", wait: 20 }]);
    const script = [{ toolCalls: [delegate("agent-a"), delegate("agent-b")] }];
    const scope = fakeScope(team(script, [slow, agent("agent-b", ["From B"])], { mode: "route" }));
    expect((await scope.run()).content).toBe("From A\n\nFrom B");
  });

  test("a member's structured answer is the team's structured answer", async () => {
    const member = agent("agent-a", ['{"n": 1}'], { output: z.object({ n: z.number() }).meta({ title: "N" }) });
    const scope = fakeScope(team([{ toolCalls: [delegate("agent-a")] }], [member], { mode: "route" }));
    expect(await scope.run()).toMatchObject({ content: { n: 1 }, contentType: "N" });
  });

  test("the leader of a team with an output schema converts the member's answer to it", async () => {
    const shaped = { mode: "route", output: z.object({ n: z.number() }) } as const;
    const scope = fakeScope(
      team([{ toolCalls: [delegate("agent-a")] }, '{"n": 2}'], [agent("agent-a", ["two"])], shaped),
    );
    expect((await scope.run()).content).toEqual({ n: 2 });
  });

  test("after a member fails, the leader routes to another member", async () => {
    const broken = agent("agent-a", [{ error: { message: "model exploded" } }]);
    const script = [{ toolCalls: [delegate("agent-a")] }, { toolCalls: [delegate("agent-b")] }];
    const scope = fakeScope(team(script, [broken, agent("agent-b", ["From B"])], { mode: "route" }));
    expect((await scope.run()).content).toBe("From B");
  });
});

describe("broadcast", () => {
  test("all members receive the request at once, then the leader answers", async () => {
    const leader = model(["In short"]);
    const members = [agent("agent-a", ["From A"]), agent("agent-b", [{ error: { message: "model exploded" } }])];
    const scope = fakeScope(defineTeam({ id: "panel", mode: "broadcast", model: leader, members }), {
      message: "What?",
    });
    const output = await scope.run();
    expect(output.content).toBe("In short");
    expect(namesOf(scope).slice(0, 4)).toEqual([
      "TeamRunStarted",
      "TeamToolCallStarted",
      "RunStarted@run-2",
      "RunStarted@run-3",
    ]);
    expect(scope.members.map(({ input }) => input.message)).toEqual(["What?", "What?"]);
    expect(output.tools?.[0]).toMatchObject({
      tool_name: "delegate_task_to_members",
      tool_args: { task: "What?" },
      tool_call_error: false,
      child_run_id: null,
      result:
        '<answer member="agent-a">\nFrom A\n</answer>\n\n<answer member="agent-b">\nAgent B failed: model exploded\n</answer>',
    });
    expect(scope.messages.map(({ message }) => message.role)).toEqual(["user", "assistant", "tool", "assistant"]);
    expect(leader.calls[0]?.prompt.slice(1).map(({ role }) => role)).toEqual(["user", "assistant", "tool"]);
  });

  test("the delegation is an error when all members fail, and does not count as a step of maxSteps", async () => {
    const members = [agent("agent-a", [{ error: { message: "model exploded" } }])];
    const scope = fakeScope(team(["Nothing"], members, { mode: "broadcast", maxSteps: 1 }));
    const output = await scope.run();
    expect(output).toMatchObject({ content: "Nothing", tools: [{ tool_call_error: true }] });
  });
});

test("a recovered team runs only the members without a stored answer", async () => {
  const said: Message[] = [
    { role: "user", content: "hello" },
    {
      role: "assistant",
      content: "",
      metrics: {},
      toolCalls: ["agent-a", "agent-b"].map((member_id) => ({
        id: member_id,
        name: "delegate_task_to_member",
        input: { member_id, task: "t" },
      })),
    },
    {
      role: "tool",
      toolCallId: "agent-a",
      toolName: "delegate_task_to_member",
      toolArgs: {},
      content: "From A",
      isError: false,
    },
  ];
  const scope = fakeScope(team(["Both"], [agent("agent-a", []), agent("agent-b", ["From B"])]), { said });
  const output = await scope.run();
  expect(namesOf(scope)[0]).toBe("TeamToolCallStarted");
  expect(scope.members.map(({ component }) => component.id)).toEqual(["agent-b"]);
  expect(output.tools?.map(({ result }) => result)).toEqual(["From A", "From B"]);
});
