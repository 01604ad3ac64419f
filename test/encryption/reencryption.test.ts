/** Re-encryption in the background: values from before the encryption, and values under earlier data keys. */
import { expect, test } from "vitest";
import { ReencryptionJob } from "../../src/events/reencryption.ts";
import type { Store } from "../../src/store/contract/store.ts";
import type { OpenedStore } from "../../src/store/open.ts";
import { create, everybody, openOn, put, readLog, segment, to, write } from "../contract/store-fixtures.ts";
import { eachDatabase } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { testRuntime } from "../support/runtime.ts";
import { contains, countSealed, keysOf } from "./stored.ts";

const canary = "CANARY-9a1c";
const json = (text: string): string => JSON.stringify({ text });

async function addRun(store: Store, number: number): Promise<number> {
  const runId = `r${number}`;
  const key = await create(store, {
    ...{ runId, sessionId: runId, input: json(canary), sessionState: json(canary), options: json(canary) },
    sessionTitle: canary,
  });
  const message = { runKey: key, position: 0, id: `m${number}`, createdAt: 1, body: json(canary) };
  await put(store, write(key, { segment: segment(0, 3, canary), messages: [message] }));
  await put(
    store,
    write(key, { segment: segment(4, 6, canary), transition: { ...to("COMPLETED"), output: json(canary) } }),
  );
  return key;
}

async function close(opened: OpenedStore): Promise<void> {
  await opened.signals.close();
  await opened.store.close();
}

const reencrypt = ({ encryption }: OpenedStore): Promise<number> =>
  new ReencryptionJob({ store: encryption!, runtime: testRuntime, isBusy: () => false }).run();

eachDatabase("re-encryption", (openDatabase, kind) => {
  test("encrypts an existing database while runs write, continues after an interruption, and leaves every log as it was", async () => {
    const database = await openDatabase();
    const before = await openOn(database, { keyProvider: undefined });
    const keys: number[] = [];
    for (let number = 0; number < 30; number++) keys.push(await addRun(before.store, number));
    for (const key of keys.slice(0, 10)) await before.store.compact(key, 4_096);
    const logs = await Promise.all(keys.map((key) => readLog(before.store, key)));
    await close(before);

    const first = await openOn(database, { keyProvider: keysOf("k1") });
    expect(await first.encryption?.isDue()).toBe(true);
    const live = await create(first.store, { runId: "live", sessionId: "live", input: json(canary) });
    let position = (await first.encryption!.reencrypt(7)).next;
    for (let index = 0; index < 12 && position; index++) {
      position = (await first.encryption!.reencrypt(7, position)).next;
      await put(first.store, write(live, { segment: segment(index, index, canary) }));
    }
    expect(position).toBeDefined();
    await close(first);

    const second = await openOn(database, { keyProvider: keysOf("k1") });
    expect(await reencrypt(second)).toBeGreaterThan(0);
    expect([await second.encryption?.isDue(), await reencrypt(second)]).toEqual([false, 0]);
    for (const [place, key] of keys.entries()) {
      expect(await readLog(second.store, key)).toBe(logs[place]);
      expect(await second.store.findRun(everybody, `r${place}`)).toMatchObject({
        input: json(canary),
        output: json(canary),
      });
    }
    expect((await second.store.messages(keys)).map(({ body }) => body)).toEqual(keys.map(() => json(canary)));
    const counts = await countSealed(database);
    expect([...counts].filter(([, { clear }]) => clear > 0)).toEqual([]);
    // Free pages have the clear text until the file is rewritten; so have old versions of rows on Postgres until they are vacuumed.
    await second.retention.rewrite?.();
    await close(second);
    expect([kind, await contains(database, canary)]).toEqual([kind, false]);
  });

  test("after a new key, all values have the new data key; a damaged value stays as it is and does not stop the others", async () => {
    const database = await openDatabase();
    const before = await openOn(database, { keyProvider: keysOf("k1") });
    const keys = [await addRun(before.store, 0), await addRun(before.store, 1), await addRun(before.store, 2)];
    await before.store.compact(keys[0]!, 4_096);
    await close(before);
    await executeSql(
      database,
      `update runs set output = replace(output, substr(output, 60, 4), 'AAAA') where key = ${keys[1]}`,
    );

    const after = await openOn(database, { keyProvider: keysOf("k2", "k1") });
    expect(await reencrypt(after)).toBeGreaterThan(0);
    expect(await after.encryption?.isDue()).toBe(false);
    await close(after);
    // Without the first data key, only the damaged row is unreadable.
    await executeSql(database, "delete from encryption_keys where id = 1");
    const last = await openOn(database, { keyProvider: keysOf("k2") });
    for (const number of [0, 2]) {
      expect(await last.store.findRun(everybody, `r${number}`)).toMatchObject({ output: json(canary) });
      expect(await readLog(last.store, keys[number]!)).toContain(canary);
    }
    await expect(last.store.findRun(everybody, "r1")).rejects.toMatchObject({ code: "internal" });
  });

  test("values that were stored while the encryption was off are encrypted once it is on again", async () => {
    const database = await openDatabase();
    const states: unknown[] = [];
    for (const [number, ids] of [["k1"], ["none", "k1"], ["k1"]].entries()) {
      const opened = await openOn(database, { keyProvider: keysOf(...ids) });
      await addRun(opened.store, number);
      states.push([await opened.encryption?.isDue(), (await reencrypt(opened)) > 0]);
      await close(opened);
    }
    expect(states).toEqual([
      [true, false],
      [false, false],
      [true, true],
    ]);
    expect(await contains(database, canary)).toBe(false);
  });
});
