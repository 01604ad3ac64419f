/** Routes of learnings: what agents have learned about users, sessions, entities and their work. */
import type { z } from "zod";
import { learningsTables } from "../records/database.ts";
import { learningPages, learningRecord, toLearningRecord, toLearningUser } from "../records/learnings.ts";
import { toPageInfo } from "../records/pages.ts";
import {
  type LearningList,
  type LearningUserList,
  learningChanges,
  learningChoice,
  learningDatabase,
  learningList,
  learningPath,
  learningTypeChoice,
  learningUserList,
  learningUserPath,
  newLearning,
  toLearningCursor,
} from "../requests/learnings.ts";
import type { DatabaseChoice } from "../requests/sessions.ts";
import { sendJson, sendPage } from "../transport/json-pieces.ts";
import { type Access, type Call, type Operation, type Route, route } from "../transport/route.ts";
import type { Services } from "../transport/services.ts";
import { bodyErrors, storedErrors } from "../transport/statuses.ts";
import { checkDatabase } from "./database-choice.ts";

const access = (action: "read" | "write" | "delete"): Access => ({ resource: "learnings", action });

function described(id: string, summary: string, success: Operation["success"], errors = storedErrors): Operation {
  return { id, summary, tag: "Learnings", security: "bearer", success, errors };
}

const page = (json: z.ZodType): Operation["success"] => ({ 200: { description: "A page", json } });
const one: Operation["success"] = { 200: { description: "The learning", json: learningRecord } };
const deleted: Operation["success"] = { 204: { description: "Deleted" } };

const check = (services: Services, choice: DatabaseChoice): void => checkDatabase(services, choice, learningsTables);

export const learningRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/learnings",
    access: access("read"),
    operation: described(
      "list_learnings",
      "List learnings, the last changed first, in pages",
      page(learningPages.learnings),
    ),
    query: learningList,
    isHeavy: true,
    handle: list,
  }),
  route({
    method: "POST",
    path: "/learnings",
    access: access("write"),
    operation: described(
      "create_learning",
      "Create a learning; an identity has one profile, one list of memories, one context or one entity",
      { 201: { description: "The learning", json: learningRecord } },
      [...bodyErrors, 409],
    ),
    query: learningDatabase,
    body: newLearning,
    async handle({ services, caller, query, body, reply }) {
      check(services, query);
      const created = await services.runs.learnings.create(caller, body);
      reply.code(201);
      return sendJson(reply, toLearningRecord(created));
    },
  }),
  route({
    method: "GET",
    path: "/learnings/users",
    access: access("read"),
    operation: described("list_learning_users", "List the users with learnings, in pages", page(learningPages.users)),
    query: learningUserList,
    isHeavy: true,
    handle: listUsers,
  }),
  route({
    method: "DELETE",
    path: "/learnings/users/{user_id}",
    access: access("delete"),
    operation: described("delete_learning_user", "Delete the learnings of a user, of one type or of all", deleted),
    pathParams: learningUserPath,
    query: learningTypeChoice,
    async handle({ services, caller, path, query, reply }) {
      check(services, query);
      await services.runs.learnings.deleteUser(caller, path.userId, query.type);
      return reply.code(204).send();
    },
  }),
  route({
    method: "GET",
    path: "/learnings/{learning_id}",
    access: access("read"),
    operation: described("get_learning", "Get a learning", one, [...storedErrors, 409]),
    pathParams: learningPath,
    query: learningChoice,
    async handle({ services, caller, path, query, reply }) {
      check(services, query);
      const found = await services.runs.learnings.find(caller, path.learningId, query.userId);
      return sendJson(reply, toLearningRecord(found));
    },
  }),
  route({
    method: "PATCH",
    path: "/learnings/{learning_id}",
    access: access("write"),
    operation: described("update_learning", "Change the content or the metadata of a learning", one, [
      ...bodyErrors,
      409,
    ]),
    pathParams: learningPath,
    query: learningChoice,
    body: learningChanges,
    async handle({ services, caller, path, query, body, reply }) {
      check(services, query);
      const changed = await services.runs.learnings.change(caller, path.learningId, body, query.userId);
      return sendJson(reply, toLearningRecord(changed));
    },
  }),
  route({
    method: "DELETE",
    path: "/learnings/{learning_id}",
    access: access("delete"),
    operation: described("delete_learning", "Delete a learning", deleted, [...storedErrors, 409]),
    pathParams: learningPath,
    query: learningChoice,
    async handle({ services, caller, path, query, reply }) {
      check(services, query);
      await services.runs.learnings.delete(caller, path.learningId, query.userId);
      return reply.code(204).send();
    },
  }),
];

async function list(call: Call<undefined, LearningList, undefined>): Promise<unknown> {
  const { services, caller, query: asked, request, reply } = call;
  check(services, asked);
  const { clock } = services.runtime;
  const begun = clock.monotonic();
  const { query, page: number } = asked;
  const { rows, total } = await services.runs.learnings.list(caller, query);
  const last = rows.at(-1);
  if (last && rows.length === query.limit) {
    const [path = "", text = ""] = request.url.split("?", 2);
    const parameters = new URLSearchParams(text);
    parameters.delete("page");
    const { learningId, owner } = last;
    parameters.set("cursor", toLearningCursor({ at: last[query.sortBy], learningId, owner }));
    reply.header("link", `<${path}?${parameters}>; rel="next"`);
  }
  return await sendPage(reply, rows, toLearningRecord, () =>
    toPageInfo({ page: number, limit: query.limit, total, milliseconds: clock.monotonic() - begun }),
  );
}

async function listUsers(call: Call<undefined, LearningUserList, undefined>): Promise<unknown> {
  const { services, caller, query: asked, reply } = call;
  check(services, asked);
  const { clock } = services.runtime;
  const begun = clock.monotonic();
  const { query, page: number } = asked;
  const { rows, total } = await services.runs.learnings.users(caller, query);
  return await sendPage(reply, rows, toLearningUser, () =>
    toPageInfo({ page: number, limit: query.limit, total, milliseconds: clock.monotonic() - begun }),
  );
}
