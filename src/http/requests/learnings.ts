/** Queries and bodies of routes of learnings. */
import { z } from "zod";
import { TroupeError } from "../../errors.ts";
import type {
  GivenLearning,
  LearningChanges,
  LearningPosition,
  LearningQuery,
  LearningUserQuery,
} from "../../runs/learnings.ts";
import type { BodySpec } from "../input/body.ts";
import { type RawFields, type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { invalid } from "../input/validation-errors.ts";
import { pageSizes } from "../listing/paging.ts";
import { choice, type DatabaseChoice, databaseMembers, sortOrder } from "./sessions.ts";

/** An id that the server composes of several ids. */
const learningId = z
  .string()
  .min(1)
  .max(2_000)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: ids have no control characters
  .refine((text) => text.isWellFormed() && !/[\u0000-\u001f\u007f]/.test(text), "the text is not an id");

const id = identifier.nullish();
const object = z.record(z.string(), z.unknown());

const pageMembers = {
  page: z.int().min(1).default(1),
  sort_by: z.string().nullish(),
  sort_order: sortOrder.nullish().default("desc"),
  ...databaseMembers,
};

/** A page of learnings. */
export interface LearningList extends DatabaseChoice {
  readonly query: Omit<LearningQuery, "maxBytes">;
  readonly page: number;
}

/** The query of `GET /learnings`. */
export const learningList: Reader<LearningList> = reader(
  z.object({
    learning_type: id,
    user_id: id,
    agent_id: id,
    team_id: id,
    session_id: id,
    namespace: id,
    entity_id: id,
    entity_type: id,
    limit: z.int().min(1).max(pageSizes.most).default(100),
    ...pageMembers,
    cursor: z.string().nullish().describe("From the Link header of the page before."),
  }),
  (fields) => ({
    page: fields.page,
    ...choice(fields),
    query: {
      type: fields.learning_type ?? undefined,
      userId: fields.user_id ?? undefined,
      agentId: fields.agent_id ?? undefined,
      teamId: fields.team_id ?? undefined,
      sessionId: fields.session_id ?? undefined,
      namespace: fields.namespace ?? undefined,
      entityId: fields.entity_id ?? undefined,
      entityType: fields.entity_type ?? undefined,
      sortBy: fields.sort_by === "created_at" ? "createdAt" : "updatedAt",
      descending: fields.sort_order !== "asc",
      limit: fields.limit,
      offset: offsetOf(fields),
      after: fields.cursor ? fromCursor(fields.cursor) : undefined,
    },
  }),
);

/** A page of users. */
export interface LearningUserList extends DatabaseChoice {
  readonly query: LearningUserQuery;
  readonly page: number;
}

/** The query of `GET /learnings/users`. */
export const learningUserList: Reader<LearningUserList> = reader(
  z.object({
    learning_type: id,
    user_id: id,
    limit: z.int().min(1).max(pageSizes.most).default(20),
    ...pageMembers,
  }),
  (fields) => ({
    page: fields.page,
    ...choice(fields),
    query: {
      type: fields.learning_type ?? undefined,
      userId: fields.user_id ?? undefined,
      sortBy: fields.sort_by === "user_id" ? "userId" : "updatedAt",
      descending: fields.sort_order !== "asc",
      limit: fields.limit,
      offset: offsetOf(fields),
    },
  }),
);

/** The query of `POST /learnings`. */
export const learningDatabase: Reader<DatabaseChoice> = reader(z.object(databaseMembers), choice);

/** The user of one learning. */
export interface LearningChoice extends DatabaseChoice {
  /** Needed only if several users have a learning of this id. */
  readonly userId: string | undefined;
}

/** The query of routes for one learning. */
export const learningChoice: Reader<LearningChoice> = reader(
  z.object({ user_id: id, ...databaseMembers }),
  (fields) => ({ userId: fields.user_id ?? undefined, ...choice(fields) }),
);

/** The type of learnings to delete. */
export interface LearningTypeChoice extends DatabaseChoice {
  readonly type: string | undefined;
}

/** The query of `DELETE /learnings/users/{user_id}`. */
export const learningTypeChoice: Reader<LearningTypeChoice> = reader(
  z.object({ learning_type: id, ...databaseMembers }),
  (fields) => ({ type: fields.learning_type ?? undefined, ...choice(fields) }),
);

/** The path of one learning. */
export const learningPath: Reader<{ learningId: string }> = reader(z.object({ learning_id: learningId }), (fields) => ({
  learningId: fields.learning_id,
}));

/** The path of a user's learnings. */
export const learningUserPath: Reader<{ userId: string }> = reader(z.object({ user_id: identifier }), (fields) => ({
  userId: fields.user_id,
}));

/** The body of `POST /learnings`. */
export const newLearning: BodySpec<GivenLearning> = {
  name: "LearningCreate",
  types: ["json"],
  required: true,
  reader: reader(
    z.object({
      learning_type: identifier,
      content: object,
      namespace: id,
      user_id: id,
      agent_id: id,
      team_id: id,
      session_id: id,
      entity_id: id,
      entity_type: id,
      metadata: object.nullish(),
    }),
    (fields) => ({
      type: fields.learning_type,
      content: fields.content,
      namespace: fields.namespace ?? undefined,
      userId: fields.user_id ?? undefined,
      agentId: fields.agent_id ?? undefined,
      teamId: fields.team_id ?? undefined,
      sessionId: fields.session_id ?? undefined,
      entityId: fields.entity_id ?? undefined,
      entityType: fields.entity_type ?? undefined,
      metadata: fields.metadata ?? undefined,
    }),
  ),
};

const changed = z.object({ content: object.nullish(), metadata: object.nullish() });

/** The body of `PATCH /learnings/{learning_id}`. Null removes the metadata. */
export const learningChanges: BodySpec<LearningChanges> = {
  name: "LearningUpdate",
  types: ["json"],
  required: true,
  reader: {
    schema: changed,
    read(raw: RawFields, location) {
      const isNull = (name: string): boolean => Object.hasOwn(raw, name) && raw[name] === null;
      if (isNull("content"))
        throw new TroupeError("validation", "content cannot be null; omit the field to leave it unchanged");
      const { content, metadata } = reader(changed, (fields) => fields).read(raw, location);
      return {
        content: content ? JSON.stringify(content) : undefined,
        metadata: metadata ? JSON.stringify(metadata) : isNull("metadata") ? null : undefined,
      };
    },
  },
};

function offsetOf({ page, limit }: { readonly page: number; readonly limit: number }): number {
  return Math.min((page - 1) * limit, Number.MAX_SAFE_INTEGER);
}

const place = z.tuple([z.int(), z.string(), z.string()]);

/** The cursor that continues after a learning. */
export function toLearningCursor({ at, learningId: last, owner }: LearningPosition): string {
  return Buffer.from(JSON.stringify([at, last, owner])).toString("base64url");
}

function fromCursor(cursor: string): LearningPosition {
  const found = place.safeParse(parsed(cursor));
  const texts = found.success ? [found.data[1], found.data[2]] : [];
  if (!found.success || texts.some((text) => text.includes("\0") || !text.isWellFormed())) {
    const msg = "Value error, not a cursor of this listing: take it from the Link header of the page before";
    throw invalid([{ type: "value_error", loc: ["query", "cursor"], msg, input: cursor }]);
  }
  const [at, last, owner] = found.data;
  return { at, learningId: last, owner };
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}
