/** Token counters: converts providers' usage to the metrics of messages, events and runs. */
import type { LanguageModelV4Usage } from "@ai-sdk/provider";
import type { Message, TurnMetrics } from "../../model/message.ts";
import type { RunMetrics } from "../../model/record.ts";
import type { CallableModel } from "./model-adapter.ts";

/** Times of one model turn, in seconds; `firstToken` is undefined when no token arrived. */
export interface TurnTimes {
  readonly duration: number;
  readonly firstToken: number | undefined;
}

/** Counters of one turn; omits counters that the provider did not report, and zeros of all but the three main ones. */
export function toTurnMetrics(usage: LanguageModelV4Usage | undefined, times: TurnTimes): TurnMetrics {
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
    ...(times.firstToken !== undefined && { time_to_first_token: times.firstToken }),
    duration: times.duration,
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
  };
}

/** Counters of a run: the sum of its model turns, with the run's own times. */
export function toRunMetrics(messages: readonly Message[], model: CallableModel, times: TurnTimes): RunMetrics {
  let known = false;
  const sum = { input: 0, output: 0, total: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0 };
  for (const message of messages) {
    if (message.role !== "assistant" || message.metrics?.total_tokens === undefined) continue;
    known = true;
    sum.input += message.metrics.input_tokens ?? 0;
    sum.output += message.metrics.output_tokens ?? 0;
    sum.total += message.metrics.total_tokens;
    sum.reasoning += message.metrics.reasoning_tokens ?? 0;
    sum.cacheRead += message.metrics.cache_read_tokens ?? 0;
    sum.cacheWrite += message.metrics.cache_write_tokens ?? 0;
  }
  const tokens = { input_tokens: sum.input, output_tokens: sum.output, total_tokens: sum.total };
  return {
    ...(known && tokens),
    ...(sum.reasoning > 0 && { reasoning_tokens: sum.reasoning }),
    ...(sum.cacheRead > 0 && { cache_read_tokens: sum.cacheRead }),
    ...(sum.cacheWrite > 0 && { cache_write_tokens: sum.cacheWrite }),
    ...(times.firstToken !== undefined && { time_to_first_token: times.firstToken }),
    duration: times.duration,
    ...(known && { details: { model: [{ ...tokens, id: model.id, provider: model.providerLabel }] } }),
  };
}
