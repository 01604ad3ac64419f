/** Handlers of the session routes. */
import type { FastifyReply } from "fastify";
import { TroupeError } from "../../errors.ts";
import { type ComponentKind, wireRunStatuses } from "../../model/run/run.ts";
import type { ListedRoot } from "../../runs/list.ts";
import type { SessionName, SessionRow } from "../../runs/sessions.ts";
import { boundedPage } from "../listing/bounded-page.ts";
import { toPageInfo } from "../records/pages.ts";
import { present } from "../records/run.ts";
import { toListElement, toSessionElement } from "../records/run-list.ts";
import { toSessionDetail, toSummary } from "../records/sessions.ts";
import type {
  ChangedSession,
  DatabaseChoice,
  NewSession,
  SessionChoice,
  SessionList,
  SessionRuns,
} from "../requests/sessions.ts";
import { sendJson, sendPage } from "../transport/json-pieces.ts";
import type { Call } from "../transport/route.ts";
import { checkDatabase } from "./database-choice.ts";

const titles: Readonly<Record<ComponentKind, string>> = { agent: "Agent ", team: "Team ", workflow: "Workflow " };

type SessionCall<Query = undefined, Body = undefined> = Call<{ sessionId: string }, Query, Body>;

/** `GET /sessions`. */
export async function listSessions(call: Call<undefined, SessionList, undefined>): Promise<unknown> {
  const { services, caller, query: asked } = call;
  checkDatabase(services, asked);
  const { clock } = services.runtime;
  const begun = clock.monotonic();
  const { query, page } = asked;
  const { rows, total } = await services.runs.sessions.list(caller, query);
  const meta = () => toPageInfo({ page, limit: query.limit, total, milliseconds: clock.monotonic() - begun });
  return await sendPage(call.reply, rows, (row) => toSummary(row), meta);
}

/** `POST /sessions`. */
export async function createSession(
  call: Call<undefined, { type: ComponentKind } & DatabaseChoice, NewSession>,
): Promise<unknown> {
  const { services, caller, query, body, reply } = call;
  checkDatabase(services, query);
  const { sessions } = services.runs;
  const { componentIds, name = null, ...others } = body;
  const kind = query.type;
  const { sessionId, isNew } = await sessions.create(caller, {
    ...{ kind, name, componentId: componentIds[kind] ?? "" },
    ...others,
  });
  if (!isNew) {
    const advice = `Use PATCH /sessions/${sessionId} to update it.`;
    throw new TroupeError("conflict", `Session with id '${sessionId}' already exists. ${advice}`);
  }
  const session = await sessions.find(caller, { sessionId });
  if (!session) throw sessionNotFound(sessionId);
  reply.code(201);
  return present(toSessionDetail(session, [], services.registry));
}

/** `GET /sessions/{session_id}`. */
export async function readSession(call: SessionCall<SessionChoice>): Promise<unknown> {
  const session = await call.services.runs.sessions.find(call.caller, nameIn(call));
  if (!session) throw sessionNotFound(call.path.sessionId, call.query.type);
  return sendJson(call.reply, present(await detail(call, session)));
}

/** `PATCH /sessions/{session_id}` and `POST /sessions/{session_id}/rename`. As recorded, these answers include null members. */
export async function changeSession(call: SessionCall<SessionChoice, ChangedSession>): Promise<unknown> {
  const { services, caller, path, body, reply } = call;
  const session = await services.runs.sessions.change(caller, nameIn(call), body);
  if (!session) throw sessionNotFound(path.sessionId);
  return sendJson(reply, await detail(call, session));
}

/** `DELETE /sessions/{session_id}`. It also succeeds for an unknown session. */
export async function deleteSession(call: SessionCall<SessionChoice>): Promise<FastifyReply> {
  await call.services.runs.sessions.delete(call.caller, nameIn(call));
  return call.reply.code(204).send();
}

/** `DELETE /sessions`. */
export async function deleteSessions(
  call: Call<undefined, SessionChoice, readonly { readonly sessionId: string; readonly type: ComponentKind }[]>,
): Promise<FastifyReply> {
  for (const { sessionId, type } of call.body) {
    const name = nameIn({ ...call, path: { sessionId }, query: { ...call.query, type } });
    await call.services.runs.sessions.delete(call.caller, name);
  }
  return call.reply.code(204).send();
}

/** Statuses of the runs that a session lists unless the caller filters by status. */
const listedStatuses = wireRunStatuses.filter((status) => status !== "PENDING" && status !== "RUNNING");

/**
 * `GET /sessions/{session_id}/runs`. As recorded, it lists only runs that have stopped, and responds with 404 before
 * the first run has stopped. A client that reloads a session during a stream therefore keeps the run that it
 * displays.
 */
export async function listSessionRuns(call: SessionCall<SessionRuns>): Promise<unknown> {
  const { services, caller, path, query } = call;
  const { sessions } = services.runs;
  const session = await sessions.find(caller, nameIn(call));
  if (!session) throw new TroupeError("notFound", `Session with ID ${path.sessionId} not found`);
  const { limit, after, descending, createdAfter, createdBefore, statuses = listedStatuses } = query;
  const isWhole = query.statuses === undefined && after === undefined;
  if (isWhole && !(await sessions.hasRuns(session, statuses)))
    throw new TroupeError("notFound", `Session with ID ${path.sessionId} has no runs`);
  const wanted = { statuses, after, descending, createdAfter, createdBefore, limit };
  return await boundedPage(call, (show) => sessions.runs(session, wanted, show), elementsOf);
}

/** The list elements of a root run: itself, and its members' runs. A workflow's run contains the runs of its steps. */
function elementsOf(root: ListedRoot): readonly unknown[] {
  const members = root.run.kind === "workflow" ? [] : root.members;
  return [toSessionElement(root), ...members.map((run) => toSessionElement({ ...root, run, members: [], events: [] }))];
}

/** `GET /sessions/{session_id}/runs/{run_id}`. */
export async function readSessionRun(
  call: Call<{ sessionId: string; runId: string }, SessionChoice, undefined>,
): Promise<unknown> {
  const { services, caller, path, reply } = call;
  const { sessions } = services.runs;
  const session = await sessions.find(caller, nameIn(call));
  if (!session) throw new TroupeError("notFound", `Session with ID ${path.sessionId} not found`);
  const run = await sessions.run(caller, session, path.runId);
  if (!run) throw new TroupeError("notFound", `Run with ID ${path.runId} not found in session ${path.sessionId}`);
  return sendJson(reply, toListElement(run));
}

async function detail(
  { services }: Pick<SessionCall, "services">,
  session: SessionRow,
): Promise<Record<string, unknown>> {
  const { registry, runs } = services;
  const history = session.kind === "workflow" ? [] : await runs.sessions.history(session);
  return toSessionDetail(session, history, registry);
}

/** The session that a request names. @throws TroupeError for a database that the platform does not have */
function nameIn({
  services,
  path: { sessionId },
  query,
}: Pick<SessionCall<SessionChoice>, "services" | "path" | "query">): SessionName {
  checkDatabase(services, query);
  return { sessionId, userId: query.userId, kind: query.type };
}

function sessionNotFound(sessionId: string, type?: ComponentKind): TroupeError {
  const title = type === undefined ? "" : titles[type];
  return new TroupeError("notFound", `${title}Session with id '${sessionId}' not found`);
}
