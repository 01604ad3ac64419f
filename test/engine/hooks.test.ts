/** Hooks at the points of a run: what each receives, may change, and may refuse. */
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import type { Hooks } from "../../src/define/hooks.ts";
import { RunRejected } from "../../src/define/rejection.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineTool } from "../../src/define/tool.ts";
import { RunPaused } from "../../src/engine/loops/contract.ts";
import { type ScriptedModel, scriptedModel } from "../../src/testing/index.ts";
import { type FakeScope, fakeScope } from "../support/fake-scope.ts";

const look = defineTool({
  name: "look",
  description: "Looks.",
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `Rain in ${city}`,
});

const callsLook = { toolCalls: [{ id: "c1", name: "look", input: { city: "Paris" } }] };

interface Setup {
  readonly scope: FakeScope;
  readonly model: ScriptedModel;
}

function setUp(hooks: Hooks, script: Parameters<typeof scriptedModel>[0] = ["Fine"]): Setup {
  const model = scriptedModel(script);
  return { model, scope: fakeScope(defineAgent({ id: "a", model, tools: [look], hooks })) };
}

const prompts = ({ model }: Setup, call = 0): string => JSON.stringify(model.calls[call]?.prompt);

describe("beforeRun", () => {
  test("the hook's input replaces the message for the model, and the stored message stays", async () => {
    const run = setUp({ beforeRun: ({ input }) => ({ input: `${input} (polite)` }) });
    await run.scope.run();
    expect(prompts(run)).toContain("hello (polite)");
    expect(run.scope.messages[0]?.message.content).toBe("hello");
  });

  test("several hooks run in their order, and each receives the change of the hook before it", async () => {
    const one = ({ input }: { input: string }) => ({ input: `${input}1` });
    const two = ({ input }: { input: string }) => ({ input: `${input}2` });
    const run = setUp({ beforeRun: [one, two] });
    await run.scope.run();
    expect(prompts(run)).toContain("hello12");
    const starts = run.scope.events.filter(({ name }) => name === "PreHookStarted");
    expect(starts.map(({ fields }) => [fields.pre_hook_name, fields.run_input])).toEqual([
      ["one", { input_content: "hello" }],
      ["two", { input_content: "hello1" }],
    ]);
  });

  test("outcome and event are durable before the first model request", async () => {
    const { scope } = setUp({ beforeRun: () => undefined });
    await scope.run();
    expect(scope.trace.slice(0, 7)).toEqual([
      ...["say user", "event RunStarted", "event PreHookStarted", "settle hook/beforeRun/0/0"],
      ...["event PreHookCompleted", "commit", "event ModelRequestStarted"],
    ]);
  });

  test("a stored outcome is used, and the hook is not called again", async () => {
    const run = setUp({
      beforeRun: () => {
        throw new Error("called again");
      },
    });
    run.scope.setMark("hook/beforeRun/0/0", { input: "as before" });
    await run.scope.run();
    expect(prompts(run)).toContain("as before");
  });

  test("a refusal fails the run with input_check_error and its message, and calls no model", async () => {
    const run = setUp({ beforeRun: () => ({ refuse: "Too long." }) });
    await expect(run.scope.run()).rejects.toMatchObject({
      type: "input_check_error",
      message: "Too long.",
      details: { hook: "beforeRun", point: "beforeRun" },
    });
    expect(run.model.calls).toHaveLength(0);
    expect(run.scope.events.at(-1)?.fields).toMatchObject({ outcome: "refused" });
  });

  test.each([
    ["approved", { confirmed: true }, undefined],
    ["rejected", { confirmed: false, note: "Not today" }, "Not today"],
  ])("a request for an approval pauses the run, which goes on when it is %s", async (_, answer, message) => {
    const run = setUp({ beforeRun: () => ({ askApproval: "May it?" }) });
    const pause = await run.scope.run().catch((error: unknown) => error);
    expect(pause).toBeInstanceOf(RunPaused);
    const { requirements, approvals, answerNames } = (pause as RunPaused).pause;
    expect(requirements?.[0]?.tool_execution).toMatchObject({ tool_name: "approve_hook", approval_type: "required" });
    expect(approvals).toHaveLength(1);
    run.scope.setMark(Object.values(answerNames ?? {})[0] as string, answer);
    if (message === undefined) expect((await run.scope.run()).content).toBe("Fine");
    else await expect(run.scope.run()).rejects.toMatchObject({ type: "input_check_error", message });
  });

  test("the context has state, dependencies, the point, a signal and a key that stays the same", async () => {
    const seen: unknown[] = [];
    const agent = defineAgent({
      id: "a",
      model: scriptedModel(["Fine"]),
      sessionState: { visits: 1 },
      dependencies: { tenant: "acme" },
      hooks: {
        beforeRun: (_, { session, dependencies, point, signal, idempotencyKey }) => {
          session.state.visits = (session.state.visits ?? 0) + 1;
          seen.push(dependencies.tenant, point, signal.aborted, idempotencyKey);
        },
      },
    });
    const scope = fakeScope(agent);
    await scope.run();
    expect(seen).toEqual(["acme", "beforeRun", false, "run-1/hook/beforeRun/0/0"]);
    expect(scope.context.session.state).toEqual({ visits: 1 });
  });
});

describe("beforeModel", () => {
  test("the system message and contents of messages are changed for one request", async () => {
    const run = setUp(
      {
        beforeModel: ({ system, messages, tools }) => ({
          system: `${system}${tools.join()}`,
          contents: { [messages.length - 1]: `${messages.at(-1)?.content}!` },
        }),
      },
      [callsLook, "Fine"],
    );
    await run.scope.run();
    expect(prompts(run, 0)).toContain('"hello!"');
    expect(prompts(run, 0)).toContain('"role":"system","content":"look"');
    expect(prompts(run, 1)).toContain('"hello"');
    expect(prompts(run, 1)).toContain("Rain in Paris!");
  });

  test("a refusal before the second request keeps the first turn", async () => {
    const run = setUp({ beforeModel: ({ messages }) => (messages.length > 1 ? { refuse: "Enough." } : undefined) }, [
      callsLook,
    ]);
    await expect(run.scope.run()).rejects.toMatchObject({ type: "input_check_error", message: "Enough." });
    expect(run.scope.messages.map(({ message }) => message.role)).toEqual(["user", "assistant", "tool"]);
  });
});

describe("afterModel", () => {
  const streamed = { text: ["Call ", "555", " now"], reasoning: "Think 555" };

  test("clients receive the changed text only, in one piece, and so does the stored message", async () => {
    const { scope } = setUp({ afterModel: ({ text }) => ({ text: text.replace("555", "[number]") }) }, [streamed]);
    const output = await scope.run();
    expect(output.content).toBe("Call [number] now");
    const contents = scope.events.filter(({ name }) => name === "RunContent").map(({ fields }) => fields.content);
    expect(contents).toEqual(["Call [number] now"]);
    expect(JSON.stringify(scope.messages)).not.toContain("Call 555");
  });

  test("a refused answer is in no event, no message and no partial output, and its usage stays", async () => {
    const { scope } = setUp({ afterModel: () => ({ refuse: "No." }) }, [streamed]);
    await expect(scope.run()).rejects.toMatchObject({ type: "output_check_error", message: "No." });
    expect(JSON.stringify([scope.events, scope.messages, scope.partialOutput?.()])).not.toContain("555");
    expect(scope.messages.at(-1)?.message).toMatchObject({ role: "assistant", content: "", metrics: {} });
    expect(scope.names.filter((name) => name === "ModelRequestCompleted")).toHaveLength(1);
  });

  test("sources are shown after the check, and those of a refused answer are not", async () => {
    const turn = { text: "Call 555", sources: [{ url: "https://example.org/555" }] };
    const checked = setUp({ afterModel: () => undefined }, [turn]).scope;
    await checked.run();
    const shown = checked.events.filter(({ name }) => name === "RunContent").map(({ fields }) => fields);
    expect(shown.map(({ content, citations }) => content ?? citations)).toEqual([
      "Call 555",
      { urls: [{ url: "https://example.org/555" }] },
    ]);
    const refused = setUp({ afterModel: () => ({ refuse: "No." }) }, [turn]).scope;
    await expect(refused.run()).rejects.toMatchObject({ type: "output_check_error" });
    expect(JSON.stringify([refused.events, refused.messages, refused.partialOutput?.()])).not.toContain("555");
  });

  test("calls of tools stay when the text is changed", async () => {
    const { scope } = setUp({ afterModel: ({ text }) => (text === "" ? undefined : { text: "changed" }) }, [
      { text: "I look", ...callsLook },
      "Fine",
    ]);
    const output = await scope.run();
    expect(output.content).toBe("changed\n\nchanged");
    expect(output.tools).toHaveLength(1);
  });
});

describe("beforeTool and afterTool", () => {
  const last = ({ model }: Setup): string => JSON.stringify(model.calls.at(-1)?.prompt.at(-1));

  test("the changed arguments are announced and executed, and the changed result is stored", async () => {
    const run = setUp(
      {
        beforeTool: () => ({ input: { city: "Rome" } }),
        afterTool: ({ result }) => ({ result: result.toUpperCase() }),
      },
      [callsLook, "Fine"],
    );
    const output = await run.scope.run();
    const started = run.scope.events.find(({ name }) => name === "ToolCallStarted");
    expect(started?.fields.tool.tool_args).toEqual({ city: "Rome" });
    expect(output.tools?.[0]).toMatchObject({ tool_args: { city: "Rome" }, result: "RAIN IN ROME" });
    expect(last(run)).toContain("RAIN IN ROME");
  });

  test("a result in place of the call reaches the model, and the tool is not called", async () => {
    const run = setUp({ beforeTool: () => ({ result: "Not allowed here", isError: true }) }, [callsLook, "Fine"]);
    const output = await run.scope.run();
    expect(output.tools?.[0]).toMatchObject({ result: "Not allowed here", tool_call_error: true });
    expect(last(run)).not.toContain("Rain");
  });

  test("a request for an approval makes the call wait, as a tool with approval does", async () => {
    const run = setUp({ beforeTool: ({ tool }) => ({ askApproval: `May it ${tool}?` }) }, [callsLook, "Fine"]);
    const pause = await run.scope.run().catch((error: unknown) => error);
    const { requirements, answerNames } = (pause as RunPaused).pause;
    expect(requirements?.[0]?.tool_execution).toMatchObject({
      ...{ tool_call_id: "c1", tool_name: "look", requires_confirmation: true },
      ...{ confirmation_note: "May it look?", approval_type: "required" },
    });
    run.scope.setMark(Object.values(answerNames ?? {})[0] as string, { confirmed: true });
    expect((await run.scope.run()).tools?.[0]).toMatchObject({ result: "Rain in Paris" });
    expect(run.scope.names.filter((name) => name === "PreHookStarted")).toHaveLength(1);
  });

  test("a refusal of a result ends the run, and the result is in no event and no message", async () => {
    const { scope } = setUp({ afterTool: () => ({ refuse: "Secret." }) }, [callsLook]);
    await expect(scope.run()).rejects.toMatchObject({ type: "output_check_error", message: "Secret." });
    expect(JSON.stringify([scope.events, scope.messages])).not.toContain("Rain");
  });

  test("in a team that routes, the changed result of the member is the answer", async () => {
    const member = defineAgent({ id: "m", model: scriptedModel(["The code is 555"]) });
    const team = defineTeam({
      id: "t",
      mode: "route",
      members: [member],
      model: scriptedModel([
        { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "m", task: "x" } }] },
      ]),
      hooks: { afterTool: ({ result }) => ({ result: result.replace("555", "[code]") }) },
    });
    const scope = fakeScope(team);
    expect((await scope.run()).content).toBe("The code is [code]");
    expect(scope.names).toContain("TeamPostHookCompleted");
  });
});

describe("afterRun", () => {
  test("it receives the answer before the run's content ends", async () => {
    const seen: unknown[] = [];
    const { scope } = setUp({ afterRun: ({ content }) => void seen.push(content) });
    await scope.run();
    expect(seen).toEqual(["Fine"]);
    expect(scope.names.slice(-4)).toEqual([
      ...["PostHookStarted", "PostHookCompleted", "RunContentCompleted", "RunCompleted"],
    ]);
  });

  test("a refusal fails the run with output_check_error", async () => {
    const { scope } = setUp({ afterRun: () => ({ refuse: "Not good enough." }) });
    await expect(scope.run()).rejects.toMatchObject({ type: "output_check_error", message: "Not good enough." });
  });
});

describe("failures", () => {
  test.each<[string, Hooks, object]>([
    [
      "a hook that throws",
      { beforeRun: () => Promise.reject(new Error("db password is x")) },
      { type: "hook_failed", message: 'The hook "beforeRun" (beforeRun) failed.' },
    ],
    [
      "a hook that throws RunRejected",
      {
        beforeRun: () => {
          throw new RunRejected("Not for you.");
        },
      },
      { name: "RunRejected", message: "Not for you." },
    ],
    [
      "a hook that returns what its point does not accept",
      { afterModel: () => ({ input: "x" }) as never },
      { type: "hook_failed", message: 'The hook "afterModel" (afterModel) returned what its point does not accept.' },
    ],
    [
      "a hook that returns a text",
      { beforeTool: () => "stop" as never },
      { type: "hook_failed", message: 'The hook "beforeTool" (beforeTool) returned what its point does not accept.' },
    ],
  ])("%s fails the run, without its internals", async (_, hooks, error) => {
    const { scope } = setUp(hooks, [callsLook]);
    await expect(scope.run()).rejects.toMatchObject(error);
  });

  test("a hook that exceeds its time-out is aborted, and the run fails", async () => {
    let signal: AbortSignal | undefined;
    const { scope } = setUp({
      beforeRun: (_, context) => {
        signal = context.signal;
        return new Promise(() => undefined);
      },
      timeout: 2_000,
    });
    const running = scope.run();
    running.catch(() => undefined);
    await expect.poll(() => signal).toBeDefined();
    scope.clock.advance(2_000);
    await expect(running).rejects.toMatchObject({
      type: "hook_failed",
      message: 'The hook "beforeRun" (beforeRun) took longer than 2 s and was stopped.',
    });
    expect(signal?.aborted).toBe(true);
  });
});

test.each([
  [{ beforeRum: () => undefined }, 'Agent "a": its hooks has no option "beforeRum": did you mean "beforeRun"?'],
  [{ beforeRun: "x" }, 'Agent "a": hooks.beforeRun must be a function or a list of functions.'],
  [{ timeout: 0 }, 'Agent "a": hooks.timeout must be a number above 0.'],
  ["x", 'Agent "a": hooks must be an object, for instance { beforeRun: checkInput }.'],
])("hooks that are not valid are rejected at the definition", (hooks, message) => {
  expect(() => defineAgent({ id: "a", model: scriptedModel([]), hooks: hooks as never })).toThrow(message);
});
