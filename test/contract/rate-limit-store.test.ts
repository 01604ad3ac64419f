import { expect, test } from "vitest";
import { openStore } from "../../src/store/open.ts";
import { databaseOptions } from "../conformance/support/server.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { testRuntime } from "../support/runtime.ts";

async function openOn(database: TestDatabase, processId = "p") {
  const place = { dataDir: "unused", ...databaseOptions(database) };
  return await openStore({ ...place, migrate: true, runtime: testRuntime, processId });
}

const hour = 3_600_000;

eachDatabase("rate limits", (openDatabase, kind) => {
  test("a bucket gives its units, then one after each interval", async () => {
    const { rates, store } = await openOn(await openDatabase());
    const taken = async () => (await rates.take("a", 100, 300)).isTaken;
    expect([await taken(), await taken(), await taken(), await taken()]).toEqual([true, true, true, false]);
    const { untilFull } = await rates.take("a", 100, 300);
    expect(untilFull).toBeGreaterThan(100);
    expect(untilFull).toBeLessThanOrEqual(300);
    await new Promise((resolve) => setTimeout(resolve, untilFull - 200 + 20));
    expect(await taken()).toBe(true);
    expect((await rates.take("b", 100, 300)).isTaken).toBe(true);
    await store.close();
  });

  test("concurrent takes never exceed the size of the bucket", async () => {
    const { rates, store } = await openOn(await openDatabase());
    const takes = await Promise.all(Array.from({ length: 60 }, () => rates.take("a", hour / 25, hour)));
    expect(takes.filter(({ isTaken }) => isTaken)).toHaveLength(25);
    await store.close();
  });

  test.runIf(kind === "postgres")("two processes share a bucket", async () => {
    const database = await openDatabase();
    const stores = [await openOn(database, "p"), await openOn(database, "q")];
    const takes = await Promise.all(
      Array.from({ length: 60 }, (_, place) => stores[place % 2]!.rates.take("a", hour / 25, hour)),
    );
    expect(takes.filter(({ isTaken }) => isTaken)).toHaveLength(25);
    for (const { store, signals } of stores) {
      await signals.close();
      await store.close();
    }
  });
});
