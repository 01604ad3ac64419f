/** Query plans of claims and listings on both databases. */
import { type CompiledQuery, sql } from "kysely";
import { expect, test } from "vitest";
import { system } from "../../src/model/principal.ts";
import { componentVersionStore } from "../../src/store/queries/component-versions.ts";
import { processQueries } from "../../src/store/queries/processes.ts";
import { retentionStore } from "../../src/store/queries/retention.ts";
import { claimQueries } from "../../src/store/queries/runs/claim.ts";
import { messageReads } from "../../src/store/queries/runs/messages.ts";
import { runReads } from "../../src/store/queries/runs/runs.ts";
import { sessionReads } from "../../src/store/queries/sessions/sessions.ts";
import { run } from "../../src/store/transaction.ts";
import { eachDatabase } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { databaseIn, observed, planOf } from "./query-plans.ts";
import { creation } from "./store-fixtures.ts";

/** Inserts 2,000 completed runs. */
const manyRuns = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 2000)
  insert into runs (key, run_id, root_key, kind, component_id, component_name, session_key, session_seq, input, options, created_at)
  select 1000000 + i, 'run-' || i, 1000000 + i, 'agent', 'agent-1', 'Agent', 1, i, '{}', '{}', i from n`;

/** Inserts 10,500 sessions of 100 users. */
const manySessions = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 10500)
  insert into sessions (session_id, owner, kind, component_id, user_id, title, state, next_seq, created_at, updated_at)
  select 's-' || i, '', 'agent', 'agent-1', 'user-' || (i % 100), 'Title ' || i, '{}', 0, i, i from n`;

const withoutScans = ["seqscan", "hashjoin", "bitmapscan", "sort"].map((way) => `set enable_${way} = off`);
const analyzed = ["analyze run_heads, runs, sessions"];

eachDatabase("a claim", (openDatabase) => {
  test("finds released runs and foreground runs by their indexes, without a scan of the background queue", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    const writes = Array.from({ length: 500 }, async () => {
      const key = await opened.nextRunKey();
      return { kind: "create", key, run: creation({ policy: "parallel", startBy: null, background: true }) } as const;
    });
    await opened.append(await Promise.all(writes));
    const seen: CompiledQuery[] = [];
    const { claim } = claimQueries(observed(opened, seen));
    await claim({ owner: "p1", slots: 4, freshSlots: 0, orphans: false });
    const plans = await Promise.all(seen.map((query) => planOf(database, query, analyzed)));
    const [probe, ...queries] = plans;
    expect(probe).toMatch(/heads_ready/);
    expect(queries).toEqual([expect.stringContaining("heads_begun"), expect.stringContaining("heads_ready")]);
  });
});

eachDatabase("a poll of cancel requests", (openDatabase) => {
  test("reads their index, and not the heads of all runs", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    const seen: CompiledQuery[] = [];
    await processQueries(observed(opened, seen)).cancelRequests("p1");
    const plan = await planOf(database, seen[0]!, ["set enable_seqscan = off"]);
    expect(plan).toContain("heads_cancels");
  });
});

eachDatabase("the removal of versions of a deleted component", (openDatabase) => {
  test("reads open runs by their index, and stops at the first run that needs the versions", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    const writes = Array.from({ length: 500 }, async () => {
      const key = await opened.nextRunKey();
      return { kind: "create", key, run: creation({ policy: "parallel" }) } as const;
    });
    const created = await Promise.all(writes);
    await opened.append(created);
    const some = created.slice(0, 3).map(({ key }) => key);
    await executeSql(database, `update run_heads set status = 'COMPLETED' where run_key not in (${some.join()})`);
    await executeSql(database, `update run_heads set status = 'PAUSED' where run_key in (${some.join()})`);
    const components = componentVersionStore(opened);
    const texts = { description: null, metadata: null, createdBy: null };
    const version = { label: null, notes: null, createdBy: null, config: {}, setsCurrent: true };
    await components.create(
      { id: "gone", kind: "agent", name: "Gone", ...texts },
      { ...version, stage: "published" as const },
    );
    await components.remove("gone");

    const seen: CompiledQuery[] = [];
    const { removeVersions } = retentionStore(observed(opened, seen));
    const readsOfRuns = async () => {
      const reads = seen.splice(0).filter((query) => query.sql.includes("run_heads"));
      return await Promise.all(reads.map((query) => planOf(database, query, [...analyzed, ...withoutScans])));
    };
    const openRuns = expect.stringContaining("heads_open");
    const request = { age: -60_000, limit: 10 };
    expect(await removeVersions(request)).toBe(0);
    expect(await readsOfRuns()).toEqual([openRuns]);
    await executeSql(database, "update run_heads set status = 'CANCELLED' where status = 'PAUSED'");
    expect(await removeVersions(request)).toBe(1);
    expect(await readsOfRuns()).toEqual([openRuns, openRuns]);
  });
});

eachDatabase("a listing of runs", (openDatabase) => {
  test("uses an index and no sort to find failed, cancelled or replaced runs, and the runs of a session", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    await opened.write(() => run({ compile: () => manyRuns.compile(opened.dialect.db) }));
    const seen: CompiledQuery[] = [];
    const { listRuns } = runReads(observed(opened, seen));
    const component = { kind: "agent", componentId: "agent-1" } as const;
    const page = {
      ...component,
      descending: true,
      limit: 50,
      after: { key: 2e6, sessionKey: 1, sessionSeq: 1, createdAt: 1e9 },
    };
    for (const statuses of [["ERROR"], ["CANCELLED"], ["REGENERATED"]] as const)
      await listRuns(system, { ...page, statuses });
    // Postgres decides by its statistics of the few failed runs; `pool-plans.test.ts` checks its generic plan.
    if (database.kind === "sqlite") await listRuns(system, { ...page, statuses: ["ERROR"], userId: "user-1" });
    const indexes = ["runs_failed", "runs_failed", "runs_regenerated", "runs_failed_of_user"];
    for (const [place, query] of seen.entries()) {
      const plan = await planOf(database, query, [...analyzed, ...withoutScans]);
      expect(plan).toContain(indexes[place]);
      expect(plan).not.toMatch(/Sort|TEMP B-TREE|SCAN/);
    }
    expect(await listRuns(system, { ...page, statuses: ["ERROR", "REGENERATED", "PAUSED"] })).toEqual([]);

    const one = sql`insert into sessions (session_id, owner, kind, component_id, state, next_seq, created_at, updated_at)
      values ('one', '', 'agent', 'agent-1', '{}', 0, 1, 1)`;
    await opened.write(() => run({ compile: () => one.compile(opened.dialect.db) }));
    seen.length = 0;
    await listRuns(system, { ...component, sessionId: "one", descending: true, limit: 50 });
    const plan = await planOf(database, seen.at(-1)!, [...analyzed, ...withoutScans]);
    expect(plan).toContain("runs_session");
    expect(plan).not.toMatch(/Sort|TEMP B-TREE|SCAN/);
  });

  test("starts at the page's position in an index, and does not sort", async () => {
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
    for (const page of pages) expect(await listRuns(system, { ...component, ...page, limit: 50 })).toHaveLength(50);
    for (const [place, query] of seen.entries()) {
      const plan = await planOf(database, query, [...analyzed, ...withoutScans]);
      expect(plan).toContain(place === 3 ? "runs_of_user" : "runs_listed");
      expect(plan).not.toMatch(/Sort|TEMP B-TREE|SCAN/);
    }
  });
});

eachDatabase("the texts of a listing of runs", (openDatabase) => {
  test.each(["roots", "members"] as const)("of %s are measured and read by key, without a scan", async (scope) => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    await opened.write(() => run({ compile: () => manyRuns.compile(opened.dialect.db) }));
    const seen: CompiledQuery[] = [];
    const { listedBytes, listedRuns } = runReads(observed(opened, seen));
    await listedBytes([1_000_001, 1_000_002], scope);
    await listedRuns([1_000_001, 1_000_002], scope);
    await messageReads(observed(opened, seen)).messages([1_000_001, 1_000_002], true);
    expect(seen.length).toBe(scope === "members" ? 4 : 3);
    for (const query of seen) {
      const plan = await planOf(database, query, ["analyze runs, messages", ...withoutScans]);
      expect(plan).not.toMatch(/Seq Scan|SCAN [rm]\b/);
    }
  });
});

eachDatabase("a listing of sessions", (openDatabase) => {
  test("uses an index, counts up to 10,000, and searches names among the newest sessions", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    await opened.write(() => run({ compile: () => manySessions.compile(opened.dialect.db) }));
    const seen: CompiledQuery[] = [];
    const { listSessions } = sessionReads(observed(opened, seen));
    const page = { sortBy: "createdAt", descending: true, limit: 20, offset: 0, maxBytes: 1_000 } as const;
    expect((await listSessions(system, page)).total).toBe(10_000);
    expect((await listSessions(system, { ...page, userId: "user-1" })).total).toBe(105);
    // The texts of the page's sessions are read by their keys.
    const queries = seen.filter((query) => !query.sql.includes('"state", "metadata", "summary"'));
    expect([seen.length, queries.length]).toEqual([6, 4]);
    for (const [place, query] of queries.entries()) {
      const plan = await planOf(database, query, ["analyze sessions", ...withoutScans]);
      // Only the rows of the page are sorted again.
      expect(plan).toContain(place < 2 ? "sessions_" : "sessions_of_user");
    }
    expect((await listSessions(system, { ...page, offset: 10_480 })).total).toBe(10_500);
    const changed = { ...page, sortBy: "updatedAt" } as const;
    expect((await listSessions(system, changed)).rows[0]?.title).toBe("Title 10500");
    // Only the newest 10,000 sessions are sorted by their last change.
    expect((await listSessions(system, { ...changed, offset: 10_000 })).rows).toEqual([]);
    expect((await listSessions(system, { ...changed, descending: false })).rows[0]?.title).toBe("Title 501");
    const named = await listSessions(system, { ...page, name: "TITLE 1050" });
    expect([named.total, named.rows[0]?.title]).toEqual([2, "Title 10500"]);
    expect((await listSessions(system, { ...page, name: "title 499" })).rows.map(({ title }) => title)).toEqual(
      expect.arrayContaining(["Title 4990", "Title 4999"]),
    );
    expect((await listSessions(system, { ...page, name: "title 499", limit: 100 })).rows).toHaveLength(10);
  });
});

eachDatabase("the queue of background runs", (openDatabase) => {
  test("is counted by its index, with the wait of its oldest run", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    const seen: CompiledQuery[] = [];
    const { queue } = claimQueries(observed(opened, seen));
    expect(await queue(100)).toEqual({ length: 0, oldestWait: 0 });
    const now = Date.now();
    const writes = Array.from({ length: 20 }, async (_, place) => {
      const key = await opened.nextRunKey();
      const change = { policy: "parallel", startBy: null, background: true, createdAt: now - 60_000 + place } as const;
      return { kind: "create", key, run: creation(change) } as const;
    });
    await opened.append(await Promise.all(writes));
    const { length, oldestWait } = await queue(100);
    expect(length).toBe(20);
    expect(oldestWait).toBeGreaterThan(59_000);
    expect(oldestWait).toBeLessThan(90_000);
    expect(await queue(5)).toMatchObject({ length: 5 });
    const plan = await planOf(database, seen.at(-1)!, [...analyzed, ...withoutScans]);
    expect(plan).toContain("heads_queued");
    expect(plan).not.toMatch(/Seq Scan|SCAN h\b(?!.*heads_queued)/);
  });
});
