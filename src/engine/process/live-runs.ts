/** The root runs that this process executes now. */

import { Shares } from "../../model/shares.ts";
import { RunStopped, type StopReason } from "../loops/contract.ts";

/** A run and its attempt. */
export interface LiveRun {
  readonly key: number;
  readonly attempt: number;
}

/** Stops one of the runs. */
export class RunStop {
  readonly attempt: number;
  /** The run's user; null for a run without a user. */
  readonly userId: string | null;
  readonly #controller = new AbortController();
  #listener: (() => void) | undefined;
  #hasMessage = false;

  constructor(attempt: number, userId: string | null) {
    this.attempt = attempt;
    this.userId = userId;
  }

  /** Aborts with a `RunStopped` as its reason. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Sets the listener of messages that callers put into the run. A message that came before is reported at once. */
  onMessage(listener: () => void): void {
    this.#listener = listener;
    if (this.#hasMessage) listener();
  }

  /** Reports that a caller may have put a message into the run. */
  notify(): void {
    this.#hasMessage = true;
    this.#listener?.();
  }

  /** Later calls do not change the reason. */
  stop(reason: StopReason): void {
    if (!this.signal.aborted) this.#controller.abort(new RunStopped(reason));
  }
}

export class LiveRuns {
  /** Number of live runs, and of starts that may become runs here, for each user. */
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

  /** Whether this process executes this attempt or a later one; a late claim of it is then ignored. */
  has({ key, attempt }: LiveRun): boolean {
    return (this.#runs.get(key)?.attempt ?? 0) >= attempt;
  }

  /** Adds a run; from now on it can be stopped, even before it is opened. */
  add({ key, attempt, userId = null }: LiveRun & { readonly userId?: string | null }): RunStop {
    const run = new RunStop(attempt, userId);
    this.users.add(userId, 1);
    // An earlier attempt that is still listed has lost the run to this one.
    this.#runs.get(key)?.stop({ kind: "lost" });
    this.#runs.set(key, run);
    return run;
  }

  remove(key: number, run: RunStop): void {
    this.users.add(run.userId, -1);
    // An attempt that has lost its run must not remove the next attempt's entry.
    if (this.#runs.get(key) === run) this.#runs.delete(key);
    if (this.#runs.size > 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resolve of waiting) resolve();
  }

  /** Stops a run; false when it is not executed here. */
  stop(key: number, reason: StopReason): boolean {
    const run = this.#runs.get(key);
    run?.stop(reason);
    return run !== undefined;
  }

  /** Reports that a caller may have put a message into a run; false when it is not executed here. */
  notify(key: number): boolean {
    const run = this.#runs.get(key);
    run?.notify();
    return run !== undefined;
  }

  notifyAll(): void {
    for (const run of this.#runs.values()) run.notify();
  }

  /** Stops an attempt that this process no longer owns; a later attempt of the same run continues. */
  stopAttempt(key: number, attempt: number): void {
    const run = this.#runs.get(key);
    if (run?.attempt === attempt) run.stop({ kind: "lost" });
  }

  stopAll(reason: StopReason): void {
    for (const run of this.#runs.values()) run.stop(reason);
  }

  /** Resolves when no run is left. */
  async empty(): Promise<void> {
    if (this.#runs.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
