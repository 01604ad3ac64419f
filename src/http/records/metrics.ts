/** Usage by day in its wire form. */
import { z } from "zod";
import { toDollars } from "../../model/usage/cost.ts";
import { addNanos } from "../../model/usage/log-usage.ts";
import type { ModelDay, UsageDay } from "../../runs/metrics.ts";
import { named } from "../input/named-schemas.ts";
import { isoSeconds } from "./times.ts";

const count = z.int().min(0);
const object = z.record(z.string(), z.unknown());

export const dayMetrics: z.ZodType = named(
  "DayAggregatedMetrics",
  z.object({
    id: z.string(),
    agent_runs_count: count,
    agent_sessions_count: count,
    team_runs_count: count,
    team_sessions_count: count,
    workflow_runs_count: count,
    workflow_sessions_count: count,
    users_count: count,
    token_metrics: object,
    model_metrics: z.array(object),
    date: z.iso.datetime(),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  }),
);

export const metricsResponse: z.ZodType = named(
  "MetricsResponse",
  z.object({ metrics: z.array(dayMetrics), updated_at: z.iso.datetime().nullish() }),
);

/** Days and the time of the latest change among them. */
export function toMetrics(days: readonly UsageDay[]): Record<string, unknown> {
  const updatedAt = days.length === 0 ? null : isoSeconds(Math.max(...days.map((day) => day.updatedAt)));
  return { metrics: days.map(toDayMetrics), updated_at: updatedAt };
}

/** The id is the date: a caller sees one record for each day. */
export function toDayMetrics({ day, runs, sessions, users, models, createdAt, updatedAt }: UsageDay): object {
  return {
    id: day,
    agent_runs_count: runs.agent,
    agent_sessions_count: sessions.agent,
    team_runs_count: runs.team,
    team_sessions_count: sessions.team,
    workflow_runs_count: runs.workflow,
    workflow_sessions_count: sessions.workflow,
    users_count: users,
    token_metrics: toTokens(models),
    model_metrics: models.map((model) => ({
      model_id: model.model,
      model_provider: model.provider,
      count: model.runs,
      requests: model.requests,
      ...toTokens([model]),
    })),
    date: `${day}T00:00:00Z`,
    created_at: isoSeconds(createdAt),
    updated_at: isoSeconds(updatedAt),
  };
}

/** The contract's counters. The cost is US dollars, and missing if no request has a known price. Audio tokens are not counted separately. */
function toTokens(models: readonly ModelDay[]): Record<string, number> {
  const sum = (of: (model: ModelDay) => number): number => models.reduce((total, model) => total + of(model), 0);
  const nanos = models.map((model) => model.nanos).reduce(addNanos, null);
  const [input, output] = [sum((model) => model.input), sum((model) => model.output)];
  return {
    ...{ input_tokens: input, output_tokens: output, total_tokens: input + output },
    ...{ audio_total_tokens: 0, audio_input_tokens: 0, audio_output_tokens: 0 },
    cache_read_tokens: sum((model) => model.cacheRead),
    cache_write_tokens: sum((model) => model.cacheWrite),
    reasoning_tokens: sum((model) => model.reasoning),
    ...(nanos !== null && { cost: toDollars(nanos) }),
  };
}
