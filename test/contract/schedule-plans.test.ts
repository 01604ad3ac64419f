/** Query plans of the schedule poller: every query uses an index, so its cost does not grow with the number of schedules and records. */
import type { CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { scheduleStore } from "../../src/store/queries/schedules/schedules.ts";
import { eachDatabase } from "../support/databases.ts";
import { databaseIn, observed, planOf } from "./query-plans.ts";

eachDatabase("queries of the schedule poller", (openDatabase) => {
  test("the queries of due schedules, waiting fires and orphaned fires each use their index", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    const seen: CompiledQuery[] = [];
    const store = scheduleStore(observed(opened, seen), 10);
    const none = { fires: [], cancelsOpen: false, nextRunAt: null };
    await store.plan(10, () => none);
    await store.claim({ owner: "p1", limit: 10, orphans: true });
    await store.cancelRequests("p1");
    await store.untilDue();
    const plans: string[] = [];
    for (const query of seen) plans.push(await planOf(database, query, ["set enable_seqscan = off"]));
    const used = ["schedules_due", "schedule_fires_waiting", "schedule_fires_running", "schedule_fires_running"];
    used.push("schedules_due", "schedule_fires_waiting");
    expect(plans.map((plan) => /schedules_due|schedule_fires_(waiting|running)/.exec(plan)?.[0])).toEqual(used);
  });
});
