/** Stores the usage of model requests outside runs: in the transaction that stores their result. */
import { sql } from "kysely";
import { counterName } from "../../contract/usage.ts";
import type { BackgroundUsage } from "../../contract/usage-days.ts";
import type { Database } from "../../database.ts";
import { run, type Transaction } from "../../transaction.ts";
import { ownerOf, usageDaySteps } from "./days.ts";

/** Adds usage to counters and to its day. Rows are written in the order of their keys, as everywhere. */
export function* addBackgroundUsage(
  database: Pick<Database, "dialect">,
  { at, owner, counted, models }: BackgroundUsage,
): Transaction<void> {
  const { db } = database.dialect;
  const sorted = [...counted].sort((one, other) => (counterName(one) < counterName(other) ? -1 : 1));
  for (const { modelRequests, toolCalls, ...amount } of sorted) {
    const row = { ...amount, model_requests: modelRequests, tool_calls: toolCalls };
    const sum = (column: string) => sql<number>`${sql.ref(`usage_counters.${column}`)} + excluded.${sql.ref(column)}`;
    const insert = db.insertInto("usage_counters").values(row);
    yield* run(
      insert.onConflict((same) =>
        same.columns(["period", "scope", "key"]).doUpdateSet({
          ...{ tokens: sum("tokens"), nanos: sum("nanos") },
          ...{ model_requests: sum("model_requests"), tool_calls: sum("tool_calls") },
        }),
      ),
    );
  }
  if (models.length === 0) return;
  const { addDays, addModels } = usageDaySteps(database);
  const day = new Date(at).toISOString().slice(0, 10);
  const owners = [...new Set(["", ownerOf(owner)])].sort();
  const none = {
    ...{ agent_runs: 0, team_runs: 0, workflow_runs: 0, users: 0, created_at: 0, updated_at: 0 },
    ...{ agent_sessions: 0, team_sessions: 0, workflow_sessions: 0 },
  };
  yield* addDays(owners.map((one) => ({ owner: one, day, ...none })));
  yield* addModels(
    owners.flatMap((one) =>
      models.map(({ model, provider, requests, nanos, ...tokens }) => ({
        ...{ owner: one, day, model, provider, runs: 0, requests, nanos },
        ...{ input_tokens: tokens.input, output_tokens: tokens.output, reasoning_tokens: tokens.reasoning },
        ...{ cache_read_tokens: tokens.cacheRead, cache_write_tokens: tokens.cacheWrite },
      })),
    ),
  );
}
