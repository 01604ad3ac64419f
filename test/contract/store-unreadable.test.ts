/** Reads that the database fails, and reads that ask for what cannot be. */
import { expect, test } from "vitest";
import { eachDatabase } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { create, everybody, openOn } from "./store-fixtures.ts";

eachDatabase("reads that fail", (openDatabase) => {
  test("the database is not available while it cannot answer, and answers again when it can", async () => {
    const database = await openDatabase();
    const { store } = await openOn(database);
    const key = await create(store, { runId: "r" });
    await executeSql(database, "alter table run_heads rename to elsewhere");
    const unavailable = { code: "unavailable", status: 503 };
    await expect(store.head(key)).rejects.toMatchObject(unavailable);
    await expect(store.findRun(everybody, "r")).rejects.toMatchObject(unavailable);
    await expect(store.uncompacted(9)).rejects.toMatchObject(unavailable);
    await executeSql(database, "alter table elsewhere rename to run_heads");
    expect(await store.head(key)).toMatchObject({ status: "RUNNING" });
  });

  test("a value that cannot be asked for is the caller's mistake", async () => {
    const { store } = await openOn(await openDatabase());
    const mistaken = store.head(Symbol("no key") as unknown as number);
    await expect(mistaken).rejects.toThrow();
    await expect(mistaken).rejects.not.toMatchObject({ code: "unavailable" });
  });
});
