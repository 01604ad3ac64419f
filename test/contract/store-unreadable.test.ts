/** Permanent database errors: none of them counts as an outage. */
import { expect, test } from "vitest";
import { TroupeError } from "../../src/errors.ts";
import type { Principal } from "../../src/model/principal.ts";
import type { Runtime } from "../../src/model/runtime.ts";
import { eachDatabase } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { testRuntime } from "../support/runtime.ts";
import { create, everybody, isolated, openOn, put, segment, write } from "./store-fixtures.ts";

/** Makes the database raise an exception when a process registers. */
const refuseProcesses = {
  sqlite: `create trigger guilty before insert on processes begin select raise(abort, 'guilty'); end`,
  postgres: `create function guilty() returns trigger language plpgsql as $$ begin raise exception 'guilty'; end $$;
    create trigger guilty before insert on processes for each row execute function guilty()`,
};

eachDatabase("permanent database errors", (openDatabase, kind) => {
  /** Opens a store whose sleeps all fail, so that a retry rejects with another error. */
  async function openWithoutRetries() {
    const database = await openDatabase();
    const sleep = () => Promise.reject(new Error("The store retries."));
    const clock: Runtime["clock"] = Object.create(testRuntime.clock, { sleep: { value: sleep } });
    return { database, ...(await openOn(database, { runtime: { ...testRuntime, clock } })) };
  }

  test("a missing table rejects reads and writes without a retry; the store stays available and works again when the table is back", async () => {
    const { database, store } = await openWithoutRetries();
    const key = await create(store, { runId: "r" });
    await executeSql(database, "alter table run_heads rename to elsewhere");
    for (const asked of [
      () => store.head(key),
      () => store.findRun(everybody, "r"),
      () => store.uncompacted(9),
      () => store.requestCancel(key),
    ])
      await expect(asked()).rejects.toThrow(/run_heads/);
    expect(await put(store, write(key, { segment: segment(0, 0) }))).toMatchObject({ kind: "failed" });
    expect(store.availability.available).toBe(true);
    await executeSql(database, "alter table elsewhere rename to run_heads");
    expect(await store.head(key)).toMatchObject({ status: "RUNNING" });
    expect(await put(store, write(key, { segment: segment(0, 0) }))).toMatchObject({ kind: "committed" });
  });

  test("an exception in a trigger rejects the write without a retry, and the store stays available", async () => {
    const { database, store } = await openWithoutRetries();
    await executeSql(database, refuseProcesses[kind]);
    await expect(store.renewProcess("p1", 1_000)).rejects.toThrow("guilty");
    expect(store.availability.available).toBe(true);
  });

  test("a TroupeError thrown inside a transaction reaches the caller unchanged, and the store stays available", async () => {
    const { store, access } = await openWithoutRetries();
    const nameless: Principal = { ...isolated("x"), userId: null, isNameless: true };
    const account = {
      id: "i",
      name: "n",
      tokenHash: "h",
      tokenPrefix: "p",
      scopes: [],
      claims: null,
      createdAt: 1,
      createdBy: null,
    };
    const asked = access.accounts.create(nameless, { ...account, expiresAt: null, lastUsedAt: null, revokedAt: null });
    await expect(asked).rejects.toBeInstanceOf(TroupeError);
    await expect(asked).rejects.toMatchObject({ code: "forbidden" });
    expect(store.availability.available).toBe(true);
  });

  test("a key that no query can bind rejects with an error other than unavailable", async () => {
    const { store } = await openOn(await openDatabase());
    const mistaken = store.head(Symbol("no key") as unknown as number);
    await expect(mistaken).rejects.toThrow();
    await expect(mistaken).rejects.not.toMatchObject({ code: "unavailable" });
  });
});
