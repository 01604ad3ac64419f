/** Paths, queries and bodies of memory routes. */
import { z } from "zod";
import { maxMemoryLength, maxTopicLength, maxTopics } from "../../model/memory.ts";
import type { GivenMemory, MemoryPosition, MemoryQuery, MergeRequest } from "../../runs/memories/calls.ts";
import type { BodySpec } from "../input/body.ts";
import { listOf } from "../input/bounded-lists.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { invalid } from "../input/validation-errors.ts";
import { type DatabaseChoice, sortOrder } from "./sessions.ts";

/** Max memories of a page: with the maximum of their texts, a page stays below 10 MB. */
const maxPage = 200;

const text = z
  .string()
  .min(1)
  .max(maxMemoryLength)
  .refine((given) => given.isWellFormed(), "must be well-formed Unicode");
const topic = z
  .string()
  .min(1)
  .max(maxTopicLength)
  .refine((given) => given.isWellFormed(), "must be well-formed Unicode");
const choiceMembers = { db_id: z.string().nullish(), table: z.string().nullish() };
const limit = z
  .int()
  .min(1)
  .nullable()
  .default(20)
  .describe(`Elements of a page: at most ${maxPage}. More are cut to that; meta.limit is what the page was made with.`);
const page = z.int().min(0).nullable().default(1);

type Choice = { db_id?: string | null | undefined; table?: string | null | undefined };

function toChoice({ db_id, table }: Choice): DatabaseChoice {
  return { databaseId: db_id ?? undefined, table: table ?? undefined };
}

/** Page 0 is the first page, as recorded. */
function toPage(fields: { limit: number | null; page: number | null }) {
  const number = fields.page ?? 1;
  const most = Math.min(fields.limit ?? 20, maxPage);
  return {
    page: number,
    limit: most,
    offset: Math.min((Math.max(number, 1) - 1) * most, Number.MAX_SAFE_INTEGER),
  };
}

/** Filters and page of a listing of memories. */
export interface MemoryList extends DatabaseChoice {
  readonly query: MemoryQuery;
  readonly page: number;
}

/** The query of `GET /memories`. An unknown sort key means the default order. */
export const memoryList: Reader<MemoryList> = reader(
  z.object({
    user_id: identifier.nullish(),
    agent_id: identifier.nullish(),
    team_id: identifier.nullish(),
    search_content: z.string().max(maxMemoryLength).nullish(),
    limit,
    page,
    sort_by: z.string().nullable().default("updated_at"),
    sort_order: sortOrder.nullable().default("desc"),
    ...choiceMembers,
    topics: z
      .array(z.string().max(maxTopics * maxTopicLength))
      .max(maxTopics)
      .nullish(),
    cursor: z.string().nullish().describe("From the Link header of the page before. The page number is then ignored."),
  }),
  (fields) => {
    const { page: number, ...places } = toPage(fields);
    const query = {
      userId: fields.user_id ?? undefined,
      agentId: fields.agent_id ?? undefined,
      teamId: fields.team_id ?? undefined,
      topics: toTopics(fields.topics ?? []),
      text: fields.search_content ?? undefined,
      sortBy: fields.sort_by === "created_at" ? ("createdAt" as const) : ("updatedAt" as const),
      descending: fields.sort_order !== "asc",
      ...places,
      after: fields.cursor ? fromCursor(fields.cursor) : undefined,
    };
    return { query, page: number, ...toChoice(fields) };
  },
);

/** Each text may hold several topics, with commas in between. */
function toTopics(given: readonly string[]): readonly string[] {
  const topics = given.flatMap((one) => one.split(",")).map((one) => one.trim());
  return [...new Set(topics.filter((one) => one !== ""))];
}

const position = z.tuple([z.int(), z.int()]);

/** The cursor that resumes after a memory. */
export function toCursor({ at, key }: MemoryPosition): string {
  return Buffer.from(JSON.stringify([at, key])).toString("base64url");
}

function fromCursor(cursor: string): MemoryPosition {
  const found = position.safeParse(parsed(cursor));
  if (found.success) return { at: found.data[0], key: found.data[1] };
  const msg = "Value error, not a cursor of this listing: take it from the Link header of the page before";
  throw invalid([{ type: "value_error", loc: ["query", "cursor"], msg, input: cursor }]);
}

function parsed(cursor: string): unknown {
  try {
    return JSON.parse(Buffer.from(cursor, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
}

/** A user, and the database that a request names. */
export interface UserChoice extends DatabaseChoice {
  readonly userId: string | undefined;
}

const userMembers = { user_id: identifier.nullish(), ...choiceMembers };

/** The query of the routes for one memory, and of the topics. */
export const userChoice: Reader<UserChoice> = reader(z.object(userMembers), (fields) => ({
  userId: fields.user_id ?? undefined,
  ...toChoice(fields),
}));

/** The query of the routes that change memories. */
export const memoryChoice: Reader<DatabaseChoice> = reader(z.object(choiceMembers), toChoice);

/** The page of a listing of users with memories. */
export interface MemoryUsers extends UserChoice {
  readonly page: number;
  readonly limit: number;
  readonly offset: number;
}

/** The query of `GET /user_memory_stats`. */
export const memoryUsers: Reader<MemoryUsers> = reader(z.object({ limit, page, ...userMembers }), (fields) => ({
  ...{ userId: fields.user_id ?? undefined },
  ...toPage(fields),
  ...toChoice(fields),
}));

/** The path of one memory. */
export const memoryPath: Reader<{ memoryId: string }> = reader(z.object({ memory_id: identifier }), (fields) => ({
  memoryId: fields.memory_id,
}));

/** The body of `POST /memories` and `PATCH /memories/{memory_id}`. */
export const givenMemory: BodySpec<GivenMemory> = {
  name: "UserMemoryCreateSchema",
  types: ["json"],
  required: true,
  reader: reader(
    z.object({ memory: text, user_id: identifier.nullish(), topics: z.array(topic).max(maxTopics).nullish() }),
    ({ memory, user_id, topics }) => ({
      memory,
      userId: user_id ?? undefined,
      topics: topics ? [...new Set(topics)] : undefined,
    }),
  ),
};

/** The body of `DELETE /memories`. */
export const deletedMemories: BodySpec<{ readonly ids: readonly string[]; readonly userId: string | undefined }> = {
  name: "DeleteMemoriesRequest",
  types: ["json"],
  required: true,
  reader: reader(
    z.object({ memory_ids: listOf(identifier).min(1), user_id: identifier.nullish() }),
    ({ memory_ids, user_id }) => ({ ids: [...new Set(memory_ids)], userId: user_id ?? undefined }),
  ),
};

/** The body of `POST /optimize-memories`. */
export const mergeRequest: BodySpec<MergeRequest> = {
  name: "OptimizeMemoriesRequest",
  types: ["json"],
  required: true,
  reader: reader(
    z.object({
      user_id: identifier,
      model: identifier.nullish().describe("`provider:model`, or its id: a model of a component of the platform."),
      apply: z.boolean().default(true).describe("Whether to store the result. Otherwise it is a preview."),
    }),
    ({ user_id, model, apply }) => ({ userId: user_id, model: model ?? undefined, apply }),
  ),
};
