/**
 * One try of the group commit on Postgres. What runs tell and say takes one round trip; everything else two: what the database says, under its
 * locks, then what is written, with the commit.
 */
import type { ClientBase } from "pg";
import { flushPlain, plainFlush } from "./append-postgres-plain.ts";
import { messageRow, segmentValues } from "./append-postgres-rows.ts";
import type { Named } from "./append-postgres-sql.ts";
import * as statements from "./append-postgres-sql.ts";
import { decide, locksSession } from "./decide.ts";
import { isKnownRun, Overtaken } from "./faults.ts";
import type { Facts, FlushChanges, KnownHead, KnownRun, KnownSession, NewRun } from "./flush.ts";
import { together } from "./postgres-client.ts";
import type { Outcome, RunWrite, Write } from "./seam.ts";

/** Tries a flush on a connection whose queries are sent without waiting for each other. */
export async function tryFlush(
  client: ClientBase,
  writes: readonly Write[],
  suspect: boolean,
): Promise<readonly Outcome[]> {
  const plain = suspect ? undefined : plainFlush(writes);
  if (plain === undefined) return flushAll(client, writes, suspect);
  // Else some are lost, or not RUNNING, or an earlier try of all of them was committed after all: the rest is there to be found.
  return (await flushPlain(client, plain)) ?? flushAll(client, writes, true);
}

async function flushAll(client: ClientBase, writes: readonly Write[], suspect: boolean): Promise<readonly Outcome[]> {
  const [isOpen, reading] = together(
    client,
    () => [client.query("begin"), readFacts(client, writes, suspect)] as const,
  );
  try {
    const [facts] = await Promise.all([reading, isOpen]);
    const { outcomes, changes } = decide(writes, facts, suspect);
    await allInOrder(together(client, () => [...apply(client, changes), client.query("commit")]));
    return outcomes;
  } catch (error) {
    await client.query("rollback").catch(() => undefined);
    // An earlier try was committed after this one had looked for its runs.
    throw suspect && isKnownRun(error) ? new Overtaken("an earlier try made the run") : error;
  }
}

interface HeadRow extends Omit<KnownHead, "cancelRequested" | "watched"> {
  readonly key: number;
  readonly cancelRequested: number;
  readonly watched: number;
}

function toKnownHead({ cancelRequested, watched, ...head }: HeadRow): KnownHead {
  return { ...head, cancelRequested: cancelRequested !== 0, watched: watched !== 0 };
}

interface SessionRow extends KnownSession {
  readonly owner: string;
  readonly sessionId: string;
}

async function readFacts(client: ClientBase, writes: readonly Write[], suspect: boolean): Promise<Facts> {
  const creations = writes.filter((write) => write.kind === "create");
  const runs = writes.filter((write) => write.kind === "run");
  const created = creations.map(({ key, run }, place) => ({
    place,
    key,
    run_id: run.runId,
    owner: run.owner,
    session_id: run.sessionId,
    kind: run.kind,
    component_id: run.componentId,
    user_id: run.userId,
    state: run.sessionState,
    created_at: run.createdAt,
    reservation: run.reservation,
  }));
  const reservations = creations.flatMap(({ run }) => run.reservation ?? []);
  const replaced = creations.flatMap(({ run }) => run.replaces ?? []);
  const sessionRuns = runs.filter(locksSession).map((write) => write.key);
  const needsSessions = created.length > 0 || sessionRuns.length > 0;
  const sessionValues = [JSON.stringify(created), sessionRuns];
  const ends = suspect ? runs.filter((write) => write.segment !== null) : [];

  const [heads, known, deleted, reserved, sessions, turns, replaceable, landed] = await allInOrder([
    rowsOf<HeadRow>(client, statements.lockHeads, runs.length > 0 && [runs.map((write) => write.key)]),
    rowsOf<KnownRun & { runId: string }>(
      client,
      statements.findRuns,
      created.length > 0 && [created.map((run) => run.run_id)],
    ),
    rowsOf<{ key: number }>(
      client,
      statements.findDeleted,
      suspect && created.length > 0 && [created.map((run) => run.key)],
    ),
    rowsOf<{ digest: string; runId: string }>(
      client,
      statements.findReservations,
      reservations.length > 0 && [reservations],
    ),
    rowsOf<SessionRow>(client, statements.lockSessions, needsSessions && sessionValues),
    rowsOf<{ key: number; busy: boolean; awaited: boolean }>(client, statements.turns, needsSessions && sessionValues),
    rowsOf<{ key: number }>(client, statements.findReplaceable, replaced.length > 0 && [replaced]),
    rowsOf<{ key: number; lastIndex: number; attempt: number }>(
      client,
      statements.findSegments,
      ends.length > 0 && endsOf(ends),
    ),
  ]);

  const headOf = new Map(heads.map((head) => [head.key, toKnownHead(head)]));
  const runOf = new Map(known.map((run) => [run.runId, run]));
  const sessionOf = new Map(sessions.map((session) => [JSON.stringify([session.owner, session.sessionId]), session]));
  const sessionByKey = new Map(sessions.map((session) => [session.key, session]));
  const turnOf = new Map(turns.map((turn) => [turn.key, turn]));
  const ending = new Set(landed.map(({ key, lastIndex, attempt }) => `${key}/${lastIndex}/${attempt}`));
  const reservedIds = new Set(reserved.map(({ digest, runId }) => `${digest}/${runId}`));
  const deletedKeys = new Set(deleted.map(({ key }) => key));
  const replaceableKeys = new Set(replaceable.map(({ key }) => key));
  return {
    head: (key) => headOf.get(key),
    run: (runId) => runOf.get(runId),
    session: ({ owner, sessionId }) => {
      const session = sessionOf.get(JSON.stringify([owner, sessionId]));
      if (session === undefined) throw new Overtaken("another transaction made the session");
      return session;
    },
    sessionByKey: (key) => sessionByKey.get(key),
    isBusy: (key) => turnOf.get(key)?.busy ?? false,
    isAwaited: (key) => turnOf.get(key)?.awaited ?? false,
    isDeleted: (key) => deletedKeys.has(key),
    isReplaceable: (key) => replaceableKeys.has(key),
    isReserved: (digest, runId) => reservedIds.has(`${digest}/${runId}`),
    hasSegment: (key, lastIndex, attempt) => ending.has(`${key}/${lastIndex}/${attempt}`),
  };
}

function endsOf(writes: readonly RunWrite[]): readonly unknown[] {
  return [writes.map((write) => write.key), writes.map((write) => write.segment?.lastIndex ?? -1)];
}

async function rowsOf<R>(
  client: ClientBase,
  statement: Named,
  values: readonly unknown[] | false,
): Promise<readonly R[]> {
  if (values === false) return [];
  return (await client.query({ ...statement, values: [...values] })).rows as R[];
}

function apply(client: ClientBase, changes: FlushChanges): readonly Promise<unknown>[] {
  const sent: Promise<unknown>[] = [];
  const send = (statement: Named, rows: readonly unknown[]): void => {
    if (rows.length > 0) sent.push(client.query({ ...statement, values: [JSON.stringify(rows)] }));
  };
  const { runs, segments, messages, marks, members, heads, endings, sessions, promotions, progress } = changes;
  const { pushTargets, tellings, replacements, approvals, approvalEnds, answerDeadlines } = changes;
  send(
    statements.insertRuns,
    runs.filter((run) => run.parent_key === null),
  );
  send(
    statements.insertMembers,
    runs.filter((run) => run.parent_key !== null),
  );
  send(statements.insertHeads, runs.map(headOf));
  if (segments.length > 0) sent.push(client.query({ ...statements.insertSegments, values: segmentValues(segments) }));
  send(statements.insertMessages, messages.map(messageRow));
  send(
    statements.insertMarks,
    marks.map(({ runKey, name, createdAt, body }) => ({ run_key: runKey, name, created_at: createdAt, body })),
  );
  send(statements.insertPushTargets, pushTargets);
  send(
    statements.endMembers,
    members.map(({ key, rootKey, status, output }) => ({ key, root_key: rootKey, status, output })),
  );
  send(statements.changeHeads, heads);
  send(
    statements.endFamilies,
    endings.map(({ rootKey, status, at }) => ({ root_key: rootKey, status, at })),
  );
  send(
    statements.changeSessions,
    [...sessions.values()].map(({ key, nextSeq, state, title, usage, updatedAt }) => ({
      key,
      next_seq: nextSeq,
      state,
      title,
      usage,
      at: updatedAt,
    })),
  );
  if (promotions.size > 0) sent.push(client.query({ ...statements.promote, values: [[...promotions]] }));
  send(statements.insertApprovals, approvals);
  send(statements.putAnswerDeadlines, answerDeadlines);
  send(
    statements.endApprovals,
    approvalEnds.map(({ key, status, at }) => ({ run_key: key, status, at })),
  );
  send(
    statements.reopenFires,
    approvalEnds.map(({ key }) => ({ run_key: key })),
  );
  send(
    statements.replaceRuns,
    replacements.map(({ key, runId }) => ({ key, run_id: runId })),
  );
  if (tellings.length > 0) sent.push(client.query({ ...statements.markPushTargets, values: [tellings] }));
  if (progress.length > 0) sent.push(client.query({ ...statements.resetTakeovers, values: [progress] }));
  return sent;
}

function headOf(run: NewRun): unknown {
  const { key, root_key, session_key, session_seq, policy, status, attempt, owner, ready, user_id } = run;
  const { background, created_at } = run;
  return {
    ...{ key, root_key, session_key, session_seq, policy, status, attempt, owner, ready, user_id },
    ...{ background, created_at },
  };
}

/** Waits for all, and fails with the first failure in order: those behind it failed because of it. */
async function allInOrder<T extends readonly Promise<unknown>[]>(
  promises: readonly [...T],
): Promise<{ -readonly [K in keyof T]: Awaited<T[K]> }> {
  const settled = await Promise.allSettled(promises);
  for (const result of settled) if (result.status === "rejected") throw result.reason;
  return settled.map((result) => (result as PromiseFulfilledResult<unknown>).value) as never;
}
