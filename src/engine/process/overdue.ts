/**
 * Answers overdue questions with their defaults. The deadlines are in the database, and any replica can act on them: the answers become durable
 * or the run is not continued.
 */

import { intervalFactor } from "../../model/interval-factor.ts";
import type { Pause, RunOutput } from "../../model/run/record.ts";
import type { OverduePause } from "../../store/contract/runs.ts";
import type { Mark } from "../../store/contract/store.ts";
import type { EngineParts } from "../parts.ts";
import { answeredMark } from "../pause/answered-questions.ts";
import { resolveOverdue } from "../pause/answers.ts";
import { DueLoop } from "./due-loop.ts";

/** Maximum number of pauses in one poll. */
const maxPauses = 100;

/** Minimum interval between two polls, in milliseconds. */
const minPollInterval = 20;

type OverdueParts = Pick<EngineParts, "store" | "runtime" | "settings" | "lease" | "signals">;

export class Overdue {
  readonly #parts: OverdueParts;
  readonly #claimContinued: () => Promise<void>;
  readonly #loop: DueLoop;
  /** The earliest deadline of the runs that paused here, by the monotonic clock. */
  #expected = Number.POSITIVE_INFINITY;
  #stopTimer: (() => void) | undefined;

  /** @param claimContinued claims the continued runs, as far as this process has capacity */
  constructor(parts: OverdueParts, claimContinued: () => Promise<void>) {
    this.#parts = parts;
    this.#claimContinued = claimContinued;
    this.#loop = new DueLoop({ clock: parts.runtime.clock, poll: () => this.#poll() });
  }

  start(): void {
    this.#loop.start();
  }

  /** Schedules a poll at `time` (wall clock) for a run that has paused here, in addition to the regular polls. */
  expect(time: number): void {
    const { clock } = this.#parts.runtime;
    const wait = Math.max(time - clock.now(), 0);
    if (!this.#loop.isRunning || clock.monotonic() + wait >= this.#expected) return;
    this.#stopTimer?.();
    this.#expected = clock.monotonic() + wait;
    this.#stopTimer = clock.after(wait, () => {
      this.#expected = Number.POSITIVE_INFINITY;
      this.#loop.wake();
    });
  }

  async stop(): Promise<void> {
    this.#stopTimer?.();
    await this.#loop.stop();
  }

  /** Returns the milliseconds until the next poll. */
  async #poll(): Promise<number> {
    const { store, settings, lease, runtime, signals } = this.#parts;
    const pause = settings.answerSweepInterval * intervalFactor(lease.living);
    try {
      let left = await store.untilOverdue();
      if (left === 0) {
        const due = await store.overduePauses(maxPauses);
        let continued = 0;
        for (const one of due) if (await this.#continueWithDefaults(one)) continued++;
        if (continued > 0) {
          void this.#claimContinued();
          signals.publish({ topic: "work" });
        }
        left = due.length === maxPauses ? 0 : await store.untilOverdue();
      }
      return Math.min(pause, Math.max(left ?? pause, minPollInterval));
    } catch (error) {
      if (this.#loop.isRunning) runtime.log.warn({ error }, "Overdue questions could not be read; trying again.");
      return pause;
    }
  }

  async #continueWithDefaults({ key, attempt, runId, output, dueAt }: OverduePause): Promise<boolean> {
    const { store, runtime } = this.#parts;
    const pause = this.#pauseOf(runId, output);
    // The database's clock decides whether a deadline has passed: it may be ahead of this process's clock.
    const now = Math.max(runtime.clock.now(), dueAt);
    const marks = pause ? marksOf({ key, attempt }, pause, now) : [];
    const continued = await store.continueRun(key, attempt, marks);
    if (continued)
      runtime.log.info({ runId }, "A run continues with default answers: its questions were not answered in time.");
    return continued;
  }

  /** The pause of a run. A run whose pause cannot be read continues without answers, so it asks again, and does not delay the others. */
  #pauseOf(runId: string, output: string | null): Pause | undefined {
    try {
      return (JSON.parse(output ?? "{}") as Partial<RunOutput>).pause;
    } catch {
      this.#parts.runtime.log.error({ runId }, "The pause of a run cannot be read; the run asks again.");
      return undefined;
    }
  }
}

function marksOf(run: Pick<OverduePause, "key" | "attempt">, pause: Pause, now: number): readonly Mark[] {
  const { marks, answered } = resolveOverdue(pause, now);
  return [...marks, answeredMark(run, pause, answered, now)];
}
