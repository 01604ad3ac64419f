import { statSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { RetentionJob } from "../../src/events/retention.ts";
import type { RetentionAges } from "../../src/model/retention.ts";
import type { Log } from "../../src/model/runtime.ts";
import type { RetentionBatch, RetentionRequest, RetentionStore } from "../../src/store/contract/retention.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { create, openOn, put, segment, to, write } from "../contract/store-fixtures.ts";
import { createDataDir, eachDatabase, type TestDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { executeSql, querySql } from "../support/execute-sql.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { silentLog, testRuntime } from "../support/runtime.ts";

const day = 86_400_000;

function jobOf(
  store: RetentionStore,
  {
    ages = { events: day } as RetentionAges,
    isBusy = (): boolean => false,
    clock = new FakeClock(),
    log = silentLog as Log,
  } = {},
): RetentionJob {
  return new RetentionJob({ store, ages, isBusy, runtime: { ...testRuntime, clock, log } });
}

/** Creates ended and compacted runs. */
async function ended(store: Store, runs: number, padding = ""): Promise<number[]> {
  const keys: number[] = [];
  for (let n = 0; n < runs; n++) {
    const key = await create(store, { policy: "parallel" });
    await put(store, write(key, { segment: segment(0, 9, padding), transition: to("COMPLETED") }));
    await store.compact(key, 1e6);
    keys.push(key);
  }
  return keys;
}

const empty: RetentionBatch = { items: 0, events: 0, bytes: 0, next: undefined };

/** A store whose batches are given by a function. */
function batches(of: (request: RetentionRequest) => RetentionBatch | Promise<RetentionBatch>): RetentionStore {
  return {
    ...{ remove: async (_, request) => of(request), preview: async () => empty, boundary: async () => undefined },
    ...{
      now: async () => 0,
      returnSpace: async () => false,
      removeExpired: async () => 0,
      removeVersions: async () => 0,
    },
  };
}

eachDatabase("a sweep of the retention", (openDatabase) => {
  test("removes everything that is due, and another one removes nothing", async () => {
    const { store, retention } = await openOn(await openDatabase());
    const keys = await ended(store, 120);
    const job = jobOf(retention);
    expect(await job.sweep()).toEqual({ events: 120 });
    for (const key of keys) expect(await store.head(key)).toMatchObject({ firstKept: 10 });
    expect(await job.sweep()).toEqual({});
  });

  test("removes expired answers in batches, whatever is kept, and answers that are valid stay", async () => {
    const database = await openDatabase();
    const { responses, retention } = await openOn(database);
    for (let n = 0; n < 120; n++) await responses.put({ digest: `d${n}`, userId: null, body: "[]" }, 3_600_000);
    await executeSql(database, "update cached_responses set expires_at = 5 where digest <> 'd7'");
    expect(await jobOf(retention, { ages: {} }).sweep()).toEqual({ expired: 119 });
    expect(await querySql(database, "select digest from cached_responses")).toEqual([{ digest: "d7" }]);
    expect(await jobOf(retention, { ages: {} }).sweep()).toEqual({});
  });

  test("that a crash ended between two batches is completed by the next process", async () => {
    const database = await openDatabase();
    const first = await openOn(database);
    const keys = await ended(first.store, 120);
    let calls = 0;
    const crashing: RetentionStore = {
      ...first.retention,
      remove: (kind, request) => {
        if (++calls === 3) throw new Error("crash");
        return first.retention.remove(kind, { ...request, limit: 20 });
      },
    };
    await expect(jobOf(crashing).sweep()).rejects.toThrow("crash");
    const left = await Promise.all(keys.map((key) => first.store.head(key)));
    expect(left.filter((head) => head?.firstKept === 0)).toHaveLength(80);
    await first.signals.close();
    await first.store.close();
    const { retention, store } = await openOn(database);
    expect(await jobOf(retention).sweep()).toEqual({ events: 80 });
    for (const key of keys) expect(await store.head(key)).toMatchObject({ firstKept: 10, nextIndex: 10 });
  });
});

test("a batch waits while the journal is busy, but not for ever", async () => {
  const clock = new FakeClock();
  let busy = 7;
  const store = batches(() => empty);
  await jobOf(store, { clock, isBusy: () => busy-- > 0 }).sweep();
  expect(clock.slept.filter((pause) => pause === 10)).toHaveLength(7);
  const always = new FakeClock();
  await jobOf(store, { clock: always, isBusy: () => true }).sweep();
  // One batch, one of expired answers, and one step that returns free space.
  expect(always.slept.filter((pause) => pause === 10)).toHaveLength(150);
});

test("slow batches become smaller and their pauses longer; fast batches become larger", async () => {
  const clock = new FakeClock();
  const limits: number[] = [];
  const store = batches(({ limit }) => {
    limits.push(limit);
    clock.advance(limits.length > 1 && limits.length < 6 ? 40 : 1);
    return { ...empty, items: limit, next: limits.length < 12 ? { at: 1, key: 1 } : undefined };
  });
  await jobOf(store, { clock }).sweep();
  expect(limits).toEqual([50, 100, 50, 50, 50, 50, 100, 200, 200, 200, 200, 200]);
  expect(clock.slept.slice(0, 6)).toEqual([50, 360, 360, 360, 360, 50]);
});

test("sweeps are periodic, a failure is logged and the next sweep continues; close ends them", async () => {
  const clock = new FakeClock();
  const warnings: unknown[] = [];
  let calls = 0;
  const store = batches(() => {
    if (++calls === 1) throw new Error("away");
    return empty;
  });
  const job = jobOf(store, { clock, log: { ...silentLog, warn: (fields) => warnings.push(fields) } });
  job.start();
  for (const sweeps of [1, 2, 3]) {
    clock.advance(800_000);
    await eventually(() => expect([calls, clock.timers]).toEqual([sweeps, 1]));
  }
  expect(warnings).toHaveLength(1);
  await job.close();
  expect(clock.timers).toBe(0);
});

test("without a retention, only expired answers are removed", async () => {
  const clock = new FakeClock();
  let [removals, expirations] = [0, 0];
  const store = batches(() => {
    removals++;
    return empty;
  });
  const removeExpired = async () => {
    expirations++;
    return 0;
  };
  const job = jobOf({ ...store, removeExpired }, { clock, ages: {} });
  job.start();
  clock.advance(60_000);
  await eventually(() => expect(expirations).toBe(1));
  await job.close();
  expect([removals, clock.timers]).toEqual([0, 0]);
});

test("the SQLite file shrinks in steps after a removal; a file of an earlier version shrinks when it is rewritten", async () => {
  const { path, remove } = await createDataDir();
  onTestFinished(remove);
  const database: TestDatabase = { kind: "sqlite", dataDir: path };
  const file = join(path, "troupe.sqlite");
  const size = async (): Promise<number> => {
    const { default: Sqlite } = await import("better-sqlite3");
    const connection = new Sqlite(file);
    connection.pragma("wal_checkpoint(truncate)");
    connection.close();
    return statSync(file).size;
  };
  const { store, retention, signals } = await openOn(database);
  // Random bytes, because rows are compressed.
  const noise = (): string => Array.from({ length: 5_000 }, () => Math.random().toString(36)).join("");
  await ended(store, 100, noise().slice(0, 50_000));
  for (let n = 0; n < 20; n++) await ended(store, 1, noise().slice(0, 50_000));
  const full = await size();
  expect(full).toBeGreaterThan(4e6);
  expect(await jobOf(retention).sweep()).toEqual({ events: 120 });
  const swept = await size();
  expect(swept).toBeLessThan(full / 2);
  await retention.rewrite?.();
  expect(await size()).toBeLessThan(swept);
  expect(await store.head(1)).toMatchObject({ firstKept: 10 });
  await signals.close();
  await store.close();
});

test("versions of deleted components are removed at the age of runs, and kept without one", async () => {
  const ages: number[] = [];
  const store = {
    ...batches(() => empty),
    removeVersions: async ({ age }: { readonly age: number }) => (ages.push(age) > 2 ? 0 : 5),
  };
  expect(await jobOf(store, { ages: { events: 1 } }).sweep()).toEqual({});
  expect(await jobOf(store, { ages: { runs: 7 } }).sweep()).toEqual({ componentVersions: 10 });
  expect(ages).toEqual([7, 7, 7]);
});
