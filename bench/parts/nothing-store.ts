/** A store that does nothing: it returns what the engine needs, keeps the runs' rows in a map, and stores no events. */

import type { Signal, Signals } from "../../src/store/contract/signals.ts";
import type { Outcome, RunCreation, RunRow, Store, Write } from "../../src/store/contract/store.ts";
import type { OpenedStore } from "../../src/store/open.ts";

type Row = { -readonly [Name in keyof RunRow]: RunRow[Name] } & { nextIndex: number };

const asked = (): never => {
  throw new Error("The bench's empty store was asked for something that its questions do not need.");
};

class Nothing {
  readonly #rows = new Map<string, Row>();
  readonly #byKey = new Map<number, Row>();
  #nextKey = 0;

  readonly store: Store = {
    capabilities: { dialect: "sqlite", replicas: false, label: "nothing" },
    availability: { available: true, since: 0 },
    nextRunKey: () => ++this.#nextKey,
    append: (writes) => Promise.resolve(writes.map((write) => this.#take(write))),
    head: (key) => Promise.resolve(this.#head(key)),
    locateRun: (_, runId) => Promise.resolve(this.#rows.get(runId)),
    findRun: (_, runId) => Promise.resolve(this.#rows.get(runId)),
    memberRuns: () => Promise.resolve([]),
    messages: () => Promise.resolve([]),
    history: () => Promise.resolve([]),
    sessionMark: asked,
    sessionSummary: asked,
    claim: () => Promise.resolve([]),
    countQueued: () => Promise.resolve(new Map()),
    queue: () => Promise.resolve({ length: 0, oldestWait: 0 }),
    isMigrated: () => Promise.resolve(true),
    newestMigration: 0,
    migrate: asked,
    unhostedRuns: () => Promise.resolve([]),
    cancelRequests: () => Promise.resolve([]),
    renewProcess: () => Promise.resolve({ inTime: true, liveProcesses: 1, nextExpiry: null }),
    watch: () => Promise.resolve(),
    endProcess: () => Promise.resolve(),
    untilOverdue: () => Promise.resolve(null),
    overduePauses: () => Promise.resolve([]),
    uncompacted: () => Promise.resolve([]),
    ping: () => Promise.resolve(),
    close: () => Promise.resolve(),
    reserveIdempotencyKey: asked,
    releaseIdempotencyKey: asked,
    readUsage: () => Promise.resolve([]),
    forgetUsage: () => Promise.resolve(),
    segments: asked,
    release: asked,
    marks: asked,
    continueRun: asked,
    steer: asked,
    steeringMessages: () => Promise.resolve([]),
    approvalsOf: asked,
    requestCancel: asked,
    listRuns: asked,
    listedBytes: asked,
    listedRuns: asked,
    findSession: asked,
    listSessions: asked,
    createSession: asked,
    updateSession: asked,
    copySession: asked,
    sessionRuns: asked,
    sessionRunKeys: asked,
    deleteRun: asked,
    deleteSession: asked,
    compact: () => Promise.resolve(undefined),
    expireEvents: asked,
  };

  #take(write: Write): Outcome {
    if (write.kind === "create") return this.#create(write.key, write.run);
    const row = this.#byKey.get(write.key);
    if (row && write.segment) row.nextIndex = write.segment.lastIndex + 1;
    if (row && write.transition) {
      row.status = write.transition.to;
      row.output = write.transition.output;
    }
    return { kind: "committed", waiting: false, watched: false };
  }

  #create(key: number, run: RunCreation): Outcome {
    const row: Row = {
      ...run,
      key,
      rootKey: key,
      parentKey: null,
      parentRunId: null,
      sessionKey: key,
      sessionSeq: 0,
      output: null,
      status: "RUNNING",
      replacedBy: null,
      toolCallId: null,
      nextIndex: 0,
    };
    this.#rows.set(run.runId, row);
    this.#byKey.set(key, row);
    return { kind: "created", status: "RUNNING", sessionKey: key, sessionSeq: 0, sessionState: run.sessionState };
  }

  #head(key: number): Awaited<ReturnType<Store["head"]>> {
    const row = this.#byKey.get(key);
    return row && { status: row.status, nextIndex: row.nextIndex, firstKept: 0, attempt: 1, cancelRequested: false };
  }
}

/** Calls listeners at once, as signals within a process do. */
function signals(): Signals {
  const listeners = new Set<(signal: Signal) => void>();
  const publish = (signal: Signal): void => listeners.forEach((listener) => void listener(signal));
  return {
    publish,
    publishHere: publish,
    listen: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    close: () => Promise.resolve(),
  };
}

export function nothingStore(): OpenedStore {
  const none = (): never => {
    throw new Error("it keeps no service accounts");
  };
  const accounts = { create: none, findByTokenHash: none, findActive: none, list: none, revoke: none, touch: none };
  const schedules = {
    ...{ now: async () => Date.now(), define: async () => undefined, plan: async () => 0, claim: async () => [] },
    ...{ untilDue: async () => null, release: async () => undefined },
    ...{ cancelRequests: async () => [], heldFires: async () => [] },
  } as unknown as OpenedStore["schedules"];
  const access = { accounts, adoptSessions: async () => 0 };
  const nobody = { claim: async () => [], untilDue: async () => null, release: async () => undefined };
  const pushes = nobody as unknown as OpenedStore["pushes"];
  const tasks = new Proxy({} as OpenedStore["tasks"], { get: () => none });
  const approvals = new Proxy({} as OpenedStore["approvals"], { get: () => none });
  const rates = { take: none };
  const traces = new Proxy({} as OpenedStore["traces"], { get: () => none });
  const nothingOld = async () => ({ items: 0, events: 0, bytes: 0, next: undefined });
  const retention = {
    ...{ remove: nothingOld, preview: nothingOld, boundary: async () => undefined },
    ...{
      now: async () => Date.now(),
      removeExpired: async () => 0,
      removeVersions: async () => 0,
      returnSpace: async () => false,
    },
  };
  const userData = new Proxy({} as OpenedStore["userData"], { get: () => none });
  const overview = new Proxy({} as OpenedStore["overview"], { get: () => none });
  const jobs = new Proxy({} as OpenedStore["jobs"], { get: () => none });
  const webhooks = new Proxy({} as OpenedStore["webhooks"], { get: () => none });
  const connections = new Proxy({} as OpenedStore["connections"], { get: () => none });
  const responses = new Proxy({} as OpenedStore["responses"], { get: () => none });
  const memories = new Proxy({} as OpenedStore["memories"], { get: () => none });
  const knowledge = new Proxy({} as OpenedStore["knowledge"], { get: () => none });
  const components = new Proxy({} as OpenedStore["components"], { get: () => none });
  const learnings = new Proxy({} as OpenedStore["learnings"], { get: () => none });
  const trials = new Proxy({} as OpenedStore["trials"], { get: () => none });
  const evals = new Proxy({} as OpenedStore["evals"], { get: () => none });
  const usageDays = {
    ...{ countQueued: () => Promise.resolve([]), queueEarlier: () => Promise.resolve(false) },
    listDays: none,
  };
  const stores = {
    schedules,
    pushes,
    tasks,
    approvals,
    rates,
    traces,
    retention,
    usageDays,
    userData,
    overview,
    jobs,
    webhooks,
    connections,
    memories,
    knowledge,
    responses,
    learnings,
    components,
    trials,
    evals,
  };
  return { store: new Nothing().store, signals: signals(), access, ...stores };
}
