/** The root runs that this process executes now. */

import { Shares } from "../../model/shares.ts";
import { RunStopped, type StopReason } from "../loops/contract.ts";

/** Which attempt of which run. */
export interface LiveRun {
  readonly key: number;
  readonly attempt: number;
}

/** What makes one of them stop. */
export class RunStop {
  readonly attempt: number;
  /** Whose run it is; null for no user's. */
  readonly userId: string | null;
  readonly #controller = new AbortController();

  constructor(attempt: number, userId: string | null) {
    this.attempt = attempt;
    this.userId = userId;
  }

  /** Aborts with a `RunStopped` as its reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** The first reason counts. */
  stop(reason: StopReason): void {
    if (!this.signal.aborted) this.#controller.abort(new RunStopped(reason));
  }
}

export class LiveRuns {
  /** How many of them, and of the starts that may become runs here, each user has. */
  readonly users: Shares = new Shares();
  readonly #runs = new Map<number, RunStop>();
  #waiting: (() => void)[] = [];

  get size(): number {
    return this.#runs.size;
  }

  /** The runs, each with its attempt. */
  get list(): readonly LiveRun[] {
    return [...this.#runs].map(([key, { attempt }]) => ({ key, attempt }));
  }

  /** Whether this attempt or a later one is executed here: then what brings it, perhaps late, says nothing new. */
  has({ key, attempt }: LiveRun): boolean {
    return (this.#runs.get(key)?.attempt ?? 0) >= attempt;
  }

  /** Takes a run in: from now on it can be stopped, also before it is opened. */
  add({ key, attempt, userId = null }: LiveRun & { readonly userId?: string | null }): RunStop {
    const run = new RunStop(attempt, userId);
    this.users.add(userId, 1);
    // An earlier attempt of this process can only have lost the run.
    this.#runs.get(key)?.stop({ kind: "lost" });
    this.#runs.set(key, run);
    return run;
  }

  remove(key: number, run: RunStop): void {
    this.users.add(run.userId, -1);
    // An attempt that has lost its run does not take away the next one's place.
    if (this.#runs.get(key) === run) this.#runs.delete(key);
    if (this.#runs.size > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Makes a run stop; false when it is not executed here. */
  stop(key: number, reason: StopReason): boolean {
    const run = this.#runs.get(key);
    run?.stop(reason);
    return run !== undefined;
  }

  /** Makes an attempt stop that is not this process's any more; a later one of the same run goes on. */
  stopAttempt(key: number, attempt: number): void {
    const run = this.#runs.get(key);
    if (run?.attempt === attempt) run.stop({ kind: "lost" });
  }

  stopAll(reason: StopReason): void {
    for (const run of this.#runs.values()) run.stop(reason);
  }

  /** Resolves when none is left. */
  async empty(): Promise<void> {
    if (this.#runs.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
