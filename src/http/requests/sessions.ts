/** Queries and bodies of session routes. */
import { z } from "zod";
import { TroupeError } from "../../errors.ts";
import type { ComponentKind, WireRunStatus } from "../../model/run/run.ts";
import type { SessionQuery } from "../../store/contract/sessions.ts";
import type { BodySpec } from "../input/body.ts";
import { listOf } from "../input/bounded-lists.ts";
import { keepingEmpty, type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { named } from "../input/named-schemas.ts";
import { fromCursor, pageSizes } from "../listing/paging.ts";
import { milliseconds, statusFilter } from "./queries.ts";

const sessionType = named("SessionType", z.enum(["agent", "team", "workflow"]));

/** The order of a listing. */
export const sortOrder: z.ZodType<"asc" | "desc"> = named("SortOrder", z.enum(["asc", "desc"]));

const object = z.record(z.string(), z.unknown());

/** Names are stored unchanged. */
const sessionName = z
  .string()
  .max(1_000)
  .refine((text) => text.isWellFormed() && !text.includes("\0"), "must be well-formed Unicode without NUL");

/** The database that a request names; a platform has only one. */
export const databaseMembers: Readonly<Record<"db_id" | "table", z.ZodOptional<z.ZodNullable<z.ZodString>>>> = {
  db_id: z.string().nullish(),
  table: z.string().nullish(),
};

/** The database that a request names. */
export interface DatabaseChoice {
  readonly databaseId: string | undefined;
  readonly table: string | undefined;
}

/** The database that the fields of a request name. */
export function choice({
  db_id,
  table,
}: {
  db_id?: string | null | undefined;
  table?: string | null | undefined;
}): DatabaseChoice {
  return { databaseId: db_id ?? undefined, table: table ?? undefined };
}

/** Filters and page of a listing of sessions. */
export interface SessionList extends DatabaseChoice {
  readonly query: Omit<SessionQuery, "maxBytes">;
  readonly page: number;
}

/** A larger limit is reduced to the maximum, because clients request a very large page to get all sessions. */
const sessionLimit = z
  .int()
  .min(1)
  .nullable()
  .default(20)
  .describe(
    `Sessions of a page: at most ${pageSizes.most}. More are cut to that; meta.limit is what the page was made with.`,
  );

/** The query of `GET /sessions`. Page 0 is the first page, and an unknown sort key means the default order, as recorded. */
export const sessionListQuery: Reader<SessionList> = reader(
  z.object({
    type: sessionType.nullish(),
    component_id: identifier.nullish(),
    user_id: identifier.nullish(),
    session_name: sessionName.nullish(),
    limit: sessionLimit,
    page: z.int().min(0).nullable().default(1),
    sort_by: z.string().nullable().default("created_at"),
    sort_order: sortOrder.nullable().default("desc"),
    ...databaseMembers,
  }),
  (fields) => {
    const limit = Math.min(fields.limit ?? 20, pageSizes.most);
    const page = fields.page ?? 1;
    const query = {
      kind: fields.type ?? undefined,
      componentId: fields.component_id ?? undefined,
      userId: fields.user_id ?? undefined,
      name: fields.session_name ?? undefined,
      sortBy: fields.sort_by === "updated_at" ? ("updatedAt" as const) : ("createdAt" as const),
      descending: fields.sort_order !== "asc",
      limit,
      offset: Math.min((Math.max(page, 1) - 1) * limit, Number.MAX_SAFE_INTEGER),
    };
    return { query, page, ...choice(fields) };
  },
);

/** The kind and user that a session must have, if the caller names them. */
export interface SessionChoice extends DatabaseChoice {
  readonly type: ComponentKind | undefined;
  readonly userId: string | undefined;
}

const choiceMembers = { type: sessionType.nullish(), user_id: identifier.nullish(), ...databaseMembers };
const toChoice = (fields: z.output<z.ZodObject<typeof choiceMembers>>): SessionChoice => ({
  type: fields.type ?? undefined,
  userId: fields.user_id ?? undefined,
  ...choice(fields),
});

/** The query of routes for one session. */
export const sessionChoice: Reader<SessionChoice> = reader(z.object(choiceMembers), toChoice);

/** The query of the routes that delete sessions. */
export const deleteChoice: Reader<SessionChoice> = reader(
  z.object({ user_id: identifier.nullish(), ...databaseMembers }),
  (fields) => toChoice(fields),
);

/** The query of `POST /sessions`. */
export const createQuery: Reader<{ type: ComponentKind } & DatabaseChoice> = reader(
  z.object({ type: sessionType.default("agent"), db_id: z.string().nullish() }),
  (fields) => ({ type: fields.type, ...choice(fields) }),
);

/** Filters and page of a listing of a session's runs. */
export interface SessionRuns extends SessionChoice {
  readonly statuses: readonly WireRunStatus[] | undefined;
  readonly createdAfter: number | undefined;
  readonly createdBefore: number | undefined;
  readonly limit: number;
  readonly after: { readonly sessionSeq: number } | undefined;
  readonly descending: boolean;
}

/** The query of `GET /sessions/{session_id}/runs`. */
export const sessionRunsQuery: Reader<SessionRuns> = reader(
  z.object({
    ...choiceMembers,
    status: statusFilter,
    created_after: z.int().nullish(),
    created_before: z.int().nullish(),
    limit: z.int().min(1).max(pageSizes.most).nullish(),
    cursor: z.string().nullish(),
    sort_order: sortOrder.default("asc"),
  }),
  (fields) => ({
    ...toChoice(fields),
    statuses: fields.status ?? undefined,
    createdAfter: milliseconds(fields.created_after),
    createdBefore: milliseconds(fields.created_before),
    limit: fields.limit ?? pageSizes.most,
    after: fields.cursor ? fromCursor(fields.cursor) : undefined,
    descending: fields.sort_order === "desc",
  }),
);

/** The ids of a session, and of one of its runs, in the path. */
export const sessionPath: Reader<{ sessionId: string }> = reader(
  z.object({ session_id: identifier }),
  ({ session_id }) => ({ sessionId: session_id }),
);
export const sessionRunPath: Reader<{ sessionId: string; runId: string }> = reader(
  z.object({ session_id: identifier, run_id: identifier }),
  ({ session_id, run_id }) => ({ sessionId: session_id, runId: run_id }),
);

/** A request for a new session. */
export interface NewSession {
  readonly sessionId: string | undefined;
  readonly name: string | undefined;
  readonly state: Record<string, unknown> | undefined;
  readonly metadata: Record<string, unknown> | undefined;
  readonly userId: string | undefined;
  readonly componentIds: Readonly<Record<ComponentKind, string | undefined>>;
}

/** The body of `POST /sessions`. */
export const newSession: BodySpec<NewSession> = {
  name: "CreateSessionRequest",
  types: ["json"],
  required: false,
  reader: reader(
    z.object({
      session_id: identifier.nullish(),
      session_name: sessionName.nullish(),
      session_state: object.nullish(),
      metadata: object.nullish(),
      user_id: identifier.nullish(),
      agent_id: identifier.nullish(),
      team_id: identifier.nullish(),
      workflow_id: identifier.nullish(),
    }),
    (fields) => ({
      sessionId: fields.session_id ?? undefined,
      name: fields.session_name ?? undefined,
      state: fields.session_state ?? undefined,
      metadata: fields.metadata ?? undefined,
      userId: fields.user_id ?? undefined,
      componentIds: {
        agent: fields.agent_id ?? undefined,
        team: fields.team_id ?? undefined,
        workflow: fields.workflow_id ?? undefined,
      },
    }),
  ),
};

/** Requested changes of a session; undefined members stay unchanged. */
export interface ChangedSession {
  readonly name?: string | undefined;
  readonly state?: Record<string, unknown> | undefined;
  readonly metadata?: Record<string, unknown> | undefined;
  readonly summary?: Record<string, unknown> | undefined;
}

/** The body of `PATCH /sessions/{session_id}`. */
export const changedSession: BodySpec<ChangedSession> = {
  name: "UpdateSessionRequest",
  types: ["json"],
  required: true,
  reader: reader(
    z.object({
      session_name: sessionName.nullish(),
      session_state: object.nullish(),
      metadata: object.nullish(),
      summary: object.nullish(),
    }),
    (fields) => ({
      name: fields.session_name ?? undefined,
      state: fields.session_state ?? undefined,
      metadata: fields.metadata ?? undefined,
      summary: fields.summary ?? undefined,
    }),
  ),
};

/** The body of `POST /sessions/{session_id}/rename`. An empty name is accepted. */
export const renamedSession: BodySpec<ChangedSession> = {
  name: "Body_rename_session",
  types: ["json"],
  required: true,
  reader: reader(z.object({ session_name: keepingEmpty(sessionName.clone()) }), ({ session_name }) => ({
    name: session_name,
  })),
};

/** The body of `DELETE /sessions`. */
export const deletedSessions: BodySpec<readonly { readonly sessionId: string; readonly type: ComponentKind }[]> = {
  name: "DeleteSessionRequest",
  types: ["json"],
  required: true,
  reader: reader(
    z.object({ session_ids: listOf(z.string()).min(1), session_types: listOf(sessionType).min(1) }),
    ({ session_ids, session_types }) => {
      if (session_ids.length !== session_types.length)
        throw new TroupeError("badRequest", "Session IDs and session types must have the same length");
      return session_ids.map((sessionId, place) => ({ sessionId, type: session_types[place] as ComponentKind }));
    },
  ),
};
