/** One attempt at a fire: the endpoint is called, and the run that it started followed to its end. */
import type { Access } from "../auth/access.ts";
import type { Engine } from "../engine/contract.ts";
import { pausedContent } from "../engine/pause/waiting-calls.ts";
import { TroupeError } from "../errors.ts";
import type { RunLogs } from "../events/followed.ts";
import { anonymous, type Principal } from "../model/principal.ts";
import type { RunInput, RunOutput } from "../model/record.ts";
import { isOver } from "../model/run.ts";
import type { Runtime } from "../model/runtime.ts";
import type { FireDetail, FireStatus, Schedule } from "../model/schedule/schedule.ts";
import type { ClaimedFire, ScheduleStore } from "../store/contract/schedules.ts";
import type { LocatedRun, Store } from "../store/contract/store.ts";
import type { FoundRoute, FrontDoor, InsideAnswer } from "./front-door.ts";

/** What an attempt takes of the platform. */
export interface AttemptParts {
  readonly schedules: ScheduleStore;
  readonly store: Pick<Store, "locateRun" | "findRun">;
  readonly engine: Pick<Engine, "cancel">;
  readonly logs: RunLogs;
  readonly gate: Pick<Access, "actingFor" | "check">;
  readonly door: FrontDoor;
  readonly runtime: Runtime;
}

/** How an attempt ended. `refused` means that the schedule may not do it any more. */
export interface AttemptEnd {
  readonly status: Exclude<FireStatus, "waiting" | "running" | "skipped"> | "refused";
  readonly detail: FireDetail;
  readonly sessionId: string | null;
}

/** Longest error that is kept. */
const longestError = 2_000;

/** Milliseconds between two tries where the platform could not take a start. */
const busyPause = 2_000;

/** A cursor that no log reaches: events are not read, only the end. */
const beyondAnyEnd = 2 ** 31 - 2;

/**
 * Carries an attempt to its end.
 *
 * @param timeout - milliseconds that are left
 * @param stop - aborts when the process ends: then it is left to another
 * @param cancel - aborts when the fire is to be cancelled
 * @returns undefined when it was left
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
  // What was started goes on, whatever became of the schedule and of its grant since.
  const earlier = await store.locateRun(anonymous, runId);
  if (earlier) return await carryRun(parts, claimed, earlier, { left: leftOf(), stop, cancel });
  // If its run is gone, somebody has deleted it, and it is not started once more.
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
  // A start is not left in the middle: whether there is a run must be known before it can be cancelled.
  const bound = () => (route.isStart ? { left: Number.POSITIVE_INFINITY, over: stop } : { left: leftOf(), over });
  const answer = await patiently(() => callOnce(door, call, bound(), parts), parts, route, deadline, over);
  if (answer === undefined) {
    if (stop.aborted) return undefined;
    if (cancel.aborted) return ended("cancelled", { error: "A later fire took its place." });
    return ended("failed", { error: timeoutText(schedule) });
  }
  const isTaken = answer.status >= 200 && answer.status <= 299;
  // One that was refused here may have been accepted before, by a process that died of it or lost the answer.
  const run = route.isStart && (isTaken || answer.status >= 429) && (await store.locateRun(anonymous, runId));
  if (run) return await carryRun(parts, claimed, run, { left: leftOf(), stop, cancel });
  if (!isTaken) return ended("failed", { statusCode: answer.status, error: answer.text.slice(0, longestError) });
  if (route.isStart) return ended("cancelled", { error: "The run was deleted." });
  return ended("success", { statusCode: answer.status });
}

/** Follows the run of a fire to its end, or to a pause. */
async function carryRun(
  parts: AttemptParts,
  claimed: ClaimedFire,
  run: LocatedRun,
  bound: Parameters<typeof follow>[2],
): Promise<AttemptEnd | undefined> {
  await parts.schedules.started(claimed, run.sessionId);
  const end = isOver(run.status) ? "over" : await follow(parts, run, bound);
  if (end === "left") return undefined;
  return await recordOf(parts, run.runId, end === "late" ? timeoutText(claimed.schedule) : null);
}

/** Calls, and waits for the answer as long as it may take; undefined when it was left. */
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

/** A start that cannot be taken now was not begun: it is sent again until there is no time left. */
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

/** Waits for the end of a run. When time is up, or somebody cancels it, it is cancelled, and then waited for. */
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
      // The database has been away. Whoever has the fire goes on when it is back.
      await runtime.clock.sleep(busyPause, stop);
    }
    return "left";
  } finally {
    stopTimer();
    cancel.removeEventListener("abort", onCancel);
    over.abort();
  }
}

/** The run is found by the id that the fire gave it: nobody's grant is needed for that. */
async function recordOf({ store }: AttemptParts, runId: string, late: string | null): Promise<AttemptEnd> {
  const run = await store.findRun(anonymous, runId);
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
