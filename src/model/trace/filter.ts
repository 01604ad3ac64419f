/** Filters of traces: a tree of comparisons. */

/** A field of a trace that filters compare. A time is in milliseconds since the epoch, a duration in milliseconds. */
export type TraceField =
  | "traceId"
  | "runId"
  | "sessionId"
  | "userId"
  | "agentId"
  | "teamId"
  | "workflowId"
  | "name"
  | "status"
  | "startedAt"
  | "endedAt"
  | "duration";

/** `contains` ignores the case of ASCII letters. A missing value, such as the agent of a team's trace, fits no comparison. */
export type TraceComparison =
  | {
      readonly op: "eq" | "neq" | "gt" | "gte" | "lt" | "lte";
      readonly field: TraceField;
      readonly value: string | number;
    }
  | { readonly op: "contains" | "startsWith"; readonly field: TraceField; readonly value: string }
  | { readonly op: "in"; readonly field: TraceField; readonly values: readonly string[] };

/** A filter. An empty `and` fits every trace. */
export type TraceFilter =
  | TraceComparison
  | { readonly op: "and" | "or"; readonly conditions: readonly TraceFilter[] }
  | { readonly op: "not"; readonly condition: TraceFilter };

/** Whether a filter is a single comparison. */
export function isComparison(filter: TraceFilter): filter is TraceComparison {
  return "field" in filter;
}

/** The conditions that a filter requires together. */
export function conjunctsOf(filter: TraceFilter): readonly TraceFilter[] {
  return filter.op === "and" ? filter.conditions.flatMap(conjunctsOf) : [filter];
}
