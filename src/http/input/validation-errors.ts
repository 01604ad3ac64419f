/** Validation errors in the contract's wording. */
import type { z } from "zod";
import { type FieldFault, TroupeError } from "../../errors.ts";
import { schemaAt } from "./schema-walk.ts";

/** The part of a request that contains a value. */
export type Location = "path" | "query" | "header" | "body";

/** Maximum number of faults that an error lists for one request. */
export const maxFaults = 100;

/** An error that lists the first `mostFaults` faults; its message names each of them. */
export function invalid(all: readonly FieldFault[]): TroupeError {
  const faults = all.slice(0, maxFaults);
  return new TroupeError("validation", faults.map(textOf).join("; "), { faults });
}

function textOf({ loc, msg }: FieldFault): string {
  return `${loc.join(".")}: ${msg}`;
}

/** The values that were validated, and their schema. */
interface Validated {
  readonly location: Location;
  readonly schema: z.ZodType;
  readonly values: unknown;
  /** The fields as received, if they were decoded before validation. */
  readonly given?: unknown;
}

/** Converts a zod issue to the contract's form. */
export function toFault(issue: z.core.$ZodIssue, { location, schema, values, given = values }: Validated): FieldFault {
  const path = issue.path.map((part) => (typeof part === "symbol" ? String(part) : part));
  const value = at(values, path);
  const described = describe(issue, value, schemaAt(schema, path));
  const whole = path.length > 1 ? at(values, path.slice(0, -1)) : given;
  const missing = location === "body" ? whole : null;
  return {
    type: described.type,
    loc: [location, ...path],
    msg: described.msg,
    input: (value === undefined ? missing : asItCame(value, at(given, path))) ?? null,
    ...withContext(described.ctx),
  };
}

/** The text from which a value was decoded, if the client sent text. */
function asItCame(value: unknown, given: unknown): unknown {
  const raw = Array.isArray(given) && !Array.isArray(value) ? given.at(-1) : given;
  return typeof raw === "string" ? raw : value;
}

interface Described {
  readonly type: string;
  readonly msg: string;
  readonly ctx?: Readonly<Record<string, unknown>>;
}

function describe(issue: z.core.$ZodIssue, input: unknown, schema: z.ZodType | undefined): Described {
  if (input === undefined) return { type: "missing", msg: "Field required" };
  switch (issue.code) {
    case "invalid_type":
      return wrongType(issue.expected, input, schema);
    case "invalid_union":
      return { type: "value_error", msg: "Value error, none of the accepted forms" };
    case "invalid_value":
      return notAllowed(issue.values, schema);
    case "too_small":
      return tooSmall(issue, input);
    case "too_big":
      return tooBig(issue, input);
    case "invalid_format":
      return wrongFormat(issue);
    default:
      return { type: "value_error", msg: `Value error, ${issue.message}`, ctx: { error: issue.message } };
  }
}

function wrongType(expected: string, input: unknown, schema: z.ZodType | undefined): Described {
  switch (expected) {
    case "string":
      return { type: "string_type", msg: "Input should be a valid string" };
    case "boolean":
      return { type: "bool_type", msg: "Input should be a valid boolean" };
    case "int":
      return typeof input === "number"
        ? { type: "int_from_float", msg: "Input should be a valid integer, got a number with a fractional part" }
        : { type: "int_type", msg: "Input should be a valid integer" };
    case "number":
      return schema?.def.type === "number" && "format" in schema.def
        ? { type: "int_type", msg: "Input should be a valid integer" }
        : { type: "float_type", msg: "Input should be a valid number" };
    case "array":
      return { type: "list_type", msg: "Input should be a valid list" };
    case "record":
      return { type: "dict_type", msg: "Input should be a valid dictionary" };
    case "object":
      return {
        type: "model_attributes_type",
        msg: "Input should be a valid dictionary or object to extract fields from",
      };
    default:
      return { type: `${expected}_type`, msg: `Input should be a valid ${expected}` };
  }
}

function notAllowed(values: readonly z.core.util.Primitive[], schema: z.ZodType | undefined): Described {
  const quoted = values.map((value) => (typeof value === "string" ? `'${value}'` : String(value)));
  const expected = quoted.length < 2 ? quoted.join("") : `${quoted.slice(0, -1).join(", ")} or ${quoted.at(-1)}`;
  const type = schema?.def.type === "literal" ? "literal_error" : "enum";
  return { type, msg: `Input should be ${expected}`, ctx: { expected } };
}

function tooSmall(issue: z.core.$ZodIssueTooSmall, input: unknown): Described {
  const limit = Number(issue.minimum);
  if (issue.origin === "string") {
    return {
      type: "string_too_short",
      msg: `String should have at least ${count(limit, "character")}`,
      ctx: { min_length: limit },
    };
  }
  if (issue.origin === "array") {
    const length = Array.isArray(input) ? input.length : 0;
    const msg = `List should have at least ${count(limit, "item")} after validation, not ${length}`;
    return { type: "too_short", msg, ctx: { field_type: "List", min_length: limit, actual_length: length } };
  }
  return issue.inclusive
    ? { type: "greater_than_equal", msg: `Input should be greater than or equal to ${limit}`, ctx: { ge: limit } }
    : { type: "greater_than", msg: `Input should be greater than ${limit}`, ctx: { gt: limit } };
}

function tooBig(issue: z.core.$ZodIssueTooBig, input: unknown): Described {
  const limit = Number(issue.maximum);
  if (issue.origin === "string") {
    return {
      type: "string_too_long",
      msg: `String should have at most ${count(limit, "character")}`,
      ctx: { max_length: limit },
    };
  }
  if (issue.origin === "array") {
    const length = Array.isArray(input) ? input.length : 0;
    const msg = `List should have at most ${count(limit, "item")} after validation, not ${length}`;
    return { type: "too_long", msg, ctx: { field_type: "List", max_length: limit, actual_length: length } };
  }
  return issue.inclusive
    ? { type: "less_than_equal", msg: `Input should be less than or equal to ${limit}`, ctx: { le: limit } }
    : { type: "less_than", msg: `Input should be less than ${limit}`, ctx: { lt: limit } };
}

function wrongFormat(issue: z.core.$ZodIssueInvalidStringFormat): Described {
  if (!issue.pattern) return { type: "value_error", msg: `Value error, not a valid ${issue.format}` };
  const pattern = issue.pattern.replace(/^\/|\/[a-z]*$/g, "");
  return { type: "string_pattern_mismatch", msg: `String should match pattern '${pattern}'`, ctx: { pattern } };
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}

function withContext(ctx: Described["ctx"]): { ctx?: Readonly<Record<string, unknown>> } {
  return ctx ? { ctx } : {};
}

function at(value: unknown, path: readonly PropertyKey[]): unknown {
  let found: unknown = value;
  for (const part of path) {
    if (typeof found !== "object" || found === null) return undefined;
    found = Object.hasOwn(found, part) ? (found as Record<PropertyKey, unknown>)[part] : undefined;
  }
  return found;
}
