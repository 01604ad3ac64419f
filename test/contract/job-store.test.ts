/** Durable jobs on both databases: order within a lane, claims, fences, retries and jobs of dead processes. */
import { expect, test } from "vitest";
import type { JobStore, NewJob } from "../../src/store/contract/jobs.ts";
import { eachDatabase } from "../support/databases.ts";
import { openOn } from "./store-fixtures.ts";

const job = (id: string, more: Partial<NewJob> = {}): NewJob => ({ kind: "work", id, ...more });

const claimOf = (jobs: JobStore, owner: string, more: object = {}) =>
  jobs.claim({ kind: "work", owner, limit: 10, orphans: false, full: [], ...more });

eachDatabase("durable jobs", (openDatabase) => {
  test("are added once per kind and id, and claimed by one process only", async () => {
    const { jobs } = await openOn(await openDatabase());
    await jobs.add([job("a"), job("a"), job("b"), { kind: "other", id: "a" }]);
    expect(await jobs.untilDue("work", [])).toBe(0);
    const [first, second] = [await claimOf(jobs, "p1", { limit: 1 }), await claimOf(jobs, "p2")];
    expect([first.map(({ id }) => id), second.map(({ id }) => id)]).toEqual([["a"], ["b"]]);
    expect(await claimOf(jobs, "p1")).toEqual([]);
    expect(await jobs.untilDue("work", [])).toBeNull();
    for (const one of [...first, ...second]) expect(await jobs.finish(one, { kind: "done" })).toBe(true);
    expect(await jobs.finish(first[0]!, { kind: "done" })).toBe(false);
    await jobs.add([job("a")]);
    expect(await claimOf(jobs, "p1")).toMatchObject([{ id: "a", attempt: 0, state: null, claim: 1 }]);
  });

  test("of a lane execute one at a time, in order, and wait together after a failure", async () => {
    const { jobs } = await openOn(await openDatabase());
    await jobs.add([job("a1", { lane: "a" }), job("a2", { lane: "a" }), job("b1", { lane: "b" })]);
    const [a1, b1] = await claimOf(jobs, "p1");
    expect([a1?.id, b1?.id]).toEqual(["a1", "b1"]);
    expect(await claimOf(jobs, "p2")).toEqual([]);
    expect(await jobs.finish(a1!, { kind: "retry", delay: 600_000, state: '{"n":1}' })).toBe(true);
    expect(await claimOf(jobs, "p2")).toEqual([]);
    expect(await jobs.untilDue("work", [])).toBeGreaterThan(300_000);
    await jobs.add([job("c1", { lane: "c" }), job("c2", { lane: "c" })]);
    const [c1] = await claimOf(jobs, "p1");
    await jobs.finish(c1!, { kind: "done" });
    expect(await claimOf(jobs, "p2")).toMatchObject([{ id: "c2" }]);
  });

  test("keep their progress and count failed attempts", async () => {
    const { jobs } = await openOn(await openDatabase());
    await jobs.add([job("a")]);
    const [first] = await claimOf(jobs, "p1");
    await jobs.finish(first!, { kind: "retry", delay: 0, state: '{"at":3}' });
    const [second] = await claimOf(jobs, "p1");
    expect(second).toMatchObject({ attempt: 1, state: '{"at":3}', claim: 2 });
    await jobs.finish(second!, { kind: "retry", delay: 0 });
    expect(await claimOf(jobs, "p1")).toMatchObject([{ attempt: 2, state: '{"at":3}' }]);
  });

  test("of a process without a lease are claimed again, and its late result is rejected", async () => {
    const { jobs, store } = await openOn(await openDatabase());
    await store.renewProcess("alive", 600_000);
    await jobs.add([job("a"), job("b")]);
    const [lost] = await claimOf(jobs, "dead", { limit: 1 });
    const [kept] = await claimOf(jobs, "alive", { limit: 1 });
    expect(await claimOf(jobs, "other")).toEqual([]);
    const [taken, ...more] = await claimOf(jobs, "other", { orphans: true });
    expect([taken?.id, more]).toEqual([lost?.id, []]);
    expect([await jobs.isClaimValid(lost!), await jobs.isClaimValid(taken!)]).toEqual([false, true]);
    expect(await jobs.finish(lost!, { kind: "done" })).toBe(false);
    await jobs.release("work", "alive");
    expect(await claimOf(jobs, "other")).toMatchObject([{ id: kept?.id, claim: 2 }]);
  });

  test("of a full share are not claimed", async () => {
    const { jobs } = await openOn(await openDatabase());
    await jobs.add([job("a", { share: "slow" }), job("b", { share: "quick" }), job("c", { delay: 600_000 })]);
    expect(await claimOf(jobs, "p1", { full: ["slow"] })).toMatchObject([{ id: "b" }]);
    expect(await jobs.untilDue("work", ["slow"])).toBeGreaterThan(300_000);
    expect(await claimOf(jobs, "p1")).toMatchObject([{ id: "a" }]);
  });
});
