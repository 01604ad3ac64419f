/** Sessions of the runs that this process created, as of its last flush. Other processes may have changed them since. */
import { isTerminal } from "../../../model/run/run.ts";
import type { Facts, FlushChanges } from "../../flush/facts.ts";

/** The facts about its session that the end of a run needs. */
export interface RememberedSession {
  readonly key: number;
  readonly nextSeq: number;
  /** JSON text, as in `KnownSession`. */
  readonly usage: string | null;
}

interface Entry extends RememberedSession {
  nextSeq: number;
  usage: string | null;
  /** Number of remembered runs in it. */
  runs: number;
}

/** Max runs whose sessions are remembered: the most that a process runs concurrently, plus some that it lost. */
const maxRuns = 20_000;

/** Remembered sessions by run key. */
export class RememberedSessions {
  readonly #ofRun = new Map<number, Entry>();
  readonly #sessions = new Map<number, Entry>();

  of(runKey: number): RememberedSession | undefined {
    return this.#ofRun.get(runKey);
  }

  /** Called after a commit: remembers the sessions of runs that begin, and updates them until the turns of these runs end. */
  update({ runs, heads, sessions }: FlushChanges, facts: Facts): void {
    if (this.#ofRun.size > maxRuns) this.#forget();
    for (const { key, parent_key, session_key, status, ready } of runs) {
      // A run that waits for another one may be claimed by any process, and ends in a session that others have changed.
      if (parent_key !== null || ready !== 1 || status === "PAUSED" || isTerminal(status)) continue;
      const entry = this.#sessions.get(session_key) ?? { key: session_key, nextSeq: 0, usage: null, runs: 0 };
      entry.runs += 1;
      this.#sessions.set(session_key, entry);
      this.#ofRun.set(key, entry);
    }
    // Includes sessions of new runs, whose next number has changed.
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
