/** Claims in memory: they take the same runs as the statements of the real databases. */

import type { ClaimedRun, ClaimRequest } from "../../../src/store/contract/store.ts";
import { ConcurrentChange } from "../../../src/store/database-errors.ts";
import type { Head, MemoryDatabase, Transaction } from "./database.ts";

/** A run that a claim took. */
export interface Taken {
  readonly key: number;
  readonly attempt: number;
}

/** The user whose run a process claimed last. */
export interface Turn {
  lastUser: string;
}

/** A claim before its commit: the runs it takes, and the commit, which fails if another process changed one of them. */
export interface PreparedClaim extends Transaction<readonly ClaimedRun[]> {
  readonly runs: readonly ClaimedRun[];
}

/** Prepares one transaction of a claim. `doubtful` are runs of an earlier claim that got no answer. */
export function prepareClaim(
  database: MemoryDatabase,
  request: ClaimRequest,
  doubtful: readonly Taken[],
  turn: Turn,
): PreparedClaim {
  const { owner, key, sessionKey } = request;
  database.lock(doubtful.map((taken) => taken.key));
  const sure = [...new Set(doubtful.map((taken) => taken.key))].flatMap((taken) => {
    const head = database.heads.get(taken);
    if (!head || head.owner !== owner || head.status !== "RUNNING") return [];
    return doubtful.some((one) => one.key === head.key && one.attempt === head.attempt) ? [head] : [];
  });
  const roots = [...database.heads.values()].filter(
    (head) =>
      head.sessionSeq !== null &&
      (key === undefined || head.key === key) &&
      !database.isLocked(head.key) &&
      (sessionKey === undefined || key !== undefined || head.sessionKey === sessionKey) &&
      isForProcess(database, head, request),
  );
  roots.sort((a, b) => a.key - b.key);
  const slots = request.slots - sure.length;
  const isOrphan = (head: Head): boolean =>
    head.status === "RUNNING" && head.owner !== null && head.owner !== owner && !database.isAlive(head.owner);
  const orphans = orphansFor(request, roots.filter(isOrphan)).slice(0, Math.max(slots, 0));
  const left = Math.max(slots - orphans.length, 0);
  const waiting = roots.filter((head) => isWaiting(database, head, key !== undefined));
  const isNamed = key !== undefined || sessionKey !== undefined;
  const isQueued = ({ key, attempt }: Head): boolean =>
    !isNamed && attempt === 0 && database.runs.get(key)?.background === 1;
  const urgent = waiting.filter((head) => !isQueued(head));
  const begunFirst = [...urgent.filter(({ attempt }) => attempt > 0), ...urgent.filter(({ attempt }) => attempt === 0)];
  const begun = (isNamed ? urgent : begunFirst).slice(0, left);
  const slotsForFresh = Math.max(Math.min(left - begun.length, request.freshSlots ?? left), 0);
  const share = isNamed
    ? []
    : fairShare(database, request.background === false ? [] : waiting.filter(isQueued), slotsForFresh, turn);
  const unbegun = share.sort((a, b) => a.key - b.key);

  const taken = [...orphans, ...begun, ...unbegun].map((head) => {
    const stalled = head.stalledTakeovers + (head.status === "RUNNING" ? 1 : 0);
    const change = { status: "RUNNING", owner, attempt: head.attempt + 1, stalledTakeovers: stalled } as const;
    // The lease is checked when the claim reads: its commit may come much later, and the fence still protects the run.
    const hadLease = head.owner !== null && database.isAlive(head.owner);
    return { head, before: { ...head }, change, hadLease };
  });
  const claimed = [
    ...sure.map((head) => toClaimed(database, head)),
    ...taken.map(({ head, change }) => toClaimed(database, { ...head, ...change })),
  ];
  const runs = claimed.sort((a, b) => a.key - b.key);
  return {
    runs,
    keys: taken.map(({ head }) => head.key),
    commit() {
      for (const { head, before } of taken) {
        const { status, attempt, owner: had } = database.heads.get(head.key) ?? {};
        if (status !== before.status || attempt !== before.attempt || had !== before.owner)
          throw new ConcurrentChange("taken");
      }
      // The real databases lock the sessions' rows until the commit, so no other run of them starts in between.
      for (const head of [...begun, ...unbegun])
        if (!isWaiting(database, head, key !== undefined)) throw new ConcurrentChange("its turn is over");
      for (const { head, change } of taken) Object.assign(head, change);
      database.watcher?.claimed(taken.map(({ head, before, hadLease }) => ({ before, after: head, hadLease })));
      return runs;
    },
  };
}

function isForProcess(
  database: MemoryDatabase,
  head: Head,
  { key, components, background = true }: ClaimRequest,
): boolean {
  if (key !== undefined) return true;
  const run = database.runs.get(head.key);
  if (!background && run?.background === 1) return false;
  return components?.some(({ kind, id }) => kind === run?.kind && id === run.component_id) ?? true;
}

/** Returns the oldest waiting runs of each user, beginning with the user after the one served last. */
function fairShare(database: MemoryDatabase, fresh: readonly Head[], slots: number, turn: Turn): Head[] {
  const byUser = Map.groupBy(fresh, ({ key }) => database.runs.get(key)?.user_id ?? "");
  const sorted = [...byUser.keys()].sort();
  const users = [
    ...sorted.filter((user) => user > turn.lastUser),
    ...sorted.filter((user) => user <= turn.lastUser),
  ].slice(0, slots);
  if (users.length === 0) return [];
  const least = Math.floor(slots / users.length);
  const more = slots % users.length;
  turn.lastUser = users.at(more - 1) ?? turn.lastUser;
  return users.flatMap((user, place) => byUser.get(user)?.slice(0, place < more ? least + 1 : least) ?? []);
}

function isWaiting(database: MemoryDatabase, head: Head, byName: boolean): boolean {
  if (head.status === "PAUSED") return byName && head.cancelRequested;
  return head.status === "PENDING" && isTurn(database, head);
}

function isTurn(database: MemoryDatabase, head: Head): boolean {
  if (head.policy === "parallel" || head.cancelRequested) return true;
  for (const other of database.rootsOf(head.sessionKey)) {
    if (other.key === head.key) continue;
    if (other.status === "RUNNING") return false;
    if (other.status === "PENDING" && (other.sessionSeq ?? 0) < (head.sessionSeq ?? 0)) return false;
  }
  return true;
}

function toClaimed(database: MemoryDatabase, head: Head): ClaimedRun {
  const run = database.runs.get(head.key);
  const session = database.sessions.get(head.sessionKey);
  if (!run || !session) throw new Error(`run ${head.key} has a head and no row`);
  return {
    key: head.key,
    runId: run.run_id,
    kind: run.kind,
    componentId: run.component_id,
    sessionKey: head.sessionKey,
    sessionId: session.sessionId,
    sessionSeq: head.sessionSeq ?? 0,
    userId: run.user_id,
    input: run.input,
    options: run.options,
    definitionHash: run.definition_hash ?? "",
    attempt: head.attempt,
    stalledTakeovers: head.stalledTakeovers,
    nextIndex: database.nextIndex(head),
    steered: head.steered,
    cancelRequested: head.cancelRequested,
    background: run.background === 1,
    createdAt: run.created_at,
    sessionState: session.state,
  };
}

/** Returns those runs of dead processes that the claim may take. */
function orphansFor({ orphans }: ClaimRequest, left: readonly Head[]): readonly Head[] {
  if (orphans === true) return left;
  const { fresh, stalled } = orphans || { fresh: 0, stalled: 0 };
  const found = left.filter(({ stalledTakeovers }) => stalledTakeovers === 0).slice(0, fresh);
  return found.length > 0 ? found : left.filter(({ stalledTakeovers }) => stalledTakeovers > 0).slice(0, stalled);
}
