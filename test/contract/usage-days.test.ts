/** Usage by day: each ended root run counts once, in whichever process, after any crash, and also if it is deleted. */
import { expect, test } from "vitest";
import type { Principal } from "../../src/model/principal.ts";
import type { Store } from "../../src/store/contract/store.ts";
import type { UsageDayStore } from "../../src/store/contract/usage-days.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { create, everybody, isolated, openOn, put, to, write } from "./store-fixtures.ts";

const day = "2026-11-22";
const noon = Date.parse(`${day}T12:00:00Z`);
const all = { from: "2000-01-01", to: "2100-01-01" };
const rowBytes = 256 * 1024;
const dayLength = 24 * 3_600_000;

interface Event {
  readonly name: string;
  readonly [member: string]: unknown;
}

const request = (model: string, change: object = {}): Event => ({
  name: "ModelRequestCompleted",
  ...{ model, model_provider: "lab", input_tokens: 10, output_tokens: 5, reasoning_tokens: 2, cost: 0.001 },
  ...change,
});

/** Creates a run with a log of these events, ends it and returns its key. */
async function ended(
  store: Store,
  events: readonly Event[],
  change: Parameters<typeof create>[1] = {},
): Promise<number> {
  const key = await create(store, { createdAt: noon, ...change });
  const frames = events.map(
    ({ name, ...members }, index) =>
      `event: ${name}\ndata: ${JSON.stringify({ event: name, ...members, event_index: index })}\nid: ${index}\n\n`,
  );
  const segment =
    frames.length === 0 ? null : { firstIndex: 0, lastIndex: frames.length - 1, frames: Buffer.from(frames.join("")) };
  const outcome = await put(store, write(key, { segment, transition: to("COMPLETED", noon + 1_000) }));
  expect(outcome.kind).toBe("committed");
  return key;
}

async function countAll(usageDays: UsageDayStore): Promise<readonly string[]> {
  const days = new Set<string>();
  for (;;) {
    const counted = await usageDays.countQueued();
    if (counted.length === 0) return [...days].sort();
    for (const one of counted) days.add(one);
  }
}

const model = (change: object = {}) => ({
  ...{ model: "m", provider: "lab", runs: 1, requests: 1, input: 10, output: 5, reasoning: 2, cacheRead: 0 },
  ...{ cacheWrite: 0, nanos: 1_000_000 },
  ...change,
});

eachDatabase("usage by day", (openDatabase) => {
  const open = async (database: TestDatabase) => await openOn(database);

  test("a run counts on the UTC day of its start, with its models, session and user, once its log is compacted", async () => {
    const { store, usageDays } = await open(await openDatabase());
    const lastSecond = Date.parse("2026-11-21T23:59:59.999Z");
    const keys = [
      await ended(store, [request("m"), request("m", { cost: undefined }), request("n", { cost: undefined })]),
      await ended(store, [request("m")], { kind: "team", sessionId: "t", createdAt: lastSecond }),
      await ended(store, [request("m", { cache_read_tokens: 7 })], { kind: "team", sessionId: "t" }),
      await ended(store, [], { kind: "workflow", sessionId: "w", userId: null }),
    ];
    expect(await countAll(usageDays)).toEqual([]);
    for (const key of keys) await store.compact(key, rowBytes);
    await store.compact(keys[0]!, rowBytes);
    expect(await countAll(usageDays)).toEqual(["2026-11-21", day]);
    const [first, second, ...others] = await usageDays.listDays(everybody, all);
    expect(others).toEqual([]);
    expect(first).toMatchObject({ day: "2026-11-21", runs: { agent: 0, team: 1, workflow: 0 }, users: 1 });
    expect(first).toMatchObject({ sessions: { agent: 0, team: 1, workflow: 0 }, models: [model()] });
    expect(second).toMatchObject({ day, runs: { agent: 1, team: 1, workflow: 1 }, users: 1 });
    expect(second).toMatchObject({ sessions: { agent: 1, team: 1, workflow: 1 } });
    expect(second?.models).toEqual([
      model({ runs: 2, requests: 3, input: 30, output: 15, reasoning: 6, cacheRead: 7, nanos: 2_000_000 }),
      model({ model: "n", nanos: null }),
    ]);
    expect(await usageDays.listDays(everybody, { from: day, to: day })).toEqual([second]);
    expect(await usageDays.listDays(everybody, { from: "2026-11-23", to: "2026-12-31" })).toEqual([]);
  });

  test("sessions and users count once per day, whichever call counts their runs", async () => {
    const { store, usageDays } = await open(await openDatabase());
    for (const [sessionId, userId] of ["sa", "ta", "sb"].map((text) => [...text] as [string, string])) {
      await store.compact(await ended(store, [], { sessionId, userId }), rowBytes);
      await countAll(usageDays);
    }
    expect(await usageDays.listDays(everybody, all)).toMatchObject([
      { runs: { agent: 3 }, sessions: { agent: 2 }, users: 2 },
    ]);
  });

  test("a caller with user isolation sees the usage of its own sessions, and an admin that of all", async () => {
    const { store, usageDays } = await open(await openDatabase());
    for (const owner of ["alice", "alice", "bob", ""])
      await store.compact(await ended(store, [request(`of ${owner}`)], { owner, userId: owner || null }), rowBytes);
    await countAll(usageDays);
    const seen = async (caller: Principal) =>
      (await usageDays.listDays(caller, all)).map(({ runs, sessions, users, models }) => [
        ...[runs.agent, sessions.agent, users],
        ...models.map((one) => one.model),
      ]);
    expect(await seen(isolated("alice"))).toEqual([[2, 1, 1, "of alice"]]);
    expect(await seen(isolated("bob"))).toEqual([[1, 1, 1, "of bob"]]);
    expect(await seen(isolated("eve"))).toEqual([]);
    expect(await seen(everybody)).toEqual([[4, 3, 2, "of ", "of alice", "of bob"]]);
    await expect(usageDays.listDays({ ...isolated("x"), isNameless: true }, all)).rejects.toThrow("names no user");
  });

  test("events that a later attempt discarded do not count, and names and amounts of other servers are bounded", async () => {
    const { store, usageDays } = await open(await openDatabase());
    const events = [
      request("m"),
      request("m"),
      { name: "RunRecovered", attempt: 2, discard_from_index: 1 },
      { ...request("m"), name: "TeamModelRequestCompleted" },
      request(`\0${"x".repeat(500)}`, { input_tokens: -1, output_tokens: "9", cost: Number.MAX_VALUE }),
      { name: "RunContent", content: 'event: ModelRequestCompleted\ndata: {"model":"m"}' },
    ];
    await store.compact(await ended(store, events), rowBytes);
    await countAll(usageDays);
    const [one] = await usageDays.listDays(everybody, all);
    expect(one?.models.map(({ model: name, requests }) => [name.slice(0, 2), name.length, requests])).toEqual([
      ["m", 1, 2],
      ["\ufffdx", 200, 1],
    ]);
    expect(one?.models[1]).toMatchObject({ input: 0, output: 0, nanos: null });
  });

  test("a run whose log reports no usage counts with the usage of its output", async () => {
    const { store, usageDays } = await open(await openDatabase());
    const key = await create(store, { createdAt: noon });
    const usage = { id: "m", provider: "lab", input_tokens: 10, output_tokens: 5, total_tokens: 15, cost: 0.001 };
    const output = JSON.stringify({ contentType: "str", metrics: { details: { model: [usage] } } });
    await put(store, write(key, { transition: { ...to("COMPLETED"), output } }));
    await store.compact(key, rowBytes);
    await countAll(usageDays);
    const [one] = await usageDays.listDays(everybody, all);
    expect(one?.models).toEqual([model({ reasoning: 0 })]);
  });

  test("a run counts after a crash between its compaction and its count", async () => {
    const database = await openDatabase();
    const first = await open(database);
    for (let n = 0; n < 3; n++) await first.store.compact(await ended(first.store, [request("m")]), rowBytes);
    await first.signals.close();
    await first.store.close();
    const { usageDays } = await open(database);
    expect(await usageDays.listDays(everybody, all)).toEqual([]);
    expect(await countAll(usageDays)).toEqual([day]);
    expect(await countAll(usageDays)).toEqual([]);
    expect(await usageDays.listDays(everybody, all)).toMatchObject([{ runs: { agent: 3 }, models: [{ requests: 3 }] }]);
  });

  test("runs that are deleted before or after they count stay counted, once", async () => {
    const { store, usageDays } = await open(await openDatabase());
    const [early, late] = [
      await ended(store, [request("m")], { sessionId: "a" }),
      await ended(store, [request("m")], { sessionId: "b" }),
    ];
    for (let n = 0; n < 25; n++) await ended(store, [request("m")], { sessionId: "many" });
    const sessionKey = (await store.findSession(everybody, "many"))!.key;
    await store.compact(late, rowBytes);
    expect(await store.deleteRun(early)).toBe(true);
    await countAll(usageDays);
    expect(await store.deleteRun(late)).toBe(true);
    expect(await store.deleteSession(sessionKey)).toBe(true);
    await countAll(usageDays);
    expect(await usageDays.listDays(everybody, all)).toMatchObject([
      { runs: { agent: 27 }, sessions: { agent: 3 }, models: [{ requests: 27 }] },
    ]);
  });

  test("runs whose logs were compacted before usage was counted are counted once, and no copies of runs", async () => {
    const database = await openDatabase();
    const { store, usageDays } = await open(database);
    const keys: number[] = [];
    for (let n = 0; n < 60; n++) keys.push(await ended(store, [request("m")], { sessionId: `s${n % 7}` }));
    const origin = { runId: "r", sessionId: "s" };
    keys.push(await ended(store, [], { options: JSON.stringify({ origin }) }));
    for (const key of keys) await store.compact(key, rowBytes);
    // The state that an earlier version leaves.
    await executeSql(database, "delete from usage_pending");
    await executeSql(database, "update run_heads set counted = 0");
    const later = await ended(store, [request("m")]);
    await store.compact(later, rowBytes);
    while (await usageDays.queueEarlier());
    expect(await usageDays.queueEarlier()).toBe(false);
    await countAll(usageDays);
    expect(await usageDays.listDays(everybody, all)).toMatchObject([
      { runs: { agent: 61 }, models: [{ requests: 61 }] },
    ]);
  });

  test("retention keeps the events of runs that are not counted, and a run that it removes counts", async () => {
    const database = await openDatabase();
    const { store, usageDays, retention } = await open(database);
    const keys = [await ended(store, [request("m")], { sessionId: "a" }), await ended(store, [request("m")])];
    for (const key of keys) await store.compact(key, rowBytes);
    await countAll(usageDays);
    await executeSql(database, `update run_heads set counted = 0 where run_key = ${keys[0]}`);
    const old = { age: -dayLength, limit: 10 };
    expect((await retention.remove("events", old)).items).toBe(1);
    expect((await usageDays.queueEarlier()) || (await retention.remove("events", old)).items).toBe(1);
    await store.compact(await ended(store, [request("m")], { sessionId: "b" }), rowBytes);
    await executeSql(database, "delete from usage_pending");
    await executeSql(database, "update run_heads set counted = 0");
    expect((await retention.remove("runs", old)).items).toBe(3);
    await countAll(usageDays);
    expect(await usageDays.listDays(everybody, all)).toMatchObject([{ runs: { agent: 5 }, models: [{ requests: 2 }] }]);
  });
});

eachDatabase("usage by day of several processes", (openDatabase, kind) => {
  test.skipIf(kind === "sqlite")("compaction, counts and deletions at the same time count each run once", async () => {
    const database = await openDatabase();
    const processes = [await openOn(database), await openOn(database), await openOn(database)];
    const [{ store }] = processes as [(typeof processes)[number]];
    const keys: number[] = [];
    for (let n = 0; n < 300; n++) {
      const change = {
        sessionId: `s${n % 40}`,
        userId: `u${n % 11}`,
        owner: `u${n % 11}`,
        createdAt: noon + (n % 3) * dayLength,
      };
      keys.push(await ended(store, [request("m"), request("n")], change));
    }
    await Promise.all(
      processes.map(async (own, place) => {
        for (const [n, key] of keys.entries()) {
          await own.store.compact(key, rowBytes);
          if (n % 10 === place) await own.store.deleteRun(key);
          if (n % 20 === place) await own.usageDays.countQueued();
        }
        await countAll(own.usageDays);
      }),
    );
    await countAll(processes[0]!.usageDays);
    const days = await processes[1]!.usageDays.listDays(everybody, all);
    expect(days.map(({ runs, users }) => [runs.agent, users])).toEqual([
      [100, 11],
      [100, 11],
      [100, 11],
    ]);
    expect(days.flatMap(({ models }) => models.map(({ runs, requests }) => [runs, requests]))).toEqual(
      Array.from({ length: 6 }, () => [100, 100]),
    );
    let own = 0;
    for (let n = 0; n < 11; n++)
      for (const one of await processes[2]!.usageDays.listDays(isolated(`u${n}`), all)) own += one.runs.agent;
    expect(own).toBe(300);
  });
});
