import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import type { RunContext } from "../../src/define/context.ts";
import { defineTool } from "../../src/define/tool.ts";
import { RunFailure, RunStopped } from "../../src/engine/loops/contract.ts";
import type { Message } from "../../src/model/run/message.ts";
import { type Script, scriptedModel } from "../../src/testing/index.ts";
import { fakeScope } from "../support/fake-scope.ts";

const weather = defineTool({
  name: "get_weather",
  description: "Weather of a city",
  input: z.object({ city: z.string() }),
  execute: ({ city }) => `Sunny in ${city}`,
});
const badTool = defineTool({
  name: "bad_tool",
  description: "Breaks",
  input: z.object({}),
  execute: () => {
    throw new Error("tool broke");
  },
});
const usage = { input: 21, output: 9 };

function recordedModel(script: Script) {
  return scriptedModel(script, { provider: "openai.chat", modelId: "fake-model" });
}

describe("events as recorded (contract, events.md section 5)", () => {
  test("a plain answer emits the recorded events and fields", async () => {
    const model = recordedModel([{ text: "Hello there, you said: hello", usage, id: "chatcmpl-1" }]);
    const scope = fakeScope(defineAgent({ id: "plain-agent", name: "Plain Agent", model }));
    await scope.run();
    expect(scope.names).toEqual([
      "RunStarted",
      "ModelRequestStarted",
      ...Array.from({ length: 5 }, () => "RunContent"),
      "ModelRequestCompleted",
      "RunContentCompleted",
      "RunCompleted",
    ]);
    const fields = (name: string) => JSON.stringify(scope.events.find((event) => event.name === name)?.fields);
    expect(fields("RunStarted")).toBe('{"model":"fake-model","model_provider":"OpenAI"}');
    expect(fields("ModelRequestStarted")).toBe('{"model":"fake-model","model_provider":"OpenAI"}');
    expect(fields("RunContent")).toBe(
      '{"content":"Hello","workflow_agent":false,"content_type":"str","reasoning_content":"","model_provider_data":{"id":"chatcmpl-1"}}',
    );
    expect(fields("ModelRequestCompleted")).toBe(
      '{"model":"fake-model","model_provider":"OpenAI","input_tokens":21,"output_tokens":9,"total_tokens":30,"time_to_first_token":0,"reasoning_tokens":0,"cache_read_tokens":0,"cache_write_tokens":0}',
    );
    expect(fields("RunContentCompleted")).toBe("{}");
    expect(fields("RunCompleted")).toBe(
      '{"content":"Hello there, you said: hello","content_type":"str","model_provider_data":{"id":"chatcmpl-1"},"session_state":{},"metrics":{"input_tokens":21,"output_tokens":9,"total_tokens":30,"time_to_first_token":0,"duration":0,"details":{"model":[{"input_tokens":21,"output_tokens":9,"total_tokens":30,"id":"fake-model","provider":"OpenAI Chat"}]}}}',
    );
  });

  test("a tool call emits the recorded events, and its start commits before the tool runs", async () => {
    const model = recordedModel([
      { toolCalls: [{ name: "get_weather", input: { city: "Paris" }, id: "call_d91c5706" }], usage },
      { text: "Tool said: Sunny in Paris", usage },
    ]);
    const scope = fakeScope(defineAgent({ id: "tool-agent", model, tools: [weather] }), { message: "weather?" });
    const output = await scope.run();
    expect(scope.trace).toEqual([
      "say user",
      "event RunStarted",
      "event ModelRequestStarted",
      "say assistant",
      "event ModelRequestCompleted",
      "event ToolCallStarted",
      "commit",
      "say tool",
      "event ToolCallCompleted",
      "commit",
      "event ModelRequestStarted",
      ...Array.from({ length: 5 }, () => "event RunContent"),
      "say assistant",
      "event ModelRequestCompleted",
      "event RunContentCompleted",
      "event RunCompleted",
    ]);
    const [started, completed] = ["ToolCallStarted", "ToolCallCompleted"].map(
      (name) => scope.events.find((event) => event.name === name)?.fields,
    );
    const rest = {
      requires_confirmation: null,
      confirmed: null,
      confirmation_note: null,
      requires_user_input: null,
      user_input_schema: null,
      user_feedback_schema: null,
      answered: null,
      external_execution_required: null,
      external_execution_silent: null,
      approval_type: null,
      approval_id: null,
    };
    const call = { tool_call_id: "call_d91c5706", tool_name: "get_weather", tool_args: { city: "Paris" } };
    const asStarted = {
      ...call,
      tool_call_error: null,
      result: null,
      metrics: null,
      child_run_id: null,
      stop_after_tool_call: false,
      created_at: 1795252181,
      ...rest,
    };
    expect(JSON.stringify(started)).toBe(JSON.stringify({ tool: asStarted }));
    const asCompleted = {
      ...call,
      tool_call_error: false,
      result: "Sunny in Paris",
      metrics: { start_time: 1795252181, end_time: 1795252181, duration: 0 },
      child_run_id: null,
      stop_after_tool_call: false,
      created_at: 1795252181,
      ...rest,
    };
    const sentence = "get_weather(city=Paris) completed in 0.0000s. ";
    expect(JSON.stringify(completed)).toBe(JSON.stringify({ content: sentence, tool: asCompleted }));
    expect(Object.keys(asCompleted)).toHaveLength(20);
    expect(scope.events.findLast(({ name }) => name === "ModelRequestCompleted")?.fields).toHaveProperty(
      "time_to_first_token",
    );
    expect(scope.events.find(({ name }) => name === "ModelRequestCompleted")?.fields).not.toHaveProperty(
      "time_to_first_token",
    );
    expect(output.metrics).toMatchObject({ input_tokens: 42, output_tokens: 18, total_tokens: 60 });
  });

  test("a tool that throws emits ToolCallError, and the model receives the error text", async () => {
    const model = recordedModel([{ toolCalls: [{ name: "bad_tool" }] }, "Tool said: tool broke"]);
    const scope = fakeScope(defineAgent({ id: "tool-agent", model, tools: [badTool] }));
    await scope.run();
    expect(scope.names.slice(3, 7)).toEqual([
      "ToolCallStarted",
      "ToolCallCompleted",
      "ToolCallError",
      "ModelRequestStarted",
    ]);
    const [, completed, error] = scope.events.slice(3, 6);
    expect(completed?.fields).toMatchObject({
      content: "bad_tool() completed in 0.0000s. ",
      tool: { tool_call_error: true, result: "tool broke" },
    });
    expect(Object.keys(error?.fields ?? {})).toEqual(["error", "tool"]);
    expect(error?.fields).toMatchObject({ error: "tool broke", tool: completed?.fields.tool });
    expect(model.calls[1]?.prompt.at(-1)).toMatchObject({
      role: "tool",
      content: [{ output: { type: "error-text", value: "tool broke" } }],
    });
  });

  test("a failing model fails the run with model_provider_error and emits no further event", async () => {
    const scope = fakeScope(
      defineAgent({ id: "plain-agent", model: recordedModel([{ error: { message: "model exploded" } }]) }),
    );
    await expect(scope.run()).rejects.toThrow(new RunFailure("model_provider_error", "model exploded"));
    expect(scope.names).toEqual(["RunStarted", "ModelRequestStarted"]);
  });
});

test("reasoning is streamed separately from the text, between ReasoningStarted and ReasoningCompleted", async () => {
  const model = recordedModel([{ reasoning: "Let me see.", text: "It is so.", usage: { ...usage, reasoning: 4 } }]);
  const scope = fakeScope(defineAgent({ id: "thinker", model }));
  const output = await scope.run();
  expect(scope.names.slice(2, -3)).toEqual([
    "ReasoningStarted",
    ...Array.from({ length: 3 }, () => "RunContent"),
    "ReasoningCompleted",
    ...Array.from({ length: 3 }, () => "RunContent"),
  ]);
  expect(scope.events[3]?.fields).toEqual({
    workflow_agent: false,
    content_type: "str",
    reasoning_content: "Let",
    model_provider_data: { id: "scripted-1" },
  });
  expect(output).toMatchObject({
    content: "It is so.",
    reasoningContent: "Let me see.",
    metrics: { reasoning_tokens: 4 },
  });
  expect(scope.messages.at(-1)?.message).toMatchObject({ content: "It is so.", reasoning: "Let me see." });
});

test("tool calls of one turn run in parallel: all ToolCallStarted events commit first, and the model receives the results in call order", async () => {
  const order: string[] = [];
  const gates = new Map<string, () => void>();
  const wait = defineTool({
    name: "wait",
    description: "Waits",
    input: z.object({ for: z.string() }),
    async execute(input) {
      order.push(`begin ${input.for}`);
      await new Promise<void>((resolve) => {
        gates.set(input.for, resolve);
        if (gates.size === 2) for (const name of ["b", "a"]) queueMicrotask(() => gates.get(name)?.());
      });
      return `waited for ${input.for}`;
    },
  });
  const calls = ["a", "b"].map((name) => ({ name: "wait", input: { for: name }, id: name }));
  const model = recordedModel([{ toolCalls: calls }, "Done"]);
  const scope = fakeScope(defineAgent({ id: "waiter", model, tools: [wait] }));
  await scope.run();
  expect(order).toEqual(["begin a", "begin b"]);
  const from = scope.trace.indexOf("event ToolCallStarted");
  expect(scope.trace.slice(from, from + 8)).toEqual([
    "event ToolCallStarted",
    "event ToolCallStarted",
    "commit",
    "say tool",
    "event ToolCallCompleted",
    "say tool",
    "event ToolCallCompleted",
    "commit",
  ]);
  expect(scope.messages.slice(2, 4).map(({ message }) => message.role === "tool" && message.toolCallId)).toEqual([
    "b",
    "a",
  ]);
  const results = model.calls[1]?.prompt.at(-1);
  expect(results?.role === "tool" && results.content.map((part) => "toolCallId" in part && part.toolCallId)).toEqual([
    "a",
    "b",
  ]);
});

test("text of several turns is joined with a blank line, in the deltas and in the output alike", async () => {
  const model = recordedModel([
    { text: "Let me look.", toolCalls: [{ name: "get_weather", input: { city: "Rome" } }] },
    "It is sunny.",
  ]);
  const scope = fakeScope(defineAgent({ id: "talker", model, tools: [weather] }));
  const output = await scope.run();
  const deltas = scope.events.flatMap(({ name, fields }) => (name === "RunContent" ? [fields.content] : []));
  expect(deltas.join("")).toBe("Let me look.\n\nIt is sunny.");
  expect(output.content).toBe("Let me look.\n\nIt is sunny.");
  expect(scope.messages.at(-1)?.message.content).toBe("It is sunny.");
});

test("deltas and output agree when a later turn reasons before its text", async () => {
  const model = scriptedModel([
    { text: "Let me look.", toolCalls: [{ name: "get_weather", input: { city: "Paris" } }] },
    { reasoning: "Sun, it seems.", text: "It is sunny." },
  ]);
  const scope = fakeScope(defineAgent({ id: "a", model, tools: [weather] }));
  const output = await scope.run();
  const deltas = scope.events.flatMap(({ name, fields }) => (name === "RunContent" ? [fields.content ?? ""] : []));
  expect(deltas.join("")).toBe(output.content);
});

test("a tool with stopAfterCall ends the run with its result", async () => {
  const final = defineTool({
    name: "final",
    description: "Ends",
    input: z.object({}),
    stopAfterCall: true,
    execute: () => "That is all.",
  });
  const scope = fakeScope(
    defineAgent({ id: "stopper", model: recordedModel([{ toolCalls: [{ name: "final" }] }]), tools: [final] }),
  );
  const output = await scope.run();
  expect(output.content).toBe("That is all.");
  expect(scope.names.slice(-4)).toEqual(["ToolCallCompleted", "RunContent", "RunContentCompleted", "RunCompleted"]);
  expect(scope.messages.at(-1)?.message).toMatchObject({ role: "tool", stopAfter: true });
});

test("a run fails with max_steps when its model still calls tools after maxSteps turns", async () => {
  const model = recordedModel(() => ({ toolCalls: [{ name: "get_weather", input: { city: "Oslo" } }] }));
  const scope = fakeScope(defineAgent({ id: "looper", name: "Looper", model, tools: [weather], maxSteps: 3 }));
  await expect(scope.run()).rejects.toThrow(
    new RunFailure("max_steps", "No answer after 3 model turns, which is the most that Looper may take (maxSteps)."),
  );
  expect(model.calls).toHaveLength(3);
});

test("repeated and missing call ids of a provider are replaced, and each call has its own idempotency key", async () => {
  const keys: string[] = [];
  const note = defineTool({
    name: "note",
    description: "Notes",
    input: z.object({}),
    execute: (_, { idempotencyKey, toolCallId }) => {
      expect(idempotencyKey).toBe(`run-1/${toolCallId}`);
      keys.push(idempotencyKey);
    },
  });
  const twice = [
    { name: "note", id: "same" },
    { name: "note", id: "" },
  ];
  const model = recordedModel([{ toolCalls: twice }, { toolCalls: twice }, "Done"]);
  await fakeScope(defineAgent({ id: "noter", model, tools: [note] })).run();
  expect(keys[0]).toBe("run-1/same");
  expect(new Set(keys).size).toBe(4);
});

describe("the model's prompt", () => {
  test("the prompt contains description, role and instructions, then history, then the user's message", async () => {
    const history: Message[] = [
      { role: "user", content: "before" },
      { role: "assistant", content: "answered", reasoning: "thought", providerOptions: { parts: [] } },
    ];
    const model = recordedModel(["Yes"]);
    const agent = defineAgent({
      id: "a",
      model,
      description: "A plain agent",
      role: "Answers",
      instructions: ["Be brief", "Be kind"],
      history: { runs: 2 },
      modelSettings: { temperature: 0.5, maxOutputTokens: 100 },
    });
    await fakeScope(agent, { history }).run();
    expect(model.calls[0]).toMatchObject({ temperature: 0.5, maxOutputTokens: 100 });
    expect(model.calls[0]).not.toHaveProperty("tools");
    expect(model.calls[0]?.prompt).toEqual([
      { role: "system", content: "A plain agent\n\n<your_role>\nAnswers\n</your_role>\n\n- Be brief\n- Be kind" },
      { role: "user", content: [{ type: "text", text: "before" }] },
      { role: "assistant", content: [{ type: "text", text: "answered" }] },
      { role: "user", content: [{ type: "text", text: "hello" }] },
    ]);
  });

  test("an instructions function receives the run context, with dependencies of the definition and of the start merged", async () => {
    let seen: RunContext | undefined;
    const model = recordedModel(["Yes"]);
    const agent = defineAgent({
      id: "a",
      model,
      dependencies: { city: "Paris", unit: "C" },
      instructions: async (context) => {
        seen = context;
        return `In ${context.dependencies.city}`;
      },
    });
    await fakeScope(agent, { options: { dependencies: { city: "Rome" } } }).run();
    expect(model.calls[0]?.prompt[0]).toEqual({ role: "system", content: "In Rome" });
    expect(seen).toMatchObject({
      runId: "run-1",
      rootRunId: "run-1",
      componentId: "a",
      dependencies: { city: "Rome", unit: "C" },
    });
  });
});

describe("a recovered run continues from its stored messages", () => {
  const user: Message = { role: "user", content: "weather?" };
  const calls: Message = {
    role: "assistant",
    content: "",
    metrics: { input_tokens: 21, output_tokens: 9, total_tokens: 30 },
    toolCalls: [
      { id: "one", name: "get_weather", input: { city: "Paris" } },
      { id: "two", name: "get_weather", input: { city: "Rome" } },
    ],
  };
  const one: Message = {
    role: "tool",
    toolCallId: "one",
    toolName: "get_weather",
    toolArgs: { city: "Paris" },
    content: "Sunny",
    isError: false,
  };

  function again(said: readonly Message[], script: Script) {
    const model = recordedModel(script);
    return {
      model,
      scope: fakeScope(defineAgent({ id: "a", model, tools: [weather] }), { said, message: "weather?" }),
    };
  }

  test("with the user's message only, it calls the model and emits no second RunStarted", async () => {
    const { scope } = again([user], ["Hello"]);
    await scope.run();
    expect(scope.names[0]).toBe("ModelRequestStarted");
    expect(scope.messages).toHaveLength(2);
  });

  test("with some tool results stored, it executes only the calls without a result", async () => {
    const { scope, model } = again([user, calls, one], [{ text: "Done", usage }]);
    const output = await scope.run();
    expect(scope.names.slice(0, 3)).toEqual(["ToolCallStarted", "ToolCallCompleted", "ModelRequestStarted"]);
    expect(scope.events[0]?.fields.tool.tool_call_id).toBe("two");
    expect(model.calls[0]?.prompt.at(-1)).toMatchObject({
      content: [
        { toolCallId: "one", output: { value: "Sunny" } },
        { toolCallId: "two", output: { value: "Sunny in Rome" } },
      ],
    });
    expect(output.tools?.map(({ tool_call_id, result }) => [tool_call_id, result])).toEqual([
      ["one", "Sunny"],
      ["two", "Sunny in Rome"],
    ]);
    expect(output.metrics).toMatchObject({ input_tokens: 42, total_tokens: 60 });
  });

  test("with all tool results stored, it calls the model", async () => {
    const two: Message = { ...one, toolCallId: "two" };
    const { scope } = again([user, calls, one, two], ["Done"]);
    await scope.run();
    expect(scope.names[0]).toBe("ModelRequestStarted");
  });

  test("with the answer stored, it emits only the end of the run and calls no model", async () => {
    const answer: Message = { role: "assistant", content: "Hello", providerData: { id: "x" } };
    const { scope, model } = again([user, answer], []);
    const output = await scope.run();
    expect(scope.names).toEqual(["RunContentCompleted", "RunCompleted"]);
    expect(output).toMatchObject({ content: "Hello", providerData: { id: "x" } });
    expect(model.calls).toHaveLength(0);
  });
});

test("a cancelled run stops in the middle of a model stream and keeps its partial output", async () => {
  const model = scriptedModel([{ text: ["one", " two", " three"], delay: 60_000 }]);
  const scope = fakeScope(defineAgent({ id: "a", model }));
  const running = scope.run();
  await expect.poll(() => scope.names.length).toBe(2);
  scope.stop({ kind: "cancelled" });
  await expect(running).rejects.toBeInstanceOf(RunStopped);

  const talking = fakeScope(defineAgent({ id: "a", model: scriptedModel([{ text: ["one", " two", " three"] }]) }));
  const emit = talking.emit.bind(talking);
  talking.emit = (name, fields) => {
    emit(name, fields);
    if (fields?.content === " two") talking.stop({ kind: "cancelled" });
  };
  await expect(talking.run()).rejects.toBeInstanceOf(RunStopped);
  expect(talking.partialOutput?.().content).toBe("one two");
});

test("a cancelled run stops although its model ignores the abort signal", async () => {
  const deaf = scriptedModel([]);
  const never = new ReadableStream();
  const scope = fakeScope(defineAgent({ id: "a", model: { ...deaf, doStream: async () => ({ stream: never }) } }));
  const running = scope.run();
  await expect.poll(() => scope.names.length).toBe(2);
  scope.stop({ kind: "cancelled" });
  await expect(running).rejects.toBeInstanceOf(RunStopped);
});

test("the loop reads no further model output while the log has no room", async () => {
  const scope = fakeScope(defineAgent({ id: "a", model: recordedModel(["one two"]) }));
  let open = (): void => undefined;
  Object.assign(scope, { room: () => new Promise<void>((resolve) => (open = resolve)) });
  const running = scope.run();
  await expect.poll(() => scope.names.length).toBe(3);
  await new Promise((resolve) => setTimeout(resolve, 10));
  expect(scope.names.length).toBe(3);
  open();
  await expect.poll(() => scope.names.length).toBe(4);
  open();
  await running;
});
