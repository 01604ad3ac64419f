/** Counters of usage that several runs share: written by flushes, under the fence of the run. */
import { expect, test } from "vitest";
import type { CountedUsage, Outcome } from "../../src/store/contract/store.ts";
import { create, eachStore, openOn, segment, write } from "./store-fixtures.ts";

const day = { period: "2026-11-22", scope: "platform", key: "" };
const amounts = { tokens: 100, nanos: 2_000_000, modelRequests: 1, toolCalls: 0 };
const amount = (change: Partial<CountedUsage> = {}): CountedUsage => ({ ...day, ...amounts, ...change });

const usageOf = (outcomes: readonly Outcome[]) =>
  outcomes.map((outcome) => (outcome.kind === "committed" ? outcome.usage : outcome.kind));

eachStore("usage counters", (openDatabase) => {
  test("a flush adds the usage of its runs, and each outcome has the totals after the flush", async () => {
    const { store } = await openOn(await openDatabase());
    const [one, other] = [await create(store, { sessionId: "a" }), await create(store, { sessionId: "b" })];
    const user = { scope: "user", key: "alice" };
    const first = await store.append([
      write(one, { segment: segment(0, 0), usage: [amount(), amount(user)] }),
      write(other, { segment: segment(0, 0), usage: [amount({ toolCalls: 2 })] }),
    ]);
    const total = { ...day, tokens: 200, nanos: 4_000_000, modelRequests: 2, toolCalls: 2 };
    expect(usageOf(first)).toEqual([[total, amount(user)], [total]]);
    const second = await store.append([
      write(one, { segment: segment(1, 1), usage: [amount()] }),
      write(other, { segment: segment(1, 1) }),
    ]);
    expect(usageOf(second)).toEqual([[{ ...total, tokens: 300, nanos: 6_000_000, modelRequests: 3 }], undefined]);
    expect(
      await store.readUsage([
        { ...day, ...user },
        { ...day, key: "none" },
      ]),
    ).toEqual([amount(user)]);
    expect(await store.readUsage([])).toEqual([]);
  });

  test("a write of another attempt adds nothing", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store);
    const outcomes = await store.append([write(key, { attempt: 2, segment: segment(0, 0), usage: [amount()] })]);
    expect(usageOf(outcomes)).toEqual(["lost"]);
    expect(await store.readUsage([day])).toEqual([]);
  });

  test("amounts beyond 32 bits are exact", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store);
    const big = amount({ tokens: 2 ** 40, nanos: 2 ** 52 });
    await store.append([write(key, { segment: segment(0, 0), usage: [big] })]);
    expect(await store.readUsage([day])).toEqual([big]);
  });

  test("many counters in one flush are written, each once", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store);
    const users = Array.from({ length: 300 }, (_, n) => amount({ scope: "user", key: `user ${n}` }));
    await store.append([write(key, { segment: segment(0, 0), usage: [...users, ...users] })]);
    const totals = await store.readUsage(users);
    expect([totals.length, new Set(totals.map(({ modelRequests }) => modelRequests))]).toEqual([300, new Set([2])]);
  });

  test("forgetUsage deletes counters of days before a day, and no session's", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store);
    const counters = ["2026-10-01", "2026-10-02", "session/1"].map((period) => amount({ period }));
    await store.append([write(key, { segment: segment(0, 0), usage: counters })]);
    await store.forgetUsage("2026-10-02");
    expect((await store.readUsage(counters)).map(({ period }) => period).sort()).toEqual(["2026-10-02", "session/1"]);
  });
});
