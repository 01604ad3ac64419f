/**
 * A store in memory: the interface of `src/store/contract/store.ts` on a `MemoryDatabase`, reached over a wire that may fail. Group commit with its
 * retries, key blocks and outages are the real code; the other reactions to failures repeat the design of the real stores.
 */
import { TroupeError } from "../../../src/errors.ts";
import type { Runtime } from "../../../src/model/runtime.ts";
import type { Store, Write } from "../../../src/store/contract/store.ts";
import { counterName } from "../../../src/store/contract/usage.ts";
import { classifyPostgresError, classifySqliteError } from "../../../src/store/database-errors.ts";
import { backoff } from "../../../src/store/flush/backoff.ts";
import { commitWrites } from "../../../src/store/flush/commit.ts";
import { Outages } from "../../../src/store/outages.ts";
import { KeyBlocks } from "../../../src/store/postgres/key-blocks.ts";
import { prepareClaim, type Taken, type Turn } from "./claim.ts";
import { copySession } from "./copies.ts";
import type { MemoryDatabase, Transaction } from "./database.ts";
import { flush } from "./flush.ts";
import * as logs from "./logs.ts";
import * as reads from "./reads.ts";

/** The connection from a process to the database. It does the work at some time and answers, or it fails with the work done or not. */
export interface Wire {
  /** Does the work as a whole when it arrives. */
  call<T>(name: string, work: () => T): Promise<T>;
  /** Does work whose commit may come later, even after the process has closed the connection. */
  transact<T>(name: string, prepare: () => Transaction<T>): Promise<T>;
}

/** A wire that never fails. */
export const directWire: Wire = {
  call: async (_, work) => work(),
  transact: async (_, prepare) => prepare().commit(),
};

const maxTries = 5;
/** Bytes of frames that one transaction of a compaction rewrites, as on the real engines. */
const batchBytes = 4 * 1024 * 1024;

/** A process's store. Its `availability` is this process's view. */
export function memoryStore(database: MemoryDatabase, wire: Wire, runtime: Runtime): Store {
  const replicas = database.dialect === "postgres";
  const classify = replicas ? classifyPostgresError : classifySqliteError;
  const closing = new AbortController();
  const outages = new Outages(runtime);
  const blocks = new KeyBlocks(() => read("reserve", () => database.reserveKeys(64)));
  const turn: Turn = { lastUser: "" };
  const doubtful = new Map<number, Taken>();

  async function read<T>(name: string, work: () => T): Promise<T> {
    closing.signal.throwIfAborted();
    try {
      return await wire.call(name, work);
    } catch (error) {
      throw classify(error) === "permanent" ? error : unavailable(error);
    }
  }

  const write = <T>(name: string, work: () => T): Promise<T> => retryWhileUnavailable(() => wire.call(name, work));

  async function retryWhileUnavailable<T>(send: () => Promise<T>): Promise<T> {
    for (let tries = 0; ; tries++) {
      closing.signal.throwIfAborted();
      try {
        const result = await send();
        outages.responded();
        return result;
      } catch (error) {
        const kind = classify(error);
        if (kind === "permanent") throw error;
        if (kind === "disconnected") outages.failed(error);
        if (kind === "disconnected" || tries >= maxTries) throw unavailable(error);
        await runtime.clock.sleep(backoff(tries, runtime), closing.signal);
      }
    }
  }

  const appendParts = {
    runtime,
    tryFlush: (writes: readonly Write[], suspect: boolean) =>
      wire.transact(flushName(writes), () => ({
        keys: writes.map(({ key }) => key),
        commit: () => flush(database, writes, suspect),
      })),
    classify,
    outages,
    closed: closing.signal,
  };

  return {
    capabilities: { dialect: database.dialect, replicas, label: `memory (${database.dialect})` },
    get availability() {
      return outages.availability;
    },
    nextRunKey: () => (replicas ? blocks.next() : database.reserveKeys(1)),
    append: (writes) => commitWrites(writes, appendParts),

    head: (key) => read("head", () => logs.readHead(database, key)),
    watch: (key) => write("watch", () => logs.watch(database, key)),
    segments: (key, cursor, maxBytes) => read("segments", () => logs.readSegments(database, key, cursor, maxBytes)),

    async claim(request) {
      if (request.slots <= 0) return [];
      const inDoubt = request.key === undefined && request.sessionKey === undefined ? [...doubtful.values()] : [];
      let taken: readonly Taken[] = [];
      try {
        const runs = await retryWhileUnavailable(() =>
          wire.transact("claim", () => {
            const prepared = prepareClaim(database, request, inDoubt, turn);
            taken = prepared.runs;
            return prepared;
          }),
        );
        for (const { key } of [...inDoubt, ...runs]) doubtful.delete(key);
        return runs;
      } catch (error) {
        for (const run of taken) doubtful.set(run.key, { key: run.key, attempt: run.attempt });
        throw error;
      }
    },
    countQueued: (max) => read("countQueued", () => reads.countQueued(database, max)),
    releaseIdempotencyKey: (reservation) =>
      write("release idempotency key", () => reads.releaseIdempotencyKey(database, reservation)),
    reserveIdempotencyKey: (reservation) =>
      write("reserve idempotency key", () => reads.reserveIdempotencyKey(database, reservation)),
    unhostedRuns: (...request) => read("unhostedRuns", () => reads.unhostedRuns(database, ...request)),
    release: (key, attempt) => write("release", () => logs.release(database, key, attempt)),
    continueRun: (key, attempt, marks, approvals) =>
      write("continue", () => logs.continueRun(database, key, attempt, marks, approvals)),
    steer: (key, message, at) => write("steer", () => logs.steer(database, key, message, at)),
    steeringMessages: (key, after) => read("steering", () => logs.steeringMessages(database, key, after)),
    approvalsOf: (key) => read("approvals", () => reads.approvalsOf(database, key)),
    untilOverdue: () => read("until overdue", () => logs.untilOverdue(database)),
    overduePauses: (max) => write("overdue", () => logs.overduePauses(database, max)),
    requestCancel: (key) => write("cancel", () => logs.requestCancel(database, key)),

    renewProcess: (id, lease) =>
      write("renew", () => {
        const known = database.processes.has(id);
        const inTime = !known || database.isAlive(id);
        database.processes.set(id, database.now() + Math.round(lease));
        const others = [...database.processes].filter(([other]) => other !== id && database.isAlive(other));
        const lapses = others.map(([, until]) => until - database.now());
        return { inTime, liveProcesses: others.length + 1, nextExpiry: lapses.length > 0 ? Math.min(...lapses) : null };
      }),
    endProcess: (id) => write("endProcess", () => void database.processes.delete(id)),
    cancelRequests: (owner) =>
      read("cancels", () => {
        const isMine = (of: string | null): boolean => of === owner || of === null || !database.isAlive(of);
        const asked = [...database.heads.values()].filter(
          (head) => head.cancelRequested && head.status === "RUNNING" && head.sessionSeq !== null && isMine(head.owner),
        );
        return asked.map(({ key }) => key).sort((a, b) => a - b);
      }),

    locateRun: (caller, runId) => read("locateRun", () => reads.findRun(database, caller, runId)),
    findRun: (caller, runId) => read("findRun", () => reads.findRun(database, caller, runId)),
    listRuns: (caller, query) => read("listRuns", () => reads.listRuns(database, caller, query)),
    memberRuns: (rootKeys) => read("memberRuns", () => reads.memberRuns(database, rootKeys)),
    messages: (runKeys, brief) => read("messages", () => reads.messages(database, runKeys, brief)),
    listedRuns: (rootKeys, scope) => read("listedRuns", () => reads.listedRuns(database, rootKeys, scope)),
    listedBytes: (rootKeys, scope) => read("listedBytes", () => reads.listedBytes(database, rootKeys, scope)),
    marks: (runKeys) => read("marks", () => reads.marks(database, runKeys)),
    sessionMark: (key, seq, name) => read("marks", () => reads.sessionMark(database, key, seq, name)),
    history: (session, component, runs, end) =>
      read("history", () => reads.history(database, session, component, runs, end)),
    sessionSummary: (key) => read("sessionSummary", () => reads.sessionSummary(database, key)),
    findSession: (caller, sessionId) => read("findSession", () => reads.findSession(database, caller, sessionId)),
    listSessions: (caller, query) => read("listSessions", () => reads.listSessions(database, caller, query)),
    createSession: (creation) => write("createSession", () => reads.createSession(database, creation)),
    updateSession: (key, changes, at) => write("updateSession", () => reads.updateSession(database, key, changes, at)),
    copySession: (copy) => write("copySession", () => copySession(database, copy)),
    sessionRuns: (query) => read("sessionRuns", () => reads.sessionRuns(database, query)),
    sessionRunKeys: (sessionKey, unfinished) =>
      read("sessionRuns", () => reads.sessionRunKeys(database, sessionKey, unfinished)),
    deleteRun: (key) => write("deleteRun", () => reads.removeRuns(database, [key])),
    async deleteSession(sessionKey, onDeleted = () => undefined) {
      if (await write("deleteSession", () => reads.isUnfinished(database, sessionKey))) return false;
      for (;;) {
        const step = await write("deleteSession", () => {
          const session = database.sessions.get(sessionKey);
          return session ? reads.removeSome(database, session) : "done";
        });
        if (step === "done" || step === "unfinished") return step === "done";
        onDeleted(step);
      }
    },

    uncompacted: (limit, after = -1) => read("uncompacted", () => logs.uncompacted(database, limit, after)),
    async compact(key, rowBytes) {
      if (!(await write("compact", () => logs.isDue(database, key)))) return;
      let cursor = -1;
      for (;;) {
        const from = cursor;
        const old = await read("segments", () => logs.readSegments(database, key, from, batchBytes));
        if (old.length === 0) break;
        if (!(await write("compact", () => logs.replaceRows(database, key, old, rowBytes)))) return;
        cursor = old.at(-1)?.lastIndex ?? cursor;
      }
      await write("compact", () => logs.markCompacted(database, key));
    },
    readUsage: (counters) =>
      read("readUsage", () => {
        const totals = counters.flatMap((counter) => database.usage.get(counterName(counter)) ?? []);
        database.watcher?.usageRead(runtime, totals);
        return totals;
      }),
    forgetUsage: (beforeDay) =>
      write("forgetUsage", () => {
        for (const [name, { period }] of database.usage) if (period < beforeDay) database.usage.delete(name);
      }),
    expireEvents: (key, firstKept) => write("expire", () => logs.expireEvents(database, key, firstKept)),

    queue: () => {
      throw new Error("The simulation serves no metrics.");
    },
    isMigrated: () => Promise.resolve(true),
    newestMigration: 0,
    migrate: () => Promise.resolve(),
    ping: () => read("ping", () => undefined),
    async close() {
      if (closing.signal.aborted) return;
      closing.abort(new TroupeError("unavailable", "The store is closed"));
    },
  };
}

function unavailable(cause: unknown): TroupeError {
  return new TroupeError("unavailable", "The database is not available", { retryAfter: 1, cause });
}

const toolStart = "ToolCallStarted\n";

/** Names a flush by the most important of its writes. */
function flushName(writes: readonly Write[]): string {
  if (writes.some((write) => write.kind === "run" && write.transition)) return "end";
  if (writes.some(({ kind }) => kind === "create")) return "create";
  if (writes.some((write) => write.kind === "run" && write.segment?.frames.includes(toolStart))) return "tool";
  return writes.some((write) => write.kind === "run" && (write.messages?.length ?? 0) > 0) ? "step" : "append";
}
