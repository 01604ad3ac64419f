/** Stores the usage of model requests outside runs: in the transaction that stores their result. */
import { sql } from "kysely";
import { counterName } from "../../contract/usage.ts";
import type { BackgroundUsage } from "../../contract/usage-days.ts";
import type { Database } from "../../database.ts";
import { bind, run, type Transaction } from "../../transaction.ts";
import { ownerOf } from "./days.ts";

/** Makes the step that adds usage to counters and to its day. Rows are written in the order of their keys, as everywhere. */
export function backgroundUsage({
  dialect: { db, now },
}: Pick<Database, "dialect">): (usage: BackgroundUsage) => Transaction<void> {
  // Built once: every extraction uses them.
  const count = sql`insert into usage_counters (period, scope, key, tokens, nanos, model_requests, tool_calls)
    values (${""}, ${""}, ${""}, ${0}, ${0}, ${0}, ${0})
    on conflict (period, scope, key) do update set tokens = usage_counters.tokens + excluded.tokens,
      nanos = usage_counters.nanos + excluded.nanos, model_requests = usage_counters.model_requests + excluded.model_requests,
      tool_calls = usage_counters.tool_calls + excluded.tool_calls`.compile(db);
  const addDay =
    sql`insert into usage_days (owner, day, agent_runs, team_runs, workflow_runs, agent_sessions, team_sessions,
      workflow_sessions, users, created_at, updated_at) values (${""}, ${""}, 0, 0, 0, 0, 0, 0, 0, ${now}, ${now})
    on conflict (owner, day) do update set updated_at = excluded.updated_at`.compile(db);
  const addModel =
    sql`insert into usage_day_models (owner, day, model, provider, runs, requests, input_tokens, output_tokens,
      reasoning_tokens, cache_read_tokens, cache_write_tokens, nanos)
    values (${""}, ${""}, ${""}, ${""}, 0, ${0}, ${0}, ${0}, ${0}, ${0}, ${0}, ${0})
    on conflict (owner, day, model, provider) do update set requests = usage_day_models.requests + excluded.requests,
      input_tokens = usage_day_models.input_tokens + excluded.input_tokens,
      output_tokens = usage_day_models.output_tokens + excluded.output_tokens,
      reasoning_tokens = usage_day_models.reasoning_tokens + excluded.reasoning_tokens,
      cache_read_tokens = usage_day_models.cache_read_tokens + excluded.cache_read_tokens,
      cache_write_tokens = usage_day_models.cache_write_tokens + excluded.cache_write_tokens,
      nanos = coalesce(usage_day_models.nanos + excluded.nanos, usage_day_models.nanos, excluded.nanos)`.compile(db);

  return function* ({ at, owner, counted, models }) {
    const sorted = [...counted].sort((one, other) => (counterName(one) < counterName(other) ? -1 : 1));
    for (const { period, scope, key, tokens, nanos, modelRequests, toolCalls } of sorted) {
      const values = [period, scope, key, tokens, nanos, modelRequests, toolCalls];
      yield* run({ compile: () => bind(count, values) });
    }
    if (models.length === 0) return;
    const day = new Date(at).toISOString().slice(0, 10);
    const owners = [...new Set(["", ownerOf(owner)])].sort();
    for (const one of owners) yield* run({ compile: () => bind(addDay, [one, day]) });
    for (const one of owners) {
      for (const { model, provider, requests, nanos, ...tokens } of models) {
        const { input, output, reasoning, cacheRead, cacheWrite } = tokens;
        const values = [one, day, model, provider, requests, input, output, reasoning, cacheRead, cacheWrite, nanos];
        yield* run({ compile: () => bind(addModel, values) });
      }
    }
  };
}
