/** The bound of stored events, on both databases. */
import { type CompiledQuery, sql } from "kysely";
import { expect, test } from "vitest";
import { RetentionJob } from "../../src/events/retention.ts";
import type { RetentionStore } from "../../src/store/contract/retention.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { retentionStore } from "../../src/store/queries/retention.ts";
import { run } from "../../src/store/transaction.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { executeSql, querySql } from "../support/execute-sql.ts";
import { testRuntime } from "../support/runtime.ts";
import { databaseIn, observed, planOf } from "./query-plans.ts";
import { create, everybody, openOn, put, readLog, segment, to, write } from "./store-fixtures.ts";

/** Creates a run with a log, and ends and compacts it unless it stays in another state. */
async function runWithLog(store: Store, at: number, end: "COMPLETED" | "PAUSED" | "none" = "COMPLETED") {
  const key = await create(store, { policy: "parallel", runId: `r${at}` });
  await put(store, write(key, { segment: segment(0, 9, `${Math.random()}`.repeat(20)) }));
  if (end !== "none") await put(store, write(key, { transition: to(end, at) }));
  if (end === "COMPLETED") await store.compact(key, 1e6);
  return key;
}

/** Stored bytes of the events of runs, newest first. */
async function sizes(database: TestDatabase, keys: readonly number[]): Promise<readonly number[]> {
  const rows = await querySql<{ readonly run_key: unknown; readonly bytes: unknown }>(
    database,
    "select run_key, sum(octet_length(frames)) as bytes from segments group by run_key",
  );
  const bytes = new Map(rows.map((row) => [Number(row.run_key), Number(row.bytes)]));
  return [...keys].reverse().map((key) => bytes.get(key) ?? 0);
}

function sweep(store: RetentionStore, maxEventBytes: number) {
  const pace = { minPause: 0, pauseFactor: 0 };
  return new RetentionJob({ store, runtime: testRuntime, ages: {}, maxEventBytes, pace }).sweep();
}

/** Inserts the heads of 20,000 compacted runs. */
const manyHeads = sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)
  insert into run_heads (run_key, root_key, session_key, session_seq, policy, status, attempt, cancel_requested, first_kept, compacted,
    updated_at, log_bytes) select i, i, i % 200, i, 'queue', 'COMPLETED', 1, 0, 0, 1, i, 10 from n`;

eachDatabase("a bound of the stored events", (openDatabase) => {
  test("the events of the runs that ended first are removed until the rest fits; records and messages stay", async () => {
    const database = await openDatabase();
    const { store, retention } = await openOn(database);
    const keys: number[] = [];
    for (let n = 0; n < 12; n++) keys.push(await runWithLog(store, 2_000 + n));
    const bytes = await sizes(database, keys);
    const newest = bytes.slice(0, 4).reduce((sum, size) => sum + size, 0);
    expect(
      await sweep(
        retention,
        bytes.reduce((sum, size) => sum + size, 0),
      ),
    ).toEqual({});
    expect(await sweep(retention, newest)).toEqual({ maxEventBytes: 8 });
    expect(await sizes(database, keys)).toEqual([...bytes.slice(0, 4), ...Array(8).fill(0)]);
    expect(await store.head(keys[0]!)).toMatchObject({ firstKept: 10, nextIndex: 10, status: "COMPLETED" });
    expect(await store.findRun(everybody, "r2000")).toBeDefined();
    expect(await sweep(retention, newest)).toEqual({});
    expect(await sweep(retention, newest - 1)).toEqual({ maxEventBytes: 1 });
  });

  test("unfinished and paused runs keep their events, and do not count", async () => {
    const database = await openDatabase();
    const { store, retention } = await openOn(database);
    const kept = [await runWithLog(store, 2_000, "PAUSED"), await runWithLog(store, 2_001, "none")];
    const ended = [await runWithLog(store, 2_002), await runWithLog(store, 2_003)];
    const [newest = 0] = await sizes(database, ended);
    expect(await sweep(retention, newest)).toEqual({ maxEventBytes: 1 });
    for (const key of kept) expect(await readLog(store, key)).not.toBe("");
    expect(await sweep(retention, 1)).toEqual({ maxEventBytes: 1 });
    for (const key of kept) expect(await readLog(store, key)).not.toBe("");
  });

  test("sizes that are not known are measured and stored; a preview stores nothing", async () => {
    const database = await openDatabase();
    const { store, retention } = await openOn(database);
    const keys = [await runWithLog(store, 2_000), await runWithLog(store, 2_001), await runWithLog(store, 2_002)];
    await executeSql(database, `update run_heads set log_bytes = null where run_key <> ${keys[1]}`);
    const bytes = await sizes(database, keys);
    const maxBytes = bytes[0]! + bytes[1]!;
    const unknown = () =>
      querySql<{ readonly n: unknown }>(database, "select count(*) as n from run_heads where log_bytes is null");
    const expected = { at: 2_000, key: keys[0] };
    expect(await retention.boundary({ maxBytes, isPreview: true })).toEqual(expected);
    expect(Number((await unknown())[0]?.n)).toBe(2);
    expect(await retention.boundary({ maxBytes })).toEqual(expected);
    expect(Number((await unknown())[0]?.n)).toBe(0);
    const stored = await querySql<{ readonly b: unknown }>(database, "select log_bytes as b from run_heads order by 1");
    expect(stored.map(({ b }) => Number(b))).toEqual([...bytes].sort((a, b) => a - b));
  });

  test("the walk of many runs continues after each page, and runs that ended at the same time count once", async () => {
    const database = await openDatabase();
    const { store, retention } = await openOn(database);
    const key = await runWithLog(store, 5);
    await executeSql(
      database,
      `insert into run_heads (run_key, root_key, session_key, session_seq, policy, status, attempt, cancel_requested, first_kept, compacted,
        counted, user_id, background, watched, updated_at, log_bytes)
        with recursive n(i) as (select 1 union all select i + 1 from n where i < 7000)
        select ${key} + i, ${key} + i, 1, i, 'queue', 'COMPLETED', 1, 0, 1, 1, 1, '', 0, 0, 10000 - i / 10, 10 from n`,
    );
    let pages = 0;
    const inTurn = <T>(page: () => Promise<T>): Promise<T> => {
      pages += 1;
      return page();
    };
    // The newest run is the one with i = 9, the greatest key of the first ten.
    const boundary = await retention.boundary({ maxBytes: 60_000, inTurn });
    const rows = await querySql<{ readonly n: unknown }>(
      database,
      `select count(*) as n from run_heads where (updated_at, run_key) > (${boundary?.at}, ${boundary?.key})`,
    );
    expect(Number(rows[0]?.n)).toBe(6_000);
    expect(pages).toBe(4);
    expect(await retention.boundary({ maxBytes: 1e9 })).toBeUndefined();
  });

  test("two processes that sweep at the same time remove no more than one", async () => {
    const database = await openDatabase();
    const { store, retention } = await openOn(database);
    const keys: number[] = [];
    for (let n = 0; n < 40; n++) keys.push(await runWithLog(store, 2_000 + n));
    const bytes = await sizes(database, keys);
    const newest = bytes.slice(0, 15).reduce((sum, size) => sum + size, 0);
    const other = database.kind === "postgres" ? (await openOn(database)).retention : retention;
    await Promise.all([sweep(retention, newest), sweep(other, newest)]);
    expect(await sizes(database, keys)).toEqual([...bytes.slice(0, 15), ...Array(25).fill(0)]);
  });
});

eachDatabase("the walk of a bound", (openDatabase) => {
  test("reads the index alone", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    await opened.write(() => run({ compile: () => manyHeads.compile(opened.dialect.db) }));
    const seen: CompiledQuery[] = [];
    await retentionStore(observed(opened, seen)).boundary({ maxBytes: 1e9 });
    expect(seen.length).toBeGreaterThan(10);
    for (const query of seen.slice(0, 2)) {
      const plan = await planOf(database, query, ["vacuum analyze"]);
      expect(plan).toMatch(/COVERING INDEX heads_kept|Index Only Scan.*heads_kept/);
    }
  });
});
