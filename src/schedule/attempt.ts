/** One attempt of a fire: calls the endpoint, and follows the run that it started to its end. */
import type { AccessControl } from "../auth/access-control.ts";
import type { Engine } from "../engine/contract.ts";
import { pausedContent } from "../engine/pause/waiting-calls.ts";
import { TroupeError } from "../errors.ts";
import type { RunLogs } from "../events/run-logs.ts";
import { type Principal, system } from "../model/principal.ts";
import type { RunInput, RunOutput } from "../model/record.ts";
import { isOver } from "../model/run.ts";
import type { Runtime } from "../model/runtime.ts";
import type { FireDetail, FireStatus, Schedule } from "../model/schedule/schedule.ts";
import type { ClaimedFire, ScheduleStore } from "../store/contract/schedules.ts";
import type { LocatedRun, Store } from "../store/contract/store.ts";
import type { FoundRoute, FrontDoor, InsideAnswer } from "./front-door.ts";

/** Dependencies of an attempt. */
export interface AttemptParts {
  readonly schedules: ScheduleStore;
  readonly store: Pick<Store, "locateRun" | "findRun">;
  readonly engine: Pick<Engine, "cancel">;
  readonly logs: RunLogs;
  readonly gate: Pick<AccessControl, "actingFor" | "check">;
  readonly door: FrontDoor;
  readonly runtime: Runtime;
}

/** The end of an attempt. `refused`: the schedule's grant no longer permits the call. */
export interface AttemptEnd {
  readonly status: Exclude<FireStatus, "waiting" | "running" | "skipped"> | "refused";
  readonly detail: FireDetail;
  readonly sessionId: string | null;
}

/** Maximum length of a stored error, in characters. */
const longestError = 2_000;

/** Pause in milliseconds between two calls if the platform cannot accept a start. */
const busyPause = 2_000;

/** A cursor beyond the end of any log, so that no events are read, only the end. */
const beyondAnyEnd = 2 ** 31 - 2;

/**
 * Runs an attempt to its end.
 *
 * @param timeout - milliseconds left for the attempt
 * @param stop - aborts when the process ends; another process then continues the attempt
 * @param cancel - aborts when the fire is cancelled
 * @returns undefined if the attempt is left to another process
 */
export async function attempt(
  parts: AttemptParts,
  claimed: ClaimedFire,
  { timeout, stop, cancel }: { readonly timeout: number; readonly stop: AbortSignal; readonly cancel: AbortSignal },
): Promise<AttemptEnd | undefined> {
  const { door, gate, store } = parts;
  const { schedule, fire } = claimed;
  const { runId, id: idempotencyKey } = fire;
  const { method, endpoint, payload } = schedule;
  const clock = parts.runtime.clock;
  const deadline = clock.monotonic() + timeout;
  const leftOf = (): number => deadline - clock.monotonic();
  // A run that has started continues, even if the schedule or its grant has changed since.
  const earlier = await store.locateRun(system, runId);
  if (earlier) return await carryRun(parts, claimed, earlier, { left: leftOf(), stop, cancel });
  // If the run no longer exists, a caller has deleted it, and it must not be started again.
  if (fire.sessionId !== null) return ended("cancelled", { error: "The run was deleted." });
  const route = door.find(method, endpoint);
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
  const call = { caller, method, endpoint, payload, idempotencyKey, runId: route.isStart ? runId : undefined };
  const over = AbortSignal.any([stop, cancel]);
  // A start is not abandoned midway: it must be known whether there is a run before it can be cancelled.
  const bound = () => (route.isStart ? { left: Number.POSITIVE_INFINITY, over: stop } : { left: leftOf(), over });
  const answer = await patiently(() => callOnce(door, call, bound(), parts), parts, route, deadline, over);
  if (answer === undefined) {
    if (stop.aborted) return undefined;
    if (cancel.aborted) return ended("cancelled", { error: "A later fire took its place." });
    return ended("failed", { error: timeoutText(schedule) });
  }
  const isTaken = answer.status >= 200 && answer.status <= 299;
  // A rejected start may have been accepted earlier, by a process that crashed or whose response was lost.
  const run = route.isStart && (isTaken || answer.status >= 429) && (await store.locateRun(system, runId));
  if (run) return await carryRun(parts, claimed, run, { left: leftOf(), stop, cancel });
  if (!isTaken) return ended("failed", { statusCode: answer.status, error: answer.text.slice(0, longestError) });
  if (route.isStart) return ended("cancelled", { error: "The run was deleted." });
  return ended("success", { statusCode: answer.status });
}

/** Follows the run of a fire to its end or to a pause. */
async function carryRun(
  parts: AttemptParts,
  claimed: ClaimedFire,
  run: LocatedRun,
  bound: Parameters<typeof follow>[2],
): Promise<AttemptEnd | undefined> {
  await parts.schedules.recordSession(claimed, run.sessionId);
  const end = isOver(run.status) ? "over" : await follow(parts, run, bound);
  if (end === "left") return undefined;
  return await recordOf(parts, run.runId, end === "late" ? timeoutText(claimed.schedule) : null);
}

/** Calls the endpoint and waits for the response until the time-out; undefined if the wait was aborted. */
async function callOnce(
  door: FrontDoor,
  call: Omit<Parameters<FrontDoor["call"]>[0], "signal">,
  { left, over }: { readonly left: number; readonly over: AbortSignal },
  { runtime }: AttemptParts,
): Promise<InsideAnswer | undefined> {
  const answered = new AbortController();
  const waited = new Promise<undefined>((resolve) => {
    const ends = AbortSignal.any([answered.signal, over]);
    if (left < Number.POSITIVE_INFINITY) void runtime.clock.sleep(left, ends).then(() => resolve(undefined));
    else if (over.aborted) resolve(undefined);
    else over.addEventListener("abort", () => resolve(undefined), { once: true, signal: answered.signal });
  });
  try {
    return await Promise.race([door.call({ ...call, signal: answered.signal }), waited]);
  } finally {
    answered.abort();
  }
}

/** Retries a start that the platform cannot accept at the moment, until the deadline. */
async function patiently(
  send: () => Promise<InsideAnswer | undefined>,
  { runtime: { clock } }: AttemptParts,
  { isStart }: FoundRoute,
  deadline: number,
  over: AbortSignal,
): Promise<InsideAnswer | undefined> {
  for (;;) {
    const answer = await send();
    if (!isStart || (answer?.status !== 503 && answer?.status !== 429)) return answer;
    if (clock.monotonic() + busyPause > deadline) return answer;
    await clock.sleep(busyPause, over);
    if (over.aborted) return undefined;
  }
}

/** Waits for the end of a run. At the time-out, or when the fire is cancelled, it cancels the run and waits for its end. */
async function follow(
  { logs, engine, runtime }: AttemptParts,
  run: { readonly key: number; readonly runId: string },
  { left, stop, cancel }: { readonly left: number; readonly stop: AbortSignal; readonly cancel: AbortSignal },
): Promise<"over" | "late" | "left"> {
  const over = new AbortController();
  let isLate = false;
  const end = async (): Promise<void> => {
    try {
      await engine.cancel(run);
    } catch (error) {
      runtime.log.warn({ error, runId: run.runId }, "A scheduled run could not be cancelled; trying again.");
      await runtime.clock.sleep(busyPause, over.signal);
      if (!over.signal.aborted) await end();
    }
  };
  const stopTimer = runtime.clock.after(Math.max(0, left), () => {
    isLate = true;
    void end();
  });
  const onCancel = (): void => void end();
  cancel.addEventListener("abort", onCancel);
  if (cancel.aborted) onCancel();
  try {
    while (!stop.aborted) {
      for await (const item of logs.follow(run.key, { cursor: beyondAnyEnd, signal: stop })) {
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
async function recordOf({ store }: AttemptParts, runId: string, late: string | null): Promise<AttemptEnd> {
  const run = await store.findRun(system, runId);
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

function ended(status: AttemptEnd["status"], { statusCode = null, error = null }: Partial<FireDetail>): AttemptEnd {
  return { status, sessionId: null, detail: { statusCode, error, input: null, output: null } };
}

function timeoutText({ timeoutSeconds }: Schedule): string {
  return `Timed out after ${timeoutSeconds} seconds.`;
}
