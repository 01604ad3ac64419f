import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import type { TaskPosition, TaskQuery, TaskStore } from "../../src/store/contract/tasks.ts";
import { eachDatabase } from "../support/databases.ts";
import { create, creation, everybody, isolated, openOn, put, segment, to, write } from "./store-fixtures.ts";

const ofAgent: TaskQuery = { kind: "agent", componentId: "agent-1" };

/** Returns the run ids of every page of a listing. */
async function pagesOf(store: TaskStore, query: TaskQuery, limit: number, caller = everybody): Promise<string[][]> {
  const pages: string[][] = [];
  for (let after: TaskPosition | undefined; ; ) {
    const { tasks, next } = await store.list(caller, { ...query, limit, after });
    pages.push(tasks.map(({ runId }) => runId));
    if (next === null) return pages;
    after = next;
  }
}

eachDatabase("the listing of tasks", (openDatabase) => {
  test("sorts tasks by their last change, latest first, across pages and regardless of status", async () => {
    const { store, tasks } = await openOn(await openDatabase());
    const ids = ["a", "b", "c", "d", "e"];
    const keys: number[] = [];
    for (const [place, runId] of ids.entries()) {
      keys.push(await create(store, { runId, sessionId: `s-${runId}`, createdAt: 1_000 + place }));
    }
    await put(store, write(keys[3]!, { transition: to("COMPLETED", 2_000) }));
    await put(store, write(keys[0]!, { transition: to("ERROR", 3_000) }));
    await put(store, write(keys[1]!, { transition: to("PAUSED", 2_500) }));
    const expected = ["a", "b", "d", "e", "c"];
    expect((await pagesOf(tasks, ofAgent, 10)).flat()).toEqual(expected);
    const pages = await pagesOf(tasks, ofAgent, 2);
    expect(pages.flat()).toEqual(expected);
    expect(pages.map((page) => page.length)).toEqual([2, 2, 1]);
    expect(await tasks.count(everybody, ofAgent, 100)).toBe(5);
    expect(await tasks.count(everybody, ofAgent, 3)).toBe(3);
    expect(await tasks.changedAt(keys[0]!)).toBe(3_000);
    expect(await tasks.changedAt(999_999)).toBeUndefined();
  });

  test("compaction and expiry of an ended log do not change changedAt", async () => {
    const { store, tasks } = await openOn(await openDatabase());
    const key = await create(store, { runId: "a" });
    await put(store, write(key, { segment: segment(0, 9), transition: to("COMPLETED", 2_000) }));
    await store.compact(key, 1_000_000);
    await store.expireEvents(key, 10);
    expect(await tasks.changedAt(key)).toBe(2_000);
  });

  test("filters by session, status and time, alone and combined", async () => {
    const { store, tasks } = await openOn(await openDatabase());
    const one = await create(store, { runId: "one", sessionId: "s1", createdAt: 1_000 });
    await create(store, { runId: "two", sessionId: "s2", createdAt: 1_001 });
    await create(store, { runId: "three", sessionId: "s1", createdAt: 1_002, policy: "parallel" });
    await create(store, { runId: "other", sessionId: "s3", componentId: "agent-2" });
    await put(store, write(one, { transition: to("COMPLETED", 5_000) }));
    const listed = async (query: Partial<TaskQuery>) => (await pagesOf(tasks, { ...ofAgent, ...query }, 10)).flat();
    expect(await listed({ sessionId: "s1" })).toEqual(["one", "three"]);
    expect(await listed({ statuses: ["COMPLETED"] })).toEqual(["one"]);
    expect(await listed({ statuses: ["RUNNING"] })).toEqual(["three", "two"]);
    expect(await listed({ statuses: [] })).toEqual([]);
    expect(await listed({ since: 1_002 })).toEqual(["one", "three"]);
    expect(await listed({ sessionId: "s1", statuses: ["RUNNING"], since: 1_003 })).toEqual([]);
    expect(await tasks.count(everybody, { ...ofAgent, statuses: [] }, 10)).toBe(0);
    expect(await tasks.count(everybody, { ...ofAgent, sessionId: "s1", statuses: ["COMPLETED"] }, 10)).toBe(1);
  });

  test("members' runs are no tasks, and what a caller may not see is neither listed nor counted", async () => {
    const { store, tasks } = await openOn(await openDatabase());
    const key = await create(store, { runId: "alice's", owner: "alice", sessionId: "s1" });
    await create(store, { runId: "bob's", owner: "bob", sessionId: "s1" });
    const member = { key: await store.nextRunKey(), runId: "member", parentKey: key, kind: "agent" } as const;
    const rest = { componentId: "agent-1", componentName: "x", userId: null, input: "{}", model: null } as const;
    const made = { ...member, ...rest, modelProvider: null, createdAt: 1, toolCallId: null };
    await put(store, write(key, { members: [made] }));
    expect((await pagesOf(tasks, ofAgent, 10, isolated("alice"))).flat()).toEqual(["alice's"]);
    expect(await tasks.count(isolated("bob"), ofAgent, 10)).toBe(1);
    expect(await tasks.count(everybody, ofAgent, 10)).toBe(2);
  });

  test("returns a short page instead of scanning thousands of other tasks, and the next page continues", async () => {
    const { store, tasks } = await openOn(await openDatabase());
    await create(store, { runId: "open", sessionId: "open", createdAt: 1 });
    const mine = await create(store, { runId: "mine", sessionId: "mine", createdAt: 2 });
    await put(store, write(mine, { transition: to("COMPLETED", 10) }));
    for (let part = 0; part < 5; part++) {
      const keys = await Promise.all(Array.from({ length: 500 }, () => store.nextRunKey()));
      const change = { componentId: "agent-2", policy: "parallel" } as const;
      await store.append(
        keys.map((key, place) => {
          const run = creation({ ...change, runId: randomUUID(), sessionId: `o${part}-${place % 10}` });
          return { kind: "create", key, run } as const;
        }),
      );
      await store.append(keys.map((key) => write(key, { transition: to("COMPLETED", 1_000 + part) })));
    }
    const pages = await pagesOf(tasks, ofAgent, 10);
    expect(pages).toEqual([[], ["mine", "open"]]);
  });
});
