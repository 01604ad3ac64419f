/** Calls one hook: bounds its time, checks what it returns, and converts its error to the failure of the run. */
import { createHash } from "node:crypto";
import type { z } from "zod";
import type { Model } from "../../define/component.ts";
import type { GuardrailContext } from "../../define/guardrails/guardrail.ts";
import type { HookContext, HookPoint } from "../../define/hooks.ts";
import { RunRejected } from "../../define/rejection.ts";
import { abortable } from "../../model/abortable.ts";
import { RunFailure, RunPaused, type RunScope, RunStopped } from "../loops/contract.ts";
import { schemaOf } from "../model-call/answer-schema.ts";
import { type AuxiliaryRequest, requestValue, textPrompt } from "../model-call/auxiliary-request.ts";
import { type Outcome, readOutcome } from "./outcome.ts";
import type { PointFacts, PointFunction } from "./plan.ts";

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

/** A call of a function. */
export interface HookCall {
  readonly scope: RunScope;
  readonly hook: PointFunction;
  readonly place: HookPlace;
  readonly given: object;
  readonly facts: PointFacts;
  /** Milliseconds. */
  readonly timeout: number;
}

/**
 * Calls the function.
 * @throws RunFailure `hook_failed` when it throws, takes too long, or returns what its point does not accept
 */
export async function callHook(call: HookCall): Promise<Outcome> {
  const { scope, hook, place, given, facts, timeout } = call;
  const deadline = new AbortController();
  const stop = (): void => deadline.abort(scope.signal.reason);
  if (scope.signal.aborted) stop();
  scope.signal.addEventListener("abort", stop, { once: true });
  const failure = (reason: string, cause?: unknown): RunFailure =>
    new RunFailure("hook_failed", `The hook "${hook.name}" (${place.point}) ${reason}.`, cause);
  const cancelTimer = scope.runtime.clock.after(timeout, () =>
    deadline.abort(failure(`took longer than ${timeout / 1000} s and was stopped`)),
  );
  const context = contextOf(call, deadline.signal);
  try {
    deadline.signal.throwIfAborted();
    const work = async (): Promise<unknown> => await hook.call(given, context, facts);
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

function contextOf({ scope, hook, place }: HookCall, signal: AbortSignal): HookContext {
  const { point } = place;
  const name = outcomeName(place);
  const context = { ...scope.context, point, signal, idempotencyKey: `${scope.context.runId}/${name}` };
  const { guardrail } = hook;
  return guardrail ? { ...context, ...generation(scope, hook.name, name, guardrail.model) } : context;
}

/** The model requests of a guardrail. An answer is recorded under the text that was asked: another text is a new request. */
function generation(
  scope: RunScope,
  owner: string,
  place: string,
  model: Model | undefined,
): Pick<GuardrailContext, "generate"> {
  return {
    async generate({ system, message, schema }) {
      const digest = createHash("sha256")
        .update(JSON.stringify([system, message]))
        .digest("base64url");
      const request: AuxiliaryRequest = {
        ...{ purpose: "guardrail_model", name: `${place}/${digest}`, model },
        prompt: textPrompt(system, message),
      };
      const answer = schemaOf(schema, `Guardrail ${owner}`, "verdict");
      return (await requestValue(scope, request, answer)) as z.output<typeof schema>;
    },
  };
}
