/** The operator's keys: wrong and missing ones, their rotation, and values that were changed or moved. */
import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { KeyProvider } from "../../src/model/encryption.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { environmentKeys } from "../../src/store/encryption/environment-keys.ts";
import { openStore } from "../../src/store/open.ts";
import { create, everybody, openOn, put, readLog, segment, to, write } from "../contract/store-fixtures.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { executeSql, querySql } from "../support/execute-sql.ts";
import { testRuntime } from "../support/runtime.ts";
import { contains, keysOf, keyText } from "./stored.ts";

const json = (text: string): string => JSON.stringify({ text });

/** Opens a store, runs `work` and closes the store: on SQLite one process at a time has the database. */
async function during<T>(
  database: TestDatabase,
  keyProvider: KeyProvider | undefined,
  work: (opened: Awaited<ReturnType<typeof openStore>>) => Promise<T>,
  log = testRuntime.log,
): Promise<T> {
  const place = database.kind === "sqlite" ? { dataDir: database.dataDir } : { database: database.url, dataDir: "" };
  const runtime = { ...testRuntime, log };
  const opened = await openStore({
    ...place,
    migrate: true,
    runtime,
    processId: randomUUID(),
    poolSize: 2,
    keyProvider,
  });
  try {
    return await work(opened);
  } finally {
    await opened.signals.close();
    await opened.store.close();
  }
}

async function addRun(store: Store, runId: string): Promise<number> {
  const key = await create(store, {
    runId,
    sessionId: runId,
    input: json(`input ${runId}`),
    sessionState: json(runId),
  });
  await put(
    store,
    write(key, { segment: segment(0, 2, runId), transition: { ...to("COMPLETED"), output: json(runId) } }),
  );
  return key;
}

const needed = ({
  encryption,
}: {
  encryption?: { wrappingKeys(): Promise<ReadonlyMap<string, number>> } | undefined;
}) => encryption?.wrappingKeys().then((counts) => Object.fromEntries(counts));

test("the variable TROUPE_ENCRYPTION_KEYS is rejected with a message that contains no key", () => {
  const good = keyText("a");
  const bad = [
    "a",
    "a:",
    "a:c2hvcnQ=",
    `${good},${good}`,
    `${good},none`,
    `:${good.slice(2)}`,
    `${good},b:%%%`,
    "none",
  ];
  for (const text of bad) {
    const tried = () => environmentKeys(text);
    expect([text, tried]).toEqual([text, expect.any(Function)]);
    expect(tried).toThrow(/TROUPE_ENCRYPTION_KEYS must be a list/);
    try {
      tried();
    } catch (error) {
      expect((error as Error).message).not.toContain(good.slice(2));
    }
  }
  expect([environmentKeys(undefined), environmentKeys(" ")]).toEqual([undefined, undefined]);
  expect(environmentKeys(good)?.keyId).toBe("a");
  expect(environmentKeys(`none,${good}`)?.keyId).toBe(null);
});

eachDatabase("the operator's keys", (openDatabase, kind) => {
  test("a start without the key, with another key, or with a provider that returns another key fails, and changes nothing", async () => {
    const database = await openDatabase();
    const key = await during(database, keysOf("k1"), ({ store }) => addRun(store, "r1"));
    const start = (provider: KeyProvider | undefined) => during(database, provider, async () => undefined);
    await expect(start(undefined)).rejects.toThrow(/no key is configured.*Needed keys: k1/);
    await expect(start(keysOf("k2"))).rejects.toThrow(/TROUPE_ENCRYPTION_KEYS has no key "k1"/);
    const other = environmentKeys(`k1:${keyText("k3").slice(3)}`);
    await expect(start(other)).rejects.toThrow(
      /"k1" of TROUPE_ENCRYPTION_KEYS is not the key that encrypted this database/,
    );
    const wrong = { ...keysOf("k1"), unwrap: () => new Uint8Array(32) };
    await expect(start(wrong)).rejects.toThrow(/the provider returned another key/);
    const short = { ...keysOf("k1"), unwrap: () => new Uint8Array(3) };
    await expect(start(short)).rejects.toThrow(/the provider returned another key/);
    await during(database, keysOf("k1"), async ({ store }) => {
      expect(await store.findRun(everybody, "r1")).toMatchObject({ output: json("r1") });
      expect(await readLog(store, key)).toBe(segment(0, 2, "r1").frames.toString());
    });
  });

  test("a database is encrypted, moves to another key, and stores new values unencrypted, without losing a value", async () => {
    const database = await openDatabase();
    const keys: number[] = [];
    const check = async (store: Store): Promise<void> => {
      for (const [number, key] of keys.entries()) {
        const runId = `r${number}`;
        expect(await store.findRun(everybody, runId)).toMatchObject({
          input: json(`input ${runId}`),
          output: json(runId),
        });
        expect(await readLog(store, key)).toBe(segment(0, 2, runId).frames.toString());
      }
    };
    const phase = (provider: KeyProvider | undefined, wanted: object | undefined) =>
      during(database, provider, async (opened) => {
        await check(opened.store);
        keys.push(await addRun(opened.store, `r${keys.length}`));
        await check(opened.store);
        expect(await needed(opened)).toEqual(wanted);
      });
    await phase(undefined, undefined);
    expect(await contains(database, "input r0")).toBe(true);
    await phase(keysOf("k1"), { k1: 1 });
    expect(await contains(database, "input r1")).toBe(false);
    await phase(keysOf("k1", "k2"), { k1: 1 });
    // The new key is the first: it wraps all data keys, and the former one can be removed.
    await phase(keysOf("k2", "k1"), { k2: 2 });
    await phase(keysOf("k2"), { k2: 2 });
    await phase(keysOf("none", "k2"), { k2: 2 });
    expect(await contains(database, "input r5")).toBe(true);
    await phase(keysOf("k3", "k2"), { k3: 3 });
    for (const number of [1, 2, 3, 4, 6]) expect(await contains(database, `input r${number}`)).toBe(false);
  });

  if (kind === "postgres") {
    test("two replicas rotate one after the other: each reads what the other writes, and the old configuration may restart", async () => {
      const database = await openDatabase();
      const one = await openOn(database, { keyProvider: keysOf("k1", "k2") });
      const first = await addRun(one.store, "r1");
      const two = await openOn(database, { keyProvider: keysOf("k2", "k1") });
      const second = await addRun(two.store, "r2");
      for (const { store } of [one, two]) {
        expect(await store.findRun(everybody, "r1")).toMatchObject({ output: json("r1") });
        expect(await store.findRun(everybody, "r2")).toMatchObject({ output: json("r2") });
        expect(await readLog(store, first)).toBe(segment(0, 2, "r1").frames.toString());
        expect(await readLog(store, second)).toBe(segment(0, 2, "r2").frames.toString());
      }
      const restarted = await openOn(database, { keyProvider: keysOf("k1", "k2") });
      expect(await needed(restarted)).toEqual({ k2: 2 });
      await addRun(restarted.store, "r3");
      expect(await needed(two)).toEqual({ k2: 2 });
      const later = await openOn(database, { keyProvider: keysOf("k2") });
      expect(await later.store.findRun(everybody, "r3")).toMatchObject({ output: json("r3") });
    });

    test("a replica that does not know a data key yet claims a run and writes in its session", async () => {
      const database = await openDatabase();
      const one = await openOn(database, { keyProvider: keysOf("k1", "k2") });
      await addRun(one.store, "r1");
      const two = await openOn(database, { keyProvider: keysOf("k2", "k1") });
      const key = await create(two.store, { runId: "r2", sessionId: "t", startBy: null, sessionState: json("t") });
      const [claimed] = await one.store.claim({ owner: "p1", slots: 1, orphans: false });
      expect(claimed).toMatchObject({ key, sessionState: json("t") });
      const third = await openOn(database, { keyProvider: keysOf("k1", "k2") });
      const statePatch = { set: { more: 1 }, remove: [] };
      expect(await put(third.store, write(key, { segment: segment(0, 0), statePatch }))).toMatchObject({
        kind: "committed",
      });
      expect(await two.store.findSession(everybody, "t")).toMatchObject({ state: '{"text":"t","more":1}' });
    });

    test("stores that open an empty database at the same time share one data key", async () => {
      const database = await openDatabase();
      const opened = await Promise.all([1, 2, 3].map(() => openOn(database, { keyProvider: keysOf("k1") })));
      expect(await needed(opened[0]!)).toEqual({ k1: 1 });
    });
  }

  test("a value of another row or column, and a changed value, is not read: the error and the log name the row, and contain no text", async () => {
    const database = await openDatabase();
    const [one, two] = await during(database, keysOf("k1"), async ({ store }) => [
      await addRun(store, "r1"),
      await addRun(store, "r2"),
    ]);
    await executeSql(
      database,
      `update runs set output = (select o.output from runs o where o.key = ${one}) where key = ${two};
       update segments set frames = (select o.frames from segments o where o.run_key = ${one}) where run_key = ${two};
       update runs set options = input where key = ${one}`,
    );
    const entries: unknown[] = [];
    const log = { ...testRuntime.log, error: (...entry: unknown[]) => void entries.push(entry) };
    const fault = { code: "internal", message: "A stored value cannot be decrypted" };
    await during(
      database,
      keysOf("k1"),
      async ({ store }) => {
        await expect(store.findRun(everybody, "r2")).rejects.toMatchObject(fault);
        await expect(store.findRun(everybody, "r1")).rejects.toMatchObject(fault);
        await expect(readLog(store, two!)).rejects.toMatchObject(fault);
        expect(await readLog(store, one!)).toBe(segment(0, 2, "r1").frames.toString());
        expect(await store.locateRun(everybody, "r2")).toMatchObject({ key: two });
        await addRun(store, "r3");
      },
      log,
    );
    const text = JSON.stringify(entries);
    expect(entries.length).toBe(3);
    expect(text).toContain("runs.output");
    expect(text).toContain(`"row":"${two}"`);
    expect(text).not.toContain("input r");
    const [{ input }] = (await querySql<{ input: string }>(database, `select input from runs where key = ${one}`)) as [
      { input: string },
    ];
    expect(text).not.toContain(input.slice(0, 40));
  });
});
