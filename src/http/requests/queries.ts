/** Paths and queries of run routes. */
import { z } from "zod";
import { type WireRunStatus, wireRunStatuses } from "../../model/run.ts";
import type { RunPlace } from "../../store/seam.ts";
import { type Reader, reader } from "../decode.ts";
import { identifier } from "../identifiers.ts";
import { fromCursor, pageSizes } from "../paging.ts";

/** Ids in the path of a component. */
export function componentPath(idParam: string): Reader<{ componentId: string }> {
  return reader(z.object({ [idParam]: identifier }), (fields) => ({ componentId: String(fields[idParam]) }));
}

/** Ids in the path of a run. */
export function runPath(idParam: string): Reader<{ componentId: string; runId: string }> {
  return reader(z.object({ [idParam]: identifier, run_id: identifier }), (fields) => ({
    componentId: String(fields[idParam]),
    runId: String(fields.run_id),
  }));
}

const statuses: readonly WireRunStatus[] = wireRunStatuses;

/** Which runs of a component are listed. */
export interface ListQuery {
  readonly sessionId: string | undefined;
  readonly userId: string | undefined;
  readonly statuses: readonly WireRunStatus[] | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAfter: number | undefined;
  readonly createdBefore: number | undefined;
  readonly limit: number;
  readonly after: RunPlace | undefined;
  readonly descending: boolean;
}

const listMembers = {
  session_id: identifier.nullish(),
  status: z.array(z.enum(statuses as [WireRunStatus, ...WireRunStatus[]])).nullish(),
  user_id: identifier.nullish(),
  created_after: z.int().nullish(),
  created_before: z.int().nullish(),
  limit: z.int().min(1).max(pageSizes.most).nullish(),
  cursor: z.string().nullish(),
  sort_order: z.enum(["asc", "desc"]).default("asc"),
};

const listSchema = z.object(listMembers);

/** The query of `GET …/runs`. */
export const listQuery: Reader<ListQuery> = reader(listSchema, toListQuery);

function toListQuery(fields: z.output<typeof listSchema>): ListQuery {
  return {
    sessionId: fields.session_id ?? undefined,
    userId: fields.user_id ?? undefined,
    statuses: fields.status ?? undefined,
    createdAfter: milliseconds(fields.created_after),
    createdBefore: milliseconds(fields.created_before),
    limit: fields.limit ?? pageSizes.usual,
    after: fields.cursor ? fromCursor(fields.cursor) : undefined,
    descending: fields.sort_order === "desc",
  };
}

/** Of a time in seconds since the epoch. */
export function milliseconds(seconds: number | null | undefined): number | undefined {
  const most = Math.floor(Number.MAX_SAFE_INTEGER / 1_000);
  return seconds === null || seconds === undefined ? undefined : Math.min(Math.max(seconds, -most), most) * 1_000;
}

/** Which session a run is read from. */
export const sessionQuery: Reader<{ sessionId: string }> = reader(
  z.object({ session_id: identifier }),
  ({ session_id }) => ({ sessionId: session_id }),
);

/** Which session a run must be of, when the caller says. */
export const optionalSessionQuery: Reader<{ sessionId: string | undefined }> = reader(
  z.object({ session_id: identifier.nullish() }),
  ({ session_id }) => ({ sessionId: session_id ?? undefined }),
);
