/**
 * Executes experiments: durable jobs. Each row and side is a run with an id that derives from both, and its result is stored once: a process that
 * takes over the job of a dead one continues with the results that are missing.
 */
import { type Attempt, JobRunner, type JobRunnerParts, whileClaimed } from "../../engine/process/job-runner.ts";
import { TroupeError } from "../../errors.ts";
import { inLanes } from "../../model/abortable.ts";
import type { Settings } from "../../model/settings.ts";
import { experimentJob, type Side, sides } from "../../model/trial.ts";
import { toNanos } from "../../model/usage/cost.ts";
import type {
  ExperimentResult,
  ExperimentStore,
  PendingRow,
  StoredExperiment,
} from "../../store/contract/experiments.ts";
import type { ClaimedJob } from "../../store/contract/jobs.ts";
import type { BackgroundUsage } from "../../store/contract/usage-days.ts";
import {
  GrantWithdrawn,
  type MeasuredRunParts,
  measureRun,
  type RunMeasurement,
  RunNotAccepted,
  runIdOf,
  shownFailure,
  startRetries,
} from "../evals/measured-run.ts";
import { judgeOf } from "../evals/runner.ts";
import { openScorers, type ScorerParts, scoreAll } from "../evals/scorers.ts";
import { summaryOf } from "./summary.ts";

/** Dependencies of the runner. */
export interface ExperimenterParts extends JobRunnerParts, MeasuredRunParts, ScorerParts {
  readonly experiments: ExperimentStore;
  readonly settings: Pick<Settings, "pushSweepInterval">;
}

/** Experiments that a process executes concurrently. */
const maxConcurrent = 8;

/** Rows that one query reads, and max bytes of their texts. */
const rowsAtOnce = { limit: 50, maxBytes: 1024 * 1024 } as const;

/** Waits for a run that cannot start now: first and longest pause in milliseconds, and their number. About ten minutes. */
const startPauses = { first: 500, longest: 10_000, count: 64 } as const;

/** Milliseconds between two checks whether the experiment was cancelled, or another process has claimed it. */
const checkInterval = 1_000;

/** Why an experiment does not complete. Undefined: it completes, or its runs could not start. */
type Failure = { readonly status: "failed" | "cancelled"; readonly error: string } | undefined;

/** Opens the runner. */
export function openExperimenter(parts: ExperimenterParts): JobRunner<Failure> {
  const { experiments, jobs, settings } = parts;
  return new JobRunner<Failure>(parts, {
    kind: experimentJob,
    policy: { maxConcurrent, ...startRetries, sweepInterval: settings.pushSweepInterval },
    execute: (job, signal) => execute(parts, job, signal),
    async record(job, end) {
      if (end.kind === "retry") return await jobs.finish(job, { kind: "retry", delay: end.delay });
      const failure = end.kind === "failed" ? (end.result ?? gaveUp) : undefined;
      const summary = summaryOf(await experiments.scores(job.id), failure?.error);
      return await experiments.end(job, failure?.status ?? "completed", summary);
    },
  });
}

const gaveUp = {
  status: "failed",
  error: "The experiment was given up: its runs could not start repeatedly. The server's log has the details.",
} as const;

function execute(
  parts: ExperimenterParts,
  job: ClaimedJob,
  stopped: AbortSignal,
): Promise<Attempt<Failure> | undefined> {
  return whileClaimed(parts, job, { stopped, interval: checkInterval }, (signal) =>
    attempt(parts, job, { stopped, signal }),
  );
}

async function attempt(
  parts: ExperimenterParts,
  job: ClaimedJob,
  { stopped, signal }: { readonly stopped: AbortSignal; readonly signal: AbortSignal },
): Promise<Attempt<Failure> | undefined> {
  const { experiments, runtime } = parts;
  try {
    const experiment = await experiments.begin(job.id);
    // It was cancelled or deleted.
    if (!experiment) return { outcome: "succeeds", result: undefined };
    const trial = trialOf(parts, experiment, job);
    try {
      await executeMissing(parts, trial, signal);
    } catch (error) {
      if (error instanceof GrantWithdrawn) await trial.cancelRuns();
      throw error;
    } finally {
      // After a cancellation, a lane that starts a run can fail before the signal aborts.
      if (!stopped.aborted && !(await isRunning(parts, job.id))) await trial.cancelRuns();
    }
    return signal.aborted ? undefined : { outcome: "succeeds", result: undefined };
  } catch (error) {
    if (signal.aborted) return undefined;
    if (error instanceof GrantWithdrawn)
      return { outcome: "failsForGood", result: { status: "cancelled", error: error.message } };
    const shown = shownFailure(error);
    if (shown !== undefined) return { outcome: "failsForGood", result: { status: "failed", error: shown } };
    if (error instanceof RunNotAccepted)
      runtime.log.info(
        { experiment: job.id, reason: error.message },
        "A run of an experiment cannot start; trying again.",
      );
    else runtime.log.warn({ error, experiment: job.id }, "An attempt to execute an experiment failed.");
    return { outcome: "fails", result: undefined };
  }
}

/** Whether the experiment is running; true if the database does not answer. */
async function isRunning({ experiments }: ExperimenterParts, id: string): Promise<boolean> {
  return await experiments.isRunning(id).catch(() => true);
}

/** An experiment that this process executes. */
interface Trial {
  readonly experiment: StoredExperiment;
  /** Executes a row on a side. Returns undefined if the signal aborts. */
  measure(row: PendingRow, side: Side, signal: AbortSignal): Promise<Made | undefined>;
  /** Cancels the runs in progress. */
  cancelRuns(): Promise<void>;
}

interface Made {
  readonly result: ExperimentResult;
  readonly usage: readonly BackgroundUsage[];
}

function trialOf(parts: ExperimenterParts, experiment: StoredExperiment, job: ClaimedJob): Trial {
  const { runs, runtime } = parts;
  const { id, kind, componentId, definition } = experiment;
  const { caller, grant, versions, userLimits } = definition;
  const scorers = openScorers(parts, definition.scorers);
  const judge = judgeOf(parts, {
    ...{ component: { kind, id: componentId }, judge: undefined, caller, userId: caller.userId, userLimits },
  });
  const live = new Set<string>();

  async function scored(
    row: PendingRow,
    run: RunMeasurement,
    signal: AbortSignal,
  ): Promise<Pick<Made, "usage"> & Scores> {
    if (run.error !== undefined) return { scores: [], usage: [] };
    const given = { input: row.input, output: run.output, ...(row.expected !== null && { expected: row.expected }) };
    const { scores, usage } = await scoreAll(scorers, given, judge, signal);
    return {
      scores: scores.map(({ name, score, reason }) => ({ scorer: name, score, ...(reason !== null && { reason }) })),
      usage,
    };
  }

  return {
    experiment,

    async measure(row, side, signal) {
      const runId = runIdOf(experimentJob, id, row.id, side);
      const options = { metadata: { experiment_id: id, experiment_row: row.id, experiment_side: side } };
      live.add(runId);
      let run: RunMeasurement | undefined;
      try {
        const start = {
          kind,
          componentId,
          message: row.input,
          options,
          caller,
          grant,
          job,
          runId,
          version: versions[side],
        };
        run = await retryWhileNotAccepted(parts, () => measureRun(parts, start, signal), signal);
      } catch (error) {
        signal.throwIfAborted();
        const text = faultOfRow(error);
        if (text === undefined) throw error;
        run = { runId, status: "ERROR", error: text, output: "", ...nothing };
      }
      if (!run) return undefined;
      live.delete(runId);
      const { scores, usage } = await scored(row, run, signal);
      const { status, error = null, output, cost, duration } = run;
      return {
        usage,
        result: {
          ...{ side, runId, status, scores, output: error === null ? output : null, error },
          nanos: cost === undefined ? null : toNanos(cost),
          milliseconds: duration === undefined ? null : Math.round(duration * 1_000),
        },
      };
    },

    async cancelRuns() {
      for (const runId of live)
        await runs.cancel(caller, { kind, componentId, runId }).catch((error: unknown) => {
          runtime.log.info({ error, runId }, "A run of a cancelled experiment could not be cancelled.");
        });
    },
  };
}

type Scores = Pick<ExperimentResult, "scores">;

const nothing = { calls: [], duration: undefined, cost: undefined, inputTokens: 0, outputTokens: 0 } as const;

/** Errors of one row's input, as opposed to those of every row. */
const rowFaults: ReadonlySet<string> = new Set(["validation", "tooLarge", "badRequest"]);

/** The text of an error that only this row has. */
function faultOfRow(error: unknown): string | undefined {
  return error instanceof TroupeError && rowFaults.has(error.code) ? error.message : undefined;
}

/** Repeats a call while its run cannot start, for about ten minutes. @throws RunNotAccepted, and what the call throws */
async function retryWhileNotAccepted<Result>(
  { runtime: { clock } }: ExperimenterParts,
  call: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result> {
  for (let tries = 0; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof RunNotAccepted) || tries >= startPauses.count) throw error;
      await clock.sleep(Math.min(startPauses.first * 2 ** tries, startPauses.longest), signal);
      signal.throwIfAborted();
    }
  }
}

/** Executes the rows and sides without a result. Stops when the signal aborts. @throws the first error */
async function executeMissing(parts: ExperimenterParts, trial: Trial, signal: AbortSignal): Promise<void> {
  const { id, definition } = trial.experiment;
  const work = missingOf(parts, id);
  const lane = async (both: AbortSignal): Promise<void> => {
    for (;;) {
      const next = await work.next();
      if (next.done || both.aborted) return;
      const { row, side } = next.value;
      const made = await trial.measure(row, side, both);
      if (both.aborted) return;
      if (!made) throw new RunNotAccepted("The log of a run cannot be followed now.");
      await parts.experiments.put(id, row.id, made.result, made.usage);
    }
  };
  await inLanes(definition.parallel, lane, signal);
}

/** The rows and sides without a result, each once. */
async function* missingOf(
  { experiments }: ExperimenterParts,
  id: string,
): AsyncGenerator<{ row: PendingRow; side: Side }> {
  for (let after: number | undefined; ; ) {
    const { rows, next } = await experiments.pending(id, { ...rowsAtOnce, after });
    for (const row of rows) for (const side of sides) if (!row.finished.includes(side)) yield { row, side };
    if (next === undefined) return;
    after = next;
  }
}
