/** Routes that list, search and read traces. */
import type { z } from "zod";
import { TroupeError } from "../../errors.ts";
import { toPageInfo } from "../records/pages.ts";
import {
  toFoundTrace,
  toTraceDetail,
  toTraceNode,
  toTraceSession,
  toTraceStatistics,
  toTraceSummary,
  traceSchemas,
  traceStatisticsSchema,
} from "../records/traces.ts";
import { filterSchema } from "../requests/trace-filters.ts";
import {
  searchQuery,
  type TraceChoice,
  type TraceChoices,
  type TraceList,
  type TraceSearch,
  traceChoice,
  traceChoices,
  traceList,
  tracePath,
  traceSearch,
  traceSessionList,
} from "../requests/traces.ts";
import { sendJson, sendPage } from "../transport/json-pieces.ts";
import { type Access, type Call, type Operation, type Route, route } from "../transport/route.ts";
import { bodyErrors, storedErrors } from "../transport/statuses.ts";
import { checkDatabase } from "./database-choice.ts";

const access: Access = { resource: "traces", action: "read" };

function described(id: string, summary: string, json: z.ZodType, errors = storedErrors): Operation {
  return { id, summary, tag: "Traces", security: "bearer", success: { 200: { description: "Traces", json } }, errors };
}

export const traceRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/traces",
    access,
    operation: described("get_traces", "List the traces of ended runs, newest first, in pages", traceSchemas.page),
    query: traceList,
    isHeavy: true,
    handle: list,
  }),
  route({
    method: "GET",
    path: "/traces/filter-schema",
    access,
    operation: described("get_traces_filter_schema", "List the fields and operators of a search", traceSchemas.filters),
    handle: () => filterSchema,
  }),
  route({
    method: "GET",
    path: "/traces/stats",
    access,
    operation: described(
      "get_traces_stats",
      "Show durations, errors, tokens and costs by component, user, model and day",
      traceStatisticsSchema,
    ),
    query: traceChoices,
    isHeavy: true,
    handle: statistics,
  }),
  route({
    method: "POST",
    path: "/traces/search",
    access,
    operation: described("search_traces", "Search traces, or sessions by their traces", traceSchemas.found, bodyErrors),
    query: searchQuery,
    body: traceSearch,
    isHeavy: true,
    handle: search,
  }),
  route({
    method: "GET",
    path: "/traces/{trace_id}",
    access,
    operation: described("get_trace", "Get a trace as a tree of spans, or one span", traceSchemas.one),
    pathParams: tracePath,
    query: traceChoice,
    isHeavy: true,
    handle: read,
  }),
  route({
    method: "GET",
    path: "/trace_session_stats",
    access,
    operation: described(
      "get_trace_stats",
      "List sessions with their number of traces, in pages",
      traceSchemas.sessions,
    ),
    query: traceSessionList,
    isHeavy: true,
    handle: listSessions,
  }),
];

async function list(call: Call<undefined, TraceList, undefined>): Promise<unknown> {
  const { services, caller, query: asked, reply } = call;
  checkDatabase(services, asked);
  const begun = services.runtime.clock.monotonic();
  const { rows, total } = await services.runs.traces.list(caller, asked.query);
  return await sendPage(reply, rows, toTraceSummary, () => metaOf(call, asked, total, begun));
}

async function listSessions(call: Call<undefined, TraceList, undefined>): Promise<unknown> {
  const { services, caller, query: asked, reply } = call;
  checkDatabase(services, asked);
  const begun = services.runtime.clock.monotonic();
  const { rows, total } = await services.runs.traces.sessions(caller, asked.query);
  return await sendPage(reply, rows, toTraceSession, () => metaOf(call, asked, total, begun));
}

async function statistics({ services, caller, query }: Call<undefined, TraceChoices, undefined>): Promise<unknown> {
  checkDatabase(services, query);
  return toTraceStatistics(await services.runs.traces.statistics(caller, query.filter));
}

async function search(call: Call<undefined, { databaseId: string | undefined }, TraceSearch>): Promise<unknown> {
  const { services, caller, query, body, reply } = call;
  checkDatabase(services, query);
  const { traces } = services.runs;
  const begun = services.runtime.clock.monotonic();
  if (body.groupBy === "session") {
    const { rows, total } = await traces.sessions(caller, body.query);
    return await sendPage(reply, rows, toTraceSession, () => metaOf(call, body, total, begun));
  }
  const { rows, total } = await traces.search(caller, body.query);
  return await sendPage(reply, rows, toFoundTrace, () => metaOf(call, body, total, begun));
}

async function read(call: Call<{ traceId: string }, TraceChoice, undefined>): Promise<unknown> {
  const { services, caller, path, query, reply } = call;
  checkDatabase(services, query);
  const { traces } = services.runs;
  const now = services.runtime.clock.now();
  const found = await traces.read(caller, path.traceId, query.runId);
  const [first] = found;
  if (!first) throw new TroupeError("notFound", "Trace not found");
  if (query.spanId !== undefined) {
    const span = found.flatMap(({ spans = [] }) => spans).find(({ spanId }) => spanId === query.spanId);
    if (!span) throw new TroupeError("notFound", "Span not found");
    return toTraceNode(span, now);
  }
  const texts = found.length === 1 ? await traces.texts(caller, first) : undefined;
  return sendJson(reply, toTraceDetail(found, texts, now));
}

function metaOf(
  { services }: Pick<Call<undefined, undefined, undefined>, "services">,
  { page, query }: { readonly page: number; readonly query: { readonly limit: number } },
  total: number,
  begun: number,
): Record<string, number> {
  const milliseconds = services.runtime.clock.monotonic() - begun;
  return toPageInfo({ page, limit: query.limit, total, milliseconds });
}
