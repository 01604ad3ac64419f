/** The tables of a store, in memory. Every transaction is one call: nothing comes in between, as the locks of a real database see to it. */
import type { RunStatus, SessionPolicy } from "../../../src/model/run.ts";
import type { Changes, Facts, NewRun } from "../../../src/store/flush.ts";
import type { Mark, MessageRow, Outcome, Segment, SegmentWrite, Write } from "../../../src/store/seam.ts";

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
}

/** A row of `runs`. */
export interface Run extends NewRun {
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

/** Told of every transaction right after it: what keeps watch over the guarantees. */
export interface Watcher {
  flushed(flush: Flushed): void;
  claimed(runs: readonly { readonly before: Head; readonly after: Head }[]): void;
  released(key: number): void;
  cancelRequested(key: number): void;
  deleted(keys: readonly number[]): void;
  expired(key: number, firstKept: number): void;
}

/** A flush that was committed. */
export interface Flushed {
  readonly writes: readonly Write[];
  readonly outcomes: readonly Outcome[];
  readonly changes: Changes;
  /** Segments that were not there before. */
  readonly inserted: ReadonlySet<SegmentWrite>;
}

/** A database that several stores may share. */
export class MemoryDatabase {
  readonly dialect: "sqlite" | "postgres";
  /** The database's clock. */
  readonly now: () => number;
  readonly heads: Map<number, Head> = new Map();
  readonly runs: Map<number, Run> = new Map();
  readonly keysById: Map<string, number> = new Map();
  readonly sessions: Map<number, Session> = new Map();
  readonly sessionsByName: Map<string, Session> = new Map();
  readonly segments: Map<number, StoredSegment[]> = new Map();
  readonly messages: Map<number, MessageRow[]> = new Map();
  readonly marks: Map<number, Map<string, Mark>> = new Map();
  /** Until when each process's lease lasts. */
  readonly processes: Map<string, number> = new Map();
  watcher: Watcher | undefined;
  /** For planted bugs: what decisions are told instead of the facts. */
  distort: ((facts: Facts) => Facts) | undefined;
  #lastSession = 0;
  #nextKey = 1;

  constructor(dialect: "sqlite" | "postgres", now: () => number) {
    this.dialect = dialect;
    this.now = now;
  }

  /** Keys that nothing else has. @returns the first of them */
  reserveKeys(count: number): number {
    const first = this.#nextKey;
    this.#nextKey += count;
    return first;
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

  /** Index that the next event of a run gets. */
  nextIndex(head: Head): number {
    const last = this.segments.get(head.key)?.at(-1);
    return last ? last.lastIndex + 1 : head.firstKept;
  }

  /** Whether a process has a lease that lasts. */
  isAlive(processId: string): boolean {
    return (this.processes.get(processId) ?? Number.NEGATIVE_INFINITY) >= this.now();
  }
}

/** The one name of a session within its owner's name space. */
export function sessionName(owner: string, sessionId: string): string {
  return JSON.stringify([owner, sessionId]);
}
