import { expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { fakeScope } from "../support/fake-scope.ts";

const step = (title: string, next: string) =>
  JSON.stringify({ title, reasoning: `About ${title}`, result: "so", next_action: next });

test("a reasoning model thinks before the first turn, and the model receives its thoughts", async () => {
  const model = scriptedModel(["42"]);
  const reasoningModel = scriptedModel([{ reasoning: "I think", text: "so" }], { modelId: "thinker" });
  const scope = fakeScope(defineAgent({ id: "a", model, reasoningModel }));
  const output = await scope.run();
  expect(output).toMatchObject({
    content: "42",
    reasoningSteps: [{ result: "I think\n\nso" }],
    reasoningContent: "I think\n\nso",
  });
  const deltas = scope.events.filter(({ name }) => name === "ReasoningContentDelta");
  expect(deltas.map(({ fields }) => fields.reasoning_content)).toEqual(["I", " think", "\n\nso"]);
  expect(scope.names.filter((name) => name.startsWith("Reasoning") && !name.endsWith("Delta"))).toEqual([
    "ReasoningStarted",
    "ReasoningCompleted",
  ]);
  expect(scope.events.find(({ name }) => name === "ReasoningCompleted")?.fields).toEqual({
    content: { reasoning_steps: [{ result: "I think\n\nso" }] },
    content_type: "ReasoningSteps",
  });
  expect(JSON.stringify(model.calls[0]?.prompt)).toContain("<reasoning>\\nI think");
  expect(output.metrics?.details?.reasoning_model).toMatchObject([{ id: "thinker" }]);
});

test("reasoning in steps ends with the final step, and each step is in the log once", async () => {
  const model = scriptedModel([step("One", "continue"), step("Two", "final_answer"), "42", "43"]);
  const scope = fakeScope(defineAgent({ id: "a", model, reasoning: { steps: 5 } }));
  const output = await scope.run();
  expect(output.content).toBe("42");
  expect(output.reasoningSteps).toMatchObject([{ title: "One" }, { title: "Two" }]);
  const steps = scope.events.filter(({ name }) => name === "ReasoningStep");
  expect(steps.map(({ fields }) => fields)).toMatchObject([
    {
      content: { title: "One" },
      content_type: "ReasoningStep",
      reasoning_content: "## One\nAbout One\nResult: so\n\n",
    },
    { content: { title: "Two" } },
  ]);
  const later = fakeScope(scope.component, { said: [{ role: "user", content: "hello" }] });
  for (const [name, value] of scope.marks) later.marks.set(name, value);
  expect((await later.run()).content).toBe("43");
  expect(later.names[0]).toBe("ModelRequestStarted");
  expect(JSON.stringify(model.calls[3]?.prompt)).toContain("## Two");
});

test("a step that resets the reasoning removes the steps before it, and the number of steps is bounded", async () => {
  const model = scriptedModel([step("One", "continue"), step("Reset", "reset"), step("Three", "continue"), "42"]);
  const scope = fakeScope(defineAgent({ id: "a", model, reasoning: { steps: 3 } }));
  expect((await scope.run()).reasoningSteps).toMatchObject([{ title: "Reset" }, { title: "Three" }]);
});

test("the run answers without reasoning if its model fails", async () => {
  const reasoningModel = scriptedModel([{ error: { message: "no", status: 400 } }]);
  const scope = fakeScope(defineAgent({ id: "a", model: scriptedModel(["42"]), reasoningModel }));
  expect((await scope.run()).content).toBe("42");
});
