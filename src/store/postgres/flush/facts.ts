/** Reads the facts that a flush needs, under the locks that it writes under. */
import type { ClientBase } from "pg";
import type { RunWrite, Write } from "../../contract/store.ts";
import { ConcurrentChange } from "../../database-errors.ts";
import { type Encryption, sealText } from "../../encryption/encryption.ts";
import { locksSession } from "../../flush/decide.ts";
import type { Facts, KnownHead, KnownRun, KnownSession } from "../../flush/facts.ts";
import * as statements from "./facts-statements.ts";
import { allInOrder, type NamedStatement } from "./query.ts";
import { sessionName } from "./values.ts";

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

/** Sends all queries at once, and waits for their results. */
export async function readFacts(
  client: ClientBase,
  writes: readonly Write[],
  mayHaveCommitted: boolean,
  encryption?: Encryption,
): Promise<Facts> {
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
    state: sealText(encryption, "sessions.state", [key], run.sessionState),
    created_at: run.createdAt,
    reservation: run.reservation,
    max_waiting: run.maxWaiting,
  }));
  const reservations = creations.flatMap(({ run }) => run.reservation ?? []);
  const replaced = creations.flatMap(({ run }) => run.replaces ?? []);
  const sessionRuns = runs.filter(locksSession).map((write) => write.key);
  const needsSessions = created.length > 0 || sessionRuns.length > 0;
  const sessionValues = [JSON.stringify(created), sessionRuns];
  const ends = mayHaveCommitted ? runs.filter((write) => write.segment !== null) : [];

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
      mayHaveCommitted && created.length > 0 && [created.map((run) => run.key)],
    ),
    rowsOf<{ digest: string; runId: string }>(
      client,
      statements.findReservations,
      reservations.length > 0 && [reservations],
    ),
    rowsOf<SessionRow>(client, statements.lockSessions, needsSessions && sessionValues),
    rowsOf<{ key: number; busy: boolean; awaited: boolean; waiting: number }>(
      client,
      statements.turns,
      needsSessions && sessionValues,
    ),
    rowsOf<{ key: number }>(client, statements.findReplaceable, replaced.length > 0 && [replaced]),
    rowsOf<{ key: number; lastIndex: number; attempt: number }>(
      client,
      statements.findSegments,
      ends.length > 0 && endsOf(ends),
    ),
  ]);

  encryption?.openRows(known, true);
  encryption?.openRows(sessions, true);
  const headOf = new Map(heads.map((head) => [head.key, toKnownHead(head)]));
  const runOf = new Map(known.map((run) => [run.runId, run]));
  const sessionOf = new Map(sessions.map((session) => [sessionName(session), session]));
  const sessionByKey = new Map(sessions.map((session) => [session.key, session]));
  const turnOf = new Map(turns.map((turn) => [turn.key, turn]));
  const ending = new Set(landed.map(({ key, lastIndex, attempt }) => `${key}/${lastIndex}/${attempt}`));
  const reservedIds = new Set(reserved.map(({ digest, runId }) => `${digest}/${runId}`));
  const deletedKeys = new Set(deleted.map(({ key }) => key));
  const replaceableKeys = new Set(replaceable.map(({ key }) => key));
  return {
    head: (key) => headOf.get(key),
    run: (runId) => runOf.get(runId),
    session: (creation) => {
      const session = sessionOf.get(sessionName(creation));
      if (session === undefined) throw new ConcurrentChange("another transaction created the session");
      return session;
    },
    sessionByKey: (key) => sessionByKey.get(key),
    isBusy: (key) => turnOf.get(key)?.busy ?? false,
    hasPending: (key) => turnOf.get(key)?.awaited ?? false,
    countPending: (key) => turnOf.get(key)?.waiting ?? 0,
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
  statement: NamedStatement,
  values: readonly unknown[] | false,
): Promise<readonly R[]> {
  if (values === false) return [];
  return (await client.query({ ...statement, values: [...values] })).rows as R[];
}
