/** Handlers of the session routes. */
import type { FastifyReply } from "fastify";
import { TroupeError } from "../../errors.ts";
import { ownSpace, sessionFor, visibleOwner } from "../../model/principal.ts";
import { type ComponentKind, wireRunStatuses } from "../../model/run.ts";
import type { SessionRow } from "../../store/contract/sessions.ts";
import { attributedUser } from "../callers/attribution.ts";
import { boundedPage, type ListedRoot } from "../listing/bounded-page.ts";
import { sessionHistory } from "../listing/session-history.ts";
import { tables } from "../records/database.ts";
import { readEvents } from "../records/events.ts";
import { toPageInfo } from "../records/pages.ts";
import { byRun, present } from "../records/run.ts";
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
import type { Services } from "../transport/services.ts";

const titles: Readonly<Record<ComponentKind, string>> = { agent: "Agent ", team: "Team ", workflow: "Workflow " };

type Asked<Query = undefined, Body = undefined> = Call<{ sessionId: string }, Query, Body>;

/** `GET /sessions`. */
export async function listSessions(call: Call<undefined, SessionList, undefined>): Promise<unknown> {
  const { services, caller, query: asked } = call;
  checkDatabase(services, asked);
  const { clock } = services.runtime;
  const begun = clock.monotonic();
  const { query, page } = asked;
  // A caller with user isolation sees only its own sessions, whatever user it names.
  const userId = visibleOwner(caller) === null ? query.userId : undefined;
  const maxBytes = services.platform.settings.maxListingBytes;
  const { rows, total } = await services.store.listSessions(caller, { ...query, userId, maxBytes });
  const meta = () => toPageInfo({ page, limit: query.limit, total, milliseconds: clock.monotonic() - begun });
  return await sendPage(call.reply, rows, (row) => toSummary(row), meta);
}

/** `POST /sessions`. */
export async function createSession(
  call: Call<undefined, { type: ComponentKind } & DatabaseChoice, NewSession>,
): Promise<unknown> {
  const { services, caller, query, body, reply } = call;
  checkDatabase(services, query);
  const { store, runtime } = services;
  const sessionId = sessionFor(caller, body.sessionId) ?? runtime.randomness.uuid();
  const isNew = await store.createSession({
    sessionId,
    owner: ownSpace(caller),
    kind: query.type,
    componentId: body.componentIds[query.type] ?? "",
    userId: caller.userId ?? attributedUser(caller, body.userId) ?? null,
    name: body.name ?? null,
    state: JSON.stringify(body.state ?? {}),
    metadata: body.metadata ? JSON.stringify(body.metadata) : null,
    createdAt: runtime.clock.now(),
  });
  if (!isNew) {
    const advice = `Use PATCH /sessions/${sessionId} to update it.`;
    throw new TroupeError("conflict", `Session with id '${sessionId}' already exists. ${advice}`);
  }
  const session = await store.findSession(caller, sessionId);
  if (!session) throw gone(sessionId);
  reply.code(201);
  return present(toSessionDetail(session, [], services.registry));
}

/** `GET /sessions/{session_id}`. */
export async function readSession(call: Asked<SessionChoice>): Promise<unknown> {
  const session = await chosen(call);
  if (!session) throw gone(call.path.sessionId, call.query.type);
  return sendJson(call.reply, present(await detail(call, session)));
}

/** `PATCH /sessions/{session_id}` and `POST /sessions/{session_id}/rename`. As recorded, these answers include null members. */
export async function changeSession(call: Asked<SessionChoice, ChangedSession>): Promise<unknown> {
  const { services, path, body } = call;
  const { store, runtime } = services;
  const session = await chosen(call);
  if (!session) throw gone(path.sessionId);
  const { name, state, metadata, summary } = body;
  const changes = { name, state: toText(state), metadata: toText(metadata), summary: toText(summary) };
  const changesAny = Object.values(changes).some((value) => value !== undefined);
  if (changesAny && !(await store.updateSession(session.key, changes, runtime.clock.now()))) throw gone(path.sessionId);
  return sendJson(call.reply, await detail(call, (await chosen(call)) ?? session));
}

/** `DELETE /sessions/{session_id}`. It also succeeds for an unknown session. */
export async function deleteSession(call: Asked<SessionChoice>): Promise<FastifyReply> {
  const session = await chosen(call);
  if (session) await call.services.engine.deleteSession(session.key);
  return call.reply.code(204).send();
}

/** `DELETE /sessions`. */
export async function deleteSessions(
  call: Call<undefined, SessionChoice, readonly { readonly sessionId: string; readonly type: ComponentKind }[]>,
): Promise<FastifyReply> {
  for (const { sessionId, type } of call.body) {
    const session = await chosen({ ...call, path: { sessionId }, query: { ...call.query, type } });
    if (session) await call.services.engine.deleteSession(session.key);
  }
  return call.reply.code(204).send();
}

/** Statuses of the runs that a session lists unless the caller filters by status. */
const listedStatuses = wireRunStatuses.filter((status) => status !== "PENDING" && status !== "RUNNING");

/**
 * `GET /sessions/{session_id}/runs`. As recorded, it lists only runs that have stopped, and answers 404 before the first one has: so a client that
 * reloads a session during a stream keeps the run that it displays.
 */
export async function listSessionRuns(call: Asked<SessionRuns>): Promise<unknown> {
  const { services, path, query } = call;
  const { store } = services;
  const session = await chosen(call);
  if (!session) throw new TroupeError("notFound", `Session with ID ${path.sessionId} not found`);
  const { limit, after, descending, createdAfter, createdBefore, statuses = listedStatuses } = query;
  const sessionKey = session.key;
  if (query.statuses === undefined && after === undefined) {
    const [any] = await store.sessionRuns({ sessionKey, statuses, limit: 1 });
    if (!any) throw new TroupeError("notFound", `Session with ID ${path.sessionId} has no runs`);
  }
  const wanted = { sessionKey, statuses, after, descending, createdAfter, createdBefore };
  return await boundedPage(
    {
      limit,
      scope: "members",
      read: (last, most) =>
        store.sessionRuns({ ...wanted, ...(last && { after: { sessionSeq: last.sessionSeq ?? 0 } }), limit: most }),
      show: elementsOf,
    },
    call,
  );
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
  const { services, caller, path } = call;
  const { store } = services;
  const session = await chosen(call);
  if (!session) throw new TroupeError("notFound", `Session with ID ${path.sessionId} not found`);
  const located = await store.locateRun(caller, path.runId);
  const gone = new TroupeError("notFound", `Run with ID ${path.runId} not found in session ${path.sessionId}`);
  if (!located || located.sessionKey !== session.key) throw gone;
  const isWorkflow = located.kind === "workflow";
  const runs = await store.listedRuns([isWorkflow ? located.rootKey : located.key], isWorkflow ? "members" : "roots");
  const run = runs.find(({ key }) => key === located.key);
  if (!run) throw gone;
  const members = runs.filter(({ parentKey }) => parentKey !== null);
  const keys = [run.key, ...(isWorkflow ? members.map(({ key }) => key) : [])];
  const messages = byRun(await store.messages(keys, true));
  return sendJson(call.reply, toListElement({ run, members, messages, events: await readEvents(store, run) }));
}

async function detail({ services }: Pick<Asked, "services">, session: SessionRow): Promise<Record<string, unknown>> {
  const { registry } = services;
  if (session.kind === "workflow") return toSessionDetail(session, [], registry);
  return toSessionDetail(session, await sessionHistory(services, session), registry);
}

/** The session in the path, if it matches the query and the caller may see it. */
async function chosen({
  services,
  caller,
  path,
  query,
}: Pick<Asked<SessionChoice>, "services" | "caller" | "path" | "query">): Promise<SessionRow | undefined> {
  checkDatabase(services, query);
  const session = await findChosen({ services, caller }, path.sessionId, query.userId);
  return session && query.type !== undefined && session.kind !== query.type ? undefined : session;
}

/** The session with this id that the caller may see; if a user is named, only that user's session. */
export async function findChosen(
  { services, caller }: Pick<Asked, "services" | "caller">,
  sessionId: string,
  userId: string | undefined,
): Promise<SessionRow | undefined> {
  const seesAll = visibleOwner(caller) === null;
  // With user isolation, several users may have a session of this id: an admin selects one by its user.
  const space = seesAll && caller.owner !== null ? userId : undefined;
  const finder = space === undefined ? caller : { ...caller, isAdmin: false, owner: space };
  const session = await services.store.findSession(finder, sessionId);
  const isOthers = seesAll && userId !== undefined && session !== undefined && session.userId !== userId;
  return isOthers ? undefined : session;
}

/** A platform has one database with one table of sessions. */
function checkDatabase({ platform }: Pick<Services, "platform">, { databaseId, table }: DatabaseChoice): void {
  if (databaseId !== undefined && databaseId !== platform.databaseId)
    throw new TroupeError("notFound", `No database found with id '${databaseId}'`);
  if (table !== undefined && databaseId === undefined)
    throw new TroupeError("badRequest", "The db_id query parameter is required when passing a table");
  if (table !== undefined && !tables.includes(table))
    throw new TroupeError("notFound", `No table '${table}' in the database '${databaseId}'`);
}

function gone(sessionId: string, type?: ComponentKind): TroupeError {
  const title = type === undefined ? "" : titles[type];
  return new TroupeError("notFound", `${title}Session with id '${sessionId}' not found`);
}

function toText(value: Record<string, unknown> | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
