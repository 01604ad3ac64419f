/** Routes of evals: measurements of agents and teams. */
import type { z } from "zod";
import { evalsTables } from "../records/database.ts";
import { evalPage, evalRecord, toEvalRecord } from "../records/evals.ts";
import { toPageInfo } from "../records/pages.ts";
import {
  deletedEvals,
  type EvalList,
  evalDatabase,
  evalList,
  evalPath,
  newEval,
  type RequestedEval,
  renamedEval,
  toEvalCursor,
} from "../requests/evals.ts";
import { idempotencyHeader, idempotencyOf } from "../requests/idempotency.ts";
import type { DatabaseChoice } from "../requests/sessions.ts";
import { untilGone } from "../streams/sse.ts";
import { sendJson, sendPage } from "../transport/json-pieces.ts";
import { type Access, type Call, type Operation, operationsOf, type Route, route } from "../transport/route.ts";
import type { Services } from "../transport/services.ts";
import { bodyErrors } from "../transport/statuses.ts";
import { checkDatabase } from "./database-choice.ts";

const access = (action: "read" | "write" | "delete"): Access => ({ resource: "evals", action });

const operation = operationsOf("Evals");

const answer = (description: string, json: z.ZodType): Operation["success"] => ({ 200: { description, json } });

const check = (services: Services, choice: DatabaseChoice): void => checkDatabase(services, choice, evalsTables);

export const evalRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/eval-runs",
    access: access("read"),
    operation: operation("get_eval_runs", "List evals, the newest first, in pages", answer("A page", evalPage)),
    query: evalList,
    isHeavy: true,
    handle: list,
  }),
  route({
    method: "DELETE",
    path: "/eval-runs",
    access: access("delete"),
    operation: operation(
      "delete_eval_runs",
      "Delete evals, and cancel their runs; unknown ones are ignored",
      { 204: { description: "Deleted" } },
      bodyErrors,
    ),
    query: evalDatabase,
    body: deletedEvals,
    async handle({ services, caller, query, body, reply }) {
      check(services, query);
      await services.runs.evals.remove(caller, body);
      return reply.code(204).send();
    },
  }),
  route({
    method: "POST",
    path: "/eval-runs",
    access: access("write"),
    operation: {
      ...operation(
        "run_eval",
        "Evaluate an agent or a team; the answer waits for the result, up to two minutes",
        {
          200: { description: "The eval with its result", json: evalRecord },
          202: { description: "The eval goes on in the background", json: evalRecord },
        },
        [...bodyErrors, 429],
      ),
      headers: idempotencyHeader.schema,
    },
    query: evalDatabase,
    body: newEval,
    handle: create,
  }),
  route({
    method: "GET",
    path: "/eval-runs/{eval_run_id}",
    access: access("read"),
    operation: operation("get_eval_run", "Get an eval", answer("The eval", evalRecord)),
    pathParams: evalPath,
    query: evalDatabase,
    async handle({ services, caller, path, query, reply }) {
      check(services, query);
      return sendJson(reply, toEvalRecord(await services.runs.evals.find(caller, path.evalId)));
    },
  }),
  route({
    method: "PATCH",
    path: "/eval-runs/{eval_run_id}",
    access: access("write"),
    operation: operation("update_eval_run", "Rename an eval", answer("The eval", evalRecord), bodyErrors),
    pathParams: evalPath,
    query: evalDatabase,
    body: renamedEval,
    async handle({ services, caller, path, query, body, reply }) {
      check(services, query);
      return sendJson(reply, toEvalRecord(await services.runs.evals.rename(caller, path.evalId, body.name)));
    },
  }),
];

async function create(call: Call<undefined, DatabaseChoice, RequestedEval>): Promise<unknown> {
  const { services, caller, query, body, request, reply } = call;
  check(services, query);
  const { evals } = services.runs;
  const idempotency = idempotencyOf(request.headers, ["eval", body]);
  const { stored: created, isRepeated } = await evals.create(caller, body.given, idempotency);
  if (isRepeated) reply.header("idempotency-replayed", "true");
  const ended = body.background ? undefined : await evals.wait(caller, created.id, untilGone(reply.raw));
  const shown = ended ?? created;
  const isOpen = shown.status === "PENDING" || shown.status === "RUNNING";
  reply.code(isOpen ? 202 : 200);
  return sendJson(reply, toEvalRecord(shown));
}

async function list(call: Call<undefined, EvalList, undefined>): Promise<unknown> {
  const { services, caller, query: asked, request, reply } = call;
  check(services, asked);
  const { clock } = services.runtime;
  const begun = clock.monotonic();
  const { query, page } = asked;
  const { rows, total } = await services.runs.evals.list(caller, query);
  const last = rows.at(-1);
  if (last && rows.length === query.limit && query.sortBy === "createdAt") {
    const [path = "", text = ""] = request.url.split("?", 2);
    const parameters = new URLSearchParams(text);
    parameters.delete("page");
    parameters.set("cursor", toEvalCursor(last.key));
    reply.header("link", `<${path}?${parameters}>; rel="next"`);
  }
  return await sendPage(reply, rows, toEvalRecord, () =>
    toPageInfo({ page, limit: query.limit, total, milliseconds: clock.monotonic() - begun }),
  );
}
