import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { defineTool, type ToolOptions } from "../../src/define/tool.ts";
import { RunStopped } from "../../src/engine/loops/contract.ts";
import type { ToolExecution } from "../../src/model/run/record.ts";
import { type ScriptedToolCall, scriptedModel } from "../../src/testing/index.ts";
import { type FakeScope, fakeScope } from "../support/fake-scope.ts";

const city = z.object({ city: z.string(), days: z.number().int().max(7).optional() });

type Options = Extract<ToolOptions<typeof city>, { external?: false }>;

function tool(execute: Options["execute"], options: Partial<Options> = {}) {
  return defineTool({ name: "look", description: "Looks", input: city, execute, ...options });
}

function scopeFor(tools: ReturnType<typeof tool>[], call: ScriptedToolCall, settings = {}): FakeScope {
  const model = scriptedModel([{ toolCalls: [call] }, "Done"]);
  return fakeScope(defineAgent({ id: "a", model, tools }), { settings });
}

/** Executes one call of the tool and returns its record. */
async function outcome(
  execute: Options["execute"],
  call: Partial<ScriptedToolCall> = {},
  settings = {},
): Promise<ToolExecution> {
  const scope = scopeFor([tool(execute)], { name: "look", input: { city: "Paris" }, ...call }, settings);
  const output = await scope.run();
  return output.tools?.[0] as ToolExecution;
}

describe("a tool's result becomes text", () => {
  test.each([
    ["a text stays as it is", () => "Sunny ☀️", "Sunny ☀️"],
    ["undefined becomes the empty text", () => undefined, ""],
    ["an object becomes JSON", () => ({ sky: "blue", degrees: 20 }), '{"sky":"blue","degrees":20}'],
    ["null becomes JSON", () => null, "null"],
    ["a promise becomes its value as text", async () => 42, "42"],
  ])("%s", async (_, execute, result) => {
    expect(await outcome(execute)).toMatchObject({ result, tool_call_error: false });
  });

  test("a result above maxToolResultCharacters is cut, with a note", async () => {
    const { result } = await outcome(() => "x".repeat(500), {}, { maxToolResultCharacters: 100 });
    expect(result).toBe(`${"x".repeat(100)}\n[cut: these are the first 100 of 500 characters]`);
  });

  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  test.each([
    ["a cycle", () => cycle, /cannot be written as JSON: Converting circular structure/],
    ["a BigInt", () => ({ n: 1n }), /cannot be written as JSON: Do not know how to serialize a BigInt/],
    ["a function", () => () => 1, /cannot be written as JSON: it is a function/],
  ])("%s is the tool's error", async (_, execute, text) => {
    const { result, tool_call_error } = await outcome(execute);
    expect(tool_call_error).toBe(true);
    expect(result).toMatch(text);
  });
});

describe("the model receives an error of a tool call as the result", () => {
  test("invalid arguments, with their names", async () => {
    const { result, tool_call_error } = await outcome(() => "never", { input: { days: 9 } });
    expect(tool_call_error).toBe(true);
    expect(result).toBe(
      "The arguments of look do not fit:\n- city: Invalid input: expected string, received undefined\n- days: Too big: expected number to be <=7",
    );
  });

  test("arguments that are not JSON", async () => {
    const { result, tool_args } = await outcome(() => "never", { input: '{"city": "Par' });
    expect(result).toBe("The arguments of look are not valid JSON: call it again with valid JSON.");
    expect(tool_args).toEqual({ unreadable_arguments: '{"city": "Par' });
  });

  test("an unknown tool", async () => {
    const { result } = await outcome(() => "never", { name: "see" });
    expect(result).toBe('There is no tool named "see". There are: look.');
  });

  test("the message of a thrown error, with keys hidden", async () => {
    const { result } = await outcome(() => {
      throw new Error("401 for Bearer abcdefgh12345678");
    });
    expect(result).toBe("401 for Bearer [hidden]");
  });

  test("a thrown value that is not an Error", async () => {
    const { result } = await outcome(() => Promise.reject("just text"));
    expect(result).toBe("just text");
  });
});

describe("time-outs", () => {
  test("a tool that exceeds its time-out is aborted through its signal, and the run continues", async () => {
    let signal: AbortSignal | undefined;
    const slow = tool(
      (_, context) => {
        signal = context.signal;
        return new Promise(() => undefined);
      },
      { timeout: 2_000 },
    );
    const scope = scopeFor([slow], { name: "look", input: { city: "Paris" } });
    const running = scope.run();
    await expect.poll(() => signal).toBeDefined();
    scope.clock.advance(1_999);
    expect(signal?.aborted).toBe(false);
    scope.clock.advance(1);
    const output = await running;
    expect(signal?.aborted).toBe(true);
    expect(output.tools?.[0]).toMatchObject({
      tool_call_error: true,
      result: "look took longer than 2 s and was stopped.",
    });
    expect(output.tools?.[0]?.metrics?.duration).toBe(2);
    expect(output.content).toBe("Done");
  });

  test("no timer remains after a call with the toolTimeout setting", async () => {
    const scope = scopeFor([tool(() => "ok")], { name: "look", input: { city: "Paris" } }, { toolTimeout: 5 });
    await scope.run();
    expect(scope.clock.timers).toBe(0);
  });
});

test("a cancelled run stops although its tool ignores the abort signal", async () => {
  let begun = false;
  const deaf = tool(() => {
    begun = true;
    return new Promise(() => undefined);
  });
  const scope = scopeFor([deaf], { name: "look", input: { city: "Paris" } });
  const running = scope.run();
  await expect.poll(() => begun).toBe(true);
  scope.stop({ kind: "cancelled" });
  await expect(running).rejects.toBeInstanceOf(RunStopped);
  expect(scope.names.at(-1)).toBe("ToolCallStarted");
});

test("a tool receives the run context, and the output contains its changes of the session state", async () => {
  const seen: unknown[] = [];
  const remember = tool(({ city: name }, { session, runId, userId, principal, dependencies, metadata }) => {
    session.state.last = name;
    seen.push(runId, userId, principal.kind, dependencies, metadata);
  });
  const scope = scopeFor([remember], { name: "look", input: { city: "Paris" } });
  const output = await scope.run();
  expect(seen).toEqual(["run-1", null, "open", {}, {}]);
  expect(output.sessionState).toEqual({ last: "Paris" });
  scope.context.session.state.last = "later";
  expect(output.sessionState).toEqual({ last: "Paris" });
});

test("ToolCallCompleted replaces long arguments in its content by three dots", async () => {
  const scope = scopeFor([tool(() => "ok")], { name: "look", input: { city: "x".repeat(200), days: 2 } });
  await scope.run();
  expect(scope.events.find(({ name }) => name === "ToolCallCompleted")?.fields.content).toBe(
    "look(city=..., days=2) completed in 0.0000s. ",
  );
});

test("forty parallel calls cause no process warning about listeners", async () => {
  const warnings: Error[] = [];
  const listen = (warning: Error) => warnings.push(warning);
  process.on("warning", listen);
  const calls = Array.from({ length: 40 }, (_, place) => ({ name: "look", input: { city: `c${place}` } }));
  const model = scriptedModel([{ toolCalls: calls }, "Done"]);
  const scope = fakeScope(defineAgent({ id: "a", model, tools: [tool(async () => "ok")] }));
  expect((await scope.run()).tools).toHaveLength(40);
  await new Promise((resolve) => setImmediate(resolve));
  process.off("warning", listen);
  expect(warnings).toEqual([]);
});
