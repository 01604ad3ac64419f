/** Reads, lists, cancels and deletes runs. */
import type { FastifyReply } from "fastify";
import { TroupeError } from "../../../errors.ts";
import { boundedPage } from "../../listing/bounded-page.ts";
import { toRecord } from "../../records/run.ts";
import { toListElement } from "../../records/run-list.ts";
import type { ListQuery, SessionQuery } from "../../requests/queries.ts";
import { reportRun } from "../../transport/finished-requests.ts";
import { sendJson } from "../../transport/json-pieces.ts";
import type { Kind } from "../../transport/kinds.ts";
import type { Call } from "../../transport/route.ts";

interface RunPath {
  readonly componentId: string;
  readonly runId: string;
}

/** `GET …/runs/{run_id}`. */
export async function readRun(
  kind: Kind,
  { services: { runs }, caller, path, query, request, reply }: Call<RunPath, SessionQuery, undefined>,
): Promise<unknown> {
  const run = await runs.find(caller, { ...path, kind: kind.name, sessionId: query.sessionId });
  reportRun(request, run);
  const family = await runs.read(caller, run);
  if (!family) throw new TroupeError("notFound", "Run not found");
  return sendJson(reply, toRecord(family));
}

/** `GET …/runs`. */
export async function listRuns(
  kind: Kind,
  call: Call<{ componentId: string }, ListQuery, undefined>,
): Promise<unknown> {
  const { services, caller, path, query } = call;
  const { factoryInput: _, ...wanted } = query;
  const component = { kind: kind.name, componentId: path.componentId };
  return await boundedPage(
    call,
    (show) => services.runs.list(caller, { ...component, ...wanted }, show),
    (root) => [toListElement(root)],
  );
}

/** Checks the reader's input for a factory, which selects the component. The runs themselves are found without it. */
export async function checkFactoryInput(
  kind: Kind,
  { services, caller, path, query }: Call<{ componentId: string }, Pick<ListQuery, "factoryInput">, undefined>,
): Promise<void> {
  const component = { kind: kind.name, componentId: path.componentId };
  if (query.factoryInput) await services.runs.checkFactoryInput(caller, component, query.factoryInput);
}

/** `POST …/cancel`. Callers with user isolation must name the session; this is checked before anything else. */
export async function cancelRun(
  kind: Kind,
  { services, caller, path, query }: Call<RunPath, { sessionId: string | undefined }, undefined>,
): Promise<unknown> {
  await services.runs.cancel(caller, { ...path, kind: kind.name, ...query }, "isolated");
  return {};
}

/** `DELETE …/runs/{run_id}`. A run in progress is cancelled first; the server waits for its end. */
export async function deleteRun(
  kind: Kind,
  { services, caller, path, query, reply }: Call<RunPath, { sessionId: string | undefined }, undefined>,
): Promise<FastifyReply> {
  await services.runs.delete(caller, { ...path, kind: kind.name, ...query });
  return reply.code(204).send();
}
