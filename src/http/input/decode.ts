/** Decodes the fields of a request: texts are converted to the types of their schema, then the schema validates them. */
import { z } from "zod";
import type { FieldFault } from "../../errors.ts";
import { BadJson, type JsonCount, parseJson } from "../../model/json-text.ts";
import { parseBounded } from "./bounded-lists.ts";
import { isInteger, unwrapped } from "./schema-walk.ts";
import { invalid, type Location, maxFaults, toFault } from "./validation-errors.ts";

/** Fields as received: texts of a form or a query, members of a JSON object, uploaded files. */
export type RawFields = Readonly<Record<string, unknown>>;

/** Reads the fields of one part of a request (path, query, header or body). */
export interface Reader<Value> {
  /** Schema of the fields under the contract's names; the OpenAPI document is generated from it. */
  readonly schema: z.ZodObject;
  /** @throws TroupeError `validation` */
  read(fields: RawFields, location: Location): Value;
}

/** Schemas of members for which an empty text is a value; for all others it means that the value is absent. */
const keeping = new WeakSet<object>();

/** Marks a member for which an empty text is a value. */
export function keepingEmpty<Schema extends z.ZodType>(schema: Schema): Schema {
  keeping.add(schema);
  return schema;
}

/** A reader that validates by `schema` and returns the result under internal names. `translate` may also throw `validation`. */
export function reader<Schema extends z.ZodObject, Value>(
  schema: Schema,
  translate: (fields: z.output<Schema>, location: Location) => Value,
): Reader<Value> {
  return { schema, read: (fields, location) => translate(decode(schema, fields, location), location) };
}

function decode<Schema extends z.ZodObject>(schema: Schema, fields: RawFields, location: Location): z.output<Schema> {
  const values: Record<string, unknown> = {};
  const faults: FieldFault[] = [];
  const counted: JsonCount = { values: 0 };
  for (const [name, member] of Object.entries(schema.shape)) {
    const given = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (location === "query" && unwrapped(member as z.ZodType) instanceof z.ZodArray) {
      const all = [given].flat().filter((one) => one !== undefined && one !== "");
      if (all.length > 0) values[name] = all;
      continue;
    }
    const raw = last(given, location);
    if (raw === undefined || raw === null) continue;
    if (raw === "" && location !== "path" && !keeping.has(member)) continue;
    const decoded =
      typeof raw === "string"
        ? fromText(raw, unwrapped(member as z.ZodType), counted)
        : { value: fromJson(raw, member) };
    if ("value" in decoded) values[name] = decoded.value;
    else faults.push({ ...decoded, loc: [location, name], input: raw });
  }
  const result = parseBounded(schema, values);
  if (!result.success) {
    const refused = new Set(faults.map(({ loc }) => loc[1]));
    for (const issue of result.error.issues) {
      if (faults.length >= maxFaults) break;
      if (!refused.has(String(issue.path[0]))) {
        faults.push(toFault(issue, { location, schema, values, given: fields }));
      }
    }
  }
  if (!result.success || faults.length > 0) throw invalid(faults);
  return result.data;
}

/** The last value of a repeated query parameter; parameters that are lists do not reach this function. */
function last(raw: unknown, location: Location): unknown {
  return location === "query" && Array.isArray(raw) ? raw.at(-1) : raw;
}

type Decoded = { readonly value: unknown } | Pick<FieldFault, "type" | "msg" | "ctx">;

function fromText(text: string, schema: z.ZodType, counted: JsonCount): Decoded {
  if (schema instanceof z.ZodString || schema instanceof z.ZodEnum || schema instanceof z.ZodLiteral)
    return { value: text };
  if (schema instanceof z.ZodBoolean) return toBoolean(text);
  if (isInteger(schema)) return toInteger(text);
  if (isJson(schema)) return toJson(text, counted);
  return { value: text };
}

const truths = new Map([
  ...["true", "1", "yes", "on", "t", "y"].map((word) => [word, true] as const),
  ...["false", "0", "no", "off", "f", "n"].map((word) => [word, false] as const),
]);

function toBoolean(text: string): Decoded {
  const value = truths.get(text.trim().toLowerCase());
  if (value !== undefined) return { value };
  return { type: "bool_parsing", msg: "Input should be a valid boolean, unable to interpret input" };
}

function toInteger(text: string): Decoded {
  const trimmed = text.trim();
  if (/^[+-]?\d+(\.0*)?$/.test(trimmed)) return { value: exact(Number(trimmed)) };
  return { type: "int_parsing", msg: "Input should be a valid integer, unable to parse string as an integer" };
}

/** Clamps whole numbers to the range that a double represents exactly: every limit and every log is far below its ends. */
function exact(value: number): number {
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

function isJson(schema: z.ZodType): boolean {
  if (schema instanceof z.ZodUnion) return schema.options.every((option) => isJson(unwrapped(option as z.ZodType)));
  return schema instanceof z.ZodRecord || schema instanceof z.ZodArray || schema instanceof z.ZodObject;
}

function toJson(text: string, counted: JsonCount): Decoded {
  try {
    return { value: parseJson(text, counted) };
  } catch (error) {
    if (!(error instanceof BadJson)) throw error;
    return { type: "json_invalid", msg: `Invalid JSON: ${error.message}`, ctx: { error: error.message } };
  }
}

function fromJson(value: unknown, schema: unknown): unknown {
  const whole = typeof value === "number" && Number.isInteger(value) && isInteger(unwrapped(schema as z.ZodType));
  return whole ? exact(value) : value;
}
