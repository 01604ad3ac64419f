/** Routes of memories. */
import type { FastifyReply } from "fastify";
import type { z } from "zod";
import type { GivenMemory, MergeRequest } from "../../runs/memories/calls.ts";
import { memoriesTables } from "../records/database.ts";
import {
  memoryPage,
  memoryRecord,
  memoryUserPage,
  mergedMemories,
  toMemoryRecord,
  toMergeRecord,
  topicList,
  toUserRecord,
} from "../records/memories.ts";
import { toPageInfo } from "../records/pages.ts";
import {
  deletedMemories,
  givenMemory,
  type MemoryList,
  type MemoryUsers,
  memoryChoice,
  memoryList,
  memoryPath,
  memoryUsers,
  mergeRequest,
  toCursor,
  type UserChoice,
  userChoice,
} from "../requests/memories.ts";
import type { DatabaseChoice } from "../requests/sessions.ts";
import { sendPage } from "../transport/json-pieces.ts";
import { type Access, type Call, type Operation, type Route, route } from "../transport/route.ts";
import type { Services } from "../transport/services.ts";
import { bodyErrors, storedErrors } from "../transport/statuses.ts";
import { checkDatabase } from "./database-choice.ts";

const access = (action: "read" | "write" | "delete"): Access => ({ resource: "memories", action });

/** The table that a request may name. */
function operation(
  id: string,
  summary: string,
  answer: { readonly description: string; readonly json: z.ZodType } | undefined,
  errors = storedErrors,
): Operation {
  return {
    ...{ id, tag: "Memory", summary, security: "bearer", errors },
    success: answer ? { 200: answer } : { 204: { description: "Deleted" } },
  };
}

const check = (services: Services, query: DatabaseChoice): void => checkDatabase(services, query, memoriesTables);

type One<Query, Body = undefined> = Call<{ memoryId: string }, Query, Body>;

export const memoryRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/memories",
    access: access("read"),
    operation: operation("get_memories", "List memories about users, in pages", {
      description: "Memories. The Link header leads to the next page, without gaps when memories change meanwhile.",
      json: memoryPage,
    }),
    query: memoryList,
    isHeavy: true,
    handle: list,
  }),
  route({
    method: "POST",
    path: "/memories",
    access: access("write"),
    operation: operation(
      "create_memory",
      "Create a memory about a user",
      { description: "The memory", json: memoryRecord },
      [...bodyErrors, 409],
    ),
    query: memoryChoice,
    body: givenMemory,
    async handle({ services, caller, query, body }: Call<undefined, DatabaseChoice, GivenMemory>) {
      check(services, query);
      return toMemoryRecord(await services.runs.memories.create(caller, body));
    },
  }),
  route({
    method: "DELETE",
    path: "/memories",
    access: access("delete"),
    operation: operation("delete_memories", "Delete several memories", undefined, bodyErrors),
    query: memoryChoice,
    body: deletedMemories,
    async handle({ services, caller, query, body, reply }) {
      check(services, query);
      await services.runs.memories.remove(caller, body.ids, body.userId);
      return reply.code(204).send();
    },
  }),
  route({
    method: "GET",
    path: "/memories/{memory_id}",
    access: access("read"),
    operation: operation("get_memory", "Get a memory", { description: "The memory", json: memoryRecord }),
    pathParams: memoryPath,
    query: userChoice,
    async handle({ services, caller, path, query }: One<UserChoice>) {
      check(services, query);
      return toMemoryRecord(await services.runs.memories.find(caller, path.memoryId, query.userId));
    },
  }),
  route({
    method: "PATCH",
    path: "/memories/{memory_id}",
    access: access("write"),
    operation: operation(
      "update_memory",
      "Change a memory; omitted topics stay",
      { description: "The memory as it is now", json: memoryRecord },
      bodyErrors,
    ),
    pathParams: memoryPath,
    query: memoryChoice,
    body: givenMemory,
    async handle({ services, caller, path, query, body }: One<DatabaseChoice, GivenMemory>) {
      check(services, query);
      return toMemoryRecord(await services.runs.memories.change(caller, path.memoryId, body));
    },
  }),
  route({
    method: "DELETE",
    path: "/memories/{memory_id}",
    access: access("delete"),
    operation: operation("delete_memory", "Delete a memory; an unknown one is ignored", undefined),
    pathParams: memoryPath,
    query: userChoice,
    async handle({ services, caller, path, query, reply }: One<UserChoice>): Promise<FastifyReply> {
      check(services, query);
      await services.runs.memories.remove(caller, [path.memoryId], query.userId);
      return reply.code(204).send();
    },
  }),
  route({
    method: "GET",
    path: "/memory_topics",
    access: access("read"),
    operation: operation("get_memory_topics", "List the topics of memories", {
      description: "Topics, those of the latest memories first",
      json: topicList,
    }),
    query: userChoice,
    isHeavy: true,
    async handle({ services, caller, query }) {
      check(services, query);
      return [...(await services.runs.memories.topics(caller, query.userId))];
    },
  }),
  route({
    method: "GET",
    path: "/user_memory_stats",
    access: access("read"),
    operation: operation("get_user_memory_stats", "List users with memories, in pages", {
      description: "Users, the latest change first",
      json: memoryUserPage,
    }),
    query: memoryUsers,
    handle: listUsers,
  }),
  route({
    method: "POST",
    path: "/optimize-memories",
    access: access("write"),
    operation: operation(
      "optimize_memories",
      "Merge the memories of a user by a model; without `apply`, as a preview",
      { description: "The memories after the merge: the latest 300 of the user at most", json: mergedMemories },
      [...bodyErrors, 409, 429, 502],
    ),
    query: memoryChoice,
    body: mergeRequest,
    waits: true,
    async handle({ services, caller, query, body }: Call<undefined, DatabaseChoice, MergeRequest>) {
      check(services, query);
      return toMergeRecord(await services.runs.memories.merge(caller, body));
    },
  }),
];

async function list({ services, caller, query: asked, request, reply }: Call<undefined, MemoryList, undefined>) {
  check(services, asked);
  const { clock } = services.runtime;
  const begun = clock.monotonic();
  const { query, page } = asked;
  const { memories, total, next } = await services.runs.memories.list(caller, query);
  if (next) {
    const [path = "", text = ""] = request.url.split("?", 2);
    const parameters = new URLSearchParams(text);
    parameters.delete("page");
    parameters.set("cursor", toCursor(next));
    reply.header("link", `<${path}?${parameters}>; rel="next"`);
  }
  const meta = () => toPageInfo({ page, limit: query.limit, total, milliseconds: clock.monotonic() - begun });
  return await sendPage(reply, memories, toMemoryRecord, meta);
}

async function listUsers({ services, caller, query, reply }: Call<undefined, MemoryUsers, undefined>) {
  check(services, query);
  const { clock } = services.runtime;
  const begun = clock.monotonic();
  const { page, limit } = query;
  const { users, total } = await services.runs.memories.users(caller, query);
  const meta = () => toPageInfo({ page, limit, total, milliseconds: clock.monotonic() - begun });
  return await sendPage(reply, users, toUserRecord, meta);
}
