/** What a look at approvals costs: by indexes, however many approvals, runs and schedules there are. */
import type { CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { approvalStore } from "../../src/store/queries/approvals.ts";
import { continueQueries } from "../../src/store/queries/continues.ts";
import { eachDatabase } from "../support/databases.ts";
import { databaseIn, observed, planOf } from "./query-plans.ts";
import { everybody } from "./store-fixtures.ts";

eachDatabase("a look at approvals", (openDatabase) => {
  test("finds those that wait, the newest, one's own and a run's by their indexes", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    const plansOf = async (look: (store: ReturnType<typeof approvalStore>) => Promise<unknown>): Promise<string> => {
      const seen: CompiledQuery[] = [];
      await look(approvalStore(observed(opened, seen)));
      const plans = await Promise.all(seen.map((query) => planOf(database, query, ["set enable_seqscan = off"])));
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
