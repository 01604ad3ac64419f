/** Runs as a scheduler sees them: they survive every process, and each ends at its own time. */
import type { LogItem } from "../../../src/events/run-logs.ts";
import type { Clock } from "../../../src/model/runtime.ts";
import type { Random } from "../random.ts";
import type { Scheduler } from "../scheduler.ts";

export interface SimulatedRun {
  readonly runId: string;
  readonly key: number;
  readonly sessionId: string;
  readonly scheduleId: string;
  readonly startedAt: number;
  /** The end, or a pause, which ends the run for its schedule. */
  endedAt: number | null;
  /** Whether the run continued after a pause. */
  wentOn: boolean;
  status: "RUNNING" | "COMPLETED" | "ERROR" | "PAUSED" | "CANCELLED";
}

/** The database rows of pauses. */
export interface PauseRows {
  paused(run: SimulatedRun): void;
  continued(run: SimulatedRun): void;
}

export class SimulatedRuns {
  readonly all: Map<string, SimulatedRun> = new Map();
  /** Number of calls of the endpoint that starts no run, by idempotency key. */
  readonly calls: Map<string, number> = new Map();
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #rows: PauseRows;

  constructor(scheduler: Scheduler, random: Random, rows: PauseRows) {
    this.#rows = rows;
    this.#scheduler = scheduler;
    this.#random = random;
  }

  /** Starts a run, once for each id. */
  start(runId: string, scheduleId: string, longest: number): SimulatedRun {
    const known = this.all.get(runId);
    if (known) return known;
    const key = this.all.size + 1;
    const run: SimulatedRun = {
      ...{ runId, key, sessionId: `session ${key}`, scheduleId },
      ...{ startedAt: this.#scheduler.time, endedAt: null, wentOn: false, status: "RUNNING" },
    };
    this.all.set(runId, run);
    const ends = this.#random.fraction();
    const end = ends < 0.8 ? "COMPLETED" : ends < 0.95 ? "ERROR" : "PAUSED";
    this.#scheduler.after(this.#random.skewed(0, longest), undefined, () => {
      if (this.#end(run, end) && end === "PAUSED") this.#pause(run, longest);
    });
    return run;
  }

  /** Half of the pauses get an answer: then the run continues and ends. */
  #pause(run: SimulatedRun, longest: number): void {
    this.#rows.paused(run);
    if (this.#random.chance(0.5)) return;
    const end = this.#random.chance(0.7) ? "COMPLETED" : "ERROR";
    this.#scheduler.after(this.#random.skewed(0, longest), undefined, () => {
      this.#rows.continued(run);
      run.wentOn = true;
      run.status = "RUNNING";
      this.#scheduler.after(this.#random.skewed(0, longest), undefined, () => {
        if (run.status === "RUNNING") run.status = end;
      });
    });
  }

  cancel(key: number): void {
    const run = this.byKey(key);
    this.#scheduler.after(this.#random.between(0, 300), undefined, () => {
      if (run?.wentOn && run.status === "RUNNING") run.status = "CANCELLED";
      else if (run) this.#end(run, "CANCELLED");
    });
  }

  #end(run: SimulatedRun, status: SimulatedRun["status"]): boolean {
    if (run.endedAt !== null) return false;
    run.status = status;
    run.endedAt = this.#scheduler.time;
    return true;
  }

  byKey(key: number): SimulatedRun | undefined {
    return [...this.all.values()][key - 1];
  }

  /** Follows a run until its end, as a process does. */
  async *follow(key: number, clock: Clock, signal: AbortSignal, isAway: () => boolean): AsyncGenerator<LogItem> {
    while (!signal.aborted) {
      const status = this.byKey(key)?.status;
      if (status === undefined) return yield { kind: "deleted" };
      if (isAway()) return yield { kind: "interrupted", reason: "outage" };
      if (status !== "RUNNING") return yield { kind: "end", status };
      await clock.sleep(250, signal);
    }
  }
}
