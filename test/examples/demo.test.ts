/** The demo platform on its scripted models, without their delays: the first answers of a newcomer must make sense. */
import { afterEach, describe, expect, test, vi } from "vitest";
import platform from "../../examples/demo/app.ts";
import { modelFor } from "../../examples/demo/models.ts";
import { calculate } from "../../examples/demo/tools.ts";
import type { Component } from "../../src/define/platform.ts";
import { fakeScope } from "../support/fake-scope.ts";

// The environment of the tests may have keys.
vi.hoisted(() => {
  for (const key of ["DEMO_MODEL", "OPENAI_BASE_URL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"]) delete process.env[key];
});

afterEach(() => {
  vi.unstubAllEnvs();
});

function component(id: string): Component {
  const found = [...platform.agents, ...platform.teams].find((other) => other.id === id);
  if (!found) throw new Error(`The demo has no ${id}.`);
  return found;
}

async function ask(id: string, message: string) {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  try {
    const scope = fakeScope(component(id), { message });
    const running = scope.run();
    let done = false;
    const settle = (): void => {
      done = true;
    };
    running.then(settle, settle);
    let milliseconds = 0;
    for (; !done; milliseconds += 5) await vi.advanceTimersByTimeAsync(5);
    return { scope, output: await running, milliseconds };
  } finally {
    vi.useRealTimers();
  }
}

test("the demo hosts agents, a coordinating team and a routing team, and needs no key", () => {
  expect(platform.agents.length).toBeGreaterThan(1);
  expect(platform.teams.map(({ mode }) => mode)).toEqual(["coordinate", "route"]);
  for (const { model } of [...platform.agents, ...platform.teams])
    expect(model).toMatchObject({ provider: "scripted" });
});

test.each<[Readonly<Record<string, string>>, string]>([
  [{ OPENAI_API_KEY: "k" }, "openai:gpt-5.2"],
  [{ ANTHROPIC_API_KEY: "k" }, "anthropic:claude-sonnet-5"],
  [{ OPENAI_BASE_URL: "http://127.0.0.1:8000/v1" }, "openai-compatible:gpt-5.2"],
  [{ OPENAI_BASE_URL: "http://127.0.0.1:8000/v1", DEMO_MODEL: "qwen3:8b" }, "openai-compatible:qwen3:8b"],
  [{ OPENAI_API_KEY: "k", DEMO_MODEL: "gpt-5.6" }, "openai:gpt-5.6"],
  [{ OPENAI_API_KEY: "k", DEMO_MODEL: "anthropic:claude-opus-5" }, "anthropic:claude-opus-5"],
])("with the environment %j, the demo uses the model %s", (environment, model) => {
  for (const [key, value] of Object.entries(environment)) vi.stubEnv(key, value);
  expect(modelFor("weather")).toBe(model);
});

test("the travel desk delegates to two members, and streams for 5 to 9 seconds", async () => {
  const { scope, output, milliseconds } = await ask("travel-desk", "What is the weather in Paris?");
  expect(scope.members.map((member) => member.component.id)).toEqual(["weather", "guide"]);
  expect(output.content).toMatch(/^Let me see what we know about Paris\.\n\nIn Paris it is .+ today/);
  expect(output.sessionState).toEqual({ last_city: "Paris" });
  expect(milliseconds).toBeGreaterThan(5_000);
  expect(milliseconds).toBeLessThan(9_000);
});

test("the travel desk delegates to two members at once", async () => {
  const { scope, output } = await ask("travel-desk", "Plan a day in Lisbon: 150 euros for 4 people");
  const names = scope.names;
  const from = names.indexOf("TeamToolCallStarted");
  expect(names.slice(from, from + 4)).toEqual([
    "TeamToolCallStarted",
    "TeamToolCallStarted",
    "RunStarted",
    "RunStarted",
  ]);
  expect(output.content).toContain("150 / 4 = 37.5.");
});

describe("the front desk routes a message", () => {
  test.each([
    ["What is 3 * (40 + 2)?", "calculator", "3 * (40 + 2) = 126."],
    ["what is 6 times 7", "calculator", "6 * 7 = 42."],
    ["Will it rain in New York tomorrow?", "weather", "In New York it is"],
    ["12 / 0", "calculator", "I cannot calculate that"],
    ["hello", "guide", "Name a city"],
  ])("%j to the agent %s", async (message, member, text) => {
    const { scope, output } = await ask("front-desk", message);
    expect(scope.members.map((other) => other.component.id)).toEqual([member]);
    expect(output.content).toContain(text);
  });
});

test.each([
  ["1 + 2 * 3", 7],
  ["(1 + 2) * -3", -9],
  ["10 / 4 - 0.5", 2],
])("the calculator evaluates %s", (expression, result) => {
  expect(calculate.execute({ expression } as never, {} as never)).toEqual({ expression, result });
});

test.each(["1 +", "(1", "1 2", "a", "1 / 0", "1; process.exit()"])("the calculator throws for %s", (expression) => {
  expect(() => calculate.execute({ expression } as never, {} as never)).toThrow();
});
