/** Memories on both databases: changes of one user, their bound, and the counts of users. */
import { describe, expect, test } from "vitest";
import { maxMemoriesPerUser, noSource } from "../../src/model/memory.ts";
import { system } from "../../src/model/principal.ts";
import type { MemoryChange } from "../../src/store/contract/memories.ts";
import { eachDatabase } from "../support/databases.ts";
import { openOn } from "./store-fixtures.ts";

const add = (id: string, memory = id, topics: string[] = []): MemoryChange => ({
  ...{ kind: "add", id, memory, topics, origin: "tool" },
  ...noSource,
});

const everything = { sortBy: "updatedAt", descending: true, limit: 100, offset: 0 } as const;

eachDatabase("memories", (openDatabase) => {
  const open = async () => (await openOn(await openDatabase())).memories;

  test("an added memory is stored once, and changes apply to memories of the user only", async () => {
    const memories = await open();
    const first = await memories.change("u", [add("a", "tea", ["food"]), add("a", "again")]);
    expect(first?.memories).toMatchObject([{ id: "a", memory: "tea", revision: 1 }]);
    await memories.change("other", [add("b")]);
    const changed = await memories.change("u", [
      { kind: "update", id: "b", memory: "x" },
      { kind: "delete", id: "b" },
      { kind: "update", id: "a", topics: ["drink"] },
    ]);
    expect(changed).toMatchObject({
      memories: [{ id: "a", memory: "tea", topics: ["drink"], revision: 2 }],
      deleted: 0,
    });
    expect(await memories.find(system, "b")).toMatchObject({ userId: "other", memory: "b", revision: 1 });
    expect(await memories.change("other", [add("a", "of another user")])).toMatchObject({ memories: [] });
    expect(await memories.find(system, "a")).toMatchObject({ userId: "u" });
  });

  test("a replacement changes nothing if the memories are not the expected ones", async () => {
    const memories = await open();
    await memories.change("u", [add("a"), add("b")]);
    const replace: MemoryChange[] = [{ kind: "delete", id: "a" }, add("c")];
    const expected = [{ id: "a", revision: 1 }];
    const gone = { expected: [...expected, { id: "x", revision: 1 }] };
    expect(await memories.change("u", replace, gone)).toBeUndefined();
    const other = { expected: [...expected, { id: "b", revision: 2 }] };
    expect(await memories.change("u", replace, other)).toBeUndefined();
    expect(await memories.change("nobody", [add("d")], { expected })).toBeUndefined();
    expect(await memories.change("u", replace, { expected })).toMatchObject({ deleted: 1 });
    const { users } = await memories.users(system, { limit: 9, offset: 0 });
    expect(users).toMatchObject([{ userId: "u", memories: 2 }]);
  });

  test("a user has a maximum of memories, and a deletion in the same change makes room", async () => {
    const memories = await open();
    const many = Array.from({ length: maxMemoriesPerUser }, (_, n) => add(`m${n}`));
    await memories.change("u", many);
    expect(await memories.change("u", [add("more")])).toMatchObject({ memories: [], rejected: 1 });
    const room = await memories.change("u", [add("more"), { kind: "delete", id: "m0" }]);
    expect(room).toMatchObject({ memories: [{ id: "more" }], deleted: 1, rejected: 0 });
    expect((await memories.list(system, { ...everything, text: "M99" })).total).toBe(11);
    expect((await memories.latest("u", 3, 1e6)).map(({ id }) => id)).toEqual(["more", "m999", "m998"]);
    expect(await memories.latest("u", 3, 1)).toEqual([]);
  });

  test("concurrent changes of one user are all counted", async () => {
    const memories = await open();
    await Promise.all(Array.from({ length: 20 }, (_, n) => memories.change(n % 2 ? "u" : "v", [add(`m${n}`)])));
    const { users } = await memories.users(system, { limit: 9, offset: 0 });
    expect(users.map(({ userId, memories: count }) => [userId, count]).sort()).toEqual([
      ["u", 10],
      ["v", 10],
    ]);
    expect(await memories.remove(system, ["m0", "m1", "m2", "nope"])).toBe(3);
    expect(await memories.remove(system, ["m3", "m4"], "u")).toBe(1);
    expect(await memories.remove(system, ["m4", "m6", "m8", "m10", "m12", "m14", "m16", "m18"])).toBe(8);
    expect(await memories.users(system, { limit: 9, offset: 0 })).toMatchObject({
      users: [{ userId: "u", memories: 8 }],
      total: 1,
    });
  });

  describe("retention", () => {
    test("removes memories by their last change, and counts the rest", async () => {
      const opened = await openOn(await openDatabase());
      await opened.memories.change("u", [add("a"), add("b")]);
      await opened.memories.change("v", [add("c")]);
      expect(await opened.retention.preview("memories", { age: -60_000, limit: 10 })).toMatchObject({ items: 3 });
      expect(await opened.retention.remove("memories", { age: 60_000, limit: 10 })).toMatchObject({ items: 0 });
      expect(await opened.retention.remove("memories", { age: -60_000, limit: 2 })).toMatchObject({ items: 2 });
      expect(await opened.memories.users(system, { limit: 9, offset: 0 })).toMatchObject({ users: [{ userId: "v" }] });
    });
  });
});
