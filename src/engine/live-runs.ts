/** The root runs that this process executes now. */
import type { RootRun } from "./root-run.ts";
import type { StopReason } from "./scope.ts";

/** Which attempt of which run. */
export interface LiveRun {
  readonly key: number;
  readonly attempt: number;
}

export class LiveRuns {
  readonly #runs = new Map<number, RootRun>();
  #waiting: (() => void)[] = [];

  get size(): number {
    return this.#runs.size;
  }

  /** The runs, each with its attempt. */
  get list(): readonly LiveRun[] {
    return [...this.#runs].map(([key, { writer }]) => ({ key, attempt: writer.attempt }));
  }

  add({ key }: LiveRun, run: RootRun): void {
    this.#runs.set(key, run);
  }

  remove(key: number): void {
    this.#runs.delete(key);
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

  stopAll(reason: StopReason): void {
    for (const run of this.#runs.values()) run.stop(reason);
  }

  /** Resolves when none is left. */
  async empty(): Promise<void> {
    if (this.#runs.size > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
