/** Sessions of the runs that this process made, as the flushes that made them left them. Guesses: others may have changed them since. */
import type { Facts, FlushChanges } from "../flush.ts";

/** What the end of a run needs to know of its session. */
export interface RememberedSession {
  readonly key: number;
  readonly nextSeq: number;
  /** JSON text, as `KnownSession` has it. */
  readonly usage: string | null;
}

/** Runs whose sessions are remembered: as many as a process has at most under way, and some that it lost. */
const mostRuns = 20_000;

/** By the key of the run. */
export class RememberedSessions {
  readonly #ofRun = new Map<number, RememberedSession>();

  of(runKey: number): RememberedSession | undefined {
    return this.#ofRun.get(runKey);
  }

  /** After a commit: keeps the sessions of runs that begin, and forgets those of runs whose turn is over. */
  note({ runs, heads, sessions }: FlushChanges, facts: Facts): void {
    if (this.#ofRun.size > mostRuns) this.#ofRun.clear();
    for (const { key, parent_key, session_key, status, ready } of runs) {
      // Of one that waits for another run it is known that its session will be changed.
      if (parent_key !== null || ready !== 1 || !(status === "RUNNING" || status === "PENDING")) continue;
      const change = sessions.get(session_key);
      if (change === undefined) continue;
      const usage = change.usage ?? facts.sessionByKey(session_key)?.usage ?? null;
      this.#ofRun.set(key, { key: session_key, nextSeq: change.nextSeq, usage });
    }
    for (const { key } of heads) this.#ofRun.delete(key);
  }
}
