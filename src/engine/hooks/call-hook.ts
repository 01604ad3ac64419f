/** Calls one hook: bounds its time, checks what it returns, and converts its error to the failure of the run. */
import type { HookPoint } from "../../define/hooks.ts";
import { RunRejected } from "../../define/rejection.ts";
import { abortable } from "../../model/abortable.ts";
import { RunFailure, RunPaused, type RunScope, RunStopped } from "../loops/contract.ts";
import { type Outcome, readOutcome } from "./outcome.ts";
import type { PointFunction } from "./plan.ts";

/** The place of a call in its run. */
export interface HookPlace {
  readonly point: HookPoint;
  /** Distinguishes the calls of a point: the number of messages before it, or the id of the tool call. */
  readonly key: number | string;
  /** Index of the function among those of its point. */
  readonly index: number;
}

/** The name of the mark that stores the outcome. */
export function outcomeName({ point, key, index }: HookPlace): string {
  return `hook/${point}/${key}/${index}`;
}

/**
 * Calls the function.
 * @throws RunFailure `hook_failed` when it throws, takes too long, or returns what its point does not accept
 */
export async function callHook(
  scope: RunScope,
  { name, call }: PointFunction,
  place: HookPlace,
  given: object,
  timeout: number,
): Promise<Outcome> {
  const deadline = new AbortController();
  const stop = (): void => deadline.abort(scope.signal.reason);
  if (scope.signal.aborted) stop();
  scope.signal.addEventListener("abort", stop, { once: true });
  const failure = (reason: string, cause?: unknown): RunFailure =>
    new RunFailure("hook_failed", `The hook "${name}" (${place.point}) ${reason}.`, cause);
  const cancelTimer = scope.runtime.clock.after(timeout, () =>
    deadline.abort(failure(`took longer than ${timeout / 1000} s and was stopped`)),
  );
  const context = {
    ...scope.context,
    point: place.point,
    signal: deadline.signal,
    idempotencyKey: `${scope.context.runId}/${outcomeName(place)}`,
  };
  try {
    deadline.signal.throwIfAborted();
    const work = async (): Promise<unknown> => await call(given, context);
    const returned = await abortable(work(), deadline.signal);
    const outcome = readOutcome(place.point, returned);
    if (!outcome) throw failure("returned what its point does not accept");
    return outcome;
  } catch (error) {
    if (scope.signal.aborted) throw scope.signal.reason;
    const isOwn = error instanceof RunFailure || error instanceof RunStopped || error instanceof RunPaused;
    if (isOwn || error instanceof RunRejected) throw error;
    throw failure("failed", error);
  } finally {
    cancelTimer();
    scope.signal.removeEventListener("abort", stop);
  }
}
