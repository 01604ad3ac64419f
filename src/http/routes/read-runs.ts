/** Reading and cancelling runs. */
import { TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import type { RunStatus, WireRunStatus } from "../../model/run.ts";
import type { RunRef, RunRow, Store } from "../../store/seam.ts";
import { byRun, type RunFamily, toRecord, wireStatus } from "../records/run.ts";
import { toListElement } from "../records/run-list.ts";
import type { Call } from "../route.ts";
import type { Services } from "../services.ts";
import { hosted, type Kind } from "./kinds.ts";

interface RunPath {
  readonly componentId: string;
  readonly runId: string;
}

/**
 * The run in the path, if the caller may see it. A member's run has no stream and no life of its own: it is not found, as a run of
 * another component or another session is not. Who has the right component and session is told where it stands.
 *
 * @throws TroupeError `notFound`
 */
export async function runInPath(
  kind: Kind,
  { services, caller, path }: Pick<Call<RunPath, unknown, unknown>, "services" | "caller" | "path">,
  sessionId: string | undefined,
): Promise<RunRow> {
  hosted(services, kind, path.componentId);
  const { store } = services;
  const run = await store.findRun(caller, path.runId);
  const isInPath = (some: RunRow): boolean => some.kind === kind.name && some.componentId === path.componentId;
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

/** The run in whose log a member's run stands; undefined when it is gone. */
async function rootOf(store: Store, caller: Principal, member: RunRow): Promise<RunRow | undefined> {
  let run: RunRow | undefined = member;
  while (run?.parentRunId) run = await store.findRun(caller, run.parentRunId);
  return run;
}

/** `GET …/runs/{run_id}`. */
export async function readRun(kind: Kind, call: Call<RunPath, { sessionId: string }, undefined>): Promise<unknown> {
  const run = await runInPath(kind, call, call.query.sessionId);
  return toRecord({ run, ...(await readBelongings(call.services, [run.key])) });
}

/** A run with what belongs to it, read at once; undefined when it is gone. */
export async function readFamily(services: Services, caller: Principal, ref: RunRef): Promise<RunFamily | undefined> {
  const [run, belongings] = await Promise.all([
    services.store.findRun(caller, ref.runId),
    readBelongings(services, [ref.key]),
  ]);
  return run && { run, ...belongings };
}

async function readBelongings({ store }: Services, rootKeys: readonly number[]): Promise<Omit<RunFamily, "run">> {
  const members = await store.memberRuns(rootKeys);
  return { members, messages: byRun(await store.messages([...rootKeys, ...members.map(({ key }) => key)])) };
}

/** `GET …/runs`. */
export async function listRuns(
  kind: Kind,
  call: Call<{ componentId: string }, { sessionId: string; status: WireRunStatus | undefined }, undefined>,
): Promise<unknown> {
  const { services, caller, path, query } = call;
  const { store } = services;
  hosted(services, kind, path.componentId);
  const session = await store.findSession(caller, query.sessionId);
  if (!session) throw new TroupeError("notFound", "Session not found");
  const wanted = { kind: kind.name, componentId: path.componentId, sessionId: query.sessionId };
  const runs = await store.listRuns(caller, { ...wanted, ...storedStatuses(query.status) });
  const isForeign = session.kind !== kind.name || session.componentId !== path.componentId;
  if (runs.length === 0 && isForeign && (await store.listRuns(caller, wanted)).length === 0) {
    throw new TroupeError("notFound", "Session not found");
  }
  const shown = runs.filter((run) => query.status === undefined || wireStatus(run) === query.status);
  const messages = byRun(await store.messages(shown.map(({ key }) => key)));
  return shown.map((run) => toListElement({ run, messages }));
}

/** A run that was replaced keeps its stored state, whatever it is. */
function storedStatuses(status: WireRunStatus | undefined): { statuses?: readonly RunStatus[] } {
  return status === undefined || status === "REGENERATED" ? {} : { statuses: [status] };
}

/** `POST …/cancel`. */
export async function cancelRun(
  kind: Kind,
  call: Call<RunPath, { sessionId: string | undefined }, undefined>,
): Promise<unknown> {
  await call.services.engine.cancel(await runInPath(kind, call, call.query.sessionId));
  return {};
}
