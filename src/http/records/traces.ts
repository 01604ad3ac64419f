/** Traces in their wire form. Null members are omitted. Times are ISO 8601 in UTC. */
import { z } from "zod";
import type { ComponentKind } from "../../model/run/run.ts";
import { inputOf } from "../../model/run/stored-run.ts";
import type { Span } from "../../model/trace/span.ts";
import type { Statistics, TraceStatistics } from "../../runs/traces/statistics.ts";
import type { ListedTrace, RunTrace, TraceSession, TraceTexts } from "../../runs/traces/traces.ts";
import { named } from "../input/named-schemas.ts";
import { pageInfo } from "./pages.ts";
import { present } from "./run.ts";

const object = z.record(z.string(), z.unknown());
const text = z.string().nullish();
const time = z.iso.datetime();
const componentIds = { agent_id: text, team_id: text, workflow_id: text };
const times = { duration: z.string(), start_time: time, end_time: time };

const node: z.ZodType = named(
  "TraceNode",
  z.object({
    id: z.string(),
    name: z.string(),
    type: z.string(),
    ...times,
    status: z.string(),
    input: text,
    output: text,
    error: text,
    get spans() {
      return z.array(node).nullish();
    },
    step_type: text,
    metadata: object.nullish(),
    extra_data: object.nullish(),
  }),
);

const counts = { total_spans: z.int(), error_count: z.int() };
const owners = { run_id: text, session_id: text, user_id: text, ...componentIds, created_at: time };

const summary = named(
  "TraceSummary",
  z.object({ trace_id: z.string(), name: z.string(), status: z.string(), ...times, ...counts, input: text, ...owners }),
);

const detail = named(
  "TraceDetail",
  z.object({
    ...{ trace_id: z.string(), name: z.string(), status: z.string(), ...times, ...counts },
    ...{ input: text, output: text, error: text, ...owners },
    tree: z.array(node),
  }),
);

const sessionStats = named(
  "TraceSessionStats",
  z.object({
    session_id: z.string(),
    user_id: text,
    ...componentIds,
    total_traces: z.int(),
    first_trace_at: time,
    last_trace_at: time,
  }),
);

const filterField = named(
  "FilterFieldSchema",
  z.object({
    key: z.string(),
    label: z.string(),
    type: z.string(),
    operators: z.array(z.string()),
    values: z.array(z.string()).nullish(),
  }),
);

const details = named("PaginatedResponse_TraceDetail_", z.object({ data: z.array(detail), meta: pageInfo }));
const sessions = named(
  "PaginatedResponse_TraceSessionStats_",
  z.object({ data: z.array(sessionStats), meta: pageInfo }),
);

/** Schemas of the answers. */
export const traceSchemas: Readonly<Record<"page" | "found" | "one" | "sessions" | "filters", z.ZodType>> = {
  page: named("PaginatedResponse_TraceSummary_", z.object({ data: z.array(summary), meta: pageInfo })),
  found: z.union([details, sessions]),
  one: z.union([detail, node]),
  sessions,
  filters: named(
    "FilterSchemaResponse",
    z.object({ fields: z.array(filterField), logical_operators: z.array(z.string()).default(["AND", "OR"]) }),
  ),
};

const milliseconds = z.number().describe("Milliseconds.");
const statistics = {
  count: z.int().describe("Number of runs; for models, of model turns with their retries."),
  error_count: z.int(),
  duration_ms: z.object({ mean: milliseconds, p50: milliseconds, p95: milliseconds, max: milliseconds }),
  input_tokens: z.int(),
  output_tokens: z.int(),
  cost: z.number().nullable().describe("US dollars; null if no model turn has a known price."),
};

const traceStatistics = z.object({
  traces: z.int().describe("Traces that the statistics cover: the newest ones that fit the filter, at most 2,000."),
  is_complete: z.boolean().describe("Whether they cover all traces that fit the filter."),
  first_trace_at: time.nullable(),
  last_trace_at: time.nullable(),
  components: z.array(z.object({ type: z.enum(["agent", "team", "workflow"]), id: z.string(), ...statistics })),
  users: z.array(z.object({ id: z.string().nullable(), ...statistics })),
  models: z.array(z.object({ id: z.string(), provider: z.string().nullable(), ...statistics })),
  days: z.array(z.object({ date: z.iso.date(), ...statistics })),
});

/** The answer of `GET /traces/stats`. */
export const traceStatisticsSchema: z.ZodType = named("TraceStatistics", traceStatistics);

/** Statistics of traces. */
export function toTraceStatistics(found: TraceStatistics): Record<string, unknown> {
  return {
    traces: found.traces,
    is_complete: found.isComplete,
    first_trace_at: found.firstAt === null ? null : iso(found.firstAt),
    last_trace_at: found.lastAt === null ? null : iso(found.lastAt),
    components: found.components.map(({ kind, id, ...rest }) => ({ type: kind, id, ...toStatistics(rest) })),
    users: found.users.map(({ id, ...rest }) => ({ id, ...toStatistics(rest) })),
    models: found.models.map(({ model, provider, ...rest }) => ({ id: model, provider, ...toStatistics(rest) })),
    days: found.days.map(({ day, ...rest }) => ({ date: day, ...toStatistics(rest) })),
  } satisfies z.input<typeof traceStatistics>;
}

function toStatistics({ count, errors, durations, inputTokens, outputTokens, cost }: Statistics) {
  return {
    ...{ count, error_count: errors, duration_ms: { ...durations } },
    ...{ input_tokens: inputTokens, output_tokens: outputTokens, cost },
  };
}

/** Maximum length of an input in a listing. */
const maxInput = 4_096;

/** The element of a listing. */
export function toTraceSummary({ input, ...trace }: ListedTrace): Record<string, unknown> {
  return present({ ...commonMembers(trace, trace.endedAt), input: input === null ? null : shortInput(input) });
}

/** The element of a search: a listing's element with its tree. The tree is empty if it does not fit the page. */
export function toFoundTrace({ input, ...trace }: RunTrace & Pick<ListedTrace, "input">): Record<string, unknown> {
  const now = trace.endedAt ?? trace.startedAt;
  const shown = input === null ? null : shortInput(input);
  return present({ ...commonMembers(trace, now), input: shown, tree: toTree(trace.spans ?? [], now) });
}

function shortInput(input: string): string {
  return inputOf({ input }).message.slice(0, maxInput).toWellFormed();
}

/**
 * A trace with its tree. Several runs of one trace are shown as one, with a tree for each.
 *
 * @param traces - at least one
 * @param now - the end of the spans that are still open
 */
export function toTraceDetail(
  traces: readonly RunTrace[],
  texts: TraceTexts | undefined,
  now: number,
): Record<string, unknown> {
  const [first, ...others] = traces as [RunTrace, ...RunTrace[]];
  const all = { ...first };
  for (const trace of others) {
    if (trace.status !== "OK") all.status = all.status === "ERROR" ? "ERROR" : trace.status;
    all.endedAt = all.endedAt === null || trace.endedAt === null ? null : Math.max(all.endedAt, trace.endedAt);
    all.spanCount += trace.spanCount;
    all.errorCount += trace.errorCount;
  }
  const members = commonMembers(all as RunTrace, all.endedAt ?? now);
  const tree = traces.flatMap(({ spans = [] }) => toTree(spans, now));
  const run = others.length === 0 ? texts : { run_id: undefined };
  return present({ ...members, ...run, tree });
}

/** A single span, without the spans below it. */
export function toTraceNode(span: Span, now: number): Record<string, unknown> {
  return nodeOf(span, [], now);
}

/** The statistics of a session. */
export function toTraceSession(session: TraceSession): Record<string, unknown> {
  const { sessionId, userId, kind, componentId, traces, firstAt, lastAt } = session;
  return present({
    session_id: sessionId,
    user_id: userId,
    ...componentMember(kind, componentId),
    total_traces: traces,
    first_trace_at: iso(firstAt),
    last_trace_at: iso(lastAt),
  });
}

type Common = Omit<RunTrace, "spans" | "endedAt">;

function commonMembers(trace: Common, endedAt: number): Record<string, unknown> {
  return {
    trace_id: trace.traceId,
    name: trace.name,
    status: trace.status,
    ...timeMembers(trace.startedAt, endedAt),
    total_spans: trace.spanCount,
    error_count: trace.errorCount,
    run_id: trace.runId,
    session_id: trace.sessionId,
    user_id: trace.userId,
    ...componentMember(trace.kind, trace.componentId),
    created_at: iso(trace.startedAt),
  };
}

function componentMember(kind: ComponentKind, id: string): Record<string, unknown> {
  return id === "" ? {} : { [`${kind}_id`]: id };
}

/** The tree of spans, each of which follows its parent. */
function toTree(spans: readonly Span[], now: number): Record<string, unknown>[] {
  const ids = new Set(spans.map(({ spanId }) => spanId));
  const children = Map.groupBy(spans, ({ parentSpanId }) =>
    parentSpanId !== null && ids.has(parentSpanId) ? parentSpanId : null,
  );
  const show = (span: Span): Record<string, unknown> =>
    nodeOf(
      span,
      (children.get(span.spanId) ?? []).map((one) => show(one)),
      now,
      span.kind === "request" ? totalsOf(spans) : undefined,
    );
  return (children.get(null) ?? []).map((one) => show(one));
}

function nodeOf(
  { spanId, name, kind, startedAt, endedAt, status, statusMessage, attributes }: Span,
  spans: readonly Record<string, unknown>[],
  now: number,
  totals: Record<string, unknown> = {},
): Record<string, unknown> {
  const metadata = present({ ...metadataOf(attributes), ...totals });
  return present({
    ...{ id: spanId, name, type: typeOf(kind, attributes), ...timeMembers(startedAt, endedAt ?? now), status },
    error: status === "ERROR" ? (statusMessage ?? attributes["error.type"]) : undefined,
    spans: spans.length > 0 ? spans : undefined,
    step_type: attributes["troupe.step.type"],
    metadata: Object.keys(metadata).length > 0 ? metadata : undefined,
    extra_data: { attributes },
  });
}

const types = { request: "REQUEST", step: "STEP", model: "LLM", tool: "TOOL", pause: "PAUSE", takeover: "TAKEOVER" };

function typeOf(kind: Span["kind"], attributes: Span["attributes"]): string {
  return kind === "run" ? String(attributes["troupe.component.kind"]).toUpperCase() : types[kind];
}

function metadataOf(attributes: Span["attributes"]): Record<string, unknown> {
  return {
    run_id: attributes["troupe.run.id"],
    session_id: attributes["gen_ai.conversation.id"],
    model: attributes["gen_ai.request.model"],
    input_tokens: attributes["gen_ai.usage.input_tokens"],
    output_tokens: attributes["gen_ai.usage.output_tokens"],
    cost: attributes["troupe.usage.cost"],
    tool_name: attributes["gen_ai.tool.name"],
    tool_call_id: attributes["gen_ai.tool.call.id"],
  };
}

function totalsOf(spans: readonly Span[]): Record<string, unknown> {
  const sum = (name: string): number | undefined => {
    const values = spans.flatMap(({ attributes }) => (typeof attributes[name] === "number" ? [attributes[name]] : []));
    return values.length === 0 ? undefined : values.reduce((total, value) => total + value, 0);
  };
  return {
    total_input_tokens: sum("gen_ai.usage.input_tokens"),
    total_output_tokens: sum("gen_ai.usage.output_tokens"),
    total_cost: sum("troupe.usage.cost"),
  };
}

function timeMembers(startedAt: number, endedAt: number): Record<string, string> {
  return { duration: durationText(endedAt - startedAt), start_time: iso(startedAt), end_time: iso(endedAt) };
}

/** `32ms`, or `1.25s` from one second on. */
function durationText(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.max(milliseconds, 0)}ms` : `${(milliseconds / 1000).toFixed(2)}s`;
}

function iso(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}
