/** Finds components, and runs that the caller may see. */
import { isFactory } from "../define/factory.ts";
import type { Entry } from "../define/platform.ts";
import { isRemote, type Remote } from "../define/remote.ts";
import type { ListedTools } from "../engine/mcp/listed-tools.ts";
import { TroupeError } from "../errors.ts";
import { type Principal, sessionFor, visibleOwner } from "../model/principal.ts";
import { type ComponentKind, kindTitles } from "../model/run/run.ts";
import { optionsOf } from "../model/run/stored-run.ts";
import type { LocatedRun, RunRow } from "../store/contract/store.ts";
import { attributedUser, forwardable } from "./callers.ts";
import { checkIds } from "./limits/sizes.ts";
import type { RunParts } from "./parts.ts";
import type { ReadParts } from "./reading.ts";

export type { Entry } from "../define/platform.ts";
export type { LocatedRun, RunRef, RunRow } from "../store/contract/store.ts";

/** A component of the platform. */
export interface ComponentName {
  readonly kind: ComponentKind;
  readonly componentId: string;
}

/** A run of a component; with a session id, only if the run belongs to that session. */
export interface RunName extends ComponentName {
  readonly runId: string;
  readonly sessionId?: string | undefined;
}

/** Rules for a request that names a run. */
export interface FindRules {
  /** Which callers must name the run's session. Default: none. */
  readonly sessionRule?: SessionRule | undefined;
  /** The user that the request names. It does not select the run, but a reserved id is rejected. */
  readonly userId?: string | undefined;
}

/** The hosted component. @throws TroupeError `notFound` */
export function findComponent({ registry }: Pick<RunParts, "registry">, { kind, componentId }: ComponentName): Entry {
  const found = registry.find(kind, componentId);
  if (found) return found;
  const fault = registry.faultOf(kind, componentId);
  if (fault)
    throw new TroupeError(
      "unavailable",
      `Version ${fault.version} of the ${kind} "${componentId}" cannot be used by this server.`,
    );
  throw new TroupeError("notFound", `${kindTitles[kind]} not found`);
}

/**
 * The component; undefined if it is no longer hosted but the caller has runs of it.
 *
 * @throws TroupeError `notFound`, `unavailable`
 */
export async function findPastComponent(
  { registry, store }: Pick<ReadParts, "registry" | "store">,
  caller: Principal,
  { kind, componentId }: ComponentName,
): Promise<Entry | undefined> {
  const found = registry.find(kind, componentId);
  if (found) return found;
  checkIds({ [kind]: componentId });
  // The query uses an index on the runs of a user.
  const userId = visibleOwner(caller) === null ? undefined : (caller.userId ?? undefined);
  const [run] = await store.listRuns(caller, { kind, componentId, userId, limit: 1 });
  return run ? undefined : findComponent({ registry }, { kind, componentId });
}

/**
 * The run, if the caller may see it, even if its component is no longer hosted. A member's run has no stream or lifecycle of its own, so it is not
 * found, like a run of another component or session. If component and session are right, the error names the root run that contains it.
 *
 * @throws TroupeError `notFound`, `badRequest` (no session), `forbidden` (a reserved user id)
 */
export async function findRun(
  parts: Pick<RunParts, "registry" | "store">,
  caller: Principal,
  name: RunName,
  { sessionRule, userId }: FindRules = {},
): Promise<LocatedRun> {
  const { kind, componentId, runId, sessionId } = name;
  if (sessionRule !== undefined) requireSession(caller, sessionId, sessionRule);
  attributedUser(caller, userId);
  checkIds({ run: runId, session: sessionId });
  const run = await parts.store.locateRun(caller, runId);
  const isOfComponent = (some: LocatedRun): boolean => some.kind === kind && some.componentId === componentId;
  if (!run || run.parentRunId || !isOfComponent(run)) findComponent(parts, name);
  if (!run || (sessionId !== undefined && run.sessionId !== sessionId))
    throw new TroupeError("notFound", "Run not found");
  if (run.parentRunId) {
    const root = await rootOf(parts, caller, run);
    const where =
      root && (isOfComponent(root) || isOfComponent(run))
        ? `: it is a member's, and stands in the run ${root.runId}`
        : "";
    throw new TroupeError("notFound", `Run not found${where}`);
  }
  if (!isOfComponent(run)) throw new TroupeError("notFound", "Run not found");
  return run;
}

/**
 * The component that new runs use. Undefined: there is none, because it was deleted, cannot be built or has only drafts, but the run keeps its versions.
 *
 * @throws TroupeError `notFound`, `unavailable`
 */
export async function findExecuted(
  parts: Pick<RunParts, "registry" | "store">,
  caller: Principal,
  { runId, ...name }: RunName,
): Promise<Entry | undefined> {
  const { kind, componentId } = name;
  const found = parts.registry.find(kind, componentId);
  if (found) return found;
  checkIds({ run: runId });
  const run = await parts.store.findRun(caller, runId);
  const keepsVersions = run?.kind === kind && run.componentId === componentId && optionsOf(run).versions !== undefined;
  return keepsVersions ? undefined : findComponent(parts, name);
}

/**
 * The component that executes a run: of a run that began with versions, the component of these versions.
 *
 * @throws TroupeError `notFound`, `unavailable` for a version that this process cannot build
 */
export async function componentOfRun(
  parts: Pick<RunParts, "registry" | "store" | "engine">,
  caller: Principal,
  run: LocatedRun,
): Promise<Entry> {
  const row = await parts.store.findRun(caller, run.runId);
  if (!row) throw new TroupeError("notFound", "Run not found");
  // A run without versions executes the code, also if a version is published since.
  if (optionsOf(row).versions === undefined)
    return parts.registry.findInCode(run.kind, run.componentId) ?? findComponent(parts, run);
  const component = await parts.engine.componentOf(row);
  if (component) return component;
  throw new TroupeError(
    "unavailable",
    `The version with which the run ${run.runId} began cannot be used by this server.`,
  );
}

/** The run with its input and output. @throws TroupeError `notFound` */
export async function loadRun(
  parts: Pick<RunParts, "registry" | "store">,
  caller: Principal,
  name: RunName,
): Promise<RunRow> {
  const { runId } = await findRun(parts, caller, name);
  const run = await parts.store.findRun(caller, runId);
  if (!run) throw new TroupeError("notFound", "Run not found");
  return run;
}

/** The run with this id, of any component, if the caller may see it; possibly a member's run. */
export async function locateRun(
  { store }: Pick<RunParts, "store">,
  caller: Principal,
  runId: string,
): Promise<LocatedRun | undefined> {
  checkIds({ run: runId });
  return await store.locateRun(caller, runId);
}

/** The root run whose log contains a member's run; undefined if it was deleted. */
async function rootOf(
  { store }: Pick<RunParts, "store">,
  caller: Principal,
  member: LocatedRun,
): Promise<LocatedRun | undefined> {
  let run: LocatedRun | undefined = member;
  while (run?.parentRunId) run = await store.locateRun(caller, run.parentRunId);
  return run;
}

/**
 * Checks that a factory builds its component from this input for the caller: the factory may refuse a reader, too. Does
 * nothing for other components.
 *
 * @throws TroupeError with the factory's error
 */
export async function checkFactoryInput(
  { registry, engine }: Pick<RunParts, "registry" | "engine">,
  caller: Principal,
  { kind, componentId }: ComponentName,
  factoryInput: Record<string, unknown>,
): Promise<void> {
  const entry = registry.find(kind, componentId);
  if (entry && isFactory(entry))
    await engine.checkFactory(caller, { kind, componentId, userId: undefined, options: { factoryInput } });
}

/** The tools that the MCP servers of a component list for the caller. A server that does not answer in a short time is missing. */
export async function listTools(
  parts: Pick<RunParts, "engine">,
  caller: Principal,
  entry: Entry,
): Promise<ListedTools> {
  return isFactory(entry) || isRemote(entry) ? new Map() : await parts.engine.listTools(caller, entry);
}

/** The description of a remote component, from its server. @throws TroupeError `badGateway`, or the other server's error */
export async function describeRemote(
  parts: Pick<RunParts, "engine" | "gate">,
  caller: Principal,
  remote: Remote,
  token: string | undefined,
): Promise<Readonly<Record<string, unknown>>> {
  return await parts.engine.describeRemote(remote, forwardable(parts, caller, token));
}

/** Callers that must name the session of a run: all of them, those that see only their own runs, or those that are not admins. */
export type SessionRule = "always" | "isolated" | "unless-admin";

/**
 * The session that a request names, for requests that must name one. A session in the credential counts.
 *
 * @throws TroupeError `badRequest`
 */
export function requireSession(caller: Principal, asked: string | undefined, rule: SessionRule): string | undefined {
  const sessionId = sessionFor(caller, asked);
  const isRequired = rule === "always" || (rule === "isolated" ? visibleOwner(caller) !== null : !caller.isAdmin);
  if (isRequired && sessionId === undefined)
    throw new TroupeError("badRequest", "session_id is required for this action");
  return rule === "always" ? sessionId : asked;
}
