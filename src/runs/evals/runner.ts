/**
 * Executes evals: durable jobs. Each iteration is a run with an id of its own, and its result is stored once: a process that takes over the job of a
 * dead one continues with the iterations that are missing.
 */
import type { RequestParts } from "../../engine/model-call/background-request.ts";
import { modelOf } from "../../engine/model-call/models.ts";
import { type Attempt, JobRunner, type JobRunnerParts, whileClaimed } from "../../engine/process/job-runner.ts";
import { inLanes } from "../../model/abortable.ts";
import { type EvalIteration, type EvalRequest, type EvalStatus, evalJob } from "../../model/eval.ts";
import { ownSpace, system } from "../../model/principal.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import type { Settings } from "../../model/settings.ts";
import type { EvalStore, StoredEval } from "../../store/contract/evals.ts";
import type { ClaimedJob } from "../../store/contract/jobs.ts";
import type { BackgroundUsage } from "../../store/contract/usage-days.ts";
import { findModel, localComponents } from "../platform-models.ts";
import { type Judge, judgeAccuracy, judgeCriteria, judgeDecision } from "./judge.ts";
import {
  GrantWithdrawn,
  type MeasuredRunParts,
  measureRun,
  RunNotAccepted,
  runIdOf,
  shownFailure,
  startRetries,
} from "./measured-run.ts";
import { type EvalResult, resultOf, shortened } from "./results.ts";
import { openScorers, type ScorerParts, scoreAll } from "./scorers.ts";

/** Dependencies of the runner. */
export interface EvaluatorParts extends JobRunnerParts, MeasuredRunParts, ScorerParts {
  readonly evals: EvalStore;
  readonly settings: Pick<Settings, "pushSweepInterval">;
  /** Bytes of the heap that are in use. */
  readonly heapUsed: () => number;
}

/** Evals that a process executes concurrently. An eval waits for its runs, and they count to the limits of the process. */
const maxConcurrent = 8;

/** Iterations of one eval that execute concurrently. Those of a performance eval execute one after the other. */
const maxParallel = 4;

/** Milliseconds between two checks whether the eval was deleted, or another process has claimed it. */
const checkInterval = 2_000;

/** Milliseconds between two samples of the heap. */
const sampleInterval = 20;

interface JudgeRequest extends Pick<EvalRequest, "judge" | "caller" | "userId" | "userLimits"> {
  readonly component: { readonly kind: ComponentKind; readonly id: string };
}

/** The end of an eval; undefined for the result of its iterations. */
type Result = { readonly status: EvalStatus; readonly result: EvalResult } | undefined;

/** Opens the runner. */
export function openEvaluator(parts: EvaluatorParts): JobRunner<Result> {
  return new JobRunner<Result>(parts, {
    kind: evalJob,
    policy: { maxConcurrent, ...startRetries, sweepInterval: parts.settings.pushSweepInterval },
    execute: (job, signal) => execute(parts, job, signal),
    async record(job, end) {
      if (end.kind === "retry") return await parts.jobs.finish(job, { kind: "retry", delay: end.delay });
      const stored = await parts.evals.find(system, job.id);
      if (!stored) return await parts.jobs.finish(job, { kind: "done" });
      const { status, result } = end.result ?? (await endOf(parts.evals, stored, "FAILED", gaveUp));
      return await parts.evals.finish(job, stored.key, { status, result: JSON.stringify(result) });
    },
  });
}

const gaveUp = "The eval was given up: its runs could not start repeatedly. The server's log has the details.";

/** The end of an eval that does not complete: with the results that it has. */
async function endOf(
  evals: EvalStore,
  stored: StoredEval,
  status: EvalStatus,
  error: string,
): Promise<NonNullable<Result>> {
  return { status, result: { ...(await partialResult(evals, stored)), passed: false, error } };
}

async function partialResult(evals: EvalStore, { key, request }: StoredEval): Promise<EvalResult> {
  return resultOf(JSON.parse(request) as EvalRequest, await iterationsOf(evals, key));
}

function execute(parts: EvaluatorParts, job: ClaimedJob, stopped: AbortSignal): Promise<Attempt<Result> | undefined> {
  return whileClaimed(parts, job, { stopped, interval: checkInterval }, (signal) =>
    attempt(parts, job, { stopped, signal }),
  );
}

async function attempt(
  parts: EvaluatorParts,
  job: ClaimedJob,
  { stopped, signal }: { readonly stopped: AbortSignal; readonly signal: AbortSignal },
): Promise<Attempt<Result> | undefined> {
  const { evals, runtime } = parts;
  const live = new Set<string>();
  try {
    const stored = await evals.find(system, job.id);
    // It was deleted.
    if (!stored) return { outcome: "succeeds", result: undefined };
    const request = JSON.parse(stored.request) as EvalRequest;
    const isDone = await executeMissing(parts, { job, stored, request, live }, signal).catch(async (error: unknown) => {
      if (!(error instanceof GrantWithdrawn)) throw error;
      await cancelAll(parts, request, live);
      return await endOf(evals, stored, "CANCELLED", error.message);
    });
    if (typeof isDone === "object") return { outcome: "failsForGood", result: isDone };
    if (isDone)
      return { outcome: "succeeds", result: { status: "COMPLETED", result: await partialResult(evals, stored) } };
    if (!stopped.aborted && !(await evals.find(system, job.id))) await cancelAll(parts, request, live);
    return undefined;
  } catch (error) {
    if (stopped.aborted) return undefined;
    const shown = shownFailure(error);
    if (shown !== undefined) {
      const result = { data: {}, passed: false, error: shown };
      return { outcome: "failsForGood", result: { status: "FAILED", result } };
    }
    if (error instanceof RunNotAccepted)
      runtime.log.info({ eval: job.id, reason: error.message }, "A run of an eval cannot start now; trying again.");
    else runtime.log.warn({ error, eval: job.id }, "An attempt to execute an eval failed.");
    return { outcome: "fails", result: undefined };
  }
}

async function iterationsOf(evals: EvalStore, key: number): Promise<readonly EvalIteration[]> {
  return (await evals.iterations(key)).map((text) => JSON.parse(text) as EvalIteration);
}

/** An eval that this process executes. */
interface Execution {
  readonly job: ClaimedJob;
  readonly stored: Pick<StoredEval, "id" | "key" | "userId" | "component">;
  readonly request: EvalRequest;
  /** Ids of the runs in progress. */
  readonly live: Set<string>;
}

/** Cancels the runs of an eval that was deleted or cancelled. */
async function cancelAll(
  { runs, runtime }: EvaluatorParts,
  { component: { kind, id: componentId }, caller }: EvalRequest,
  live: ReadonlySet<string>,
): Promise<void> {
  for (const runId of live) {
    const cancelled = runs.cancel(caller, { kind, componentId, runId });
    await cancelled.catch((error: unknown) =>
      runtime.log.info({ error, runId }, "A run of an eval that ended could not be cancelled."),
    );
  }
}

/** Executes the iterations without a result. Returns false if the job is not this process's any more. */
async function executeMissing(parts: EvaluatorParts, execution: Execution, signal: AbortSignal): Promise<boolean> {
  const { job, stored, request } = execution;
  const done = new Set((await iterationsOf(parts.evals, stored.key)).map(({ number }) => number));
  const numbers = Array.from({ length: request.warmups + request.iterations }, (_, place) => place - request.warmups);
  const missing = numbers.filter((number) => !done.has(number)).values();
  const measure = measurementOf(parts, execution);
  let isHeld = true;
  const lane = async (both: AbortSignal): Promise<void> => {
    for (const number of missing) {
      if (both.aborted || !isHeld) return;
      const made = await measure(number, both);
      if (!made) {
        isHeld = false;
        return;
      }
      const { iteration, usage } = made;
      const isStored = await parts.evals.addIteration(job, stored.key, {
        number,
        body: JSON.stringify(iteration),
        usage,
      });
      if (!isStored) isHeld = false;
    }
  };
  await inLanes(request.type === "performance" ? 1 : maxParallel, lane, signal);
  return isHeld && !signal.aborted;
}

interface Measured {
  readonly iteration: EvalIteration;
  readonly usage: readonly BackgroundUsage[];
}

/** Returns a function that makes one iteration; it returns undefined if the signal aborts. */
function measurementOf(
  parts: EvaluatorParts,
  { job, stored, request, live }: Execution,
): (number: number, signal: AbortSignal) => Promise<Measured | undefined> {
  const { component, version, caller, grant, input: message } = request;
  const scorers = openScorers(parts, request.scorers ?? []);
  const judge = judgeOf(parts, request);
  return async (number, signal) => {
    const runId = runIdOf(evalJob, stored.id, number);
    const options = { metadata: { eval_id: stored.id, eval_iteration: number } };
    const heap = request.type === "performance" ? sampled(parts) : undefined;
    let run: Awaited<ReturnType<typeof measureRun>>;
    live.add(runId);
    try {
      run = await measureRun(
        parts,
        {
          ...{ caller, grant, job, runId, message, options, version },
          kind: component.kind,
          componentId: component.id,
        },
        signal,
      );
    } catch (error) {
      const shown = shownFailure(error);
      if (signal.aborted || shown === undefined) throw error;
      live.delete(runId);
      return { iteration: { number, runId, error: shown }, usage: [] };
    } finally {
      heap?.end();
    }
    if (!run) return undefined;
    live.delete(runId);
    const { calls, duration } = run;
    const known = { number, runId, sessionId: run.sessionId };
    // A run that waits for an answer has made its calls.
    if (request.type === "reliability" && (run.error === undefined || run.status === "PAUSED"))
      return { iteration: { ...known, calls }, usage: [] };
    if (run.error !== undefined) return { iteration: { ...known, error: run.error }, usage: [] };
    if (request.type === "performance")
      return { iteration: { ...known, duration: duration ?? 0, memory: heap?.growth() ?? 0 }, usage: [] };
    const output = shortened(run.output);
    const scored = { input: message, output: run.output, ...expectedOf(request) };
    const made =
      scorers.length > 0
        ? await scoreWith(scorers, judge, scored, signal)
        : await judged(parts, request, judge, scored, signal);
    return { iteration: { ...known, output, ...made.verdict }, usage: made.usage };
  };
}

function expectedOf({ type, expectedOutput }: EvalRequest) {
  return type !== "accuracy" || expectedOutput === undefined ? {} : { expected: expectedOutput };
}

type Verdict = Pick<EvalIteration, "score" | "passed" | "reason" | "scores" | "error">;

interface Verdicts {
  readonly verdict: Verdict;
  readonly usage: readonly BackgroundUsage[];
}

type Scored = Parameters<ReturnType<typeof openScorers>[number]["score"]>[0];

/** The score of an iteration is ten times the mean of its scores. */
async function scoreWith(
  scorers: ReturnType<typeof openScorers>,
  judge: Judge | undefined,
  scored: Scored,
  signal: AbortSignal,
): Promise<Verdicts> {
  const { scores, usage } = await scoreAll(scorers, scored, judge, signal);
  const given = scores.flatMap(({ score }) => (score === null ? [] : [score]));
  const mean = given.reduce((sum, score) => sum + score, 0) / given.length;
  // A case that one scorer cannot score has no score: a mean of the others would hide it.
  const score = given.length === scores.length ? mean * 10 : null;
  return { verdict: { score, scores }, usage };
}

async function judged(
  { memories: { requests } }: EvaluatorParts,
  request: EvalRequest,
  judge: Judge | undefined,
  given: Scored,
  signal: AbortSignal,
): Promise<Verdicts> {
  if (!judge) return { verdict: { error: noJudge }, usage: [] };
  try {
    return await ask(requests, judge, { request, given, signal });
  } catch (error) {
    const shown = shownFailure(error);
    if (signal.aborted || shown === undefined) throw error;
    return { verdict: { error: `The judge failed: ${shown}` }, usage: [] };
  }
}

async function ask(
  requests: RequestParts,
  judge: Judge,
  { request, given, signal }: { readonly request: EvalRequest; readonly given: Scored; readonly signal: AbortSignal },
): Promise<Verdicts> {
  const { type, scoring, threshold, criteria = "", guidelines, context } = request;
  const task = { given, guidelines, context, signal };
  if (type === "agent_as_judge" && scoring === "binary") {
    const { verdict, usage } = await judgeDecision(requests, judge, task, criteria);
    return { verdict: verdict ? { ...verdict, reason: shortened(verdict.reason) } : unclear, usage: [usage] };
  }
  const { verdict, usage } =
    type === "accuracy"
      ? await judgeAccuracy(requests, judge, task)
      : await judgeCriteria(requests, judge, task, criteria);
  if (!verdict) return { verdict: unclear, usage: [usage] };
  const { score, reason } = verdict;
  return { verdict: { score, passed: score >= threshold, reason: shortened(reason) }, usage: [usage] };
}

const unclear: Verdict = { error: "The judge's answers do not match their schema." };

/** The text for a judge that is needed and missing. */
export const noJudge = "The platform has no model that could judge: it has no agent or team of its own.";

/**
 * The model that judges, and the component that pays: the evaluated one, or the component of the model if another server executes the evaluated one. Undefined
 * on a platform without models.
 * @throws TroupeError `validation` for an unknown model
 */
export function judgeOf(
  parts: Pick<ScorerParts, "registry">,
  { component: { kind, id }, judge, caller, userId, userLimits }: JudgeRequest,
): Judge | undefined {
  const own = localComponents(parts).find((one) => one.kind === kind && one.id === id);
  const [first] = localComponents(parts);
  const named = judge && findModel(parts, judge);
  const component = own ?? named?.component ?? first;
  const payer = { owner: ownSpace(caller), userId, userLimits };
  return component && { ...payer, component, model: named ? named.model : modelOf(component) };
}

/** Samples the heap of this process. */
function sampled({ heapUsed, runtime: { clock } }: EvaluatorParts) {
  const first = heapUsed();
  let most = first;
  let stop = (): void => undefined;
  const sample = (): void => {
    most = Math.max(most, heapUsed());
    stop = clock.after(sampleInterval, sample);
  };
  stop = clock.after(sampleInterval, sample);
  return {
    end(): void {
      stop();
      most = Math.max(most, heapUsed());
    },
    /** MiB between the first sample and the largest one. */
    growth: (): number => (most - first) / (1024 * 1024),
  };
}
