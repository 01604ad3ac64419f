/**
 * Model requests outside a run: the extraction of memories, and merges of them. Their usage counts to the component, its user and the platform by day, and
 * their limits per day apply. The caller stores the usage in the transaction that stores the result.
 */
import type { LanguageModelV4Prompt } from "@ai-sdk/provider";
import type { Component } from "../../define/platform.ts";
import { toNanos } from "../../model/usage/cost.ts";
import type { Limits } from "../../model/usage/limits.ts";
import { addNanos, type LoggedUsage, sumByModel } from "../../model/usage/log-usage.ts";
import { type CountedUsage, counterName } from "../../store/contract/usage.ts";
import type { BackgroundUsage } from "../../store/contract/usage-days.ts";
import { checkDailyBounds, dailyBounds } from "../limits/admission.ts";
import { counterOf } from "../limits/bounds.ts";
import { RunFailure } from "../loops/contract.ts";
import type { EngineParts } from "../parts.ts";
import type { AnswerSchema } from "./answer-schema.ts";
import type { CallableModel, CallOptions } from "./model-adapter.ts";
import { delayBeforeRetry, toFailure } from "./model-errors.ts";
import { readAnswer } from "./read-answer.ts";
import { toRequestTokens, toTurnMetrics } from "./usage.ts";

/** A request for a value of a schema. */
export interface BackgroundRequest {
  /** The component that pays, with its limits. */
  readonly component: Component;
  /** Namespace of the usage by day: "" when callers are not isolated. */
  readonly owner: string;
  readonly model: CallableModel;
  readonly userId: string | null;
  /** Limits of the user, in addition to the limits of the platform and the component. */
  readonly userLimits: readonly Limits[];
  readonly system: string;
  readonly message: string;
  readonly schema: AnswerSchema;
  readonly signal: AbortSignal;
}

/** The answer, and the usage of all requests that it took. */
export interface BackgroundAnswer {
  /** Undefined if the answer did not match the schema, also after a second request. */
  readonly value: unknown;
  readonly usage: BackgroundUsage;
}

/** Dependencies of these requests. */
export type RequestParts = Pick<EngineParts, "store" | "limits" | "prices" | "runtime" | "settings">;

/**
 * Makes the request. The model is asked a second time if its answer does not match the schema.
 * @throws TroupeError `limitExceeded` if a limit per day is reached, RunFailure if the model fails, the signal's reason
 */
export async function requestInBackground(parts: RequestParts, request: BackgroundRequest): Promise<BackgroundAnswer> {
  const { component, owner, userId, userLimits, schema, signal } = request;
  const bounds = dailyBounds(parts.limits, component, { userId, userLimits });
  const text = `${request.system}\n\nAnswer with JSON that matches this JSON Schema, and with nothing else:\n${JSON.stringify(schema.jsonSchema)}`;
  const prompt: LanguageModelV4Prompt = [
    { role: "system", content: text },
    { role: "user", content: [{ type: "text", text: request.message }] },
  ];
  const made: LoggedUsage[] = [];
  for (let tried = 1; ; tried++) {
    await checkDailyBounds(parts, bounds);
    const answer = await requestOnce(parts, request, prompt);
    signal.throwIfAborted();
    made.push(answer.usage);
    const read = await schema.read(answer.text);
    const isLast = tried === 2 || "value" in read;
    if (!isLast) {
      prompt.push(
        { role: "assistant", content: [{ type: "text", text: answer.text }] },
        {
          role: "user",
          content: [{ type: "text", text: `The answer does not match the schema:\n${read.fault}\nAnswer again.` }],
        },
      );
      continue;
    }
    const now = parts.runtime.clock.now();
    const counters = new Map(bounds.map((bound) => counterOf(bound, 0, now)).map((one) => [counterName(one), one]));
    const models = sumByModel(made);
    const counted: CountedUsage[] = [...counters.values()].map((counter) => ({ ...counter, ...sumsOf(models) }));
    return { value: "value" in read ? read.value : undefined, usage: { at: now, owner, counted, models } };
  }
}

/** Makes one request, with retries. */
async function requestOnce(
  { prices, runtime, settings }: RequestParts,
  { component, model, schema, signal }: BackgroundRequest,
  prompt: LanguageModelV4Prompt,
): Promise<{ readonly text: string; readonly usage: LoggedUsage }> {
  const { clock, measurements } = runtime;
  const maxAttempts = component.maxModelAttempts ?? settings.maxModelAttempts;
  const price = prices.find(model);
  for (let tried = 1; ; tried++) {
    const begun = clock.monotonic();
    const measure = (outcome: "ok" | "error" | "stopped"): void =>
      measurements.modelRequest({
        model,
        outcome,
        seconds: (clock.monotonic() - begun) / 1_000,
        firstToken: undefined,
      });
    try {
      const options: CallOptions = { prompt, responseFormat: schema.responseFormat, abortSignal: signal };
      const { text, usage } = await readAnswer(model, options, signal);
      measure("ok");
      const tokens = toRequestTokens(usage);
      const cost = tokens && (await price)?.(tokens);
      const metrics = toTurnMetrics(
        usage,
        { duration: (clock.monotonic() - begun) / 1_000, firstToken: undefined },
        cost,
      );
      measurements.modelTurn(model, metrics);
      return { text, usage: toLogged(model, tokens, cost) };
    } catch (error) {
      measure(signal.aborted ? "stopped" : "error");
      signal.throwIfAborted();
      if (error instanceof RunFailure) throw error;
      const delay = tried >= maxAttempts ? undefined : delayBeforeRetry(error, tried, runtime);
      if (delay === undefined) throw toFailure(error, model, tried, false);
      measurements.modelRetry(model);
      await clock.sleep(delay, signal);
      signal.throwIfAborted();
    }
  }
}

function toLogged(
  { id, provider }: CallableModel,
  tokens: ReturnType<typeof toRequestTokens>,
  cost: number | undefined,
): LoggedUsage {
  const { input = 0, output = 0, reasoning = 0, cacheRead = 0, cacheWrite = 0 } = tokens ?? {};
  const nanos = cost === undefined ? null : toNanos(cost);
  return { model: id, provider, requests: 1, input, output, reasoning, cacheRead, cacheWrite, nanos };
}

function sumsOf(models: readonly LoggedUsage[]) {
  return {
    tokens: models.reduce((sum, { input, output }) => sum + input + output, 0),
    nanos: models.reduce((sum: number | null, { nanos }) => addNanos(nanos, sum), null) ?? 0,
    modelRequests: models.reduce((sum, { requests }) => sum + requests, 0),
    toolCalls: 0,
  };
}
