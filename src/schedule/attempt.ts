/** One attempt of a fire: starts its run and follows it to its end, or calls another endpoint. */
import type { AccessControl } from "../auth/access-control.ts";
import { TroupeError, toClientError } from "../errors.ts";
import { type Principal, system } from "../model/principal.ts";
import { pausedContent } from "../model/run/pause.ts";
import type { RunInput, RunOutput } from "../model/run/record.ts";
import { isOver } from "../model/run/run.ts";
import type { Runtime } from "../model/runtime.ts";
import type { FireDetail, FireStatus, Schedule } from "../model/schedule/schedule.ts";
import type { LocatedRun, RunName } from "../runs/find.ts";
import { beyondAnyEnd } from "../runs/follow.ts";
import type { Runs } from "../runs/runs.ts";
import type { ClaimedFire, ScheduleStore } from "../store/contract/schedules.ts";
import type { FoundRoute, InternalResponse, InternalRoutes } from "./internal-routes.ts";

/** Dependencies of an attempt. */
export interface AttemptParts {
  readonly schedules: ScheduleStore;
  readonly runs: Pick<Runs, "start" | "locate" | "load" | "cancel" | "follow">;
  readonly gate: Pick<AccessControl, "actingFor" | "check">;
  readonly routes: InternalRoutes;
  readonly runtime: Runtime;
}

/** The end of an attempt. `refused`: the schedule's grant no longer permits the call. */
export interface AttemptEnd {
  readonly status: Exclude<FireStatus, "waiting" | "running" | "skipped"> | "refused";
  readonly detail: FireDetail;
  readonly sessionId: string | null;
}

/** Maximum length of a stored error, in characters. */
const maxErrorLength = 2_000;

/** Pause in milliseconds between two starts if the platform cannot accept one. */
const busyPause = 2_000;

/** Time and signals that bound an attempt. */
interface Bounds {
  /** Milliseconds left for the attempt. */
  readonly timeout: number;
  /** Aborts when the process ends; another process then continues the attempt. */
  readonly stop: AbortSignal;
  /** Aborts when the fire is cancelled. */
  readonly cancel: AbortSignal;
}

/** Runs an attempt to its end. Returns undefined if the attempt is left to another process. */
export async function attempt(
  parts: AttemptParts,
  claimed: ClaimedFire,
  { timeout, stop, cancel }: Bounds,
): Promise<AttemptEnd | undefined> {
  const { routes, gate, runs, runtime } = parts;
  const { schedule, fire } = claimed;
  const { method, endpoint } = schedule;
  const deadline = runtime.clock.monotonic() + timeout;
  const left = (): Bounds => ({ timeout: deadline - runtime.clock.monotonic(), stop, cancel });
  // A run that has started continues, even if the schedule or its grant has changed since.
  const earlier = await runs.locate(system, fire.runId);
  if (earlier) return await finishRun(parts, claimed, earlier, left());
  // If the run no longer exists, a caller has deleted it, and it must not be started again.
  if (fire.sessionId !== null) return ended("cancelled", { error: "The run was deleted." });
  const route = routes.find(method, endpoint);
  if (!route) return ended("failed", { statusCode: 404, error: "The platform has no such path." });
  let caller: Principal;
  try {
    caller = await gate.actingFor(schedule.grant);
    gate.check(caller, route.demand, route.id);
  } catch (error) {
    if (!(error instanceof TroupeError && error.code === "forbidden")) throw error;
    return ended("refused", { statusCode: error.status, error: error.message });
  }
  if (cancel.aborted) return ended("cancelled", { error: "A later fire took its place." });
  const response = route.toStart
    ? await startRun(parts, claimed, caller, route.toStart, left())
    : await callRoute(parts, claimed, caller, left());
  if (response === undefined) {
    if (stop.aborted) return undefined;
    if (cancel.aborted) return ended("cancelled", { error: "A later fire took its place." });
    return ended("failed", { error: timeoutText(schedule) });
  }
  const isAccepted = response.status >= 200 && response.status <= 299;
  // A rejected start may have been accepted earlier, by a process that crashed or whose response was lost.
  const run = route.toStart && (isAccepted || response.status >= 429) && (await runs.locate(system, fire.runId));
  if (run) return await finishRun(parts, claimed, run, left());
  if (!isAccepted)
    return ended("failed", { statusCode: response.status, error: response.text.slice(0, maxErrorLength) });
  if (route.toStart) return ended("cancelled", { error: "The run was deleted." });
  return ended("success", { statusCode: response.status });
}

/** Follows the run of a fire to its end or to a pause. */
async function finishRun(
  parts: AttemptParts,
  claimed: ClaimedFire,
  run: LocatedRun,
  bounds: Bounds,
): Promise<AttemptEnd | undefined> {
  await parts.schedules.recordSession(claimed, run.sessionId);
  const end = isOver(run.status) ? "over" : await follow(parts, run, bounds);
  if (end === "left") return undefined;
  return await recordOf(parts, run, end === "late" ? timeoutText(claimed.schedule) : null);
}

/** Starts the run, and retries while the platform cannot accept it; undefined if `stop` or `cancel` aborts. */
async function startRun(
  { runs, runtime: { clock, log } }: AttemptParts,
  { schedule, fire }: ClaimedFire,
  caller: Principal,
  toStart: NonNullable<FoundRoute["toStart"]>,
  { timeout, stop, cancel }: Bounds,
): Promise<InternalResponse | undefined> {
  const deadline = clock.monotonic() + timeout;
  const over = AbortSignal.any([stop, cancel]);
  let isOverLimit = false;
  const start = async (): Promise<InternalResponse> => {
    try {
      await runs.start(caller, { ...toStart(schedule.payload), runId: fire.runId });
      return { status: 202, text: "" };
    } catch (error) {
      const { code, status, message } = toClientError(error);
      // A limit per day is reached until midnight: the fire does not wait for it.
      isOverLimit = code === "limitExceeded";
      if (code === "internal")
        log.error({ error, scheduleId: schedule.id, runId: fire.runId }, "A scheduled run could not be started.");
      return { status, text: message };
    }
  };
  for (;;) {
    // A cancel does not interrupt a start in progress, because the attempt must know whether the run exists.
    const response = await unlessAborted(start(), stop);
    if (isOverLimit || (response?.status !== 503 && response?.status !== 429)) return response;
    if (clock.monotonic() + busyPause > deadline) return response;
    await clock.sleep(busyPause, over);
    if (over.aborted) return undefined;
  }
}

/** Calls the endpoint and waits for the response; undefined if there is none in time. */
async function callRoute(
  { routes, runtime: { clock } }: AttemptParts,
  { schedule: { method, endpoint, payload }, fire }: ClaimedFire,
  caller: Principal,
  { timeout, stop, cancel }: Bounds,
): Promise<InternalResponse | undefined> {
  const late = new AbortController();
  const stopTimer = clock.after(Math.max(0, timeout), () => late.abort());
  const leave = AbortSignal.any([late.signal, stop, cancel]);
  try {
    const call = { caller, method, endpoint, payload, idempotencyKey: fire.id, signal: leave };
    return await unlessAborted(routes.call(call), leave);
  } finally {
    stopTimer();
  }
}

/** The value of a promise; undefined if the signal aborts first. */
async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | undefined> {
  const done = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener("abort", () => resolve(undefined), { once: true, signal: done.signal });
  });
  try {
    return await Promise.race([work, aborted]);
  } finally {
    done.abort();
  }
}

/** Waits for the end of a run. At the time-out, or when the fire is cancelled, it cancels the run and waits for its end. */
async function follow(
  { runs, runtime }: AttemptParts,
  run: LocatedRun,
  { timeout, stop, cancel }: Bounds,
): Promise<"over" | "late" | "left"> {
  const over = new AbortController();
  let isLate = false;
  const end = async (): Promise<void> => {
    try {
      await runs.cancel(system, run);
    } catch (error) {
      // The log reports that the run was deleted.
      if (error instanceof TroupeError && error.code === "notFound") return;
      runtime.log.warn({ error, runId: run.runId }, "A scheduled run could not be cancelled; trying again.");
      await runtime.clock.sleep(busyPause, over.signal);
      if (!over.signal.aborted) await end();
    }
  };
  const stopTimer = runtime.clock.after(Math.max(0, timeout), () => {
    isLate = true;
    void end();
  });
  const onCancel = (): void => void end();
  cancel.addEventListener("abort", onCancel);
  if (cancel.aborted) onCancel();
  try {
    while (!stop.aborted) {
      for await (const item of runs.follow(run, { cursor: beyondAnyEnd })(stop)) {
        if (item.kind === "end" || item.kind === "deleted" || item.kind === "unreadable")
          return isLate ? "late" : "over";
        if (item.kind === "interrupted" && item.reason === "shutdown") return "left";
      }
      // The database was unavailable. The process that holds the fire continues when it is available again.
      await runtime.clock.sleep(busyPause, stop);
    }
    return "left";
  } finally {
    stopTimer();
    cancel.removeEventListener("abort", onCancel);
    over.abort();
  }
}

/** Returns the record of a run. It is found by the id that the fire gave it, so this read needs no grant. */
async function recordOf({ runs }: AttemptParts, name: RunName, late: string | null): Promise<AttemptEnd> {
  const run = await unlessDeleted(runs.load(system, name));
  if (!run) return ended("cancelled", { error: "The run was deleted." });
  const output = run.output === null ? null : (JSON.parse(run.output) as RunOutput);
  const { message } = JSON.parse(run.input) as RunInput;
  const states = { COMPLETED: "success", PAUSED: "paused", CANCELLED: "cancelled" } as const;
  const state = run.status in states ? states[run.status as keyof typeof states] : "failed";
  const status = late !== null && state === "cancelled" ? "failed" : state;
  const failure = status === "failed" ? (late ?? output?.error?.message ?? "The run failed.") : null;
  const content = output ? (pausedContent(run.kind, run.status, output) ?? output.content) : undefined;
  return {
    status,
    sessionId: run.sessionId,
    detail: {
      statusCode: 200,
      input: { input_content: message },
      requirements: output?.pause?.requirements?.map((requirement) => ({ ...requirement })) ?? null,
      output: output && content !== undefined ? { content, content_type: output.contentType } : null,
      error: failure ?? (status === "cancelled" ? "The run was cancelled." : null),
    },
  };
}

async function unlessDeleted<Value>(found: Promise<Value>): Promise<Value | undefined> {
  try {
    return await found;
  } catch (error) {
    if (error instanceof TroupeError && error.code === "notFound") return undefined;
    throw error;
  }
}

function ended(status: AttemptEnd["status"], { statusCode = null, error = null }: Partial<FireDetail>): AttemptEnd {
  return { status, sessionId: null, detail: { statusCode, error, input: null, output: null } };
}

function timeoutText({ timeoutSeconds }: Schedule): string {
  return `Timed out after ${timeoutSeconds} seconds.`;
}
