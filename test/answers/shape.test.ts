import { expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { type FakeScope, fakeScope } from "../support/fake-scope.ts";

const City = z.object({ name: z.string() }).meta({ title: "City" });

/** The same run in a later attempt. */
function later(first: FakeScope, messages = first.messages.length): FakeScope {
  const scope = fakeScope(first.component, { said: first.messages.slice(0, messages).map(({ message }) => message) });
  for (const [name, value] of first.marks) scope.marks.set(name, value);
  scope.requests = first.requests;
  return scope;
}

test("a parser model converts the free answer to the output schema, once in a run", async () => {
  const model = scriptedModel(["The city is Paris."]);
  const parserModel = scriptedModel(["no JSON", '{"name":"Paris"}'], { modelId: "parser" });
  const scope = fakeScope(defineAgent({ id: "a", model, output: City, parserModel }));
  const output = await scope.run();
  expect(output).toMatchObject({ content: { name: "Paris" }, contentType: "City" });
  expect(model.calls[0]?.responseFormat).toBeUndefined();
  expect(JSON.stringify(model.calls[0]?.prompt)).not.toContain("JSON Schema");
  expect(parserModel.calls[0]?.responseFormat).toMatchObject({ type: "json", name: "City" });
  const shown = scope.names.filter((name, place) => name !== scope.names[place - 1]);
  expect(shown).toEqual([
    "RunStarted",
    "ModelRequestStarted",
    "RunIntermediateContent",
    "ModelRequestCompleted",
    "ParserModelResponseStarted",
    ...["ModelRequestStarted", "ModelRequestCompleted", "ModelRequestStarted", "ModelRequestCompleted"],
    "RunContent",
    "ParserModelResponseCompleted",
    "RunContentCompleted",
    "RunCompleted",
  ]);
  expect(scope.events.filter(({ name }) => name === "RunContent").map(({ fields }) => fields.content)).toEqual([
    { name: "Paris" },
  ]);
  expect(output.metrics?.details?.parser_model).toMatchObject([{ id: "parser" }]);
  const again = later(scope);
  expect(await again.run()).toMatchObject({ content: { name: "Paris" }, contentType: "City" });
  expect(again.names).toEqual(["RunContentCompleted", "RunCompleted"]);
  expect(parserModel.calls).toHaveLength(2);
});

test("an output model writes the answer, and the draft is no part of it", async () => {
  const model = scriptedModel(["A draft"]);
  const outputModel = scriptedModel(["The final answer"], { modelId: "writer" });
  const agent = defineAgent({
    id: "a",
    model,
    instructions: "Be kind.",
    outputModel: { model: outputModel, instructions: "Write well." },
  });
  const scope = fakeScope(agent, { message: "Hi" });
  const output = await scope.run();
  expect(output).toMatchObject({ content: "The final answer", contentType: "str" });
  const text = (name: string) =>
    scope.events
      .filter((event) => event.name === name)
      .map(({ fields }) => fields.content)
      .join("");
  expect(text("RunIntermediateContent")).toBe("A draft");
  expect(text("RunContent")).toBe("The final answer");
  const prompt = JSON.stringify(outputModel.calls[0]?.prompt);
  for (const part of ["Be kind.", "Write well.", "Hi", "<draft>\\nA draft\\n</draft>"])
    expect(prompt).toContain(JSON.stringify(part).slice(1, -1).replaceAll("\\\\", "\\"));
  expect(Object.keys(output.metrics?.details ?? {})).toEqual(["model", "output_model"]);
  expect(scope.messages.map(({ message }) => message.content)).toEqual(["Hi", "A draft", "The final answer"]);

  const again = later(scope);
  expect((await again.run()).content).toBe("The final answer");
  expect(again.names).toEqual(["RunContentCompleted", "RunCompleted"]);
});

test("an output model is asked by a later attempt if its answer was not stored", async () => {
  const outputModel = scriptedModel([{ error: { message: "no", status: 400 } }, "The final answer"]);
  const scope = fakeScope(defineAgent({ id: "a", model: scriptedModel(["A draft"]), outputModel }));
  await expect(scope.run()).rejects.toMatchObject({ type: "model_provider_error" });
  expect((await later(scope).run()).content).toBe("The final answer");
});

test("an output model gives a structured answer its form", async () => {
  const outputModel = scriptedModel(['{"name":"Rome"}']);
  const scope = fakeScope(defineAgent({ id: "a", model: scriptedModel(["It is Rome"]), output: City, outputModel }));
  expect(await scope.run()).toMatchObject({ content: { name: "Rome" }, contentType: "City" });
  expect(scope.names).toContain("OutputModelResponseCompleted");
});

test("the history of later runs has the answer of the output model in place of the draft", async () => {
  const model = scriptedModel(["Again"]);
  const history = [
    { role: "user", content: "Hi" },
    { role: "assistant", content: "A draft" },
    { role: "assistant", content: "The answer", purpose: "output_model" },
  ] as const;
  await fakeScope(defineAgent({ id: "a", model, history: { runs: 1 } }), { history }).run();
  const prompt = JSON.stringify(model.calls[0]?.prompt);
  expect(prompt).toContain("The answer");
  expect(prompt).not.toContain("A draft");
});

test.each([
  [{ parserModel: {} }, "parserModel has no model"],
  [{ outputModel: { model: "openai:x", instructions: 3 } }, "outputModel instructions must be a text"],
  [{ outputModel: "gpt" }, 'model "gpt" is not of the form'],
  [{ reasoning: { steps: 0 } }, "reasoning steps must be a whole number"],
])("the option %j is refused at definition", (option, text) => {
  expect(() => defineAgent({ id: "a", model: scriptedModel([]), ...(option as object) })).toThrow(text);
});
