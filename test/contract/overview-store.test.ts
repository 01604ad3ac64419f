/** The runs of all components by their last change, the processes, and the plans of their statements. */
import type { CompiledQuery } from "kysely";
import { expect, test } from "vitest";
import { system } from "../../src/model/principal.ts";
import type { OverviewPage, OverviewQuery, OverviewStore } from "../../src/store/contract/overview.ts";
import { overviewStore } from "../../src/store/queries/runs/overview.ts";
import { eachDatabase } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { databaseIn, observed, planOf } from "./query-plans.ts";
import { create, everybody, isolated, openOn, put, to, write } from "./store-fixtures.ts";

/** Inserts 2,500 completed runs, each of which ended a millisecond after the one before. */
const manyRuns = [
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
  insert into runs (key, run_id, root_key, kind, component_id, component_name, session_key, session_seq, input, options, created_at)
  select 1000000 + i, 'run-' || i, 1000000 + i, 'agent', 'agent-2', 'Agent', (select min(key) from sessions), 1000 + i, '{}', '{}', i from n`,
  `with recursive n(i) as (select 1 union all select i + 1 from n where i < 2500)
  insert into run_heads (run_key, root_key, session_key, session_seq, policy, status, attempt, cancel_requested, first_kept,
    stalled_takeovers, compacted, counted, ready, user_id, background, watched, updated_at)
  select 1000000 + i, 1000000 + i, (select min(key) from sessions), 1000 + i, 'queue', 'COMPLETED', 1, 0, 0, 0, 1, 1, 0, '', 0, 0, 10000 + i from n`,
];

async function pages(overview: OverviewStore, query: OverviewQuery, limit: number): Promise<readonly OverviewPage[]> {
  const all: OverviewPage[] = [];
  let after: OverviewPage["next"] = null;
  do {
    const page = await overview.runs(everybody, { ...query, limit, after: after ?? undefined });
    all.push(page);
    after = page.next;
  } while (after !== null);
  return all;
}

eachDatabase("the overview", (openDatabase) => {
  test("lists the runs of all components by their last change, each once, in pages of any size", async () => {
    const { store, overview } = await openOn(await openDatabase());
    const keys: number[] = [];
    for (let number = 0; number < 7; number++) {
      const kind = (["agent", "team", "workflow"] as const)[number % 3] ?? "agent";
      const key = await create(store, { kind, componentId: `c-${number % 2}`, sessionId: `s-${number}` });
      if (number % 2 === 0) await put(store, write(key, { transition: to("COMPLETED", 2_000 + number) }));
      keys.push(key);
    }
    const [whole] = await pages(overview, {}, 10);
    expect(whole?.runs.map(({ key }) => key).sort((a, b) => a - b)).toEqual(keys);
    const times = whole?.runs.map(({ updatedAt }) => updatedAt) ?? [];
    expect(times).toEqual(times.toSorted((a, b) => b - a));
    for (const limit of [1, 2, 3]) {
      const parts = await pages(overview, {}, limit);
      expect(parts.flatMap(({ runs }) => runs)).toEqual(whole?.runs);
    }
    const only = async (query: OverviewQuery) => (await pages(overview, query, 10)).flatMap(({ runs }) => runs).length;
    expect(await only({ kind: "agent" })).toBe(3);
    expect(await only({ componentId: "c-0" })).toBe(4);
    expect(await only({ sessionId: "s-3" })).toBe(1);
    expect(await only({ statuses: ["COMPLETED"] })).toBe(4);
    expect(await only({ statuses: ["RUNNING", "COMPLETED"] })).toBe(7);
    expect(await only({ statuses: ["RUNNING", "PAUSED"] })).toBe(3);
  });

  test("shows callers with an owner their own runs only", async () => {
    const { store, overview } = await openOn(await openDatabase());
    await create(store, { sessionId: "s", owner: "alice", userId: "alice" });
    const seen = async (caller: Parameters<OverviewStore["runs"]>[0]) =>
      (await overview.runs(caller, { limit: 5 })).runs.length;
    expect([await seen(system), await seen(isolated("alice")), await seen(isolated("bob"))]).toEqual([1, 1, 0]);
  });

  test("a page scans at most 2,000 finished runs, whatever it looks for", async () => {
    const database = await openDatabase();
    const { store, overview } = await openOn(database);
    const key = await create(store, { sessionId: "old" });
    await put(store, write(key, { transition: to("ERROR", 3_000) }));
    for (const statement of manyRuns) await executeSql(database, statement);
    const found = await pages(overview, { statuses: ["ERROR"] }, 10);
    expect(found.map(({ runs }) => runs.length)).toEqual([0, 1]);
  });

  test("uses the indexes of running and of finished runs", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    const seen: CompiledQuery[] = [];
    const overview = overviewStore(observed(opened, seen));
    await overview.runs(system, { limit: 25, statuses: ["RUNNING"] });
    await overview.runs(system, { limit: 25, statuses: ["ERROR"], after: { key: 5, updatedAt: 5 } });
    await overview.processes();
    const without = ["seqscan", "hashjoin", "bitmapscan", "mergejoin"].map((way) => `set enable_${way} = off`);
    const [running, failed, _, processes] = await Promise.all(seen.map((query) => planOf(database, query, without)));
    expect(running).toMatch(/heads_running/);
    expect(failed).toMatch(/heads_over/);
    expect(processes).toMatch(/heads_running/);
  });

  test("counts the running root runs of each process", async () => {
    const { store, overview } = await openOn(await openDatabase());
    await store.renewProcess("p1", 5_000);
    await store.renewProcess("p2", 5_000);
    await create(store, { sessionId: "s", startBy: "p1" });
    const processes = await overview.processes();
    expect(processes.map(({ id, runs }) => [id, runs])).toEqual([
      ["p1", 1],
      ["p2", 0],
    ]);
    for (const { leaseLeft } of processes) expect(leaseLeft).toBeGreaterThan(0);
  });
});
