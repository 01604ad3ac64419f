/** Sessions of the runs that this process made, as its last flush left them. Guesses: other processes may have changed them since. */
import { isTerminal } from "../../../model/run.ts";
import type { Facts, FlushChanges } from "../../flush/flush.ts";

/** What the end of a run needs to know of its session. */
export interface RememberedSession {
  readonly key: number;
  readonly nextSeq: number;
  /** JSON text, as `KnownSession` has it. */
  readonly usage: string | null;
}

interface Entry extends RememberedSession {
  nextSeq: number;
  usage: string | null;
  /** How many of the remembered runs are in it. */
  runs: number;
}

/** Runs whose sessions are remembered: as many as a process has at most under way, and some that it lost. */
const mostRuns = 20_000;

/** By the key of the run. */
export class RememberedSessions {
  readonly #ofRun = new Map<number, Entry>();
  readonly #sessions = new Map<number, Entry>();

  of(runKey: number): RememberedSession | undefined {
    return this.#ofRun.get(runKey);
  }

  /** After a commit: sessions of runs that begin are kept, with what changes of them, until the turns of these runs are over. */
  note({ runs, heads, sessions }: FlushChanges, facts: Facts): void {
    if (this.#ofRun.size > mostRuns) this.#forget();
    for (const { key, parent_key, session_key, status, ready } of runs) {
      // One that waits for another run may be taken up by any process, and ends in a session that others have changed.
      if (parent_key !== null || ready !== 1 || status === "PAUSED" || isTerminal(status)) continue;
      const entry = this.#sessions.get(session_key) ?? { key: session_key, nextSeq: 0, usage: null, runs: 0 };
      entry.runs += 1;
      this.#sessions.set(session_key, entry);
      this.#ofRun.set(key, entry);
    }
    // Sessions of new runs are among them: each has another number to give.
    for (const { key, nextSeq, usage } of sessions.values()) {
      const entry = this.#sessions.get(key);
      if (entry !== undefined)
        Object.assign(entry, { nextSeq, usage: usage ?? facts.sessionByKey(key)?.usage ?? null });
    }
    for (const { key } of heads) this.#release(key);
  }

  #release(runKey: number): void {
    const entry = this.#ofRun.get(runKey);
    if (entry === undefined) return;
    this.#ofRun.delete(runKey);
    entry.runs -= 1;
    if (entry.runs === 0) this.#sessions.delete(entry.key);
  }

  #forget(): void {
    this.#ofRun.clear();
    this.#sessions.clear();
  }
}
