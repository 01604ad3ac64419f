/** Sessions: their place among callers, their runs and their messages. */
import { isRemote } from "../define/remote.ts";
import { TroupeError } from "../errors.ts";
import { nextTurn } from "../model/next-turn.ts";
import { inheritedUserId, ownSpace, type Principal, sessionFor, visibleOwner } from "../model/principal.ts";
import type { ComponentKind, WireRunStatus } from "../model/run/run.ts";
import type {
  SessionChanges,
  SessionCreation,
  SessionPage,
  SessionQuery,
  SessionRow,
  SessionRunQuery,
} from "../store/contract/sessions.ts";
import type { LocatedRun, MessageRow } from "../store/contract/store.ts";
import { attributedUser } from "./callers.ts";
import { requireForkable } from "./continue.ts";
import { type ComponentName, findComponent } from "./find.ts";
import { batches, type ListedRoot, type NextPlace, readPage, type Show } from "./list.ts";
import type { RunParts } from "./parts.ts";
import { byRun, readEvents } from "./read.ts";
import type { ReadParts } from "./reading.ts";

export type { ListedSession, SessionRow } from "../store/contract/sessions.ts";

/** A session. An admin must also name the user if several users may have a session of this id. */
export interface SessionName {
  readonly sessionId: string;
  readonly userId?: string | undefined;
  /** Only a session of components of this kind. */
  readonly kind?: ComponentKind | undefined;
}

/** A page of sessions. */
export async function listSessions(
  { store, platform }: Pick<ReadParts, "store" | "platform">,
  caller: Principal,
  query: Omit<SessionQuery, "maxBytes">,
): Promise<SessionPage> {
  // A caller with user isolation sees only its own sessions, whatever user it names.
  const userId = visibleOwner(caller) === null ? query.userId : undefined;
  return await store.listSessions(caller, { ...query, userId, maxBytes: platform.settings.maxListingBytes });
}

/** Session data that a caller specifies. */
export interface NewSession extends Pick<SessionCreation, "kind" | "componentId" | "name"> {
  /** Generated if undefined. */
  readonly sessionId: string | undefined;
  readonly userId: string | undefined;
  readonly state: Readonly<Record<string, unknown>> | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
}

/** Creates a session before its first run, unless the caller has one of that id. @throws TroupeError `forbidden` (a reserved user id) */
export async function createSession(
  { store, runtime }: RunParts,
  caller: Principal,
  { sessionId: asked, userId, state = {}, metadata, ...others }: NewSession,
): Promise<{ readonly sessionId: string; readonly isNew: boolean }> {
  const sessionId = sessionFor(caller, asked) ?? runtime.randomness.uuid();
  const isNew = await store.createSession({
    ...others,
    sessionId,
    owner: ownSpace(caller),
    userId: caller.userId ?? attributedUser(caller, userId) ?? null,
    state: JSON.stringify(state),
    metadata: metadata ? JSON.stringify(metadata) : null,
    createdAt: runtime.clock.now(),
  });
  return { sessionId, isNew };
}

/** The session, if the caller may see it; if a user is named, only that user's session. */
export async function findSession(
  { store }: Pick<RunParts, "store">,
  caller: Principal,
  { sessionId, userId, kind }: SessionName,
): Promise<SessionRow | undefined> {
  const seesAll = visibleOwner(caller) === null;
  // With user isolation, several users may have a session of this id: an admin selects one by its user.
  const space = seesAll && caller.owner !== null ? userId : undefined;
  const finder = space === undefined ? caller : { ...caller, isAdmin: false, owner: space };
  const session = await store.findSession(finder, sessionId);
  const isOthers = seesAll && userId !== undefined && session !== undefined && session.userId !== userId;
  const isOtherKind = kind !== undefined && session !== undefined && session.kind !== kind;
  return isOthers || isOtherKind ? undefined : session;
}

/** Changes to a session; undefined fields keep their values. */
export interface SessionChange extends Pick<SessionChanges, "name"> {
  readonly state?: Record<string, unknown> | undefined;
  readonly metadata?: Record<string, unknown> | undefined;
  readonly summary?: Record<string, unknown> | undefined;
}

/** Changes a session and returns it; undefined if there is no such session for the caller. */
export async function changeSession(
  parts: RunParts,
  caller: Principal,
  name: SessionName,
  { name: title, state, metadata, summary }: SessionChange,
): Promise<SessionRow | undefined> {
  const session = await findSession(parts, caller, name);
  if (!session) return undefined;
  const changes = { name: title, state: toText(state), metadata: toText(metadata), summary: toText(summary) };
  if (Object.values(changes).every((value) => value === undefined)) return session;
  if (!(await parts.store.updateSession(session.key, changes, parts.runtime.clock.now()))) return undefined;
  return (await findSession(parts, caller, name)) ?? session;
}

/** Deletes a session with its runs; runs in progress are cancelled first. Does nothing if there is no such session for the caller. */
export async function deleteSession(parts: RunParts, caller: Principal, name: SessionName): Promise<void> {
  const session = await findSession(parts, caller, name);
  if (session) await parts.engine.deleteSession(session.key);
}

/** Filters and page of a session's runs. */
export type SessionRunsQuery = Omit<SessionRunQuery, "sessionKey" | "statuses"> & {
  readonly statuses: readonly WireRunStatus[];
};

/** Whether a session has a root run in one of these states. */
export async function hasRuns(
  { store }: Pick<RunParts, "store">,
  { key: sessionKey }: Pick<SessionRow, "key">,
  statuses: readonly WireRunStatus[],
): Promise<boolean> {
  const [any] = await store.sessionRuns({ sessionKey, statuses, limit: 1 });
  return any !== undefined;
}

/** Lists the runs of a session with the runs of their members. */
export async function listSessionRuns(
  parts: ReadParts,
  session: SessionRow,
  { limit, ...query }: SessionRunsQuery,
  show: Show,
): Promise<NextPlace> {
  const read = (last: LocatedRun | undefined, most: number) =>
    parts.store.sessionRuns({
      ...query,
      sessionKey: session.key,
      ...(last && { after: { sessionSeq: last.sessionSeq ?? 0 } }),
      limit: most,
    });
  return await readPage(parts, { limit, scope: "members", read, show });
}

/** One run of a session, possibly a member's; undefined if there is none for the caller. */
export async function findSessionRun(
  parts: Pick<ReadParts, "store" | "runtime">,
  caller: Principal,
  session: SessionRow,
  runId: string,
): Promise<ListedRoot | undefined> {
  const { store } = parts;
  const located = await store.locateRun(caller, runId);
  if (!located || located.sessionKey !== session.key) return undefined;
  const isWorkflow = located.kind === "workflow";
  const runs = await store.listedRuns([isWorkflow ? located.rootKey : located.key], isWorkflow ? "members" : "roots");
  const run = runs.find(({ key }) => key === located.key);
  if (!run) return undefined;
  const members = runs.filter(({ parentKey }) => parentKey !== null);
  const keys = [run.key, ...(isWorkflow ? members.map(({ key }) => key) : [])];
  return { run, members, messages: byRun(await store.messages(keys, true)), events: await readEvents(parts, run) };
}

/** Maximum number of runs, counted from the last, whose messages a session shows. */
const maxRuns = 100;

/**
 * The messages of a session's last runs, oldest first, without the bytes of their media. They are limited to the runs that fit into
 * `maxListingBytes`, but the last run is always included.
 */
export async function sessionHistory(
  { store, platform, runtime }: Pick<ReadParts, "store" | "platform" | "runtime">,
  { key: sessionKey }: Pick<SessionRow, "key">,
): Promise<readonly MessageRow[]> {
  const { maxListingBytes } = platform.settings;
  const found = await store.sessionRuns({ sessionKey, limit: maxRuns, descending: true });
  const runs = found.filter(({ replacedBy }) => replacedBy === null);
  const keysOf = (some: readonly LocatedRun[]) => some.map(({ key }) => key);
  const sizes = await store.listedBytes(keysOf(runs), "roots");
  const history: (readonly MessageRow[])[] = [];
  let bytes = 0;
  for (const batch of batches(runs, ({ key }) => sizes.get(key) ?? 0)) {
    const messages = byRun(await store.messages(keysOf(batch), true));
    for (const { key } of batch) {
      const own = messages.get(key) ?? [];
      bytes += own.reduce((sum, { body }) => sum + body.length, 0);
      if (bytes > maxListingBytes && history.length > 0) return history.reverse().flat();
      history.push(own);
    }
    if (bytes > maxListingBytes) break;
    await nextTurn(runtime.clock);
  }
  return history.reverse().flat();
}

/**
 * Copies a session with the component's finished runs into a new one, and returns the id of the copy.
 *
 * @throws TroupeError `notFound` (component), `badRequest` (a remote component, nothing to copy), `forbidden` (a credential of one session)
 */
export async function forkSession(
  parts: RunParts,
  caller: Principal,
  component: ComponentName,
  name: SessionName,
): Promise<string> {
  requireForkable(caller);
  // The remote server holds the session's history, too, and offers no copy of it.
  if (isRemote(findComponent(parts, component)))
    throw new TroupeError("badRequest", `Fork is not supported for remote ${component.kind}s`);
  const session = await findSession(parts, caller, name);
  const copy =
    session &&
    (await parts.engine.forkSession({
      kind: component.kind,
      componentId: component.componentId,
      sessionKey: session.key,
      sessionId: session.sessionId,
      owner: caller.owner ?? session.owner,
      userId: inheritedUserId(caller, session.userId),
    }));
  if (copy === undefined) throw new TroupeError("badRequest", "Source session has no runs to fork.");
  return copy;
}

function toText(value: Record<string, unknown> | undefined): string | undefined {
  return value === undefined ? undefined : JSON.stringify(value);
}
