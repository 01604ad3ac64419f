/** Pauses with a deadline: the store returns them once the deadline has passed, unless they were answered. */
import { expect, test } from "vitest";
import type { Store } from "../../src/store/contract/store.ts";
import { create, eachStore, openOn, put, to, write } from "./store-fixtures.ts";

const hour = 3_600_000;

async function paused(store: Store, answerBy: number | undefined, attempt = 1): Promise<number> {
  const key = await create(store, { policy: "parallel" });
  await put(store, write(key, { attempt, transition: { ...to("PAUSED"), answerBy } }));
  return key;
}

const keysOf = async (store: Store, max = 10) => (await store.overduePauses(max)).map(({ key }) => key);

eachStore("a pause", (openDatabase) => {
  test("becomes overdue when its deadline passes; overduePauses returns the earliest deadline first", async () => {
    const { store } = await openOn(await openDatabase());
    expect(await store.untilOverdue()).toBeNull();
    await paused(store, undefined);
    expect(await store.untilOverdue()).toBeNull();
    await paused(store, Date.now() + hour);
    const left = (await store.untilOverdue()) ?? 0;
    expect([left > hour / 2, left <= hour]).toEqual([true, true]);
    expect(await store.overduePauses(10)).toEqual([]);
    const second = await paused(store, 2_000);
    const first = await paused(store, 1_000);
    expect(await store.untilOverdue()).toBe(0);
    expect(await keysOf(store)).toEqual([first, second]);
    expect(await keysOf(store, 1)).toEqual([first]);
    expect(await store.overduePauses(1)).toMatchObject([{ attempt: 1, dueAt: 1_000, output: to("PAUSED").output }]);
  });

  test("is no longer overdue once its run was continued, has a cancel request, or was deleted", async () => {
    const { store } = await openOn(await openDatabase());
    const answered = await paused(store, 1_000);
    const cancelled = await paused(store, 1_000);
    const deleted = await paused(store, 1_000);
    expect(await store.continueRun(answered, 1, [])).toBe(true);
    await store.requestCancel(cancelled);
    await store.requestCancel(deleted);
    const [claimed] = await store.claim({ owner: "p1", slots: 1, key: deleted, orphans: false });
    await put(store, write(deleted, { attempt: claimed!.attempt, transition: to("CANCELLED") }));
    expect(await store.deleteRun(deleted)).toBe(true);
    expect(await store.overduePauses(10)).toEqual([]);
    // Obsolete deadlines are deleted, so no process polls for them.
    expect(await store.untilOverdue()).toBeNull();
  });

  test("has the deadline of the latest pause if its run paused twice; one of two concurrent continues succeeds", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await paused(store, 1_000);
    expect(await store.continueRun(key, 1, [])).toBe(true);
    const [claimed] = await store.claim({ owner: "p1", slots: 1, key, orphans: false });
    const { attempt } = claimed!;
    await put(store, write(key, { attempt, transition: { ...to("PAUSED"), answerBy: 3_000 } }));
    expect(await store.overduePauses(10)).toMatchObject([{ key, attempt, dueAt: 3_000 }]);
    // An answer in time and the end by deadline may arrive at the same time: only one of them succeeds.
    const both = await Promise.all([store.continueRun(key, attempt, []), store.continueRun(key, attempt, [])]);
    expect(both.filter(Boolean)).toHaveLength(1);
  });
});
