/** Definitions that the compiler rejects: each wrong line has @ts-expect-error, and the define function throws as well. */
import { expect, test } from "vitest";
import { z } from "zod";
import { condition, defineAgent, defineTeam, defineTool, loop, step, steps } from "../../src/index.ts";

const agent = defineAgent({ id: "a", model: "openai:gpt-5.2" });
const tool = { name: "look", description: "Looks" };
const input = z.object({ city: z.string(), days: z.number().optional() });
const execute = () => "";
const run = () => "";

const wrong: [mistake: string, make: () => unknown, message: RegExp][] = [
  // @ts-expect-error
  ["an unknown userInput field", () => defineTool({ ...tool, input, execute, userInput: ["cty"] }), /no field "cty"/],
  // @ts-expect-error
  ["a tool without execute", () => defineTool({ ...tool, input }), /has no function execute/],
  // @ts-expect-error
  ["an external tool with execute", () => defineTool({ ...tool, input, external: true, execute }), /no execute/],
  // @ts-expect-error
  ["a tool with a text as input", () => defineTool({ ...tool, input: z.string(), execute }), /object schema/],
  // @ts-expect-error
  ["a tool with a list as input", () => defineTool({ ...tool, input: z.array(z.string()), execute }), /object schema/],
  // @ts-expect-error
  ["a step with both agent and run", () => step({ name: "s", agent, run }), /exactly one of agent, team, workflow/],
  // @ts-expect-error
  ["a step without an executor", () => step({ name: "s" }), /exactly one of agent, team, workflow and run/],
  // @ts-expect-error
  ["a step without a name", () => step({ run }), /give it a name/],
  // @ts-expect-error
  ["a step with onReject else", () => step({ name: "s", run, onReject: "else" }), /onReject "else" is not for it/],
  // @ts-expect-error
  ["a loop with onReject retry", () => loop({ name: "l", max: 1, steps: [agent], onReject: "retry" }), /is not for it/],
];

test.each(wrong)("the compiler and the define function reject: %s", (_, make, message) => {
  expect(make).toThrow(
    expect.objectContaining({ name: "ConfigurationError", message: expect.stringMatching(message) }),
  );
});

test("valid definitions compile, also when they are spread from parts", () => {
  const isConfirmed: boolean = z.boolean().parse(true);
  const pieces = { ...tool, input, ...(isConfirmed && { confirm: true }), userInput: ["days"] as const };
  expect(defineTool({ ...pieces, execute: ({ city, days = 1 }) => city.repeat(days) }).userInput).toEqual(["days"]);
  expect(defineTool({ ...pieces, external: true }).external).toBe(true);
  expect(defineTool({ ...tool, input: z.looseObject({}), execute: (given) => Object.keys(given) }).name).toBe("look");
  const question = { confirm: true, onReject: "skip" } as const;
  const all = [step({ name: "s", run: undefined, agent, ...question, onReject: "retry" }), step({ name: "t", run })];
  expect(steps({ name: "g", steps: all, ...question }).steps).toHaveLength(2);
  expect(condition({ name: "c", if: () => true, steps: all, onReject: "else" }).onReject).toBe("else");
});

const unwritable: [field: z.ZodType, fault: string][] = [
  [z.date(), 'the date at "when" of its shape. Use z.iso.datetime(); with .transform('],
  [z.date().nullable().optional(), 'the date at "when"'],
  [z.array(z.object({ at: z.date() })), 'the date at "when.at"'],
  [z.bigint(), 'the bigint at "when" of its shape. Use z.int(), or'],
  [z.map(z.string(), z.number()), 'the map at "when" of its shape. Use z.record('],
  [z.lazy(() => z.set(z.string())), 'the set at "when" of its shape. Use z.array('],
];

test.each(unwritable)(
  "a schema type that JSON cannot represent throws a ConfigurationError that names a replacement: %#",
  (field, fault) => {
    const shape = z.object({ when: field });
    const message = expect.stringContaining(fault);
    const error = expect.objectContaining({ name: "ConfigurationError", message });
    expect(() => defineTool({ ...tool, input: shape, execute })).toThrow(error);
    const answering = { id: "a", model: "openai:gpt-5.2", output: shape };
    expect(() => defineAgent(answering)).toThrow(error);
    expect(() => defineTeam({ ...answering, members: [agent] })).toThrow(error);
  },
);

test("a schema that transforms JSON, or accepts any value, is valid", () => {
  const toDate = (text: unknown) => new Date(String(text));
  const fields = {
    transformed: z.iso.datetime().transform(toDate),
    piped: z.string().transform(toDate).pipe(z.date()),
    coded: z.codec(z.iso.datetime(), z.date(), { decode: toDate, encode: (date) => date.toISOString() }),
    coerced: z.coerce.date(),
    prepared: z.preprocess(toDate, z.date().optional()),
    either: z.union([z.date(), z.string()]),
    any: z.any(),
    unknown: z.unknown(),
    custom: z.custom<string>((value) => typeof value === "string"),
  };
  const { inputSchema } = defineTool({ ...tool, input: z.object(fields), execute });
  expect(Object.keys(inputSchema.properties as object)).toEqual(Object.keys(fields));
  expect(inputSchema.properties).toMatchObject({ transformed: { type: "string" }, piped: { type: "string" }, any: {} });
});
