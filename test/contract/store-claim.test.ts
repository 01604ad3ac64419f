import { expect, test } from "vitest";
import type { ClaimRequest, Store } from "../../src/store/contract/store.ts";
import { create, createEnded, creation, eachStore, openOn, put, segment, to, write } from "./store-fixtures.ts";

const lease = 60_000;

async function claimKeys(store: Store, change: Partial<ClaimRequest> = {}): Promise<number[]> {
  const runs = await store.claim({ owner: "p2", slots: 9, orphans: false, ...change });
  return runs.map((run) => run.key);
}

eachStore("claim", (openDatabase) => {
  test("returns PENDING runs, oldest first, at most one per slot", async () => {
    const { store } = await openOn(await openDatabase());
    const keys: number[] = [];
    for (const sessionId of ["a", "b", "c"]) keys.push(await create(store, { sessionId, startBy: null }));
    expect(await claimKeys(store, { slots: 0 })).toEqual([]);
    expect(await claimKeys(store, { slots: 2 })).toEqual(keys.slice(0, 2));
    expect(await claimKeys(store)).toEqual(keys.slice(2));
    expect(await claimKeys(store)).toEqual([]);
  });

  test("shares the slots among the users with waiting background runs, and begins with the user after the last served one", async () => {
    const { store } = await openOn(await openDatabase());
    const of = async (userId: string | null, n: number) =>
      await create(store, { sessionId: `${userId}-${n}`, startBy: null, background: true, userId });
    const a: number[] = [];
    for (let n = 0; n < 6; n++) a.push(await of("a", n));
    const b = [await of("b", 0), await of("b", 1)];
    const withoutUser = await of(null, 0);
    const late = await of("late", 0);
    expect(await claimKeys(store, { slots: 2 })).toEqual([a[0], b[0]]);
    expect(await claimKeys(store, { slots: 1 })).toEqual([late]);
    expect(await claimKeys(store, { slots: 1 })).toEqual([withoutUser]);
    expect(await claimKeys(store, { slots: 1 })).toEqual([a[1]]);
    expect(await claimKeys(store, { slots: 4 })).toEqual([a[2], a[3], b[1]]);
    expect(await claimKeys(store, { slots: 4, freshSlots: 1 })).toEqual([a[4]]);
  });

  test("gives every user a run and the remaining slots to the users who are next if the slots do not divide evenly", async () => {
    const { store } = await openOn(await openDatabase());
    const byUser = new Map<string, number[]>();
    for (const userId of ["a", "b", "c"]) {
      const keys: number[] = [];
      for (let n = 0; n < 4; n++)
        keys.push(await create(store, { sessionId: `${userId}${n}`, startBy: null, background: true, userId }));
      byUser.set(userId, keys);
    }
    const [a = [], b = [], c = []] = byUser.values();
    expect(await claimKeys(store, { slots: 4 })).toEqual([a[0], a[1], b[0], c[0]]);
    expect(await claimKeys(store, { slots: 4 })).toEqual([a[2], b[1], b[2], c[1]]);
    expect(await claimKeys(store, { slots: 4 })).toEqual([a[3], b[3], c[2], c[3]].sort((x = 0, y = 0) => x - y));
  });

  test("returns a foreground run even if no slot is left for background runs", async () => {
    const { store } = await openOn(await openDatabase());
    const background = await create(store, { sessionId: "a", startBy: null, background: true });
    const waitedFor = await create(store, { sessionId: "b", startBy: null });
    expect(await claimKeys(store, { freshSlots: 0 })).toEqual([waitedFor]);
    expect(await claimKeys(store, { freshSlots: 1 })).toEqual([background]);
  });

  test("countQueued counts waiting background runs by user, up to a maximum", async () => {
    const { store } = await openOn(await openDatabase());
    for (let n = 0; n < 4; n++) await create(store, { sessionId: `s${n}`, startBy: null, background: n > 0 });
    await create(store, { sessionId: "s1", startBy: null, background: true });
    await create(store, { sessionId: "s9", startBy: null, background: true, userId: "alice" });
    const sum = (counts: ReadonlyMap<string, number>) => [...counts.values()].reduce((one, other) => one + other, 0);
    expect([...(await store.countQueued(9))].sort()).toEqual([
      ["alice", 1],
      ["user-1", 4],
    ]);
    expect(sum(await store.countQueued(3))).toBe(3);
    await claimKeys(store, { slots: 2 });
    expect(sum(await store.countQueued(9))).toBe(4);
  });

  test("returns only runs of the given components, but any run by its key; unhostedRuns counts the others", async () => {
    const { store } = await openOn(await openDatabase());
    await store.renewProcess("p1", 1);
    const other = await create(store, { sessionId: "a", startBy: null, componentId: "other" });
    const team = await create(store, { sessionId: "b", startBy: null, kind: "team" });
    const mine = await create(store, { sessionId: "c", startBy: null });
    const left = await create(store, { sessionId: "d", startBy: "never-renewed", componentId: "other" });
    const components = [{ kind: "agent", id: "agent-1" }] as const;
    expect(await claimKeys(store, { components: [], orphans: true })).toEqual([]);
    expect(await claimKeys(store, { components, orphans: true })).toEqual([mine]);
    expect(await claimKeys(store, { components, orphans: true, key: left })).toEqual([left]);
    expect(await store.unhostedRuns(components)).toEqual([
      { kind: "agent", componentId: "other", runs: 2 },
      { kind: "team", componentId: "agent-1", runs: 1 },
    ]);
    expect(await claimKeys(store, { components, key: other })).toEqual([other]);
    expect(await claimKeys(store)).toEqual([team]);
    await put(store, write(team, { transition: to("PAUSED") }));
    const others = { kind: "agent", componentId: "other", runs: 2 };
    expect(await store.unhostedRuns(components)).toEqual([others]);
    expect(await store.unhostedRuns(components, true)).toEqual([
      others,
      { kind: "team", componentId: "agent-1", runs: 1 },
    ]);
  });

  test("with a session key, returns only the next run of that session, released or new", async () => {
    const { store } = await openOn(await openDatabase());
    const elsewhere = await create(store, { sessionId: "a", startBy: null });
    const key = await store.nextRunKey();
    const run = creation({ sessionId: "b", startBy: null });
    const outcome = await put(store, { kind: "create", key, run });
    const second = await create(store, { sessionId: "b", startBy: null });
    if (outcome.kind !== "created") throw new Error("not created");
    const { sessionKey } = outcome;
    expect(await claimKeys(store, { sessionKey })).toEqual([key]);
    expect(await claimKeys(store, { sessionKey })).toEqual([]);
    expect(await store.release(key, 1)).toBe(true);
    expect(await claimKeys(store, { sessionKey })).toEqual([key]);
    expect(await put(store, write(key, { attempt: 2, transition: to("COMPLETED") }))).toMatchObject({ waiting: true });
    expect(await claimKeys(store, { sessionKey })).toEqual([second]);
    expect(await claimKeys(store)).toEqual([elsewhere]);
  });

  test("with background: false, skips background runs, orphaned ones too", async () => {
    const { store } = await openOn(await openDatabase());
    const waiting = await create(store, { sessionId: "a", startBy: null, background: true });
    const waitedFor = await create(store, { sessionId: "b", startBy: null });
    const left = await create(store, { sessionId: "c", startBy: "never-renewed", background: true });
    const runs = await store.claim({ owner: "p2", slots: 9, orphans: true, background: false });
    expect(runs).toMatchObject([{ key: waitedFor, background: false }]);
    const rest = await store.claim({ owner: "p2", slots: 9, orphans: true });
    expect(rest).toMatchObject([
      { key: waiting, background: true },
      { key: left, background: true },
    ]);
  });

  test("returns every field that the run was created with", async () => {
    const { store } = await openOn(await openDatabase());
    const change = {
      runId: "r",
      kind: "team",
      componentId: "team-1",
      sessionId: "wire",
      sessionState: '{"a":1}',
    } as const;
    const key = await create(store, { ...change, startBy: null, input: '"in"', options: '"options"', createdAt: 77 });
    const [run] = await store.claim({ owner: "p2", slots: 1, orphans: false });
    expect(run).toEqual({
      key,
      background: false,
      runId: "r",
      kind: "team",
      componentId: "team-1",
      sessionKey: run?.sessionKey,
      sessionId: "wire",
      sessionSeq: 0,
      userId: "user-1",
      input: '"in"',
      options: '"options"',
      definitionHash: "hash",
      attempt: 1,
      nextIndex: 0,
      cancelRequested: false,
      createdAt: 77,
      sessionState: '{"a":1}',
      stalledTakeovers: 0,
      steered: 0,
    });
    expect(await store.head(key)).toMatchObject({ status: "RUNNING", attempt: 1 });
    expect(await put(store, write(key, { segment: segment(0, 0) }))).toMatchObject({ kind: "committed" });
  });

  test("returns the runs of a session in order, the next one only after the earlier one ended or paused", async () => {
    const { store } = await openOn(await openDatabase());
    const first = await create(store, { startBy: null });
    const second = await create(store, { startBy: null });
    const third = await create(store, { startBy: null });
    expect(await claimKeys(store)).toEqual([first]);
    expect(await claimKeys(store)).toEqual([]);
    expect(await claimKeys(store, { key: third })).toEqual([]);
    await put(store, write(first, { transition: to("ERROR") }));
    expect(await claimKeys(store, { key: third })).toEqual([]);
    expect(await claimKeys(store, { key: second })).toEqual([second]);
    await put(store, write(second, { transition: to("PAUSED") }));
    expect(await claimKeys(store)).toEqual([third]);
  });

  test("a run with policy parallel is claimed while another run of its session is running", async () => {
    const { store } = await openOn(await openDatabase());
    await create(store);
    const parallel = await create(store, { policy: "parallel", startBy: null });
    const queued = await create(store);
    expect(await claimKeys(store)).toEqual([parallel]);
    expect(await store.head(queued)).toMatchObject({ status: "PENDING" });
  });

  test("every claim raises the attempt, and only the writes of the latest attempt are committed", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store);
    await put(store, write(key, { segment: segment(0, 3) }));
    expect(await store.release(key, 2)).toBe(false);
    expect(await store.release(key, 1)).toBe(true);
    expect(await store.release(key, 1)).toBe(false);
    expect(await store.head(key)).toMatchObject({ status: "PENDING", attempt: 1, nextIndex: 4 });
    expect(await put(store, write(key, { segment: segment(4, 4) }))).toMatchObject({
      kind: "state",
      status: "PENDING",
    });
    expect(await store.claim({ owner: "p2", slots: 1, orphans: false })).toMatchObject([
      { key, attempt: 2, nextIndex: 4 },
    ]);
    expect(await put(store, write(key, { segment: segment(4, 4) }))).toEqual({ kind: "lost" });
    expect(await put(store, write(key, { attempt: 2, segment: segment(4, 4) }))).toMatchObject({ kind: "committed" });
  });

  test("a released run is claimed before later runs of its session", async () => {
    const { store } = await openOn(await openDatabase());
    const first = await create(store);
    await create(store);
    await store.release(first, 1);
    expect(await claimKeys(store)).toEqual([first]);
  });

  test("a run with a cancel request is claimed by its key before the earlier runs of its session have ended", async () => {
    const { store } = await openOn(await openDatabase());
    const running = await create(store);
    const waiting = await create(store);
    const last = await create(store);
    await store.requestCancel(last);
    expect(await store.claim({ owner: "p2", slots: 1, orphans: false, key: last })).toMatchObject([
      { key: last, cancelRequested: true },
    ]);
    await put(store, write(last, { transition: to("CANCELLED") }));
    expect(await store.head(waiting)).toMatchObject({ status: "PENDING" });
    expect(await claimKeys(store, { key: running })).toEqual([]);
  });

  test("a paused run is claimed only by its key and only after a cancel request", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store);
    await put(store, write(key, { transition: to("PAUSED") }));
    expect(await claimKeys(store, { key })).toEqual([]);
    await store.requestCancel(key);
    expect(await claimKeys(store)).toEqual([]);
    expect(await claimKeys(store, { key })).toEqual([key]);
    expect(await put(store, write(key, { attempt: 2, transition: to("CANCELLED") }))).toMatchObject({
      kind: "committed",
    });
  });

  test("with orphans, returns the runs of processes whose lease expired, and of no live process", async () => {
    const { store } = await openOn(await openDatabase());
    await store.renewProcess("p1", lease);
    await store.renewProcess("p2", lease);
    await store.renewProcess("p3", lease);
    const dead = await create(store, { sessionId: "a", startBy: "p1" });
    const living = await create(store, { sessionId: "b", startBy: "p3" });
    const unknown = await create(store, { sessionId: "c", startBy: "never-renewed" });
    const pending = await create(store, { sessionId: "d", startBy: null });
    const behind = await create(store, { sessionId: "a" });
    expect(await claimKeys(store, { orphans: true, key: living })).toEqual([]);
    expect(await claimKeys(store, { orphans: false })).toEqual([pending]);
    expect(await claimKeys(store, { orphans: true })).toEqual([unknown]);
    await store.endProcess("p1");
    expect(await claimKeys(store, { orphans: true, key: behind })).toEqual([]);
    expect(await claimKeys(store, { orphans: true, slots: 1 })).toEqual([dead]);
    expect(await store.head(dead)).toMatchObject({ attempt: 2, status: "RUNNING" });
    expect(await put(store, write(dead, { segment: segment(0, 0) }))).toEqual({ kind: "lost" });
    expect(await claimKeys(store, { orphans: true })).toEqual([]);
  });

  test.for([
    { how: "alone", with: null },
    { how: "with an event", with: segment(3, 3) },
  ])("stalledTakeovers counts takeovers without progress, and a message $how resets it", async ({ with: event }) => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store, { startBy: "p0" });
    for (let n = 1; n <= 3; n++) {
      const taken = await store.claim({ owner: `p${n}`, slots: 1, orphans: true });
      expect(taken).toMatchObject([{ key, attempt: n + 1, stalledTakeovers: n }]);
      await put(store, write(key, { attempt: n + 1, segment: segment(n - 1, n - 1), begins: true }));
    }
    const message = { runKey: key, position: 0, id: "m", createdAt: 1, body: "{}" };
    await put(store, write(key, { attempt: 4, segment: event, messages: [message] }));
    expect(await store.claim({ owner: "p9", slots: 1, orphans: true })).toMatchObject([{ stalledTakeovers: 1 }]);
    await store.release(key, 5);
    expect(await store.claim({ owner: "p8", slots: 1, orphans: true })).toMatchObject([{ stalledTakeovers: 1 }]);
  });

  test("with orphans: { fresh, stalled }, returns at most that many orphaned runs, stalled ones only if no fresh one is left", async () => {
    const { store } = await openOn(await openDatabase());
    const keys = [];
    for (const sessionId of ["a", "b", "c", "d"]) keys.push(await create(store, { sessionId, startBy: "p0" }));
    const paced = (owner: string, fresh: number, stalled: number) =>
      claimKeys(store, { owner, orphans: { fresh, stalled } });
    expect(await paced("p1", 0, 0)).toEqual([]);
    expect(await paced("p1", 2, 0)).toEqual(keys.slice(0, 2));
    expect(await paced("p2", 1, 9)).toEqual(keys.slice(2, 3));
    expect(await paced("p2", 9, 9)).toEqual(keys.slice(3));
    expect(await paced("p3", 9, 0)).toEqual([]);
    expect(await paced("p3", 9, 1)).toEqual(keys.slice(0, 1));
    expect(await claimKeys(store, { owner: "p3", orphans: true })).toEqual(keys.slice(1));
  });

  test("a process does not claim its own runs as orphans", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await create(store, { startBy: "p1" });
    await store.endProcess("p1");
    expect(await claimKeys(store, { orphans: true, owner: "p1" })).toEqual([]);
    expect(await claimKeys(store, { orphans: true, owner: "p2" })).toEqual([key]);
  });

  test("a lease expires by the database's clock, and the next renewal returns inTime: false", async () => {
    const { store } = await openOn(await openDatabase());
    expect(await store.renewProcess("p1", 1)).toMatchObject({ inTime: true });
    const key = await create(store, { startBy: "p1" });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await store.renewProcess("p1", lease)).toMatchObject({ inTime: false });
    expect(await claimKeys(store, { orphans: true })).toEqual([]);
    expect(await store.renewProcess("p1", 1)).toMatchObject({ inTime: true });
    await new Promise((resolve) => setTimeout(resolve, 20));
    expect(await claimKeys(store, { orphans: true })).toEqual([key]);
    await store.endProcess("p1");
    expect(await store.renewProcess("p1", lease)).toMatchObject({ inTime: true });
    await store.endProcess("unknown");
  });

  test("a renewal returns the number of live processes and the time until the first other lease expires", async () => {
    const { store } = await openOn(await openDatabase());
    const alone = { inTime: true, liveProcesses: 1, nextExpiry: null };
    expect(await store.renewProcess("p1", lease)).toEqual(alone);
    await store.renewProcess("p2", 1);
    expect(await store.renewProcess("p3", lease)).toMatchObject({ inTime: true });
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { nextExpiry, ...renewal } = await store.renewProcess("p1", 2 * lease);
    expect(renewal).toEqual({ inTime: true, liveProcesses: 2 });
    expect(nextExpiry).toBeLessThan(lease);
    expect(nextExpiry).toBeGreaterThan(0);
    await store.endProcess("p3");
    expect(await store.renewProcess("p1", lease)).toEqual(alone);
  });

  test("cancelRequests returns the running runs of the process, and of dead processes, that have a cancel request", async () => {
    const { store } = await openOn(await openDatabase());
    const keys = [
      await create(store, { sessionId: "a" }),
      await create(store, { sessionId: "b" }),
      await create(store, { sessionId: "c" }),
    ];
    const foreign = await create(store, { sessionId: "d", startBy: "p3" });
    await store.renewProcess("p3", lease);
    const pending = await create(store, { sessionId: "a" });
    for (const key of [keys[0]!, keys[2]!, foreign, pending]) {
      expect(await store.requestCancel(key)).toMatchObject({ cancelRequested: true });
    }
    expect(await store.cancelRequests("p1")).toEqual([keys[0], keys[2]]);
    await put(store, write(keys[0]!, { transition: to("CANCELLED") }));
    expect(await store.cancelRequests("p1")).toEqual([keys[2]]);
    await store.renewProcess("p1", lease);
    expect(await store.cancelRequests("another")).toEqual([]);
    // The owner is dead: another process must end the run.
    await store.endProcess("p3");
    expect(await store.cancelRequests("another")).toEqual([foreign]);
  });

  test("requestCancel does not change a run that has ended, and returns undefined for an unknown run", async () => {
    const { store } = await openOn(await openDatabase());
    const key = await createEnded(store);
    expect(await store.requestCancel(key)).toMatchObject({ status: "COMPLETED", cancelRequested: false });
    expect(await store.requestCancel(123_456)).toBeUndefined();
    expect(await store.head(123_456)).toBeUndefined();
    expect(await store.release(123_456, 1)).toBe(false);
  });
});
