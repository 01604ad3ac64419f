/** Claims of push targets that are committed although the process gets an error. */
import { expect, onTestFinished, test } from "vitest";
import { defaultSettings } from "../../src/model/settings.ts";
import { Pusher } from "../../src/runs/push/pusher.ts";
import { databaseUnavailable } from "../../src/store/database-errors.ts";
import { create, openOn, put, segment, write } from "../contract/store-fixtures.ts";
import { eachDatabase } from "../support/databases.ts";
import { testRuntime } from "../support/runtime.ts";

eachDatabase("push claims", (openDatabase) => {
  test("the process delivers to a target whose claim was committed although its response was lost", async () => {
    const { store, pushes, signals } = await openOn(await openDatabase());
    await store.renewProcess("p1", 60_000);
    const key = await create(store, {
      pushTargets: [{ id: "a", url: "https://client.example/a", version: "0.3" }],
    });
    await put(store, write(key, { segment: segment(0, 0), begins: true }));
    const lost: number[] = [];
    const losing: typeof pushes = {
      ...pushes,
      async claim(request) {
        const claimed = await pushes.claim(request);
        if (lost.length > 0) return claimed;
        lost.push(...claimed.map((push) => push.key));
        throw databaseUnavailable(new Error("the connection is gone"));
      },
    };
    const delivered: number[] = [];
    const pusher = new Pusher({
      ...{ pushes: losing, store, signals, runtime: testRuntime, processId: "p1" },
      settings: { ...defaultSettings, pushSweepInterval: 20 },
      lease: { mayTakeOver: true },
      rules: {} as never,
      async *notificationsOf(claimed) {
        delivered.push(claimed.key);
        yield* [];
      },
    });
    pusher.start();
    onTestFinished(() => pusher.close());
    await expect.poll(() => delivered).toEqual([key]);
    expect(lost).toEqual([key]);
  });
});
