/** Reads that the database fails, and reads that ask for what cannot be. */
import { join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import { expect, test } from "vitest";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { create, everybody, openOn } from "./store-fixtures.ts";

async function execute(database: TestDatabase, text: string): Promise<void> {
  if (database.kind === "sqlite") {
    const connection = new Database(join(database.dataDir, "troupe.sqlite"));
    connection.exec(text);
    connection.close();
    return;
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query(text);
  await client.end();
}

eachDatabase("reads that fail", (openDatabase) => {
  test("the database is not available while it cannot answer, and answers again when it can", async () => {
    const database = await openDatabase();
    const { store } = await openOn(database);
    const key = await create(store, { runId: "r" });
    await execute(database, "alter table run_heads rename to elsewhere");
    const unavailable = { code: "unavailable", status: 503 };
    await expect(store.head(key)).rejects.toMatchObject(unavailable);
    await expect(store.findRun(everybody, "r")).rejects.toMatchObject(unavailable);
    await expect(store.uncompacted(9)).rejects.toMatchObject(unavailable);
    await execute(database, "alter table elsewhere rename to run_heads");
    expect(await store.head(key)).toMatchObject({ status: "RUNNING" });
  });

  test("a value that cannot be asked for is the caller's mistake", async () => {
    const { store } = await openOn(await openDatabase());
    const mistaken = store.head(Symbol("no key") as unknown as number);
    await expect(mistaken).rejects.toThrow();
    await expect(mistaken).rejects.not.toMatchObject({ code: "unavailable" });
  });
});
