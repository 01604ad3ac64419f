/** Counters of shared usage. */
import { sql } from "kysely";
import type { UsageStore } from "../../contract/usage.ts";
import type { Database } from "../../database.ts";
import { all, run, type Transaction } from "../../transaction.ts";

/** Max counters deleted in one transaction. */
const maxDeleted = 500;

/** Makes these methods for a database. */
export function usageQueries(database: Database): UsageStore {
  const { db } = database.dialect;
  const columns = ["period", "scope", "key", "tokens", "nanos", "model_requests as modelRequests"] as const;

  function* forget(beforeDay: string): Transaction<void> {
    // Periods of sessions begin with a letter and follow all dates.
    const old = db
      .selectFrom("usage_counters")
      .select(["period", "scope", "key"])
      .where("period", "<", beforeDay)
      .orderBy("period")
      .limit(sql.lit(maxDeleted));
    for (const { period, scope, key } of yield* all(old))
      yield* run(
        db.deleteFrom("usage_counters").where("period", "=", period).where("scope", "=", scope).where("key", "=", key),
      );
  }

  return {
    async readUsage(counters) {
      if (counters.length === 0) return [];
      const query = db
        .selectFrom("usage_counters")
        .select([...columns, "tool_calls as toolCalls"])
        .where((eb) =>
          eb.or(
            counters.map(({ period, scope, key }) =>
              eb.and([eb("period", "=", period), eb("scope", "=", scope), eb("key", "=", key)]),
            ),
          ),
        );
      return await database.read(query.compile());
    },

    forgetUsage: (beforeDay) => database.write(() => forget(beforeDay)),
  };
}
