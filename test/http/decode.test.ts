import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { FieldFault, TroupeError } from "../../src/errors.ts";
import { reader } from "../../src/http/input/decode.ts";
import { parseJson } from "../../src/model/json-text.ts";

function read<Schema extends z.ZodObject>(schema: Schema, fields: Record<string, unknown>): z.output<Schema> {
  return reader(schema, (values) => values).read(fields, "body");
}

function faultsOf(schema: z.ZodObject, fields: Record<string, unknown>): readonly FieldFault[] {
  try {
    read(schema, fields);
  } catch (error) {
    return (error as TroupeError).faults ?? [];
  }
  throw new Error("nothing was wrong");
}

const field = <Schema extends z.ZodType>(schema: Schema) => z.object({ f: schema });

describe("texts of form fields", () => {
  test.each(["true", "1", "yes", "on", "True", "ON", "t", "y"])("%s is read as true", (text) => {
    expect(read(field(z.boolean()), { f: text })).toEqual({ f: true });
  });

  test.each(["false", "0", "no", "off", "False", "OFF", "f", "n"])("%s is read as false", (text) => {
    expect(read(field(z.boolean()), { f: text })).toEqual({ f: false });
  });

  test.each([
    ["0", 0],
    ["-5", -5],
    ["+7", 7],
    [" 12 ", 12],
    ["3.0", 3],
    ["99999999999999999999999", Number.MAX_SAFE_INTEGER],
    ["-99999999999999999999999", Number.MIN_SAFE_INTEGER],
  ])("%j is read as the integer %i", (text, value) => {
    expect(read(field(z.int()), { f: text })).toEqual({ f: value });
  });

  test("[R8] an empty text counts as absent", () => {
    expect(read(z.object({ a: z.string().nullish(), b: z.boolean().default(true) }), { a: "", b: "" })).toEqual({
      b: true,
    });
  });

  test("JSON null counts as absent", () => {
    expect(read(field(z.int().nullish()), { f: null })).toEqual({});
  });

  test("a JSON text is read as its value", () => {
    const schema = field(z.record(z.string(), z.unknown()).nullish());
    expect(read(schema, { f: '{"a":[1,"\\u0000"]}' })).toEqual({ f: { a: [1, "\0"] } });
  });

  test("__proto__ and constructor are field names without effect", () => {
    expect(read(field(z.string().nullish()), JSON.parse('{"__proto__":"x","constructor":"y"}'))).toEqual({});
  });
});

describe("[E8] validation errors", () => {
  const cases: [string, z.ZodType, unknown, Partial<FieldFault>][] = [
    ["missing", z.string(), undefined, { msg: "Field required", input: {} }],
    ["missing", z.string(), "", { msg: "Field required", input: { f: "" } }],
    [
      "int_parsing",
      z.int(),
      "abc",
      { msg: "Input should be a valid integer, unable to parse string as an integer", input: "abc" },
    ],
    ["int_parsing", z.int(), "1e3", { input: "1e3" }],
    ["int_from_float", z.int(), 1.5, { msg: "Input should be a valid integer, got a number with a fractional part" }],
    ["int_type", z.int(), [], { msg: "Input should be a valid integer", input: [] }],
    [
      "bool_parsing",
      z.boolean(),
      "maybe",
      { msg: "Input should be a valid boolean, unable to interpret input", input: "maybe" },
    ],
    ["bool_type", z.boolean(), {}, { msg: "Input should be a valid boolean" }],
    ["string_type", z.string(), 5, { msg: "Input should be a valid string", input: 5 }],
    [
      "string_too_short",
      z.string().min(3),
      "ab",
      { msg: "String should have at least 3 characters", ctx: { min_length: 3 } },
    ],
    [
      "string_too_long",
      z.string().max(1),
      "ab",
      { msg: "String should have at most 1 character", ctx: { max_length: 1 } },
    ],
    [
      "string_pattern_mismatch",
      z.string().regex(/^(approved|rejected)$/),
      "bogus",
      { msg: "String should match pattern '^(approved|rejected)$'", ctx: { pattern: "^(approved|rejected)$" } },
    ],
    [
      "greater_than_equal",
      z.int().min(1),
      "0",
      { msg: "Input should be greater than or equal to 1", input: "0", ctx: { ge: 1 } },
    ],
    ["less_than_equal", z.int().max(9), "10", { msg: "Input should be less than or equal to 9", ctx: { le: 9 } }],
    [
      "too_short",
      z.array(z.string()).min(1),
      [],
      {
        msg: "List should have at least 1 item after validation, not 0",
        input: [],
        ctx: { field_type: "List", min_length: 1, actual_length: 0 },
      },
    ],
    ["list_type", z.array(z.string()), 5, { msg: "Input should be a valid list" }],
    ["dict_type", z.record(z.string(), z.unknown()), "[]", { msg: "Input should be a valid dictionary" }],
    [
      "model_attributes_type",
      z.object({ a: z.string() }),
      5,
      { msg: "Input should be a valid dictionary or object to extract fields from" },
    ],
    [
      "enum",
      z.enum(["agent", "team", "workflow"]),
      "bogus",
      {
        msg: "Input should be 'agent', 'team' or 'workflow'",
        input: "bogus",
        ctx: { expected: "'agent', 'team' or 'workflow'" },
      },
    ],
    [
      "literal_error",
      z.literal(["a", "b"]),
      "c",
      { msg: "Input should be 'a' or 'b'", ctx: { expected: "'a' or 'b'" } },
    ],
    ["json_invalid", z.record(z.string(), z.unknown()), "{bad", { ctx: { error: "not a JSON text" } }],
    ["value_error", z.string().refine(() => false, "must be nice"), "x", { msg: "Value error, must be nice" }],
  ];

  test.each(cases)("have the type %s with the message and context of the contract", (type, schema, input, expected) => {
    const [fault, ...others] = faultsOf(field(schema), { f: input });
    expect(others).toEqual([]);
    expect(fault).toMatchObject({ type, loc: ["body", "f"], ...expected });
  });

  test("have the location inside lists and objects", () => {
    const schema = field(z.array(z.object({ a: z.string() })));
    expect(faultsOf(schema, { f: [{ a: "x" }, { b: 1 }] })).toMatchObject([
      { type: "missing", loc: ["body", "f", 1, "a"], input: { b: 1 } },
    ]);
  });

  test("of a query have the text of the request as input", () => {
    const schema = z.object({ limit: z.int().max(9), page: z.int() });
    const refused = (fields: Record<string, unknown>) => () => reader(schema, () => {}).read(fields, "query");
    for (const limit of ["10", ["1", "010"]]) {
      expect(refused({ limit })).toThrow(
        expect.objectContaining({
          faults: [
            expect.objectContaining({ loc: ["query", "limit"], input: [limit].flat().at(-1) }),
            expect.objectContaining({ loc: ["query", "page"], input: null }),
          ],
        }),
      );
    }
  });

  test("are limited to the first 100", () => {
    const schema = field(z.array(z.string()));
    expect(faultsOf(schema, { f: Array.from({ length: 1_000 }, () => 1) })).toHaveLength(100);
  });

  test("reject a list of more than 1,000 items before its items are read", () => {
    const ones = (length: number): number[] => Array(length).fill(1);
    const tooLong = (length: number) => [
      {
        type: "too_long",
        loc: ["body", "f"],
        msg: `List should have at most 1000 items after validation, not ${length}`,
        input: ones(length),
        ctx: { field_type: "List", max_length: 1_000, actual_length: length },
      },
    ];
    expect(read(field(z.array(z.int())), { f: ones(1_000) }).f).toHaveLength(1_000);
    let items = 0;
    const counting = z.unknown().refine(() => items++ >= 0);
    for (const schema of [z.array(counting), z.array(counting).nullish(), z.array(counting).default([])])
      expect(faultsOf(field(schema), { f: ones(1_001) })).toEqual(tooLong(1_001));
    const piped = z.array(counting).transform((list) => list.length);
    expect(faultsOf(field(piped), { f: ones(1_001) })).toMatchObject([{ type: "too_long" }]);
    expect(items).toBe(0);
  });

  test("reject a request whose lists together have more than 10,000 items", () => {
    const schema = field(z.array(z.object({ inner: z.array(z.int()) })));
    const lists = (inner: number) => Array.from({ length: 10 }, () => ({ inner: Array(inner).fill(1) }));
    expect(read(schema, { f: lists(999) }).f).toHaveLength(10);
    expect(faultsOf(schema, { f: lists(1_000) })).toMatchObject([{ type: "too_long", loc: ["body", "f", 9, "inner"] }]);
  });

  test("list every invalid field once", () => {
    const schema = z.object({ a: z.int(), b: z.boolean(), c: z.string() });
    expect(faultsOf(schema, { a: "x", b: "maybe" }).map(({ type, loc }) => [type, loc[1]])).toEqual([
      ["int_parsing", "a"],
      ["bool_parsing", "b"],
      ["missing", "c"],
    ]);
  });
});

describe("untrusted JSON", () => {
  test.each([
    ["lists 10,000 deep", "[".repeat(10_000) + "]".repeat(10_000), /nested deeper/],
    ["objects 10,000 deep", `${'{"a":'.repeat(10_000)}1${"}".repeat(10_000)}`, /nested deeper/],
    ["a number beyond a double", "[1e400]", /too large/],
    ["the key __proto__", '{"a":{"__proto__":{}}}', /__proto__/],
    ["invalid JSON", "{bad", /not a JSON text/],
    ["an empty text", "", /not a JSON text/],
  ])("parseJson throws for %s", (_what, text, reason) => {
    expect(() => parseJson(text)).toThrow(reason);
  });

  test.each([
    ["{bad", 1],
    ["not json", 1],
    ['{"a":1', 6],
    ['{"a":', 5],
    ['{"a":x}', 5],
    ["[1,]", 3],
    ['{"a":1} x', 8],
    ['{"a":"x\n"}', 7],
    ['{"a":" at position 3",b}', 22],
    ["", 0],
    [`[${" ".repeat(60_000)}x`, 60_001],
    // Beyond this length no position is determined.
    [`[${" ".repeat(70_000)}x`, undefined],
    ["[1e400]", undefined],
  ])("the error for %j has its position", (text, position) => {
    expect(() => parseJson(text)).toThrow(expect.objectContaining({ position }));
  });

  test("lone surrogates and NUL are accepted in strings", () => {
    expect(parseJson('{"a":"\\ud800\\u0000"}')).toEqual({ a: "\ud800\0" });
  });
});

describe("JSON of requests", () => {
  const ones = (length: number): string => JSON.stringify(Array(length).fill(1));

  test("has at most 50,000 values, including the outermost one", () => {
    expect(parseJson(ones(49_998))).toHaveLength(49_998);
    expect(parseJson(ones(49_999))).toHaveLength(49_999);
    expect(() => parseJson(ones(50_000))).toThrow("more than 50000 values");
    const keys = (length: number) => JSON.stringify(Object.fromEntries(Array.from({ length }, (_, key) => [key, 1])));
    expect(() => parseJson(keys(49_999))).not.toThrow();
    expect(() => parseJson(keys(50_000))).toThrow("more than 50000 values");
  });

  test("has at most 50,000 values in all fields of a form together", () => {
    const schema = z.object({ a: z.record(z.string(), z.unknown()), b: z.record(z.string(), z.unknown()) });
    const half = (length: number) => `{"list":${ones(length)}}`;
    expect(() => read(schema, { a: half(24_998), b: half(24_998) })).not.toThrow();
    expect(faultsOf(schema, { a: half(24_998), b: half(25_001) })).toMatchObject([
      { type: "json_invalid", loc: ["body", "b"] },
    ]);
  });

  test("may have brackets, quotes and backslashes in its strings", () => {
    const text = '[{"\\'.repeat(100_000);
    expect(parseJson(JSON.stringify({ text, more: ["\\", '"', "]"] }))).toEqual({ text, more: ["\\", '"', "]"] });
  });

  test("has no number beyond a double and no key __proto__, with or without escapes", () => {
    for (const number of ["1e309", "-1E400", "9".repeat(309), `${"9".repeat(400)}.5`])
      expect(() => parseJson(`[${number}]`)).toThrow("a number is too large");
    for (const number of ["1e308", "0e999", `0.${"9".repeat(400)}`, "1e-400"])
      expect(parseJson(number)).toBe(Number(number));
    for (const key of [
      "__proto__",
      "\\u005f_proto__",
      "\\u005F\\u005fproto__",
      "__pr\\u006fto__",
      "_\\u005Fproto_\\u005f",
    ])
      expect(() => parseJson(`{"a":[{"${key}":1}]}`)).toThrow("__proto__");
    expect(parseJson('{"a":"__proto__"}')).toEqual({ a: "__proto__" });
  });
});
