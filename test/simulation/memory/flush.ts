/** The group commit in memory. It uses the same `decide` as the real databases. */
import { isTerminal, type RunStatus } from "../../../src/model/run/run.ts";
import type { Mark, MessageWrite, Outcome, RunCreation, Write } from "../../../src/store/contract/store.ts";
import { counterName } from "../../../src/store/contract/usage.ts";
import { countedUsage, withTotals } from "../../../src/store/flush/counted-usage.ts";
import { decide } from "../../../src/store/flush/decide.ts";
import type { Facts, FlushChanges, KnownSession, NewRun } from "../../../src/store/flush/facts.ts";
import { type MemoryDatabase, type Session, sessionName } from "./database.ts";

/** Attempts a flush once. */
export function flush(database: MemoryDatabase, writes: readonly Write[], suspect: boolean): readonly Outcome[] {
  database.checkData(writes);
  database.lock(writes.map(({ key }) => key));
  const facts = factsOf(database);
  const { outcomes, changes } = decide(writes, database.distort?.(facts, writes) ?? facts, suspect);
  const inserted = apply(database, changes);
  const totals = countedUsage(changes).map((amount) => {
    const name = counterName(amount);
    const sum = database.usage.get(name);
    const total = {
      ...amount,
      tokens: amount.tokens + (sum?.tokens ?? 0),
      nanos: amount.nanos + (sum?.nanos ?? 0),
      modelRequests: amount.modelRequests + (sum?.modelRequests ?? 0),
      toolCalls: amount.toolCalls + (sum?.toolCalls ?? 0),
    };
    database.usage.set(name, total);
    return total;
  });
  database.watcher?.flushed({ writes, outcomes, changes, inserted });
  return withTotals(writes, outcomes, totals);
}

function factsOf(database: MemoryDatabase): Facts {
  const known = ({ key, nextSeq, state, title, usage }: Session): KnownSession => {
    return { key, nextSeq, state, isUntitled: title === null, usage };
  };
  const some = (sessionKey: number, statuses: readonly RunStatus[]): boolean => {
    for (const { status } of database.rootsOf(sessionKey)) if (statuses.includes(status)) return true;
    return false;
  };
  return {
    head: (key) => database.heads.get(key),
    run(runId) {
      const key = database.keysById.get(runId);
      const run = key === undefined ? undefined : database.runs.get(key);
      const head = key === undefined ? undefined : database.heads.get(key);
      if (!run || !head) return undefined;
      const { attempt, owner, sessionKey, sessionSeq } = head;
      const sessionState = database.sessions.get(sessionKey)?.state ?? "{}";
      return { key: run.key, attempt, owner, sessionKey, sessionSeq: sessionSeq ?? 0, sessionState };
    },
    session: (creation) => known(sessionFor(database, creation)),
    sessionByKey(key) {
      const session = database.sessions.get(key);
      return session && known(session);
    },
    isBusy: (sessionKey) => some(sessionKey, ["PENDING", "RUNNING"]),
    hasPending: (sessionKey) => some(sessionKey, ["PENDING"]),
    countPending(sessionKey, max) {
      let waiting = 0;
      for (const { status } of database.rootsOf(sessionKey)) if (status === "PENDING") waiting++;
      return Math.min(waiting, max);
    },
    isReplaceable: (key) => database.runs.get(key)?.replaced_by === null,
    isDeleted: (key) => database.deletedKeys.has(key),
    isReserved: (digest, runId) => database.idempotencyKeys.get(digest)?.runId === runId,
    hasSegment: (key, lastIndex, attempt) =>
      database.segments.get(key)?.some((one) => one.lastIndex === lastIndex && one.attempt === attempt) ?? false,
  };
}

function sessionFor(database: MemoryDatabase, creation: RunCreation): Session {
  const { owner, sessionId, kind, componentId, userId, sessionState, createdAt } = creation;
  const name = sessionName(owner, sessionId);
  const existing = database.sessionsByName.get(name);
  if (existing) return existing;
  const session: Session = {
    ...{ key: database.newSessionKey(), owner, sessionId, kind, componentId, userId, createdAt },
    ...{ name: null, title: null, metadata: null, summary: null, usage: null },
    ...{ state: sessionState, nextSeq: 0, updatedAt: createdAt },
  };
  database.sessions.set(session.key, session);
  database.sessionsByName.set(name, session);
  return session;
}

/** Applies changes in the order of the real databases. Returns the segments that it inserted. */
function apply(database: MemoryDatabase, changes: FlushChanges): FlushChanges["segments"] {
  for (const run of changes.runs) insertRun(database, run);
  const inserted: FlushChanges["segments"] = [];
  for (const segment of changes.segments) {
    const { key, attempt, firstIndex, lastIndex, frames } = segment;
    const stored = database.segments.get(key) ?? [];
    if (stored.length === 0) database.segments.set(key, stored);
    // A segment with that key exists already: as on the real databases, the first one stays.
    if (stored.some((one) => one.lastIndex === lastIndex)) continue;
    stored.push({ firstIndex, lastIndex, attempt, frames });
    stored.sort((a, b) => a.lastIndex - b.lastIndex);
    inserted.push(segment);
  }
  for (const message of changes.messages) insertMessage(database, message);
  for (const mark of changes.marks) insertMark(database, mark);
  for (const { key, rootKey, status, output } of changes.members) {
    const head = database.heads.get(key);
    if (!head || head.rootKey !== rootKey || head.sessionSeq !== null || isTerminal(head.status)) continue;
    head.status = status;
    setOutput(database, key, output);
  }
  for (const { key, status, output } of changes.heads) {
    const head = database.heads.get(key);
    if (head) Object.assign(head, { status, owner: null });
    if (output !== null) setOutput(database, key, output);
  }
  for (const { rootKey, status } of changes.memberCancellations) {
    for (const head of database.heads.values()) {
      if (head.rootKey === rootKey && head.sessionSeq === null && !isTerminal(head.status)) head.status = status;
    }
  }
  for (const { key, nextSeq, state, title, usage, updatedAt } of changes.sessions.values()) {
    const session = database.sessions.get(key);
    if (!session) continue;
    session.nextSeq = nextSeq;
    session.state = state ?? session.state;
    session.title = title ?? session.title;
    session.usage = usage ?? session.usage;
    session.updatedAt = Math.max(session.updatedAt, updatedAt);
  }
  for (const { key, summary, seq, by, version } of changes.summaries) {
    const session = database.sessions.get(key);
    const known = database.summaries.get(key)?.version ?? 0;
    if (!session || known !== version) continue;
    Object.assign(session, { summary });
    database.summaries.set(key, { seq, by, version: known + 1 });
  }
  for (const approval of changes.approvals) database.approvals.set(approval.id, approval);
  for (const deadline of changes.answerDeadlines) database.answerDeadlines.set(deadline.run_key, deadline);
  for (const { key, status, at } of changes.approvalEnds) {
    for (const approval of database.approvals.values()) {
      if (approval.run_key === key && approval.status === "pending")
        Object.assign(approval, { status, updated_at: at });
    }
  }
  for (const { key, runId } of changes.replacements) {
    const run = database.runs.get(key);
    if (run) run.replaced_by = runId;
  }
  for (const key of changes.progress) {
    const head = database.heads.get(key);
    if (head) head.stalledTakeovers = 0;
  }
  return inserted;
}

function insertRun(database: MemoryDatabase, run: NewRun): void {
  if (database.runs.has(run.key) || database.keysById.has(run.run_id)) return;
  database.runs.set(run.key, { ...run, replaced_by: null });
  database.keysById.set(run.run_id, run.key);
  database.heads.set(run.key, {
    ...{ key: run.key, rootKey: run.root_key, sessionKey: run.session_key, sessionSeq: run.session_seq },
    ...{ policy: run.policy, status: run.status, attempt: run.attempt, owner: run.owner, cancelRequested: false },
    ...{ firstKept: 0, stalledTakeovers: 0, compacted: false, watched: false, steered: 0 },
  });
}

function insertMessage(database: MemoryDatabase, { runKey, position, id, createdAt, body }: MessageWrite): void {
  const said = database.messages.get(runKey) ?? [];
  if (said.length === 0) database.messages.set(runKey, said);
  if (said.some((message) => message.position === position)) return;
  said.push({ runKey, position, id, createdAt, body });
  said.sort((a, b) => a.position - b.position);
}

/** Inserts a mark unless the run has one of that name. */
export function insertMark(database: MemoryDatabase, mark: Mark): void {
  const marks = database.marks.get(mark.runKey) ?? new Map<string, Mark>();
  database.marks.set(mark.runKey, marks);
  if (!marks.has(mark.name)) marks.set(mark.name, mark);
}

function setOutput(database: MemoryDatabase, key: number, output: string): void {
  const run = database.runs.get(key);
  if (run) run.output = output;
}
