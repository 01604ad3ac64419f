/** Token counters: converts providers' usage to the metrics of messages, events and runs. */
import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { AnsweringModel, Message, ModelMetrics, ModelUsage, TurnMetrics } from "../../model/run/message.ts";
import type { RunMetrics } from "../../model/run/record.ts";
import type { RecordedRequest } from "../../model/run/recorded-request.ts";
import { addCosts } from "../../model/usage/cost.ts";
import type { RequestTokens } from "../../model/usage/prices.ts";
import type { CallableModel } from "./model-adapter.ts";

/** Times of one model turn, in seconds; `firstToken` is undefined when no token arrived. */
export interface TurnTimes {
  readonly duration: number;
  readonly firstToken: number | undefined;
  /** Whether the answer was stored for an equal request before. */
  readonly isCached?: true | undefined;
}

/**
 * Usage as whole numbers. A counter that a server reports as anything else, or below 0, counts as not reported: in a sum it would switch limits off.
 */
export function countedUsage(usage: LanguageModelV4Usage | undefined): LanguageModelV4Usage | undefined {
  if (!usage) return undefined;
  const { inputTokens, outputTokens } = usage;
  return {
    ...usage,
    inputTokens: wholeNumbers(inputTokens),
    outputTokens: wholeNumbers(outputTokens),
  };
}

function wholeNumbers<Counters extends object>(counters: Counters): Counters {
  const entries = Object.entries(counters ?? {}).map(([name, count]) => [name, wholeNumber(count)]);
  return Object.fromEntries(entries) as Counters;
}

function wholeNumber(count: unknown): number | undefined {
  const whole = typeof count === "number" ? Math.round(count) : -1;
  return Number.isSafeInteger(whole) && whole >= 0 ? whole : undefined;
}

/** Tokens of a model request to be priced; undefined if the provider reported none. */
export function toRequestTokens(usage: LanguageModelV4Usage | undefined): RequestTokens | undefined {
  const { inputTokens, outputTokens } = usage ?? {};
  if (inputTokens?.total === undefined && outputTokens?.total === undefined) return undefined;
  return {
    input: inputTokens?.total ?? 0,
    output: outputTokens?.total ?? 0,
    cacheRead: inputTokens?.cacheRead ?? 0,
    cacheWrite: inputTokens?.cacheWrite ?? 0,
    reasoning: outputTokens?.reasoning ?? 0,
  };
}

/**
 * Counters of one turn; omits counters that the provider did not report, and zeros of all but the three main ones.
 * @param cost US dollars; undefined if it is unknown
 */
export function toTurnMetrics(
  usage: LanguageModelV4Usage | undefined,
  times: TurnTimes,
  cost: number | undefined,
): TurnMetrics {
  const { inputTokens, outputTokens } = usage ?? {};
  const input = inputTokens?.total;
  const output = outputTokens?.total;
  const known = input !== undefined || output !== undefined;
  return {
    ...(input !== undefined && { input_tokens: input }),
    ...(output !== undefined && { output_tokens: output }),
    ...(known && { total_tokens: (input ?? 0) + (output ?? 0) }),
    ...(outputTokens?.reasoning && { reasoning_tokens: outputTokens.reasoning }),
    ...(inputTokens?.cacheRead && { cache_read_tokens: inputTokens.cacheRead }),
    ...(inputTokens?.cacheWrite && { cache_write_tokens: inputTokens.cacheWrite }),
    ...(cost !== undefined && { cost }),
    ...(times.firstToken !== undefined && { time_to_first_token: times.firstToken }),
    duration: times.duration,
    ...(times.isCached && { cached: true }),
  };
}

/** The counters of `ModelRequestCompleted`: if the provider reported one counter, the event contains all of them. */
export function toRequestFields(metrics: TurnMetrics): Readonly<Record<string, unknown>> {
  const known = metrics.total_tokens !== undefined;
  return {
    input_tokens: metrics.input_tokens,
    output_tokens: metrics.output_tokens,
    total_tokens: metrics.total_tokens,
    time_to_first_token: metrics.time_to_first_token,
    reasoning_tokens: metrics.reasoning_tokens ?? (known ? 0 : undefined),
    cache_read_tokens: metrics.cache_read_tokens ?? (known ? 0 : undefined),
    cache_write_tokens: metrics.cache_write_tokens ?? (known ? 0 : undefined),
    cost: metrics.cost,
    cached: metrics.cached,
  };
}

/** The names of a model in metrics. */
export function namesInMetrics({
  id,
  providerLabel: provider,
}: Pick<CallableModel, "id" | "providerLabel">): AnsweringModel {
  return { id, provider };
}

/** The usage of a request, under its model's names; undefined if the provider reported none. */
export function toModelUsage(
  { input_tokens = 0, output_tokens = 0, total_tokens, cost }: TurnMetrics,
  { id, provider }: AnsweringModel,
): ModelUsage | undefined {
  if (total_tokens === undefined) return undefined;
  return { id, provider, input_tokens, output_tokens, total_tokens, ...(cost !== undefined && { cost }) };
}

/** Metrics of model requests without their times; undefined for none. */
export function modelMetrics(requests: readonly ModelUsage[]): RunMetrics | undefined {
  if (requests.length === 0) return undefined;
  const { id: _, provider: __, ...tokens } = sumOf(requests);
  return { ...tokens, details: { model: byModel(requests) } };
}

/** All usage in the details of metrics. */
export function usageInDetails(details: ModelMetrics["details"]): readonly ModelUsage[] | undefined {
  return details && Object.values(details).flat();
}

/** Adds up usage by model, in the order of the models' first requests. */
function byModel(requests: readonly ModelUsage[]): readonly ModelUsage[] {
  const models = new Map<string, ModelUsage[]>();
  for (const request of requests) {
    const name = `${request.provider}/${request.id}`;
    models.set(name, [...(models.get(name) ?? []), request]);
  }
  return [...models.values()].map(sumOf);
}

function sumOf(requests: readonly ModelUsage[]): ModelUsage {
  const sum = (of: "input_tokens" | "output_tokens" | "total_tokens"): number =>
    requests.reduce((total, request) => total + request[of], 0);
  const cost = requests.map((request) => request.cost).reduce(addCosts, undefined);
  const [{ id, provider } = { id: "", provider: "" }] = requests;
  return {
    ...{ input_tokens: sum("input_tokens"), output_tokens: sum("output_tokens"), total_tokens: sum("total_tokens") },
    ...(cost !== undefined && { cost }),
    ...{ id, provider },
  };
}

/** Counters of a run: the sum of its model requests, with the run's own times. */
export function toRunMetrics(
  messages: readonly Message[],
  requests: readonly RecordedRequest[],
  model: CallableModel,
  times: TurnTimes,
): RunMetrics {
  let cost: number | undefined;
  const sum = { input: 0, output: 0, total: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
  const usage: { -readonly [purpose in keyof NonNullable<ModelMetrics["details"]>]: ModelUsage[] } = {};
  const add = (purpose: keyof typeof usage, metrics: TurnMetrics, by: AnsweringModel): void => {
    const counted = toModelUsage(metrics, by);
    if (!counted) return;
    usage[purpose] ??= [];
    usage[purpose].push(counted);
    cost = addCosts(cost, metrics.cost);
    sum.input += counted.input_tokens;
    sum.output += counted.output_tokens;
    sum.total += counted.total_tokens;
    sum.reasoning += metrics.reasoning_tokens ?? 0;
    sum.cacheRead += metrics.cache_read_tokens ?? 0;
    sum.cacheWrite += metrics.cache_write_tokens ?? 0;
  };
  for (const message of messages) {
    if (message.role === "assistant" && message.metrics)
      add(message.purpose ?? "model", message.metrics, message.model ?? namesInMetrics(model));
  }
  for (const { purpose, metrics, model: by } of requests) add(purpose, metrics, by);
  const entries = Object.entries(usage);
  const known = entries.length > 0;
  const tokens = {
    ...{ input_tokens: sum.input, output_tokens: sum.output, total_tokens: sum.total },
    ...(cost !== undefined && { cost }),
  };
  return {
    ...(known && tokens),
    ...(sum.reasoning > 0 && { reasoning_tokens: sum.reasoning }),
    ...(sum.cacheRead > 0 && { cache_read_tokens: sum.cacheRead }),
    ...(sum.cacheWrite > 0 && { cache_write_tokens: sum.cacheWrite }),
    ...(times.firstToken !== undefined && { time_to_first_token: times.firstToken }),
    duration: times.duration,
    ...(known && { details: Object.fromEntries(entries.map(([purpose, requests]) => [purpose, byModel(requests)])) }),
  };
}
