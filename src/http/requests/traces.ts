/** Queries and bodies of trace routes. */
import { z } from "zod";
import { TroupeError } from "../../errors.ts";
import type { TraceField, TraceFilter } from "../../model/trace/filter.ts";
import type { TraceQuery } from "../../runs/traces/traces.ts";
import type { BodySpec } from "../input/body.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { named } from "../input/named-schemas.ts";
import { pageSizes } from "../listing/paging.ts";
import { badTime, parseTime, toTraceFilter } from "./trace-filters.ts";

/** A page of traces. */
export interface TraceList {
  readonly query: TraceQuery;
  readonly page: number;
  readonly databaseId: string | undefined;
}

const id = identifier.nullish();
const time = z.string().nullish();
const limit = z
  .int()
  .min(1)
  .default(20)
  .describe(
    `Elements of a page: at most ${pageSizes.most}. More are cut to that; meta.limit is what the page was made with.`,
  );
const commonMembers = { user_id: id, agent_id: id, team_id: id, workflow_id: id, start_time: time, end_time: time };

/** The query of `GET /traces`. Page 0 is the first page, as recorded. */
export const traceList: Reader<TraceList> = reader(
  z.object({
    run_id: id,
    session_id: id,
    ...commonMembers,
    status: id,
    page: z.int().min(0).default(1),
    limit,
    db_id: z.string().nullish(),
  }),
  (fields) => toList(fields, { runId: fields.run_id, sessionId: fields.session_id, status: fields.status }),
);

/** The query of `GET /trace_session_stats`. */
export const traceSessionList: Reader<TraceList> = reader(
  z.object({ ...commonMembers, page: z.int().min(1).default(1), limit, db_id: z.string().nullish() }),
  (fields) => toList(fields, {}),
);

/** Traces to show statistics of. */
export interface TraceChoices {
  readonly filter: TraceFilter;
  readonly databaseId: string | undefined;
}

/** The query of `GET /traces/stats`. */
export const traceChoices: Reader<TraceChoices> = reader(
  z.object({ session_id: id, ...commonMembers, status: id, db_id: z.string().nullish() }),
  (fields) => {
    const more = { sessionId: fields.session_id, status: fields.status };
    const { query, databaseId } = toList({ ...fields, page: 1, limit: 1 }, more);
    return { filter: query.filter, databaseId };
  },
);

interface CommonFields {
  readonly user_id?: string | null | undefined;
  readonly agent_id?: string | null | undefined;
  readonly team_id?: string | null | undefined;
  readonly workflow_id?: string | null | undefined;
  readonly start_time?: string | null | undefined;
  readonly end_time?: string | null | undefined;
  readonly db_id?: string | null | undefined;
  readonly page: number;
  readonly limit: number;
}

function toList(fields: CommonFields, more: Partial<Record<TraceField, string | null | undefined>>): TraceList {
  const { user_id: userId, agent_id: agentId, team_id: teamId, workflow_id: workflowId, page } = fields;
  const texts = { ...more, userId, agentId, teamId, workflowId };
  const conditions: TraceFilter[] = Object.entries(texts).flatMap(([field, value]) =>
    value === undefined || value === null ? [] : [{ op: "eq", field: field as TraceField, value }],
  );
  const from = timeOf("start_time", fields.start_time);
  const until = timeOf("end_time", fields.end_time);
  if (from !== undefined) conditions.push({ op: "gte", field: "startedAt", value: from });
  if (until !== undefined) conditions.push({ op: "lte", field: "endedAt", value: until });
  const size = Math.min(fields.limit, pageSizes.most);
  const query = { filter: { op: "and", conditions }, limit: size, offset: offsetOf(page, size) } as const;
  return { page, databaseId: fields.db_id ?? undefined, query };
}

function timeOf(name: string, text: string | null | undefined): number | undefined {
  if (text === undefined || text === null) return undefined;
  const at = parseTime(text);
  if (at === undefined) throw new TroupeError("validation", badTime(name));
  return at;
}

function offsetOf(page: number, limit: number): number {
  return Math.min((Math.max(page, 1) - 1) * limit, Number.MAX_SAFE_INTEGER);
}

/** The path of one trace. */
export const tracePath: Reader<{ traceId: string }> = reader(z.object({ trace_id: identifier }), (fields) => ({
  traceId: fields.trace_id,
}));

/** The part of a trace to return. */
export interface TraceChoice {
  readonly spanId: string | undefined;
  readonly runId: string | undefined;
  readonly databaseId: string | undefined;
}

/** The query of `GET /traces/{trace_id}`. */
export const traceChoice: Reader<TraceChoice> = reader(
  z.object({ span_id: id, run_id: id, db_id: z.string().nullish() }),
  (fields) => ({
    spanId: fields.span_id ?? undefined,
    runId: fields.run_id ?? undefined,
    databaseId: fields.db_id ?? undefined,
  }),
);

/** The query of `POST /traces/search`. */
export const searchQuery: Reader<{ databaseId: string | undefined }> = reader(
  z.object({ db_id: z.string().nullish() }),
  (fields) => ({ databaseId: fields.db_id ?? undefined }),
);

/** A search for traces, or for the sessions of traces. */
export interface TraceSearch {
  readonly query: TraceQuery;
  readonly page: number;
  readonly groupBy: "run" | "session";
}

const groupBy = named("TraceSearchGroupBy", z.enum(["run", "session"]));

/** The body of `POST /traces/search`. */
export const traceSearch: BodySpec<TraceSearch> = {
  name: "TraceSearchRequest",
  types: ["json"],
  required: true,
  reader: reader(
    z.object({
      filter: z.record(z.string(), z.unknown()).nullish(),
      group_by: groupBy.default("run"),
      page: z.int().min(1).default(1),
      limit: z.int().min(1).max(100).default(20),
    }),
    (fields) => ({
      page: fields.page,
      groupBy: fields.group_by,
      query: {
        filter: toTraceFilter(fields.filter ?? undefined),
        limit: fields.limit,
        offset: offsetOf(fields.page, fields.limit),
      },
    }),
  ),
};
