/** Paths and queries of run routes. */
import { z } from "zod";
import { type ComponentKind, type WireRunStatus, wireRunStatuses } from "../../model/run/run.ts";
import type { RunPosition } from "../../store/contract/store.ts";
import { listOf } from "../input/bounded-lists.ts";
import { type Reader, reader } from "../input/decode.ts";
import { readFactoryInput } from "../input/factory-input.ts";
import { identifier } from "../input/identifiers.ts";
import { fromCursor, pageSizes } from "../listing/paging.ts";

/** The component's id in the path. */
export function componentPath(idParam: string): Reader<{ componentId: string }> {
  return reader(z.object({ [idParam]: identifier }), (fields) => ({ componentId: String(fields[idParam]) }));
}

/** The version of a component: accepted, but without effect on components defined in code. */
export const versionQuery: Reader<undefined> = reader(z.object({ version: z.int().nullish() }), () => undefined);

/** The ids of the component and the run in the path. */
export function runPath(idParam: string): Reader<{ componentId: string; runId: string }> {
  return reader(z.object({ [idParam]: identifier, run_id: identifier }), (fields) => ({
    componentId: String(fields[idParam]),
    runId: String(fields.run_id),
  }));
}

const statuses: readonly WireRunStatus[] = wireRunStatuses;

/** Filters and page of a listing of a component's runs. */
export interface ListQuery {
  readonly sessionId: string | undefined;
  readonly userId: string | undefined;
  readonly statuses: readonly WireRunStatus[] | undefined;
  /** Milliseconds since the epoch. */
  readonly createdAfter: number | undefined;
  readonly createdBefore: number | undefined;
  readonly limit: number;
  readonly after: RunPosition | undefined;
  readonly descending: boolean;
  /** Selects the component that a factory builds. */
  readonly factoryInput?: Record<string, unknown> | undefined;
}

/** Only runs with one of these statuses. */
export const statusFilter: z.ZodOptional<z.ZodNullable<z.ZodArray<z.ZodType<WireRunStatus>>>> = listOf(
  z.enum(statuses as [WireRunStatus, ...WireRunStatus[]]),
).nullish();

const listMembers = {
  session_id: identifier.nullish(),
  status: statusFilter,
  user_id: identifier.nullish(),
  created_after: z.int().nullish(),
  created_before: z.int().nullish(),
  limit: z.int().min(1).max(pageSizes.most).nullish(),
  cursor: z.string().nullish(),
  sort_order: z.enum(["asc", "desc"]).default("asc"),
};

const listSchema = z.object(listMembers);

const factoryInput = { factory_input: z.string().nullish() };

/** The query of `GET …/runs`, by component kind. */
export const listQueries: Readonly<Record<ComponentKind, Reader<ListQuery>>> = {
  agent: reader(listSchema, toListQuery),
  team: reader(listSchema, toListQuery),
  workflow: reader(z.object({ ...listMembers, ...factoryInput }), ({ factory_input, ...fields }) => {
    const factoryInput = readFactoryInput(factory_input);
    return { ...toListQuery(fields), factoryInput };
  }),
};

function toListQuery(fields: z.output<typeof listSchema>): ListQuery {
  return {
    sessionId: fields.session_id ?? undefined,
    userId: fields.user_id ?? undefined,
    statuses: fields.status ?? undefined,
    createdAfter: milliseconds(fields.created_after),
    createdBefore: milliseconds(fields.created_before),
    // A client that names a session probably displays it, so the larger default also includes the newest run.
    limit: fields.limit ?? (fields.session_id ? pageSizes.most : pageSizes.usual),
    after: fields.cursor ? fromCursor(fields.cursor) : undefined,
    descending: fields.sort_order === "desc",
  };
}

/** Converts seconds since the epoch to milliseconds. */
export function milliseconds(seconds: number | null | undefined): number | undefined {
  const most = Math.floor(Number.MAX_SAFE_INTEGER / 1_000);
  return seconds === null || seconds === undefined ? undefined : Math.min(Math.max(seconds, -most), most) * 1_000;
}

const sessionMember = { session_id: identifier };
/** The session of the run to read. */
export interface SessionQuery {
  readonly sessionId: string;
  /** See `ListQuery`. */
  readonly factoryInput?: Record<string, unknown> | undefined;
}

const session = reader(z.object(sessionMember), ({ session_id }) => ({ sessionId: session_id }));

/** The query of `GET …/runs/{run_id}`, by component kind. */
export const sessionQueries: Readonly<Record<ComponentKind, Reader<SessionQuery>>> = {
  agent: session,
  team: session,
  workflow: reader(z.object({ ...sessionMember, ...factoryInput }), ({ session_id, factory_input }) => {
    return { sessionId: session_id, factoryInput: readFactoryInput(factory_input) };
  }),
};

/** The session that a run must belong to, if the caller names one. */
export const optionalSessionQuery: Reader<{ sessionId: string | undefined }> = reader(
  z.object({ session_id: identifier.nullish() }),
  ({ session_id }) => ({ sessionId: session_id ?? undefined }),
);
