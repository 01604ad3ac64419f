/** Filters of traces: the fields and operators that clients may use, and the translation of a filter tree. */
import { TroupeError } from "../../errors.ts";
import { faultOfId } from "../../model/identifiers.ts";
import type { TraceComparison, TraceField, TraceFilter } from "../../model/trace/filter.ts";

type FieldType = "enum" | "string" | "number" | "datetime";

interface FilterField {
  readonly label: string;
  readonly type: FieldType;
  readonly field: TraceField;
  readonly operators?: readonly string[];
}

const texts = ["EQ", "NEQ", "CONTAINS", "STARTSWITH", "IN"];
const operatorsOf: Readonly<Record<FieldType, readonly string[]>> = {
  enum: ["EQ", "NEQ", "IN"],
  string: texts,
  number: ["EQ", "NEQ", "GT", "GTE", "LT", "LTE"],
  datetime: ["GT", "GTE", "LT", "LTE"],
};

/** Fields by their key, in the recorded order. A trace is created when its run is accepted, so `created_at` is its start. */
const fields: Readonly<Record<string, FilterField>> = {
  status: { label: "Status", type: "enum", field: "status" },
  user_id: { label: "User ID", type: "string", field: "userId" },
  agent_id: { label: "Agent ID", type: "string", field: "agentId" },
  team_id: { label: "Team ID", type: "string", field: "teamId" },
  workflow_id: { label: "Workflow ID", type: "string", field: "workflowId" },
  session_id: { label: "Session ID", type: "string", field: "sessionId" },
  run_id: { label: "Run ID", type: "string", field: "runId" },
  name: { label: "Trace Name", type: "string", field: "name", operators: texts.filter((one) => one !== "IN") },
  trace_id: { label: "Trace ID", type: "string", field: "traceId" },
  duration_ms: { label: "Duration (ms)", type: "number", field: "duration" },
  start_time: { label: "Start Time", type: "datetime", field: "startedAt" },
  end_time: { label: "End Time", type: "datetime", field: "endedAt" },
  created_at: { label: "Created At", type: "datetime", field: "startedAt" },
};

const statuses = ["OK", "ERROR"];

/** The answer of `GET /traces/filter-schema`. */
export const filterSchema: Readonly<Record<string, unknown>> = {
  fields: Object.entries(fields).map(([key, { label, type, operators = operatorsOf[type] }]) => ({
    ...{ key, label, type, operators },
    values: type === "enum" ? statuses : null,
  })),
  logical_operators: ["AND", "OR"],
};

const comparisons = {
  EQ: "eq",
  NEQ: "neq",
  GT: "gt",
  GTE: "gte",
  LT: "lt",
  LTE: "lte",
  CONTAINS: "contains",
  STARTSWITH: "startsWith",
} as const;

/** Bounds of a filter: levels of nested conditions, comparisons, and values of an `IN`. */
const [maxDepth, maxComparisons, maxValues] = [10, 100, 100];

type Members = Readonly<Record<string, unknown>>;

/** Translates a filter. @throws TroupeError `badRequest` */
export function toTraceFilter(given: Members | undefined): TraceFilter {
  if (given === undefined) return { op: "and", conditions: [] };
  let left = maxComparisons;

  const translate = (of: unknown, depth: number): TraceFilter => {
    if (depth > maxDepth) throw refused(`Filter expression exceeds maximum nesting depth of ${maxDepth}`);
    if (!isObject(of) || !Object.hasOwn(of, "op")) throw refused("Invalid filter: must be a dict with 'op' key");
    const { op } = of;
    if (op === "AND" || op === "OR") {
      if (!Array.isArray(of.conditions) || of.conditions.length === 0)
        throw refused(`${op} filter requires 'conditions' field`);
      const conditions = of.conditions.map((one) => translate(one, depth + 1));
      return { op: op === "AND" ? "and" : "or", conditions };
    }
    if (op === "NOT") {
      if (!isObject(of.condition)) throw refused("NOT filter requires 'condition' field");
      return { op: "not", condition: translate(of.condition, depth + 1) };
    }
    if (typeof op !== "string" || (op !== "IN" && !Object.hasOwn(comparisons, op)))
      throw refused(`Unknown filter operator: ${shown(op)}`);
    if (--left < 0) throw refused(`Filter expression has more than ${maxComparisons} comparisons`);
    return toComparison(op as keyof typeof comparisons | "IN", of);
  };
  return translate(given, 0);
}

function toComparison(op: keyof typeof comparisons | "IN", of: Members): TraceComparison {
  const { key } = of;
  const value = op === "IN" ? of.values : of.value;
  if (key === undefined || key === null || value === undefined || value === null)
    throw refused(`${op} filter requires 'key' and '${op === "IN" ? "values" : "value"}' fields`);
  const known = typeof key === "string" && Object.hasOwn(fields, key) ? fields[key] : undefined;
  if (!known) throw refused(`Invalid filter field: '${shown(key)}'. Allowed: ${Object.keys(fields).sort().join(", ")}`);
  const { type, field, operators = operatorsOf[type] } = known;
  if (!operators.includes(op)) throw refused(`Operator ${op} is not supported for field '${key}'`);
  if (op === "IN") {
    if (!Array.isArray(value) || value.length > maxValues)
      throw refused(`IN filter requires a list of at most ${maxValues} values`);
    return { op: "in", field, values: value.map((one) => textIn(one)) };
  }
  if (type === "datetime") return { op: comparisons[op], field, value: timeIn(value) } as TraceComparison;
  if (type === "number") {
    if (typeof value !== "number") throw refused(`Field '${key}' requires a number`);
    return { op: comparisons[op], field, value } as TraceComparison;
  }
  return { op: comparisons[op], field, value: textIn(value) } as TraceComparison;
}

function textIn(value: unknown): string {
  const fault = typeof value === "string" ? (value === "" ? undefined : faultOfId(value)) : "must be a string";
  if (fault) throw refused(`Invalid value: ${fault}`);
  return value as string;
}

function timeIn(value: unknown): number {
  const time = typeof value === "string" ? parseTime(value) : undefined;
  if (time === undefined) throw refused(badTime("datetime"));
  return time;
}

const iso = /^(\d{4}-\d{2}-\d{2})(?:[T ](\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)(Z|[+ -]\d{2}(?::?\d{2})?)?)?$/i;

/**
 * Parses an ISO 8601 time to milliseconds; undefined for any other text. A time without an offset is in UTC. A space before the offset is a plus sign
 * that a client did not encode.
 */
export function parseTime(text: string): number | undefined {
  const [, date, time = "00:00", offset = "Z"] = iso.exec(text) ?? [];
  if (date === undefined) return undefined;
  const [, sign = "", hours = "", minutes = "00"] = /^([+ -])(\d{2}):?(\d{2})?$/.exec(offset) ?? [];
  const zone = sign === "" ? "Z" : `${sign === "-" ? "-" : "+"}${hours}:${minutes}`;
  const at = Date.parse(`${date}T${time.replace(",", ".").replace(/(\.\d{3})\d+$/, "$1")}${zone}`);
  return Number.isNaN(at) ? undefined : at;
}

/** The text of the error for a time that cannot be parsed. */
export function badTime(name: string): string {
  return `Invalid ${name} format. Use ISO 8601 format (e.g., '2025-11-19T10:00:00Z' or '2025-11-19T10:00:00+05:30')`;
}

function refused(reason: string): TroupeError {
  return new TroupeError("badRequest", `Invalid filter expression: ${reason}`);
}

function shown(value: unknown): string {
  return String(typeof value === "string" ? value : JSON.stringify(value))
    .slice(0, 100)
    .toWellFormed();
}

function isObject(value: unknown): value is Members {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
