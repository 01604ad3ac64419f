import { randomUUID } from "node:crypto";
import pg from "pg";
import { describe, expect, onTestFinished, test } from "vitest";
import type { Signal, Signals } from "../../src/store/contract/signals.ts";
import { isPooled } from "../../src/store/postgres/pooler.ts";
import { parseSignals, SignalBatch } from "../../src/store/postgres/signal-batch.ts";
import { postgresSignals } from "../../src/store/postgres/signals.ts";
import { createDatabase, eachDatabase } from "../support/databases.ts";
import { startPooler } from "../support/pooler.ts";
import { testRuntime } from "../support/runtime.ts";
import { cuttingProxy } from "./cutting-proxy.ts";
import { openOn } from "./store-fixtures.ts";

function hear(signals: Signals): Signal[] {
  const heard: Signal[] = [];
  signals.listen((signal) => heard.push(signal));
  return heard;
}

eachDatabase("signals", (openDatabase) => {
  test("publish calls every listener of the process synchronously, until the listener stops", async () => {
    const { signals } = await openOn(await openDatabase());
    const [first, second] = [hear(signals), [] as Signal[]];
    const stop = signals.listen((signal) => second.push(signal));
    signals.publish({ topic: "run", key: 7 });
    stop();
    stop();
    signals.publish({ topic: "work" });
    expect(first).toEqual([{ topic: "run", key: 7 }, { topic: "work" }]);
    expect(second).toEqual([{ topic: "run", key: 7 }]);
  });

  test("a listener that throws does not keep other listeners from receiving a signal", async () => {
    const { signals } = await openOn(await openDatabase());
    signals.listen(() => {
      throw new Error("failing listener");
    });
    const heard = hear(signals);
    signals.publish({ topic: "work" });
    expect(heard).toEqual([{ topic: "work" }]);
  });

  test("no signal is received after close", async () => {
    const { signals } = await openOn(await openDatabase());
    const heard = hear(signals);
    await signals.close();
    signals.publish({ topic: "work" });
    expect(heard).toEqual([]);
  });
});

describe("signals between processes on Postgres", () => {
  async function connect(count: number, url?: string): Promise<Signals[]> {
    let place = url;
    if (place === undefined) {
      const database = await createDatabase();
      onTestFinished(() => database.drop());
      place = database.url;
    }
    const options = { database: place, runtime: testRuntime };
    const all = await Promise.all(
      Array.from({ length: count }, () => postgresSignals({ ...options, processId: randomUUID() })),
    );
    onTestFinished(() => Promise.all(all.map((signals) => signals.close())).then(() => undefined));
    return all;
  }

  test("every other process receives each signal once, in order", async () => {
    const all = await connect(3);
    const heard = all.map(hear);
    const sent: Signal[] = [
      { topic: "work" },
      { topic: "run", key: 5 },
      { topic: "run", key: 123_456_789 },
      { topic: "cancel", key: 6 },
      { topic: "deleted", key: 8 },
    ];
    for (const signal of sent) all[0]!.publish(signal);
    await expect.poll(() => heard[1]).toEqual(sent);
    await expect.poll(() => heard[2]).toEqual(sent);
    expect(heard[0]).toEqual(sent);
  });

  test("signals published together are sent together, each once", async () => {
    const [one, two] = (await connect(2)) as [Signals, Signals];
    const heard = hear(two);
    for (let n = 0; n < 1_000; n++) one.publish({ topic: "run", key: n % 10 });
    one.publish({ topic: "work" });
    await expect.poll(() => heard).toContainEqual({ topic: "work" });
    expect(heard).toHaveLength(11);
  });

  test("more keys than fit in one notification are replaced by the signal all", async () => {
    const [one, two] = (await connect(2)) as [Signals, Signals];
    const heard = hear(two);
    for (let key = 0; key < 9_000; key++) one.publish({ topic: "run", key });
    await expect.poll(() => heard).toEqual([{ topic: "all" }]);
  });

  test("after a lost connection both sides receive the signal all, and later signals again", async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const [one, two] = (await connect(2, database.url)) as [Signals, Signals];
    const [heardOne, heardTwo] = [hear(one), hear(two)];
    const killer = new pg.Client({ connectionString: database.url });
    await killer.connect();
    await killer.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname = current_database()",
    );
    await killer.end();
    one.publish({ topic: "run", key: 1 });
    await expect.poll(() => heardOne).toContainEqual({ topic: "all" });
    await expect.poll(() => heardTwo).toContainEqual({ topic: "all" });
    heardTwo.length = 0;
    const published = (): Signal[] => {
      // A signal that is sent together with `all` is merged into it.
      one.publish({ topic: "run", key: 2 });
      return heardTwo;
    };
    await expect.poll(published).toContainEqual({ topic: "run", key: 2 });
  });

  test("a connection that is open but receives nothing is replaced, with the signal all", async () => {
    const database = await createDatabase();
    const proxy = await cuttingProxy(database.url);
    onTestFinished(async () => {
      await proxy.close();
      await database.drop();
    });
    const signals = await postgresSignals({
      ...{ database: proxy.url, processId: randomUUID(), runtime: testRuntime },
      ...{ probeInterval: 30, probeTimeout: 100 },
    });
    onTestFinished(() => signals.close());
    const heard = hear(signals);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(heard).toEqual([]);
    proxy.silence();
    await expect.poll(() => heard).toEqual([{ topic: "all" }]);
    const [other] = (await connect(1, database.url)) as [Signals];
    other.publish({ topic: "run", key: 3 });
    await expect.poll(() => heard).toContainEqual({ topic: "run", key: 3 });
  });

  test("other processes ignore the probes that a process sends to itself", async () => {
    const database = await createDatabase();
    onTestFinished(() => database.drop());
    const [one] = (await connect(1, database.url)) as [Signals];
    const heard = hear(one);
    const observer = new pg.Client({ connectionString: database.url });
    onTestFinished(() => observer.end());
    let notifications = 0;
    observer.on("notification", () => (notifications += 1));
    await observer.connect();
    await observer.query("listen troupe");
    const probing = await postgresSignals({
      ...{ database: database.url, processId: randomUUID(), runtime: testRuntime, probeInterval: 10 },
    });
    onTestFinished(() => probing.close());
    await expect.poll(() => notifications).toBeGreaterThan(2);
    probing.publish({ topic: "run", key: 4 });
    await expect.poll(() => heard).not.toEqual([]);
    expect(heard).toEqual([{ topic: "run", key: 4 }]);
  });

  test("behind a pooler in transaction mode, the probes log that notifications do not arrive, and isPooled returns true", async () => {
    const database = await createDatabase();
    const pooler = await startPooler(database.url, 3);
    onTestFinished(async () => {
      await pooler[Symbol.asyncDispose]();
      await database.drop();
    });
    const warnings: string[] = [];
    const warn = (fields: Record<string, unknown>, text: string): void =>
      void warnings.push(`${text}: ${JSON.stringify(fields)}`);
    const signals = await postgresSignals({
      ...{ database: pooler.url, processId: randomUUID(), probeInterval: 30, probeTimeout: 300 },
      runtime: { ...testRuntime, log: { ...testRuntime.log, warn } },
    });
    onTestFinished(() => signals.close());
    const heard = hear(signals);
    // It reconnects repeatedly, and each time publishes `all`, so that followers read the store.
    await expect.poll(() => heard.filter(({ topic }) => topic === "all").length).toBeGreaterThan(1);
    expect(warnings.join("\n")).toContain("notifications do not arrive");
    await signals.close();
    expect([await isPooled(pooler.url), await isPooled(database.url)]).toEqual([true, false]);
  });

  test("parseSignals returns the signal all for unknown text", () => {
    expect(parseSignals("w r1,2k c7")).toEqual([
      { topic: "work" },
      { topic: "run", key: 1 },
      { topic: "run", key: 92 },
      { topic: "cancel", key: 7 },
    ]);
    for (const text of ["a", "", "x1", "w y"]) expect(parseSignals(text)).toEqual([{ topic: "all" }]);
    const batch = new SignalBatch();
    expect(batch.isEmpty).toBe(true);
    batch.add({ topic: "run", key: 9 });
    batch.add({ topic: "all" });
    expect(`${batch}`).toBe("a");
  });
});
