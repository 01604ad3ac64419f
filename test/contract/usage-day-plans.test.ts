/** Query plans of usage by day: every query uses an index, so its cost does not grow with the number of runs and days. */
import type { CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { compaction } from "../../src/store/queries/logs/compact.ts";
import { usageDayStore } from "../../src/store/queries/usage/days.ts";
import { eachDatabase } from "../support/databases.ts";
import { databaseIn, observed, planOf } from "./query-plans.ts";
import { createEnded, everybody, isolated, openOn } from "./store-fixtures.ts";

eachDatabase("queries of usage by day", (openDatabase) => {
  test("counting, queueing and reading usage use the keys of their tables and the index of uncounted runs", async () => {
    const database = await openDatabase();
    const { store, signals } = await openOn(database, { keyProvider: undefined });
    const key = await createEnded(store);
    await signals.close();
    await store.close();
    const opened = await databaseIn(database);
    const seen: CompiledQuery[] = [];
    const watched = observed(opened, seen);
    await compaction(watched).compact(key, 1_000);
    const days = usageDayStore(watched);
    await days.countQueued();
    await days.queueEarlier();
    const range = { from: "2026-11-01", to: "2026-11-30" };
    await days.listDays(everybody, range);
    await days.listDays(isolated("alice"), range);
    const used = seen.filter(({ sql }) => /usage_|counted = 0/.test(sql));
    const plans: string[] = [];
    for (const query of used) plans.push(await planOf(database, query, ["set enable_seqscan = off"]));
    // The queue is read from the beginning of its key, up to a limit.
    const scans = plans.filter((plan) => /Seq Scan|SCAN (?!usage_pending\b|\d+-ROW VALUES)/.test(plan));
    expect(scans).toEqual([]);
    const tables = ["usage_pending", "usage_day_members", "usage_days", "usage_day_models", "heads_uncounted"];
    for (const table of tables)
      expect([table, used.some(({ sql }, n) => `${sql} ${plans[n]}`.includes(table))]).toEqual([table, true]);
    expect(plans.filter((plan) => plan.includes("heads_uncounted"))).toHaveLength(1);
  });
});
