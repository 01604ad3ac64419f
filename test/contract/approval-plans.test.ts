/** Query plans of approvals: every query uses an index, so its cost does not grow with the number of approvals, runs and schedules. */
import type { CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { approvalStore } from "../../src/store/queries/approvals.ts";
import { continueQueries } from "../../src/store/queries/runs/continues.ts";
import { eachDatabase } from "../support/databases.ts";
import { databaseIn, observed, planOf } from "./query-plans.ts";
import { everybody } from "./store-fixtures.ts";

eachDatabase("queries of approvals", (openDatabase) => {
  test("the queries of pending approvals, the newest, one by id and one run's approvals each use their index", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    const plansOf = async (query: (store: ReturnType<typeof approvalStore>) => Promise<unknown>): Promise<string> => {
      const seen: CompiledQuery[] = [];
      await query(approvalStore(observed(opened, seen)));
      const plans = await Promise.all(
        seen.map((statement) => planOf(database, statement, ["set enable_seqscan = off"])),
      );
      return plans.join("\n");
    };
    const page = { limit: 10, offset: 0, maxBytes: 0 };
    expect(await plansOf((store) => store.countPending(everybody, undefined))).toContain("approvals_pending");
    expect(await plansOf((store) => store.list(everybody, { ...page, status: "pending" }))).toContain(
      "approvals_pending",
    );
    const newest = await plansOf((store) => store.list(everybody, page));
    expect(newest).toContain("approvals_age");
    expect(newest).toContain("schedule_fires_run");
    const one = await plansOf((store) => store.find(everybody, "id"));
    expect(one).toMatch(/approvals_pkey|sqlite_autoindex_approvals_1/);
    const seen: CompiledQuery[] = [];
    await continueQueries(observed(opened, seen)).approvalsOf(1);
    expect(await planOf(database, seen[0] as CompiledQuery, ["set enable_seqscan = off"])).toContain("approvals_run");
  });
});
