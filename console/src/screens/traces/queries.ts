import { keepPreviousData, queryOptions } from "@tanstack/react-query";
import { api, dataOf, type Schema } from "../../api/client.ts";
import { componentKinds } from "../../api/component-kinds.ts";
import { type TraceSearch, tracePeriods } from "./search.ts";

export type Trace = Schema<"TraceDetail">;
export type TraceNode = Schema<"TraceNode">;

const pageSize = 25;
const minute = 60_000;

/** The traces of ended runs. */
export function tracesQuery(search: TraceSearch) {
  const { page = 1, ...filters } = search;
  return queryOptions({
    queryKey: ["traces", filters, page],
    queryFn: async ({ signal }) => {
      const body = { filter: toFilter(filters, Date.now()), group_by: "run", limit: pageSize, page } as const;
      const found = await dataOf(api.POST("/traces/search", { body, signal }));
      // The answer has this form for `group_by: "run"`.
      return found as Schema<"PaginatedResponse_TraceDetail_">;
    },
    placeholderData: keepPreviousData,
    refetchInterval: 10_000,
  });
}

/** A trace with its spans. The trace of a run that has not ended is read again. */
export function traceQuery(traceId: string, runId: string | undefined) {
  return queryOptions({
    queryKey: ["trace", traceId, runId],
    queryFn: async ({ signal }) => {
      const params = { path: { trace_id: traceId }, query: runId === undefined ? {} : { run_id: runId } };
      return (await dataOf(api.GET("/traces/{trace_id}", { params, signal }))) as Trace;
    },
    refetchInterval: ({ state }) => (state.data?.status === "UNSET" ? 2_000 : false),
  });
}

interface Comparison {
  readonly op: "EQ" | "CONTAINS" | "GTE";
  readonly key: string;
  readonly value: string | number;
}

/** The filter of `POST /traces/search`. */
function toFilter(search: TraceSearch, now: number): Record<string, unknown> | null {
  const { text, status, kind, component, user, session, period, slower } = search;
  const equal = (key: string, value: string): Comparison => ({ op: "EQ", key, value });
  const conditions: unknown[] = [];
  if (text !== undefined) {
    const ids = ["trace_id", "run_id"].map((key) => equal(key, text));
    conditions.push({ op: "OR", conditions: [{ op: "CONTAINS", key: "name", value: text }, ...ids] });
  }
  if (status !== undefined) conditions.push(equal("status", status));
  if (component !== undefined) {
    const kinds = kind === undefined ? componentKinds : [kind];
    conditions.push(anyOf(kinds.map((one) => equal(`${one}_id`, component))));
  } else if (kind !== undefined) {
    conditions.push({ op: "STARTSWITH", key: "name", value: `run ${kind} ` });
  }
  if (user !== undefined) conditions.push(equal("user_id", user));
  if (session !== undefined) conditions.push(equal("session_id", session));
  if (period !== undefined) {
    // Whole minutes: the pages of one list begin at the same time.
    const from = Math.floor(now / minute) * minute - tracePeriods[period] * 60 * minute;
    conditions.push({ op: "GTE", key: "start_time", value: new Date(from).toISOString() });
  }
  if (slower !== undefined) conditions.push({ op: "GTE", key: "duration_ms", value: slower });
  return conditions.length === 0 ? null : { op: "AND", conditions };
}

function anyOf(conditions: readonly Comparison[]): unknown {
  return conditions.length === 1 ? conditions[0] : { op: "OR", conditions };
}

/** The component of a trace; undefined for an unknown one. */
export function componentOf(trace: Pick<Trace, "agent_id" | "team_id" | "workflow_id">) {
  for (const kind of componentKinds) {
    const id = trace[`${kind}_id`];
    if (id) return { kind, id };
  }
  return undefined;
}

/** The duration of a trace or span in milliseconds. */
export function durationOf({ start_time: start, end_time: end }: Pick<Trace, "start_time" | "end_time">): number {
  return Date.parse(end) - Date.parse(start);
}

/** Sums over the whole trace. */
export function totalsOf({ tree }: Pick<Trace, "tree">) {
  const sum = (name: string): number | undefined => {
    const values = tree.flatMap(({ metadata }) => (typeof metadata?.[name] === "number" ? [metadata[name]] : []));
    return values.length === 0 ? undefined : values.reduce((total, value) => total + value, 0);
  };
  return { input: sum("total_input_tokens"), output: sum("total_output_tokens"), cost: sum("total_cost") };
}
