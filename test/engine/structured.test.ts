import { describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent } from "../../src/define/agent.ts";
import { RunFailure } from "../../src/engine/loops/contract.ts";
import { maxComparisons, maxSchemaValues, schemaFault } from "../../src/engine/model-call/caller-schema.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { fakeScope } from "../support/fake-scope.ts";

/** A small schema that has 2 to the power of `levels` parts when its references are written out. */
function doubling(levels: number): Record<string, unknown> {
  const both = (next: number) => ({ anyOf: [{ $ref: `#/$defs/d${next}` }, { $ref: `#/$defs/d${next}` }] });
  const $defs = Array.from({ length: levels }, (_, level) => [`d${level}`, both(level + 1)]);
  return { $ref: "#/$defs/d0", $defs: { ...Object.fromEntries($defs), [`d${levels}`]: { type: "string" } } };
}

const City = z.object({ name: z.string(), inhabitants: z.number().int() }).meta({ title: "City" });
const good = '{"name": "Paris", "inhabitants": 2100000}';

test("a structured answer is one object in one event, with the schema's title as content type", async () => {
  const model = scriptedModel([{ text: good, id: "answer-1" }]);
  const scope = fakeScope(defineAgent({ id: "a", model, output: City }));
  const output = await scope.run();
  expect(output).toMatchObject({ content: { name: "Paris", inhabitants: 2_100_000 }, contentType: "City" });
  expect(scope.names).toEqual([
    "RunStarted",
    "ModelRequestStarted",
    "RunContent",
    "ModelRequestCompleted",
    "RunContentCompleted",
    "RunCompleted",
  ]);
  expect(scope.events[2]?.fields).toEqual({
    content: { name: "Paris", inhabitants: 2_100_000 },
    workflow_agent: false,
    content_type: "City",
    reasoning_content: "",
    model_provider_data: { id: "answer-1" },
  });
  expect(scope.events.at(-1)?.fields).toMatchObject({ content: { name: "Paris" }, content_type: "City" });
  expect(model.calls[0]?.responseFormat).toEqual({
    type: "json",
    name: "City",
    schema: {
      type: "object",
      title: "City",
      properties: { name: { type: "string" }, inhabitants: expect.objectContaining({ type: "integer" }) },
      required: ["name", "inhabitants"],
      additionalProperties: false,
    },
  });
  expect(JSON.stringify(model.calls[0]?.prompt[0])).toContain("matches this JSON Schema");
});

test.each([
  ["fenced", `Here it is:\n\`\`\`json\n${good}\n\`\`\``],
  ["among sentences", `Surely: ${good} That is it.`],
])("JSON %s is extracted", async (_, text) => {
  const scope = fakeScope(defineAgent({ id: "a", model: scriptedModel([text]), output: City }));
  expect((await scope.run()).content).toEqual({ name: "Paris", inhabitants: 2_100_000 });
});

test("after a mismatch the model receives the errors once, and its second answer is the output", async () => {
  const model = scriptedModel(['{"name": "Paris", "inhabitants": "many"}', good]);
  const scope = fakeScope(defineAgent({ id: "a", model, output: City }));
  const output = await scope.run();
  expect(output.content).toEqual({ name: "Paris", inhabitants: 2_100_000 });
  expect(scope.names.filter((name) => name === "RunContent")).toHaveLength(1);
  expect(model.calls[1]?.prompt.at(-1)).toEqual({
    role: "user",
    content: [
      {
        type: "text",
        text:
          "Your answer does not match the schema:\n- inhabitants: Invalid input: expected number, received string\n" +
          "Answer again, with matching JSON and nothing else.",
      },
    ],
  });
});

test("a second mismatch fails the run with output_mismatch", async () => {
  const scope = fakeScope(defineAgent({ id: "a", model: scriptedModel(["No.", "Never."]), output: City }));
  await expect(scope.run()).rejects.toThrow(
    new RunFailure(
      "output_mismatch",
      "The answer does not match the output schema, also after a second try:\nIt is not JSON.",
    ),
  );
});

describe("a caller's output schema", () => {
  const schema = {
    title: "Weather Report",
    type: "object",
    properties: { sky: { type: "string", pattern: "^(a+)+$" } },
    required: ["sky"],
  };

  test("replaces the definition's schema, and its patterns reach the model but are not executed", async () => {
    const model = scriptedModel([`{"sky": "${"a".repeat(40)}!"}`]);
    const scope = fakeScope(defineAgent({ id: "a", model, output: City }), { options: { outputSchema: schema } });
    const output = await scope.run();
    expect(output.contentType).toBe("Weather Report");
    expect(model.calls[0]?.responseFormat).toEqual({ type: "json", name: "Weather_Report", schema });
  });

  test("can have OpenAI's json_schema form, and needs no title", async () => {
    const wrapped = { type: "json_schema", json_schema: { name: "report", schema: { ...schema, title: undefined } } };
    const named = fakeScope(defineAgent({ id: "a", model: scriptedModel(['{"sky":"a"}']) }), {
      options: { outputSchema: wrapped },
    });
    expect((await named.run()).contentType).toBe("report");
    const bare = fakeScope(defineAgent({ id: "a", model: scriptedModel(["[1]"]) }), {
      options: {
        outputSchema: { type: "array", items: { $ref: "#/definitions/n" }, definitions: { n: { type: "number" } } },
      },
    });
    expect(await bare.run()).toMatchObject({ content: [1], contentType: "dict" });
  });

  test("properties that are named like schema keywords are validated as properties", async () => {
    const outputSchema = {
      type: "object",
      properties: { contains: { type: "string" }, pattern: { type: "string", pattern: "^a" } },
      required: ["contains"],
      additionalProperties: false,
    };
    const model = scriptedModel(['{"contains": 1}', '{"contains": "b", "pattern": "b"}']);
    const scope = fakeScope(defineAgent({ id: "a", model }), { options: { outputSchema } });
    expect((await scope.run()).content).toEqual({ contains: "b", pattern: "b" });
    expect(JSON.stringify(model.calls[1]?.prompt.at(-1))).toContain("contains: Invalid input");
  });

  test("fails the run when an answer needs more than maxComparisons", async () => {
    const options = Array.from({ length: 2_000 }, (_, number) => ({ const: number }));
    const outputSchema = { type: "array", items: { anyOf: options } };
    const answerOf = (items: number): string => JSON.stringify(Array(items).fill(1_999));
    const atBound = maxComparisons / 2_000 - 1;
    const within = fakeScope(defineAgent({ id: "a", model: scriptedModel([answerOf(atBound)]) }), {
      options: { outputSchema },
    });
    expect((await within.run()).content).toHaveLength(atBound);
    const beyond = fakeScope(defineAgent({ id: "a", model: scriptedModel([answerOf(atBound + 1)]) }), {
      options: { outputSchema },
    });
    await expect(beyond.run()).rejects.toThrow(
      new RunFailure(
        "invalid_output_schema",
        "The output schema of this run cannot be used: to match an answer with it takes too long",
      ),
    );
  });

  test("fails the run when it would compare a large answer many times", async () => {
    const wide = JSON.stringify(Object.fromEntries(Array.from({ length: 20_000 }, (_, key) => [`k${key}`, 1])));
    const closed = { type: "object", additionalProperties: false, properties: { a: {} } };
    const email = { type: "array", items: { anyOf: Array(1_600).fill({ type: "string", format: "email" }) } };
    for (const [outputSchema, answer] of [
      [{ anyOf: Array(1_600).fill(closed) }, wide],
      [email, JSON.stringify(["a".repeat(500_000)])],
    ] as const) {
      const scope = fakeScope(defineAgent({ id: "a", model: scriptedModel([answer]) }), { options: { outputSchema } });
      await expect(scope.run()).rejects.toThrow("to match an answer with it takes too long");
    }
    const outputSchema = { type: "object", additionalProperties: { type: "integer" } };
    const scope = fakeScope(defineAgent({ id: "a", model: scriptedModel([wide]) }), { options: { outputSchema } });
    expect(Object.keys((await scope.run()).content as object)).toHaveLength(20_000);
  });

  let deep: Record<string, unknown> = { type: "string" };
  for (let depth = 0; depth < 10_000; depth++) deep = { type: "object", properties: { a: deep } };
  test.each([
    ["an unknown type", { type: "banana" }, /cannot be used: Unsupported type: banana/],
    ["a schema 10,000 deep", deep, /cannot be used: it is nested too deeply/],
    ["references that double 26 times", doubling(26), /cannot be used: with its references written out/],
  ])("fails the run when it cannot be used: %s", async (_, outputSchema, text) => {
    const scope = fakeScope(defineAgent({ id: "a", model: scriptedModel([]) }), { options: { outputSchema } });
    await expect(scope.run()).rejects.toThrow(text);
    await expect(scope.run()).rejects.toBeInstanceOf(RunFailure);
  });
});

describe("schemaFault", () => {
  test("rejects a schema with more than maxSchemaValues values, with references expanded", () => {
    // The list is a value, too, in addition to the schema and its items.
    const listed = (items: number) => ({ enum: Array(items).fill(1) });
    expect(schemaFault(listed(maxSchemaValues - 2))).toBeUndefined();
    expect(schemaFault(listed(maxSchemaValues - 1))).toMatch("more than 10000 values");
    expect(schemaFault(doubling(9))).toBeUndefined();
    expect(schemaFault(doubling(12))).toMatch("with its references written out");
    expect(schemaFault({ type: "json_schema", json_schema: { name: "a", schema: doubling(12) } })).toMatch(
      "written out",
    );
  });

  test("counts every type in a list of types, because each is compiled separately", () => {
    let nested: Record<string, unknown> = { type: "string" };
    for (let level = 0; level < 20; level++) nested = { type: ["object", "object"], properties: { a: nested } };
    expect(schemaFault(nested)).toMatch("more than 10000 values");
  });

  test("counts a definition again for each name that refers to it", () => {
    const names = Array.from({ length: 200 }, (_, place) => [`p${place}`, { $ref: `#/$defs/a/${place}` }]);
    const $defs = { a: { type: "object", properties: Object.fromEntries(names) } };
    expect(schemaFault({ $ref: "#/$defs/a/0", $defs })).toMatch("more than 10000 values");
  });

  test("accepts a recursive schema, and rejects one that contains only references to itself", () => {
    const tree = {
      type: "object",
      properties: { left: { $ref: "#" }, right: { anyOf: [{ $ref: "#" }, { type: "null" }] } },
    };
    expect(schemaFault(tree)).toBeUndefined();
    const circles = { a: { anyOf: [{ $ref: "#/$defs/b" }] }, b: { allOf: [{ $ref: "#/$defs/a" }] } };
    for (const circle of [{ $ref: "#" }, { $ref: "#/$defs/a", $defs: circles }, { anyOf: [{ $ref: "#" }] }])
      expect(schemaFault(circle)).toMatch("leads back to itself");
  });
});

test("a code fence without an end is a mismatch and is parsed without delay", async () => {
  // A regular expression with two repetitions takes minutes.
  const text = `\`\`\`json${" ".repeat(1_000_000)}`;
  const scope = fakeScope(defineAgent({ id: "a", model: scriptedModel([text, good]), output: City }));
  expect((await scope.run()).content).toEqual({ name: "Paris", inhabitants: 2_100_000 });
});

test("text that accompanies a tool call is not emitted by an agent with an output schema", async () => {
  const { defineTool } = await import("../../src/define/tool.ts");
  const count = defineTool({ name: "count", description: "Counts", input: z.object({}), execute: () => 2_100_000 });
  const model = scriptedModel([{ text: "Counting", toolCalls: [{ name: "count" }] }, good]);
  const scope = fakeScope(defineAgent({ id: "a", model, tools: [count], output: City }));
  await scope.run();
  expect(scope.names.filter((name) => name === "RunContent")).toHaveLength(1);
});

test("a recovered run validates an answer that an earlier attempt stored", async () => {
  const said = [
    { role: "user", content: "Paris?" },
    { role: "assistant", content: good },
  ] as const;
  const scope = fakeScope(defineAgent({ id: "a", model: scriptedModel([]), output: City }), { said });
  expect((await scope.run()).content).toEqual({ name: "Paris", inhabitants: 2_100_000 });
});
