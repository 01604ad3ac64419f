import { expect, test } from "vitest";
import { Compactor } from "../../src/events/compactor.ts";
import type { Log } from "../../src/model/runtime.ts";
import { defaultSettings } from "../../src/model/settings.ts";
import type { Store } from "../../src/store/contract/store.ts";
import { createEnded, eachStore, openOn } from "../contract/store-fixtures.ts";
import { eventually } from "../support/eventually.ts";
import { FakeClock } from "../support/fake-clock.ts";
import { silentLog, testRuntime } from "../support/runtime.ts";

/** A store whose `compact` throws for some logs. */
function failingFor(store: Store, isBad: (key: number) => boolean): Store {
  const compact: Store["compact"] = async (key, rowBytes) => {
    if (isBad(key)) throw new Error("unreadable");
    await store.compact(key, rowBytes);
  };
  return new Proxy(store, {
    get: (target, name) => (name === "compact" ? compact : Reflect.get(target, name, target)),
  });
}

eachStore("compaction in the background", (openDatabase) => {
  const compactor = (store: Store, log: Log = silentLog): Compactor =>
    new Compactor(store, { ...testRuntime, log }, defaultSettings);

  test("a log that cannot be compacted does not block the others, and the next round retries it", async () => {
    const { store } = await openOn(await openDatabase());
    const keys: number[] = [];
    for (let n = 0; n < 60; n++) keys.push(await createEnded(store, { sessionId: `s${n}` }));
    const warnings: unknown[] = [];
    let bad = new Set([keys[0]!, keys[7]!, keys[55]!]);
    const background = compactor(
      failingFor(store, (key) => bad.has(key)),
      {
        ...silentLog,
        warn: (fields) => warnings.push(fields),
      },
    );
    await background.run();
    expect(await store.uncompacted(99)).toEqual([...bad]);
    expect(warnings).toHaveLength(2);
    bad = new Set();
    await background.run();
    expect(await store.uncompacted(99)).toEqual([]);
  });

  test("a batch in which every log fails ends the round, and the next round continues after that batch", async () => {
    const { store } = await openOn(await openDatabase());
    const keys: number[] = [];
    for (let n = 0; n < 55; n++) keys.push(await createEnded(store, { sessionId: `s${n}` }));
    const bad = new Set(keys.slice(0, 50));
    const background = compactor(failingFor(store, (key) => bad.has(key)));
    await background.run();
    expect(await store.uncompacted(99)).toEqual(keys);
    await background.run();
    expect(await store.uncompacted(99)).toEqual([...bad]);
    bad.clear();
    await background.run();
    expect(await store.uncompacted(99)).toEqual([]);
  });

  test("a run that ended in this process is compacted in the next round; other processes' runs at the first round and then rarely", async () => {
    const { store } = await openOn(await openDatabase());
    const left = await createEnded(store, { sessionId: "left" });
    const clock = new FakeClock();
    const settings = { ...defaultSettings, compactionInterval: 1_000 };
    const background = new Compactor(store, { ...testRuntime, clock, log: silentLog }, settings);
    const round = async (): Promise<void> => {
      clock.advance(1_000);
      await eventually(() => expect(clock.timers).toBe(1));
    };
    background.start();
    await round();
    expect(await store.uncompacted(9)).toEqual([]);
    const [own, theirs] = [await createEnded(store, { sessionId: "a" }), await createEnded(store, { sessionId: "b" })];
    background.ended(own);
    background.ended(left);
    await round();
    expect(await store.uncompacted(9)).toEqual([theirs]);
    for (let n = 0; n < 20; n++) await round();
    expect(await store.uncompacted(9)).toEqual([theirs]);
    for (let n = 0; n < 20; n++) await round();
    expect(await store.uncompacted(9)).toEqual([]);
    await background.close();
    expect(clock.timers).toBe(0);
  });

  test("a round asks for each log once, also when compact changes nothing", async () => {
    const { store } = await openOn(await openDatabase());
    for (let n = 0; n < 50; n++) await createEnded(store, { sessionId: `s${n}` });
    let asked = 0;
    const lazy = new Proxy(store, {
      get: (target, name) => (name === "compact" ? async () => void asked++ : Reflect.get(target, name, target)),
    });
    await compactor(lazy).run();
    expect(asked).toBe(50);
  });
});
