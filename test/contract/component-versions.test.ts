/** Versions of components on both databases: numbers, stages, the current version, deletion, and concurrent writers. */
import { expect, test } from "vitest";
import type { ComponentVersionStore, NewComponent, NewVersion } from "../../src/store/contract/component-versions.ts";
import { eachDatabase } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { create, openOn, put, to, write } from "./store-fixtures.ts";

const component = (id: string, more: Partial<NewComponent> = {}): NewComponent => ({
  ...{ id, kind: "agent", name: `Name of ${id}`, description: null, metadata: null, createdBy: null },
  ...more,
});

const version = (text: string, more: Partial<NewVersion> = {}): NewVersion => ({
  ...{ label: null, stage: "draft", config: { instructions: text }, notes: null, createdBy: null, setsCurrent: true },
  ...more,
});

/** The live versions by component; null for a component without one. */
async function liveOf(store: ComponentVersionStore): Promise<Record<string, unknown>> {
  const live = await store.live();
  return Object.fromEntries(
    live.map(({ component: { id }, version: found }) => [id, found && [found.version, found.config.instructions]]),
  );
}

const all = { limit: 100, withConfigs: true, maxBytes: 1e6 };

eachDatabase("component versions", (openDatabase, kind) => {
  test("of a deleted component are removed by the retention, unless a run that began before is unfinished", async () => {
    const database = await openDatabase();
    const { components, retention, store } = await openOn(database);
    for (const id of ["gone", "kept"]) {
      await components.create(component(id), version("one", { stage: "published" }));
      await components.addVersion(id, version("two"));
    }
    await components.remove("gone");
    await components.removeVersion("kept", 2);
    const remove = (age = -60_000) => retention.removeVersions({ age, limit: 10 });
    const [paused, live] = [await create(store), await create(store, { policy: "parallel" })];
    expect(await remove()).toBe(0);
    await put(store, write(live, { transition: to("COMPLETED") }));
    await put(store, write(paused, { transition: to("PAUSED") }));
    expect(await remove()).toBe(0);
    expect(await components.findVersion("gone", 1)).toMatchObject({ config: { instructions: "one" } });
    await executeSql(database, `update run_heads set status = 'CANCELLED' where run_key = ${paused}`);
    expect(await remove(3_600_000)).toBe(0);
    expect(await remove()).toBe(2);
    expect(await remove()).toBe(0);
    expect(await components.findVersion("gone", 1)).toBeUndefined();
    expect(await components.findVersion("kept", 2)).toMatchObject({ version: 2 });
    // Its numbers go on.
    await components.create(component("gone"), version("three"));
    expect(await components.findVersion("gone", 3)).toMatchObject({ config: { instructions: "three" } });
  });

  test("are numbered from 1, and a draft is live only when it is published", async () => {
    const { components } = await openOn(await openDatabase());
    const texts = { name: "A", description: "d \0 d", metadata: { team: "x" }, createdBy: "alice" };
    const created = await components.create(component("a", texts), version("one", { label: "first", notes: "n" }));
    expect(created).toMatchObject({ id: "a", kind: "agent", ...texts, currentVersion: null, updatedAt: null });
    expect(await components.create(component("a"), undefined)).toBeUndefined();
    expect(await components.find("a")).toEqual(created);
    expect(await liveOf(components)).toEqual({ a: null });
    const before = await components.revision();
    expect(await components.addVersion("a", version("two", { createdBy: "bob" }))).toMatchObject({
      ...{ componentId: "a", version: 2, stage: "draft", config: { instructions: "two" }, createdBy: "bob" },
    });
    expect(await components.addVersion("b", version("none"))).toBeUndefined();
    expect(await components.revision()).toBe(before);
    expect(await components.newestVersion("a")).toMatchObject({ version: 2 });
    expect(await components.changeVersion("a", 2, { config: { instructions: "2" }, label: "second" })).toMatchObject({
      ...{ label: "second", config: { instructions: "2" }, stage: "draft" },
    });
    expect(await components.changeVersion("a", 2, { stage: "published" })).toMatchObject({ stage: "published" });
    expect(await components.revision()).toBe(before + 1);
    expect(await liveOf(components)).toEqual({ a: [2, "2"] });
    expect(await components.find("a")).toMatchObject({ currentVersion: 2, updatedAt: expect.any(Number) });
    expect(await components.changeVersion("a", 2, { config: {} })).toBe("published");
    expect(await components.changeVersion("a", 9, { config: {} })).toBe("gone");
    expect(await components.listVersions("a", all)).toMatchObject([
      { version: 2, config: { instructions: "2" } },
      { version: 1, label: "first", notes: "n", config: { instructions: "one" } },
    ]);
  });

  test("become current when they are published, unless they were created otherwise, and can be set current later", async () => {
    const { components } = await openOn(await openDatabase());
    await components.create(component("a"), version("one", { stage: "published" }));
    await components.addVersion("a", version("two", { stage: "published", setsCurrent: false }));
    await components.addVersion("a", version("three", { setsCurrent: false }));
    expect(await liveOf(components)).toEqual({ a: [1, "one"] });
    expect(await components.change("a", { currentVersion: 3 })).toBe("draft");
    expect(await components.change("a", { currentVersion: 4 })).toBe("no-version");
    expect(await components.change("b", { currentVersion: 1 })).toBe("gone");
    await components.changeVersion("a", 3, { stage: "published" });
    expect(await liveOf(components)).toEqual({ a: [1, "one"] });
    expect(await components.change("a", { currentVersion: 3, name: "New" })).toMatchObject({
      ...{ name: "New", currentVersion: 3 },
    });
    expect(await liveOf(components)).toEqual({ a: [3, "three"] });
    expect(await components.removeVersion("a", 3)).toBe("current");
    expect(await components.change("a", { currentVersion: null })).toMatchObject({ currentVersion: null, name: "New" });
    expect(await liveOf(components)).toEqual({ a: null });
    expect(await components.removeVersion("a", 3)).toBe("removed");
    expect(await components.removeVersion("a", 3)).toBe("gone");
    expect(await components.change("a", { currentVersion: 3 })).toBe("no-version");
    expect(await components.changeVersion("a", 3, { label: "x" })).toBe("gone");
    expect(await components.addVersion("a", version("four"))).toMatchObject({ version: 4 });
  });

  test("stay readable for runs after a deletion, and the numbers go on when the id is created again", async () => {
    const { components } = await openOn(await openDatabase());
    await components.create(component("a", { description: "old" }), version("one", { stage: "published" }));
    const before = await components.revision();
    expect(await components.remove("a")).toBe(true);
    expect(await components.revision()).toBe(before + 1);
    expect(await components.remove("a")).toBe(false);
    expect(await components.find("a")).toBeUndefined();
    expect(await components.change("a", { name: "x" })).toBe("gone");
    expect(await components.addVersion("a", version("x"))).toBeUndefined();
    expect(await components.listVersions("a", all)).toEqual([]);
    expect(await liveOf(components)).toEqual({});
    expect(await components.list({ limit: 10, offset: 0, maxBytes: 100 })).toEqual({ components: [], total: 0 });
    expect(await components.findVersion("a", 1)).toMatchObject({
      ...{ config: { instructions: "one" }, deletedAt: expect.any(Number) },
    });
    const again = component("a", { kind: "team", name: "Again" });
    expect(await components.create(again, version("two"))).toMatchObject({
      ...{ kind: "team", name: "Again", description: null, currentVersion: null },
    });
    expect(await components.listVersions("a", all)).toMatchObject([{ version: 2 }]);
    expect(await components.findVersion("a", 2)).toMatchObject({ deletedAt: null });
    expect(await components.findVersion("a", 3)).toBeUndefined();
  });

  test("are listed in pages, with as many configs as fit", async () => {
    const { components } = await openOn(await openDatabase());
    for (const id of ["a", "b", "c"]) {
      const kind = id === "b" ? "team" : "agent";
      await components.create(component(id, { kind, description: id.repeat(50) }), undefined);
    }
    const ids = async (query: Omit<Parameters<ComponentVersionStore["list"]>[0], "maxBytes">) => {
      const { components: found, total } = await components.list({ ...query, maxBytes: 1_000 });
      return [total, ...found.map(({ id }) => id)];
    };
    expect(await ids({ limit: 2, offset: 0 })).toEqual([3, "a", "b"]);
    expect(await ids({ limit: 2, offset: 2 })).toEqual([3, "c"]);
    expect(await ids({ limit: 9, offset: 0, kind: "agent" })).toEqual([2, "a", "c"]);
    const { components: some } = await components.list({ limit: 9, offset: 0, maxBytes: 110 });
    expect(some.map(({ description }) => description?.length ?? null)).toEqual([50, 50, null]);
    for (const text of ["1", "2".repeat(500), "3"]) await components.addVersion("a", version(text));
    const page = await components.listVersions("a", { ...all, limit: 2, maxBytes: 100 });
    expect(page).toMatchObject([
      { version: 3, config: { instructions: "3" } },
      { version: 2, config: undefined },
    ]);
    await components.addVersion("a", version("4", { notes: "n" }));
    const brief = { limit: 9, withConfigs: false, maxBytes: 100 };
    expect(await components.listVersions("a", { ...brief, limit: 1 })).toMatchObject([
      { version: 4, config: undefined, notes: "n" },
    ]);
    expect(await components.listVersions("a", { ...brief, before: 2 })).toMatchObject([{ version: 1 }]);
  });

  test("have numbers of their own when several processes add them at the same time", async () => {
    const database = await openDatabase();
    const first = await openOn(database);
    // One process at a time opens a SQLite file.
    const second = kind === "postgres" ? await openOn(database) : first;
    const created = await Promise.all(
      [first, second, first, second].map(({ components }) => components.create(component("a"), version("x"))),
    );
    expect(created.filter((one) => one !== undefined)).toHaveLength(1);
    const added = await Promise.all(
      Array.from({ length: 20 }, (_, place) => {
        const { components } = place % 2 ? first : second;
        return components.addVersion("a", version(String(place), { stage: "published" }));
      }),
    );
    const numbers = added.map((one) => one?.version ?? 0).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 20 }, (_, place) => place + 2));
    expect(await first.components.revision()).toBe(21);
    expect(await first.components.find("a")).toMatchObject({ currentVersion: 21 });
  });
});
