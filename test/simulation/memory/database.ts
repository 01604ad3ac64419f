/** The tables of a store, in memory. A transaction is one synchronous call, so transactions are isolated as by the locks of a real database. */
import type { RunStatus, SessionPolicy } from "../../../src/model/run/run.ts";
import type {
  CountedUsage,
  IdempotencyReservation,
  Mark,
  MessageRow,
  Outcome,
  Segment,
  Write,
} from "../../../src/store/contract/store.ts";
import type { Facts, FlushChanges, NewRun } from "../../../src/store/flush/facts.ts";
import type { AnswerDeadlinesTable, ApprovalsTable } from "../../../src/store/rows/tables.ts";

/** Where a run stands (`run_heads`). */
export interface Head {
  readonly key: number;
  readonly rootKey: number;
  readonly sessionKey: number;
  /** Null for a member. */
  readonly sessionSeq: number | null;
  readonly policy: SessionPolicy;
  status: RunStatus;
  attempt: number;
  owner: string | null;
  cancelRequested: boolean;
  firstKept: number;
  stalledTakeovers: number;
  compacted: boolean;
  watched: boolean;
  steered: number;
}

/** A run's row before and after a claim. */
export interface ClaimedHead {
  readonly before: Head;
  readonly after: Head;
  /** Whether the owner before had a lease when the claim looked. */
  readonly hadLease: boolean;
}

/** A row of `runs`. */
export interface Run extends NewRun {
  replaced_by: string | null;
  output: string | null;
}

/** A row of `sessions`. */
export interface Session {
  readonly key: number;
  readonly owner: string;
  readonly sessionId: string;
  readonly kind: Run["kind"];
  readonly componentId: string;
  readonly userId: string | null;
  readonly createdAt: number;
  name: string | null;
  title: string | null;
  state: string;
  metadata: string | null;
  summary: string | null;
  usage: string | null;
  nextSeq: number;
  updatedAt: number;
}

/** A row of `segments`. */
export interface StoredSegment extends Segment {
  readonly attempt: number;
}

/** Checks the guarantees: called right after every transaction. */
export interface Watcher {
  flushed(flush: Flushed): void;
  claimed(runs: readonly ClaimedHead[]): void;
  released(key: number): void;
  cancelRequested(key: number): void;
  deleted(keys: readonly number[]): void;
  expired(key: number, firstKept: number): void;
  /** A process has read counters; `reader` is its runtime. */
  usageRead(reader: object, totals: readonly CountedUsage[]): void;
}

/** A transaction up to its commit, with the runs whose rows it has locked. */
export interface Transaction<T> {
  readonly keys: readonly number[];
  commit(): T;
}

/** A flush that was committed. */
export interface Flushed {
  readonly writes: readonly Write[];
  readonly outcomes: readonly Outcome[];
  readonly changes: FlushChanges;
  /** Segments that the flush inserted. */
  readonly inserted: readonly FlushChanges["segments"][number][];
}

/** A database that several stores may share. */
export class MemoryDatabase {
  readonly dialect: "sqlite" | "postgres";
  /** The database's clock. */
  readonly now: () => number;
  readonly heads: Map<number, Head> = new Map();
  readonly runs: Map<number, Run> = new Map();
  readonly idempotencyKeys: Map<string, IdempotencyReservation> = new Map();
  /** Keys of deleted root runs. */
  readonly deletedKeys: Set<number> = new Set();
  readonly keysById: Map<string, number> = new Map();
  readonly sessions: Map<number, Session> = new Map();
  readonly summaries: Map<
    number,
    { readonly seq: number | null; readonly by: string | null; readonly version: number }
  > = new Map();
  readonly sessionsByName: Map<string, Session> = new Map();
  readonly segments: Map<number, StoredSegment[]> = new Map();
  readonly messages: Map<number, MessageRow[]> = new Map();
  readonly marks: Map<number, Map<string, Mark>> = new Map();
  readonly approvals: Map<string, ApprovalsTable> = new Map();
  /** Shared counters by name. */
  readonly usage: Map<string, CountedUsage> = new Map();
  readonly answerDeadlines: Map<number, AnswerDeadlinesTable> = new Map();
  /** The time at which each process's lease expires. */
  readonly processes: Map<string, number> = new Map();
  watcher: Watcher | undefined;
  /** Planted bugs replace the facts of a decision with this function. */
  distort: ((facts: Facts, writes: readonly Write[]) => Facts) | undefined;
  /** Chooses one of the writes that are new to the database, which then rejects that write every time. */
  spoilNext: ((writes: readonly Write[]) => Write | undefined) | undefined;
  readonly #tried = new WeakSet<Write>();
  readonly #spoiled = new WeakSet<Write>();
  /** Transactions that hold their locks and have not committed yet, by run key. */
  readonly #held = new Map<number, Transaction<unknown>>();
  #lastSession = 0;
  #nextKey = 1;

  constructor(dialect: "sqlite" | "postgres", now: () => number) {
    this.dialect = dialect;
    this.now = now;
  }

  /** Reserves consecutive keys. @returns the first of them */
  reserveKeys(count: number): number {
    const first = this.#nextKey;
    this.#nextKey += count;
    return first;
  }

  /** Keeps a transaction's locks until it commits, by itself or because another transaction waits for the locks. */
  hold(transaction: Transaction<unknown>): void {
    for (const key of transaction.keys) this.#held.set(key, transaction);
  }

  isLocked(key: number): boolean {
    return this.#held.has(key);
  }

  /** Waits for the locks of runs by committing the transactions that hold them. */
  lock(keys: Iterable<number>): void {
    for (const key of keys) {
      const transaction = this.#held.get(key);
      if (transaction) this.finish(transaction);
    }
  }

  /** Commits a held transaction. */
  finish(transaction: Transaction<unknown>): void {
    let wasHeld = false;
    for (const key of transaction.keys) {
      if (this.#held.get(key) !== transaction) continue;
      this.#held.delete(key);
      wasHeld = true;
    }
    if (wasHeld) transaction.commit();
  }

  /** @throws an error of class 22 when one of the writes cannot be stored */
  checkData(writes: readonly Write[]): void {
    // An earlier attempt may have stored the other writes, so they cannot become invalid now.
    const guilty = this.spoilNext?.(writes.filter((write) => !this.#tried.has(write)));
    for (const write of writes) this.#tried.add(write);
    if (guilty) {
      this.#spoiled.add(guilty);
      this.spoilNext = undefined;
    }
    if (writes.some((write) => this.#spoiled.has(write))) throw Object.assign(new Error("planted"), { code: "22000" });
  }

  newSessionKey(): number {
    this.#lastSession += 1;
    return this.#lastSession;
  }

  /** Heads of the root runs of a session. */
  *rootsOf(sessionKey: number): Generator<Head> {
    for (const head of this.heads.values()) {
      if (head.sessionKey === sessionKey && head.sessionSeq !== null) yield head;
    }
  }

  /** Returns the index of a run's next event. */
  nextIndex(head: Head): number {
    const last = this.segments.get(head.key)?.at(-1);
    return last ? last.lastIndex + 1 : head.firstKept;
  }

  /** Whether a process has a valid lease. */
  isAlive(processId: string): boolean {
    return (this.processes.get(processId) ?? Number.NEGATIVE_INFINITY) >= this.now();
  }
}

/** Returns the unique key of a session: its owner and its id. */
export function sessionName(owner: string, sessionId: string): string {
  return JSON.stringify([owner, sessionId]);
}
