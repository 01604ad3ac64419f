import { expect, test } from "vitest";
import type { PushTarget } from "../../src/model/push.ts";
import { Shares } from "../../src/model/shares.ts";
import type { PushStore } from "../../src/store/contract/push-targets.ts";
import { eachDatabase } from "../support/databases.ts";
import { create, openOn, put, segment, to, write } from "./store-fixtures.ts";

const target = (id: string, change: Partial<PushTarget> = {}): PushTarget => {
  return { id, url: `https://client.example/${id}`, version: "0.3", ...change };
};

const claimOf = async (pushes: PushStore, owner: string, orphans = false) =>
  await pushes.claim({ owner, limit: 10, orphans });

eachDatabase("push targets", (openDatabase) => {
  test("targets can be found, replaced, listed in pages and removed; put respects maxTargets; deleting the run deletes them", async () => {
    const { store, pushes } = await openOn(await openDatabase());
    const given = target("b", { token: "\u0000", authentication: { schemes: ["Bearer"], credentials: "x" } });
    const key = await create(store, { pushTargets: [given] });
    expect(await pushes.find(key, "b")).toEqual(given);
    expect(await pushes.find(key + 1, "b")).toBeUndefined();

    expect(await pushes.put(key, target("a"), { cursor: 3, maxTargets: 2 })).toBe("stored");
    expect(await pushes.put(key, target("c"), { cursor: 3, maxTargets: 2 })).toBe("full");
    expect(await pushes.put(key, target("a", { version: "1.0" }), { cursor: 3, maxTargets: 2 })).toBe("stored");
    expect(await pushes.put(key + 1, target("a"), { cursor: 3, maxTargets: 2 })).toBe("gone");
    expect(await pushes.list(key, { limit: 1 })).toEqual([target("a", { version: "1.0" })]);
    expect(await pushes.list(key, { limit: 9, after: "a" })).toEqual([given]);
    expect([await pushes.remove(key, "a"), await pushes.remove(key, "a")]).toEqual([true, false]);

    await put(store, write(key, { transition: to("COMPLETED") }));
    expect(await store.deleteRun(key)).toBe(true);
    expect(await pushes.list(key, { limit: 9 })).toEqual([]);
    expect(await pushes.untilDue()).toBeNull();
  });

  test("a target becomes due with the flush that begins or ends its run, and not with other flushes", async () => {
    const { store, pushes } = await openOn(await openDatabase());
    const key = await create(store, { pushTargets: [target("a")] });
    expect([await pushes.untilDue(), await claimOf(pushes, "p1")]).toEqual([null, []]);
    await put(store, write(key, { segment: segment(0, 0), begins: true }));
    expect(await pushes.untilDue()).toBe(0);
    const [begun] = await claimOf(pushes, "p1");
    expect(begun).toMatchObject({
      key,
      cursor: -1,
      statusChanges: 1,
      failures: 0,
      target: target("a"),
      sessionId: "s",
    });
    expect(await pushes.finish(begun!, { cursor: 0, retryIn: null, failures: 0 })).toBe(true);
    await put(store, write(key, { segment: segment(1, 5) }));
    expect([await pushes.untilDue(), await claimOf(pushes, "p1")]).toEqual([null, []]);
    await put(store, write(key, { segment: segment(6, 6), transition: to("COMPLETED") }));
    expect(await claimOf(pushes, "p1")).toMatchObject([{ key, cursor: 0, statusChanges: 2 }]);
  });

  test("claim limits the targets that one user holds, so another user's targets are claimed although they became due later", async () => {
    const { store, pushes } = await openOn(await openDatabase());
    const due = async (userId: string | null, ids: readonly string[]): Promise<void> => {
      const key = await create(store, { userId, sessionId: `of-${userId}`, pushTargets: ids.map((id) => target(id)) });
      await put(store, write(key, { segment: segment(0, 0), begins: true }));
    };
    const held = new Shares();
    const claimed = async (): Promise<readonly string[]> => {
      const found = await pushes.claim({
        owner: "p1",
        limit: 12 - held.total,
        orphans: false,
        held: held,
        maxHeld: 12,
      });
      for (const { userId } of found) held.add(userId, 1);
      return found.map(({ userId }) => userId).sort();
    };
    await due("a", ["1", "2", "3", "4", "5", "6", "7", "8"]);
    expect(await claimed()).toEqual(Array(6).fill("a"));
    expect([await claimed(), await pushes.untilDue(held, 12)]).toEqual([[], null]);
    await due("b", ["1", "2", "3", "4", "5"]);
    expect(await pushes.untilDue(held, 12)).toBe(0);
    expect(await claimed()).toEqual(Array(4).fill("b"));
    await due(null, ["1", "2", "3"]);
    expect(await claimed()).toEqual(["", ""]);
    expect(await pushes.untilDue()).toBe(0);
  });

  test("a write that lost its lease makes no target due", async () => {
    const { store, pushes } = await openOn(await openDatabase());
    const key = await create(store, { pushTargets: [target("a")] });
    await put(store, write(key, { attempt: 7, transition: to("COMPLETED") }));
    expect(await pushes.untilDue()).toBeNull();
  });

  test("a status change while a target is claimed makes it due again once the claim finishes", async () => {
    const { store, pushes } = await openOn(await openDatabase());
    const key = await create(store, { pushTargets: [target("a")] });
    await put(store, write(key, { segment: segment(0, 0), begins: true }));
    const [held] = await claimOf(pushes, "p1");
    await put(store, write(key, { segment: segment(1, 1), transition: to("ERROR") }));
    expect(await claimOf(pushes, "p2")).toEqual([]);
    await pushes.finish(held!, { cursor: 0, retryIn: null, failures: 0 });
    expect(await claimOf(pushes, "p2")).toMatchObject([{ cursor: 0, statusChanges: 2, claim: 2 }]);
  });

  test("a target whose delivery failed is due after the retry delay, and a status change does not shorten the delay", async () => {
    const { store, pushes } = await openOn(await openDatabase());
    const key = await create(store, { pushTargets: [target("a")] });
    await put(store, write(key, { segment: segment(0, 0), begins: true }));
    const [first] = await claimOf(pushes, "p1");
    await pushes.finish(first!, { cursor: -1, retryIn: 60_000, failures: 3 });
    expect(await pushes.untilDue()).toBeGreaterThan(30_000);
    expect(await claimOf(pushes, "p1")).toEqual([]);
    await put(store, write(key, { segment: segment(1, 1), transition: to("COMPLETED") }));
    // The target was unreachable: a status change does not make it due earlier.
    expect(await claimOf(pushes, "p1")).toEqual([]);
  });

  test("another process claims the targets of a dead process, and the dead process cannot finish them", async () => {
    const { store, pushes } = await openOn(await openDatabase());
    const key = await create(store, { pushTargets: [target("a")] });
    await put(store, write(key, { segment: segment(0, 0), begins: true }));
    await store.renewProcess("alive", 60_000);
    const [held] = await claimOf(pushes, "alive");
    expect(await claimOf(pushes, "p2", true)).toEqual([]);
    await store.endProcess("alive");
    expect(await claimOf(pushes, "p2")).toEqual([]);
    expect(await claimOf(pushes, "p2", true)).toMatchObject([{ key, claim: 2, cursor: -1 }]);
    expect(await pushes.finish(held!, { cursor: 0, retryIn: null, failures: 0 })).toBe(false);
    await pushes.release("p2");
    expect(await claimOf(pushes, "p3")).toMatchObject([{ claim: 3 }]);
  });

  test("replacing or removing a target invalidates its claim; a replaced target is due at once at its new address", async () => {
    const { store, pushes } = await openOn(await openDatabase());
    const key = await create(store, { pushTargets: [target("a")] });
    await put(store, write(key, { segment: segment(0, 0), begins: true }));
    const [held] = await claimOf(pushes, "p1");
    expect(await pushes.isClaimValid(held!)).toBe(true);
    const elsewhere = { ...target("a"), url: "https://other.example/" };
    expect(await pushes.put(key, elsewhere, { cursor: 7, maxTargets: 1 })).toBe("stored");
    expect([
      await pushes.isClaimValid(held!),
      await pushes.finish(held!, { cursor: 0, retryIn: null, failures: 0 }),
    ]).toEqual([false, false]);
    const [anew] = await claimOf(pushes, "p1");
    expect(anew).toMatchObject({ target: { url: elsewhere.url }, cursor: -1, failures: 0 });
    await pushes.finish(anew!, { cursor: -1, retryIn: 60_000, failures: 3 });
    expect(await claimOf(pushes, "p1")).toEqual([]);
    await pushes.put(key, target("a"), { cursor: 7, maxTargets: 1 });
    const [last] = await claimOf(pushes, "p1");
    expect(last).toMatchObject({ target: { url: target("a").url }, failures: 0 });
    await pushes.remove(key, "a");
    expect(await pushes.isClaimValid(last!)).toBe(false);
  });

  test("concurrent claims of several processes return each target once", async () => {
    const { store, pushes } = await openOn(await openDatabase());
    const key = await create(store, { pushTargets: ["a", "b", "c", "d"].map((id) => target(id)) });
    await put(store, write(key, { transition: to("COMPLETED") }));
    const taken = (await Promise.all(["p1", "p2", "p3"].map((owner) => claimOf(pushes, owner)))).flat();
    const rest = await claimOf(pushes, "p4");
    expect([...taken, ...rest].map((push) => push.target.id).sort()).toEqual(["a", "b", "c", "d"]);
  });
});
