/** Reads, lists, cancels and deletes runs. */

import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyReply } from "fastify";
import { isFactory } from "../../define/factory.ts";
import { TroupeError } from "../../errors.ts";
import { type Principal, sessionFor, visibleOwner } from "../../model/principal.ts";
import type { LocatedRun, RunPosition, RunQuery, RunRef, RunRow, Store } from "../../store/contract/store.ts";
import { approvalOf } from "../callers/approvers.ts";
import { boundedPage } from "../listing/bounded-page.ts";
import { readEvents } from "../records/events.ts";
import { byRun, type RunFamily, toRecord } from "../records/run.ts";
import { toListElement } from "../records/run-list.ts";
import type { ListQuery, SessionQuery } from "../requests/queries.ts";
import { sendJson } from "../transport/json-pieces.ts";
import type { Call } from "../transport/route.ts";
import type { Services } from "../transport/services.ts";
import { hosted, hostedOrStored, type Kind } from "./kinds.ts";

interface RunPath {
  readonly componentId: string;
  readonly runId: string;
}

/**
 * The run in the path, if the caller may see it, even if its component is no longer hosted. A member's run has no stream or lifecycle of its own, so
 * it is not found, like a run of another component or session. If component and session are right, the error names the root run that contains it.
 *
 * @throws TroupeError `notFound`
 */
export async function runInPath(
  kind: Kind,
  { services, caller, path }: Pick<Call<RunPath, unknown, unknown>, "services" | "caller" | "path">,
  sessionId: string | undefined,
): Promise<LocatedRun> {
  const { store } = services;
  const run = await store.locateRun(caller, path.runId);
  const isInPath = (some: LocatedRun): boolean => some.kind === kind.name && some.componentId === path.componentId;
  if (!run || run.parentRunId || !isInPath(run)) hosted(services, kind, path.componentId);
  if (!run || (sessionId !== undefined && run.sessionId !== sessionId))
    throw new TroupeError("notFound", "Run not found");
  if (run.parentRunId) {
    const root = await rootOf(store, caller, run);
    const where =
      root && (isInPath(root) || isInPath(run)) ? `: it is a member's, and stands in the run ${root.runId}` : "";
    throw new TroupeError("notFound", `Run not found${where}`);
  }
  if (!isInPath(run)) throw new TroupeError("notFound", "Run not found");
  return run;
}

/** The root run whose log contains a member's run; undefined if it was deleted. */
async function rootOf(store: Store, caller: Principal, member: LocatedRun): Promise<LocatedRun | undefined> {
  let run: LocatedRun | undefined = member;
  while (run?.parentRunId) run = await store.locateRun(caller, run.parentRunId);
  return run;
}

/** `GET …/runs/{run_id}`. */
export async function readRun(kind: Kind, call: Call<RunPath, SessionQuery, undefined>): Promise<unknown> {
  const located = await runInPath(kind, call, call.query.sessionId);
  const family = await readFamily(call.services, call.caller, located);
  if (!family) throw new TroupeError("notFound", "Run not found");
  return sendJson(call.reply, toRecord(family));
}

/**
 * A run with everything that its record shows; undefined if it was deleted. Yields the event loop between large reads: an in-process database answers
 * without yielding.
 */
export async function readFamily(services: Services, caller: Principal, ref: RunRef): Promise<RunFamily | undefined> {
  const run = await services.store.findRun(caller, ref.runId);
  if (!run) return undefined;
  if (isLarge(run)) await nextTurn();
  const belongings = await readBelongings(services, [ref.key]);
  if ([run, ...belongings.members].some(isLarge)) await nextTurn();
  const isApproved = [run, ...belongings.members].some(({ output }) => output?.includes('"approval_type":"required"'));
  const approval = isApproved ? await approvalOf(services, caller, run.runId) : undefined;
  return { run, ...belongings, events: await readEvents(services.store, run), approval };
}

function isLarge({ input, output }: Pick<RunRow, "input" | "output">): boolean {
  return input.length + (output?.length ?? 0) > 1024 * 1024;
}

async function readBelongings(
  { store }: Services,
  rootKeys: readonly number[],
): Promise<Pick<RunFamily, "members" | "messages">> {
  const members = await store.memberRuns(rootKeys);
  return { members, messages: byRun(await store.messages([...rootKeys, ...members.map(({ key }) => key)])) };
}

/** `GET …/runs`. */
export async function listRuns(
  kind: Kind,
  call: Call<{ componentId: string }, ListQuery, undefined>,
): Promise<unknown> {
  const { services, caller, path, query } = call;
  const { store } = services;
  await hostedOrStored(services, caller, kind, path.componentId);
  const component = { kind: kind.name, componentId: path.componentId };
  if (query.sessionId !== undefined) await demandSession(call, component, query.sessionId);
  const { limit, factoryInput: _, ...wanted } = query;
  // A caller with user isolation has only its own runs: filtering by its user id lets the query use the index.
  const userId = visibleOwner(caller) === null ? query.userId : (caller.userId ?? query.userId);
  const read = (after: RunPosition | undefined, most: number) =>
    store.listRuns(caller, { ...component, ...wanted, ...(after && { after }), userId, limit: most });
  return await boundedPage(
    {
      limit,
      // A workflow's run is shown with the runs of its steps.
      scope: kind.name === "workflow" ? "members" : "roots",
      read: (after, most) => read(after && placeOf(after), most),
      show: (root) => [toListElement(root)],
    },
    call,
  );
}

function placeOf({ key, createdAt, sessionKey, sessionSeq }: LocatedRun): RunPosition {
  return { key, createdAt, sessionKey, sessionSeq: sessionSeq ?? 0 };
}

/**
 * Builds a factory's component from the reader's input: the reader must be allowed to have the component that it asks for. The run itself is found
 * without it.
 */
export async function rebuild(
  kind: Kind,
  { services, caller, path, query }: Call<{ componentId: string }, Pick<ListQuery, "factoryInput">, undefined>,
): Promise<void> {
  const { factoryInput } = query;
  const { componentId } = path;
  const entry = services.registry.find(kind.name, componentId);
  if (factoryInput === undefined || !entry || !isFactory(entry)) return;
  await services.engine.checkFactory(caller, {
    kind: kind.name,
    componentId,
    userId: undefined,
    options: { factoryInput },
  });
}

/** Checks that the caller has this session and that it belongs to the component. @throws TroupeError `notFound` */
async function demandSession(
  { services: { store }, caller }: Pick<Call<unknown, unknown, unknown>, "services" | "caller">,
  component: Pick<RunQuery, "kind" | "componentId">,
  sessionId: string,
): Promise<void> {
  const session = await store.findSession(caller, sessionId);
  if (!session) throw new TroupeError("notFound", "Session not found");
  const isOwn = session.kind === component.kind && ["", component.componentId].includes(session.componentId);
  if (isOwn) return;
  const [any] = await store.listRuns(caller, { ...component, sessionId, limit: 1 });
  if (!any) throw new TroupeError("notFound", "Session not found");
}

/** `POST …/cancel`. Callers with user isolation must name the session; this is checked before anything else. */
export async function cancelRun(
  kind: Kind,
  call: Call<RunPath, { sessionId: string | undefined }, undefined>,
): Promise<unknown> {
  if (visibleOwner(call.caller) !== null && sessionFor(call.caller, call.query.sessionId) === undefined)
    throw new TroupeError("badRequest", "session_id is required for this action");
  await call.services.engine.cancel(await runInPath(kind, call, call.query.sessionId));
  return {};
}

/** `DELETE …/runs/{run_id}`. A run in progress is cancelled first; the server waits for its end. */
export async function deleteRun(
  kind: Kind,
  call: Call<RunPath, { sessionId: string | undefined }, undefined>,
): Promise<FastifyReply> {
  await call.services.engine.deleteRun(await runInPath(kind, call, call.query.sessionId));
  return call.reply.code(204).send();
}
