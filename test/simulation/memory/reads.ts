/** Reads and deletes of runs, sessions and messages in memory. */

import { type Principal, visibleOwner, visibleSession } from "../../../src/model/principal.ts";
import type { Approval } from "../../../src/model/run/approval.ts";
import { type ComponentKind, isTerminal } from "../../../src/model/run/run.ts";
import type {
  SessionChanges,
  SessionCreation,
  SessionPage,
  SessionQuery,
  SessionRow,
  SessionRunQuery,
  SummaryRow,
} from "../../../src/store/contract/sessions.ts";
import type {
  ClaimRequest,
  HistoryRow,
  IdempotencyRelease,
  IdempotencyReservation,
  ListedScope,
  Mark,
  MessageRow,
  RunPosition,
  RunQuery,
  RunRow,
  UnhostedRuns,
} from "../../../src/store/contract/store.ts";
import { asciiLower } from "../../../src/store/queries/sessions/sessions.ts";
import { toApproval } from "../../../src/store/rows/approvals.ts";
import { briefOfInput, briefOfMessage } from "../../../src/store/rows/brief.ts";
import { type MemoryDatabase, type Session, sessionName } from "./database.ts";

/** Maximum root runs that one transaction deletes, as on the real databases. */
const maxRuns = 20;

export function findRun(database: MemoryDatabase, caller: Principal, runId: string): RunRow | undefined {
  const key = database.keysById.get(runId);
  const row = key === undefined ? undefined : toRow(database, key);
  return row && isVisible(database, caller, row.sessionKey) ? row : undefined;
}

export function listRuns(database: MemoryDatabase, caller: Principal, query: RunQuery): readonly RunRow[] {
  const { kind, componentId, userId, statuses, createdAfter, createdBefore, limit, after } = query;
  const sessionId = query.sessionId ?? visibleSession(caller) ?? undefined;
  const place = (run: RunPosition): [number, number] =>
    sessionId === undefined ? [run.createdAt, run.key] : [run.sessionKey, run.sessionSeq];
  const wanted = rootRows(database).filter(
    (row) =>
      isVisible(database, caller, row.sessionKey) &&
      row.kind === kind &&
      row.componentId === componentId &&
      (sessionId === undefined || row.sessionId === sessionId) &&
      (userId === undefined || row.userId === userId) &&
      (statuses === undefined || statuses.includes(row.replacedBy === null ? row.status : "REGENERATED")) &&
      (createdAfter === undefined || row.createdAt > createdAfter) &&
      (createdBefore === undefined || row.createdAt < createdBefore),
  );
  return page(wanted, place, { limit, after, descending: query.descending });
}

function rootRows(database: MemoryDatabase): readonly RootRow[] {
  const roots = [...database.heads.values()].filter((head) => head.sessionSeq !== null);
  return roots.flatMap(({ key }) => (toRow(database, key) as RootRow | undefined) ?? []);
}

type RootRow = RunRow & { readonly sessionSeq: number };

function page<Row extends RunPosition>(
  rows: readonly Row[],
  place: (row: RunPosition) => [number, number],
  asked: { limit: number | undefined; after: RunPosition | undefined; descending: boolean | undefined },
): readonly Row[] {
  const sign = asked.descending ? -1 : 1;
  const ordered = [...rows].sort((one, other) => sign * compare(place(one), place(other)));
  const { after } = asked;
  const rest = after ? ordered.filter((row) => sign * compare(place(row), place(after)) > 0) : ordered;
  return rest.slice(0, asked.limit ?? rest.length);
}

export function sessionRuns(database: MemoryDatabase, query: SessionRunQuery): readonly RunRow[] {
  const { sessionKey, statuses, createdAfter, createdBefore, limit, after, descending } = query;
  const wanted = rootRows(database).filter(
    (row) =>
      row.sessionKey === sessionKey &&
      (statuses === undefined || statuses.includes(row.replacedBy === null ? row.status : "REGENERATED")) &&
      (createdAfter === undefined || row.createdAt > createdAfter) &&
      (createdBefore === undefined || row.createdAt < createdBefore),
  );
  const last = after && { key: 0, sessionKey, createdAt: 0, ...after };
  return page(wanted, (run) => [run.sessionKey, run.sessionSeq], { limit, after: last, descending });
}

export function listSessions(database: MemoryDatabase, caller: Principal, query: SessionQuery): SessionPage {
  const { kind, componentId, userId, name, sortBy, descending, limit, offset } = query;
  const wanted = [...database.sessions.values()].filter(
    (session) =>
      isVisible(database, caller, session.key) &&
      (kind === undefined || session.kind === kind) &&
      (componentId === undefined || session.componentId === componentId) &&
      (userId === undefined || session.userId === userId) &&
      (!name || asciiLower(session.name ?? session.title ?? "").includes(asciiLower(name))),
  );
  const place = (session: Session): [number, number] => [session[sortBy], session.key];
  wanted.sort((one, other) => (descending ? -1 : 1) * compare(place(one), place(other)));
  let left = query.maxBytes;
  const rows = wanted.slice(offset, offset + limit).map((session) => {
    const texts = [session.state, session.metadata ?? "", session.summary ?? ""];
    const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text), 0);
    if (bytes > left) return { ...session, state: null, metadata: null, summary: null };
    left -= bytes;
    return session;
  });
  return { rows, total: wanted.length };
}

export function createSession(database: MemoryDatabase, { createdAt, ...creation }: SessionCreation): boolean {
  const name = sessionName(creation.owner, creation.sessionId);
  if (database.sessionsByName.has(name)) return false;
  const empty = { title: null, summary: null, usage: null, nextSeq: 0 };
  const times = { createdAt, updatedAt: createdAt };
  const session: Session = { key: database.newSessionKey(), ...creation, ...empty, ...times };
  database.sessions.set(session.key, session);
  database.sessionsByName.set(name, session);
  return true;
}

export function updateSession(database: MemoryDatabase, key: number, changes: SessionChanges, at: number): boolean {
  const session = database.sessions.get(key);
  if (!session) return false;
  const given = Object.entries(changes).filter(([, value]) => value !== undefined);
  Object.assign(session, Object.fromEntries(given), { updatedAt: at });
  const { seq = null, by = null, version = 0 } = database.summaries.get(key) ?? {};
  if (changes.summary !== undefined) database.summaries.set(key, { seq, by, version: version + 1 });
  return true;
}

export function memberRuns(database: MemoryDatabase, rootKeys: readonly number[]): readonly RunRow[] {
  const members = [...database.heads.values()].filter(
    ({ rootKey, sessionSeq }) => sessionSeq === null && rootKeys.includes(rootKey),
  );
  members.sort((one, other) => compare([one.rootKey, one.key], [other.rootKey, other.key]));
  return members.flatMap(({ key }) => toRow(database, key) ?? []);
}

export function messages(
  database: MemoryDatabase,
  runKeys: readonly number[],
  brief: boolean | undefined,
): readonly MessageRow[] {
  const keys = [...new Set(runKeys)].sort((a, b) => a - b);
  const rows = keys.flatMap((key) => database.messages.get(key) ?? []);
  return brief ? rows.map((row) => ({ ...row, body: briefOfMessage(row.body) ?? row.body })) : rows;
}

export function listedRuns(
  database: MemoryDatabase,
  rootKeys: readonly number[],
  scope: ListedScope,
): readonly RunRow[] {
  const roots = rootKeys.flatMap((key) => toRow(database, key) ?? []);
  const rows = [...roots, ...(scope === "members" ? memberRuns(database, rootKeys) : [])];
  rows.sort((one, other) => one.rootKey - other.rootKey);
  return rows.map((row) => ({ ...row, input: briefOfInput(row.input) ?? row.input }));
}

export function listedBytes(
  database: MemoryDatabase,
  rootKeys: readonly number[],
  scope: ListedScope,
): ReadonlyMap<number, number> {
  const bytes = new Map<number, number>();
  for (const { key, rootKey, input, options, output } of listedRuns(database, rootKeys, scope)) {
    const texts = [input, options, output ?? "", ...messages(database, [key], true).map(({ body }) => body)];
    bytes.set(
      rootKey,
      texts.reduce((sum, text) => sum + Buffer.byteLength(text), bytes.get(rootKey) ?? 0),
    );
  }
  return bytes;
}

export function marks(database: MemoryDatabase, runKeys: readonly number[]): readonly Mark[] {
  const keys = [...new Set(runKeys)].sort((a, b) => a - b);
  return keys.flatMap((key) =>
    [...(database.marks.get(key)?.values() ?? [])].sort((one, other) => (one.name < other.name ? -1 : 1)),
  );
}

export function sessionMark(
  database: MemoryDatabase,
  sessionKey: number,
  seq: number,
  name: string,
): string | undefined {
  const head = [...database.rootsOf(sessionKey)].find(({ sessionSeq }) => sessionSeq === seq);
  return head && database.marks.get(head.key)?.get(name)?.body;
}

export function approvalsOf(database: MemoryDatabase, key: number): readonly Approval[] {
  const rows = [...database.approvals.values()].filter(({ run_key }) => run_key === key);
  const place = ({ created_at, id }: { created_at: number; id: string }): string => `${created_at} ${id}`;
  return rows.sort((one, other) => (place(one) < place(other) ? -1 : 1)).map(toApproval);
}

export function history(
  database: MemoryDatabase,
  { key, beforeSeq, afterSeq = -1 }: { key: number; beforeSeq: number; afterSeq?: number },
  component: { kind: string; id: string },
  runs: number,
  end: "last" | "first" = "last",
): readonly HistoryRow[] {
  const found = [...database.rootsOf(key)].filter((head) => {
    const run = database.runs.get(head.key);
    const isOfComponent = run?.kind === component.kind && run.component_id === component.id;
    const { sessionSeq } = head;
    const isBetween = sessionSeq !== null && sessionSeq > afterSeq && sessionSeq < beforeSeq;
    return isOfComponent && isBetween && head.status === "COMPLETED" && run.replaced_by === null;
  });
  found.sort((one, other) => (one.sessionSeq ?? 0) - (other.sessionSeq ?? 0));
  const chosen = end === "first" ? found.slice(0, runs) : runs > 0 ? found.slice(-runs) : [];
  return chosen.flatMap(({ key: run, sessionSeq }) =>
    (database.messages.get(run) ?? []).map((message) => ({ ...message, sessionSeq: sessionSeq ?? 0 })),
  );
}

export function sessionSummary(database: MemoryDatabase, key: number): SummaryRow | undefined {
  const session = database.sessions.get(key);
  if (!session) return undefined;
  const { summary, kind, componentId } = session;
  const { seq = null, by = null, version = 0 } = database.summaries.get(key) ?? {};
  return { key, summary, seq, by, version, kind, componentId };
}

export function findSession(database: MemoryDatabase, caller: Principal, sessionId: string): SessionRow | undefined {
  if ((visibleSession(caller) ?? sessionId) !== sessionId) return undefined;
  const owner = visibleOwner(caller);
  if (owner !== null) return database.sessionsByName.get(sessionName(owner, sessionId));
  const own = database.sessionsByName.get(sessionName(caller.owner ?? "", sessionId));
  if (own) return own;
  const found = [...database.sessions.values()].filter((session) => session.sessionId === sessionId);
  return found.sort((one, other) => (one.owner < other.owner ? -1 : 1))[0];
}

export function sessionRunKeys(database: MemoryDatabase, sessionKey: number, unfinished = false): readonly number[] {
  const heads = [...database.rootsOf(sessionKey)].filter(({ status }) => !unfinished || !isTerminal(status));
  return heads.sort((a, b) => (a.sessionSeq ?? 0) - (b.sessionSeq ?? 0)).map(({ key }) => key);
}

/** Deletes runs. Returns false if one of them is unfinished. */
export function removeRuns(database: MemoryDatabase, keys: readonly number[]): boolean {
  database.lock(keys);
  for (const key of keys) {
    const head = database.heads.get(key);
    if (head && !isTerminal(head.status)) return false;
  }
  const every = [...database.runs.values()].filter(({ root_key }) => keys.includes(root_key));
  for (const { key, run_id } of every) {
    database.segments.delete(key);
    database.messages.delete(key);
    for (const other of database.runs.values()) if (other.replaced_by === run_id) other.replaced_by = null;
    database.marks.delete(key);
    database.answerDeadlines.delete(key);
    for (const [id, { run_key }] of database.approvals) if (run_key === key) database.approvals.delete(id);
    database.heads.delete(key);
    database.runs.delete(key);
    database.keysById.delete(run_id);
    for (const [digest, { runId }] of database.idempotencyKeys)
      if (runId === run_id) database.idempotencyKeys.delete(digest);
  }
  for (const key of keys) database.deletedKeys.add(key);
  database.watcher?.deleted(keys);
  return true;
}

/** Executes one transaction of a session's deletion. */
export function removeSome(database: MemoryDatabase, session: Session): readonly number[] | "done" | "unfinished" {
  const keys = sessionRunKeys(database, session.key).slice(0, maxRuns);
  if (keys.length > 0) return removeRuns(database, keys) ? keys : "unfinished";
  database.sessions.delete(session.key);
  database.sessionsByName.delete(sessionName(session.owner, session.sessionId));
  return "done";
}

export function isUnfinished(database: MemoryDatabase, sessionKey: number): boolean {
  for (const { status } of database.rootsOf(sessionKey)) if (!isTerminal(status)) return true;
  return false;
}

function isVisible(database: MemoryDatabase, caller: Principal, sessionKey: number): boolean {
  const [owner, bound] = [visibleOwner(caller), visibleSession(caller)];
  const session = database.sessions.get(sessionKey);
  return (owner === null || session?.owner === owner) && (bound === null || session?.sessionId === bound);
}

function toRow(database: MemoryDatabase, key: number): RunRow | undefined {
  const run = database.runs.get(key);
  const head = database.heads.get(key);
  if (!run || !head) return undefined;
  return {
    key,
    runId: run.run_id,
    rootKey: run.root_key,
    parentKey: run.parent_key,
    parentRunId: run.parent_key === null ? null : (database.runs.get(run.parent_key)?.run_id ?? null),
    kind: run.kind,
    componentId: run.component_id,
    componentName: run.component_name,
    sessionKey: run.session_key,
    sessionId: database.sessions.get(run.session_key)?.sessionId ?? "",
    owner: database.sessions.get(run.session_key)?.owner ?? "",
    sessionSeq: run.session_seq,
    userId: run.user_id,
    input: run.input,
    options: run.options,
    output: run.output,
    model: run.model,
    modelProvider: run.model_provider,
    createdAt: run.created_at,
    status: head.status,
    replacedBy: run.replaced_by,
    toolCallId: run.tool_call_id,
  };
}

function compare(one: readonly [number, number], other: readonly [number, number]): number {
  return one[0] - other[0] || one[1] - other[1];
}

/** Counts the unfinished runs of components that are not in the list. */
export function unhostedRuns(
  database: MemoryDatabase,
  components: readonly Component[],
  paused = false,
): readonly UnhostedRuns[] {
  const counted = paused ? ["PENDING", "RUNNING", "PAUSED"] : ["PENDING", "RUNNING"];
  const found = new Map<string, { kind: ComponentKind; componentId: string; runs: number }>();
  for (const { key, status, sessionSeq } of database.heads.values()) {
    const run = database.runs.get(key);
    if (!run || sessionSeq === null || !counted.includes(status)) continue;
    if (components.some(({ kind, id }) => kind === run.kind && id === run.component_id)) continue;
    const name = `${run.kind}/${run.component_id}`;
    const known = found.get(name) ?? { kind: run.kind, componentId: run.component_id, runs: 0 };
    found.set(name, { ...known, runs: known.runs + 1 });
  }
  return [...found.keys()].sort().flatMap((name) => found.get(name) ?? []);
}

type Component = NonNullable<ClaimRequest["components"]>[number];

/** Counts at most `max` background runs that are PENDING, by user. */
export function countQueued(database: MemoryDatabase, max: number): ReadonlyMap<string, number> {
  const heads = [...database.heads.values()].filter(
    ({ status, sessionSeq }) => status === "PENDING" && sessionSeq !== null,
  );
  const runs = heads.flatMap(({ key }) => database.runs.get(key) ?? []).filter(({ background }) => background === 1);
  const users = new Map<string, number>();
  for (const { user_id: user } of runs.slice(0, max)) users.set(user ?? "", (users.get(user ?? "") ?? 0) + 1);
  return users;
}

export function releaseIdempotencyKey(
  database: MemoryDatabase,
  { digest, runId, unlessStarted }: IdempotencyRelease,
): void {
  if (database.idempotencyKeys.get(digest)?.runId !== runId || (unlessStarted && database.keysById.has(runId))) return;
  database.idempotencyKeys.delete(digest);
}

/** Reserves a run for an idempotency key, or returns the earlier reservation. */
export function reserveIdempotencyKey(
  database: MemoryDatabase,
  { digest, since, ...wanted }: IdempotencyReservation,
): IdempotencyReservation {
  const known = database.idempotencyKeys.get(digest);
  const counts = known && known.at >= since ? known : { digest, since, ...wanted };
  database.idempotencyKeys.set(digest, counts);
  return counts;
}
