import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { system } from "../../src/model/principal.ts";
import { defaultPlan, type Schedule } from "../../src/model/schedule/schedule.ts";
import type { DuePlan, FireResult, ScheduleStore } from "../../src/store/contract/schedules.ts";
import type { OpenedStore } from "../../src/store/open.ts";
import { eachDatabase } from "../support/databases.ts";
import { isolated, openOn } from "./store-fixtures.ts";

function schedule(change: Partial<Schedule> = {}): Schedule {
  const id = randomUUID();
  return {
    ...defaultPlan,
    ...{ id, name: id, owner: "", cronExpr: "* * * * *", endpoint: "/health", payload: { text: "a\u0000b" } },
    ...{ enabled: true, disabledReason: null, nextRunAt: 1_000, fires: 0, failures: 0, platform: null },
    grant: { kind: "open", userId: null, scopes: [], mapping: 0, account: null },
    ...{ createdAt: 1_000, updatedAt: null },
    ...change,
  };
}

/** Returns a plan that creates one fire for the due tick and has no next tick. */
const once =
  (queues = false) =>
  (due: Schedule): DuePlan => {
    const ids = { id: randomUUID(), runId: randomUUID(), attempt: 1 };
    const tick = due.nextRunAt ?? 0;
    return { fires: [{ ...ids, tick, status: "waiting", queues, dueAt: tick }], cancelsOpen: false, nextRunAt: null };
  };

const end = (status: FireResult["status"], retry: FireResult["retry"] = null): FireResult => {
  return { status, sessionId: null, retry, detail: { statusCode: 200, input: null, output: null, error: "\u0000" } };
};

const claimOf = async (store: ScheduleStore, owner: string, orphans = false) =>
  await store.claim({ owner, limit: 10, orphans });

eachDatabase("the store of schedules", (openDatabase, kind) => {
  test("schedules can be created, read, listed, updated and removed by callers who may see them; names are unique per owner", async () => {
    const { schedules } = await openOn(await openDatabase());
    const made = schedule({ owner: "alice", description: "\u0000", updatedAt: 5, maxFires: 3 });
    expect([await schedules.create(made), await schedules.create(made)]).toEqual([true, false]);
    expect(await schedules.find(isolated("alice"), made.id)).toEqual(made);
    expect(await schedules.find(system, made.id)).toEqual(made);
    expect(await schedules.find(isolated("bob"), made.id)).toBeUndefined();
    expect((await schedules.list(isolated("bob"), { limit: 9, offset: 0, maxBytes: 1_000 })).total).toBe(0);
    expect(await schedules.create(schedule({ owner: "bob", name: made.name }))).toBe(true);
    const other = schedule({ owner: "alice", createdAt: 2_000, enabled: false });
    await schedules.create(other);
    const listed = await schedules.list(isolated("alice"), { limit: 1, offset: 0, maxBytes: 1_000 });
    expect([listed.total, listed.schedules]).toEqual([2, [other]]);
    expect((await schedules.list(system, { limit: 9, offset: 0, maxBytes: 1_000, enabled: false })).schedules).toEqual([
      other,
    ]);
    expect(await schedules.update(other.id, { name: made.name })).toBe("exists");
    expect(await schedules.update(other.id, { maxRetries: 2 })).toBe("updated");
    expect(await schedules.find(system, other.id)).toEqual({ ...other, maxRetries: 2 });
    expect([await schedules.remove(other.id), await schedules.remove(other.id)]).toEqual([true, false]);
    expect(await schedules.update(other.id, { maxRetries: 3 })).toBe("gone");
  });

  test("concurrent plans record each tick once, and concurrent claims take each fire once", async () => {
    const database = await openDatabase();
    const stores = [await openOn(database)];
    if (kind === "postgres") stores.push(await openOn(database), await openOn(database));
    const [{ schedules }] = stores as [OpenedStore];
    const made = Array.from({ length: 20 }, () => schedule());
    for (const one of made) await schedules.create(one);
    await Promise.all(stores.flatMap((one) => [one.schedules.plan(7, once()), one.schedules.plan(20, once())]));
    expect(await schedules.plan(50, once())).toBe(0);
    const taken = await Promise.all(stores.flatMap((one, n) => [1, 2, 3].map(() => claimOf(one.schedules, `p${n}`))));
    const ids = taken.flat().map(({ fire }) => fire.scheduleId);
    expect([ids.length, new Set(ids).size]).toEqual([20, 20]);
    // The same tick again, as after a clock that was set back: its row exists already.
    for (const { id } of made) await schedules.update(id, { nextRunAt: 1_000 });
    await schedules.plan(50, once());
    expect(await claimOf(schedules, "p9")).toEqual([]);
  });

  test("a queued fire waits until the fire before it has ended, including its retries", async () => {
    const { schedules } = await openOn(await openDatabase());
    const made = schedule();
    await schedules.create(made);
    for (const nextRunAt of [1_000, 2_000]) {
      await schedules.update(made.id, { nextRunAt });
      await schedules.plan(1, once(true));
    }
    const [first, ...others] = await claimOf(schedules, "p1");
    expect([first?.fire.tick, others.length]).toEqual([1_000, 0]);
    expect(await schedules.untilDue()).toBeNull();
    const retry = { id: randomUUID(), runId: randomUUID(), delay: 5 };
    const again = first && (await schedules.endAttempt(first, end("failed", retry)));
    expect(again).toEqual({ retry: null, isDisabled: false });
    let taken = await claimOf(schedules, "p2");
    while (taken.length === 0) taken = await claimOf(schedules, "p2");
    expect(taken[0]?.fire).toMatchObject({ id: retry.id, attempt: 2, tick: 1_000, triggeredAt: expect.any(Number) });
    expect(await claimOf(schedules, "p1")).toEqual([]);
    expect(taken[0] && (await schedules.endAttempt(taken[0], end("success")))).toEqual({
      retry: null,
      isDisabled: false,
    });
    expect((await claimOf(schedules, "p1")).map(({ fire }) => fire.tick)).toEqual([2_000]);
    const { fires, total } = await schedules.listFires(made.id, { limit: 2, offset: 0, maxBytes: 1_000 });
    expect([total, fires.map(({ attempt }) => attempt)]).toEqual([3, expect.arrayContaining([2])]);
  });

  test("another process claims the fire of a dead process, and the dead process cannot begin or end it", async () => {
    const { schedules, store } = await openOn(await openDatabase());
    const made = schedule();
    await schedules.create(made);
    await schedules.plan(1, once());
    await store.renewProcess("p1", 60_000);
    const [mine] = await claimOf(schedules, "p1");
    expect(await claimOf(schedules, "p2", true)).toEqual([]);
    await store.endProcess("p1");
    expect(await claimOf(schedules, "p2")).toEqual([]);
    const [theirs] = await claimOf(schedules, "p2", true);
    expect(theirs?.fire).toMatchObject({ id: mine?.fire.id, runId: mine?.fire.runId });
    expect(mine && (await schedules.endAttempt(mine, end("success")))).toBeUndefined();
    expect(mine && (await schedules.beginAttempt(mine))).toBeUndefined();
    expect(theirs && (await schedules.endAttempt(theirs, end("success")))).toBeDefined();
    expect((await schedules.findFire(made.id, theirs?.fire.id ?? ""))?.detail?.error).toBe("\u0000");
    expect(await schedules.findFire("other", theirs?.fire.id ?? "")).toBeUndefined();
  });

  test("claim returns a fire again to the process that holds it and lists it in lostFires", async () => {
    const { schedules, store } = await openOn(await openDatabase());
    await schedules.create(schedule());
    await schedules.plan(1, once());
    await store.renewProcess("p1", 60_000);
    const [lost] = await claimOf(schedules, "p1");
    expect(await schedules.heldFires("p1")).toEqual([lost?.fire.id]);
    expect(await schedules.heldFires("p2")).toEqual([]);
    const lostFires = [lost?.fire.id ?? ""];
    expect(await schedules.claim({ owner: "p2", limit: 10, orphans: true, lostFires })).toEqual([]);
    const [found] = await schedules.claim({ owner: "p1", limit: 10, orphans: false, lostFires });
    expect(found?.fire).toMatchObject({ id: lost?.fire.id, triggeredAt: lost?.fire.triggeredAt });
    expect(lost && (await schedules.endAttempt(lost, end("success")))).toBeUndefined();
  });

  test("a fire with a cancel request gets no retry; disabling a schedule cancels its waiting retry, but a manual trigger is retried", async () => {
    const { schedules } = await openOn(await openDatabase());
    const retry = () => ({ id: randomUUID(), runId: randomUUID(), delay: 60_000 });
    const begun = async (made: Schedule) => {
      await schedules.create(made);
      await schedules.plan(1, once(true));
      return (await claimOf(schedules, "p1")).find(({ fire }) => fire.scheduleId === made.id);
    };
    const replaced = schedule();
    const first = await begun(replaced);
    await schedules.update(replaced.id, { nextRunAt: 2_000 });
    await schedules.plan(1, (due) => ({ ...once(true)(due), cancelsOpen: true }));
    expect(await schedules.cancelRequests("p1")).toEqual([first?.fire.id]);
    await (first && schedules.endAttempt(first, end("failed", retry())));
    expect((await schedules.listFires(replaced.id, { limit: 9, offset: 0, maxBytes: 1_000 })).total).toBe(2);

    const disabled = schedule();
    const failing = await begun(disabled);
    const waiting = retry();
    await (failing && schedules.endAttempt(failing, end("failed", waiting)));
    await schedules.update(disabled.id, { enabled: false });
    expect((await schedules.findFire(disabled.id, waiting.id))?.status).toBe("cancelled");
    const asked = { ...once()(disabled).fires[0], id: randomUUID(), tick: null } as never;
    const triggered = await schedules.createClaimed(disabled.id, asked, "p1");
    const ended = triggered && (await schedules.endAttempt(triggered, end("failed", retry())));
    expect(ended?.retry?.fire).toMatchObject({ attempt: 2, status: "running", triggeredAt: null });
    const again = ended?.retry && (await schedules.beginAttempt(ended.retry));
    expect(again?.fire.triggeredAt).toBeGreaterThan(0);
    expect(again && (await schedules.beginAttempt(again))?.fire.triggeredAt).toBe(again?.fire.triggeredAt);
  });

  test("the store keeps the newest maxScheduleRecords fires, and every fire that has not ended", async () => {
    const { schedules } = await openOn(await openDatabase(), { maxScheduleRecords: 5 });
    const made = schedule();
    await schedules.create(made);
    // Records of the same millisecond are sorted by id.
    const tick = async (nextRunAt: number) => {
      await schedules.update(made.id, { nextRunAt });
      await schedules.plan(1, (due) => {
        const plan = once()(due);
        return { ...plan, fires: plan.fires.map((fire) => ({ ...fire, id: `fire-${nextRunAt}` })) };
      });
    };
    await tick(1);
    const [open_] = await claimOf(schedules, "p1");
    for (let n = 2; n <= 8; n++) {
      await tick(n);
      for (const one of await claimOf(schedules, "p1")) await schedules.endAttempt(one, end("success"));
    }
    const ticks = async () => {
      const { fires } = await schedules.listFires(made.id, { limit: 99, offset: 0, maxBytes: 1_000 });
      return fires.map((fire) => fire.tick).sort((one, other) => Number(one) - Number(other));
    };
    expect(await ticks()).toEqual([1, 5, 6, 7, 8]);
    await (open_ && schedules.endAttempt(open_, end("success")));
    const asked = { ...once()(made).fires[0], id: randomUUID(), tick: null } as never;
    expect(await schedules.createClaimed(made.id, asked, "p1")).toBeDefined();
    expect(await ticks()).toEqual([null, 5, 6, 7, 8]);
  });

  test("a released fire can be claimed at once", async () => {
    const { schedules } = await openOn(await openDatabase());
    await schedules.create(schedule());
    await schedules.plan(1, once());
    await claimOf(schedules, "p1");
    await schedules.release("p1");
    expect(await claimOf(schedules, "p2")).toHaveLength(1);
  });

  test("disabling cancels waiting fires; pauseAfter consecutive failures disable the schedule; a fire of a removed schedule cannot end or begin", async () => {
    const { schedules } = await openOn(await openDatabase());
    const made = schedule({ pauseAfter: 2 });
    await schedules.create(made);
    const fire = async () => schedules.createClaimed(made.id, { ...once()(made).fires[0], tick: null } as never, "p1");
    await schedules.plan(1, once());
    await schedules.update(made.id, { enabled: false });
    expect((await schedules.listFires(made.id, { limit: 9, offset: 0, maxBytes: 1_000 })).fires[0]?.status).toBe(
      "cancelled",
    );
    expect(await claimOf(schedules, "p1")).toEqual([]);
    await schedules.update(made.id, { enabled: true });
    for (const status of ["failed", "success", "failed", "cancelled", "failed"] as const) {
      const begun = await fire();
      const ended = begun && (await schedules.endAttempt(begun, end(status)));
      expect(ended?.isDisabled).toBe(false);
      if (status === "cancelled") break;
    }
    const last = await fire();
    expect(last && (await schedules.endAttempt(last, end("failed")))?.isDisabled).toBe(true);
    expect(await schedules.find(system, made.id)).toMatchObject({ enabled: false, failures: 2 });
    const open = await fire();
    expect(await schedules.remove(made.id)).toBe(true);
    expect(open && (await schedules.endAttempt(open, end("success")))).toBeUndefined();
    expect(await fire()).toBeUndefined();
  });

  test("define creates each definition once, updates it only if it changed, and removes it if the code no longer has it", async () => {
    const database = await openDatabase();
    const { schedules } = await openOn(database);
    const defined = schedule({ name: "a", platform: "os" });
    const theirs = schedule({ name: "theirs", platform: "other" });
    await schedules.define("other", [theirs]);
    await Promise.all([1, 2, 3].map(() => schedules.define("os", [{ ...defined, id: randomUUID() }])));
    const named = async () => (await schedules.list(system, { limit: 9, offset: 0, maxBytes: 1_000 })).schedules;
    const before = (await named()).find(({ name }) => name === "a") as Schedule;
    expect((await named()).map(({ name }) => name).sort()).toEqual(["a", "theirs"]);
    await schedules.update(before.id, { enabled: false });
    await schedules.define("os", [{ ...defined, nextRunAt: 9_000 }]);
    expect(await schedules.find(system, before.id)).toMatchObject({ enabled: false, nextRunAt: before.nextRunAt });
    await schedules.define("os", [{ ...defined, nextRunAt: 9_000, cronExpr: "@daily" }]);
    expect(await schedules.find(system, before.id)).toMatchObject({ cronExpr: "@daily", nextRunAt: 9_000 });
    await schedules.define("os", []);
    expect((await named()).map(({ name }) => name)).toEqual(["theirs"]);
  });
});
