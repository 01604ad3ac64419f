/** What a look for work costs: its statements as the databases plan them. */
import type { CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { anonymous } from "../../src/model/principal.ts";
import { claims } from "../../src/store/claim.ts";
import { runReads } from "../../src/store/runs.ts";
import { eachDatabase } from "../support/databases.ts";
import { databaseIn, observed, planOf } from "./query-plans.ts";
import { creation } from "./store-fixtures.ts";

const withoutScans = ["seqscan", "hashjoin", "bitmapscan", "sort"].map((way) => `set enable_${way} = off`);
const analyzed = ["analyze run_heads, runs, sessions"];

eachDatabase("a look for work", (openDatabase) => {
  test("finds runs that were begun, and those that somebody waits for, without a walk over the queue", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    const writes = Array.from({ length: 500 }, async () => {
      const key = await opened.nextRunKey();
      return { kind: "create", key, run: creation({ policy: "parallel", startBy: null, background: true }) } as const;
    });
    await opened.append(await Promise.all(writes));
    const seen: CompiledQuery[] = [];
    const { claim } = claims(observed(opened, seen));
    await claim({ owner: "p1", slots: 4, freshSlots: 0, orphans: false });
    const plans = await Promise.all(seen.map((query) => planOf(database, query, analyzed)));
    expect(plans).toEqual([expect.stringContaining("heads_begun"), expect.stringContaining("heads_ready")]);
  });
});

eachDatabase("a listing of runs", (openDatabase) => {
  test("begins where its page begins, and sorts nothing", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    for (let part = 0; part < 20; part++) {
      const writes = Array.from({ length: 100 }, async (_, place) => {
        const key = await opened.nextRunKey();
        const userId = `user-${place % 10}`;
        const change = { policy: "parallel", sessionId: `s${place}`, userId, createdAt: part * 100 + place } as const;
        return { kind: "create", key, run: creation({ ...change, startBy: null }) } as const;
      });
      await opened.append(await Promise.all(writes));
    }
    const seen: CompiledQuery[] = [];
    const { listRuns } = runReads(observed(opened, seen));
    const component = { kind: "agent", componentId: "agent-1" } as const;
    const after = { key: 1, sessionKey: 1, sessionSeq: 1, createdAt: 1_500 };
    const pages = [{ descending: true }, { after }, { after, descending: true }, { userId: "user-1", after }];
    for (const page of pages) expect(await listRuns(anonymous, { ...component, ...page, limit: 50 })).toHaveLength(50);
    for (const [place, query] of seen.entries()) {
      const plan = await planOf(database, query, [...analyzed, ...withoutScans]);
      expect(plan).toContain(place === 3 ? "runs_of_user" : "runs_listed");
      expect(plan).not.toMatch(/Sort|TEMP B-TREE|SCAN/);
    }
  });
});
