import { join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import type { TestDatabase } from "./databases.ts";

/** Runs a statement on a connection of its own, past the store. */
export async function executeSql(database: TestDatabase, text: string): Promise<void> {
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

/** Returns the rows of a query on a connection of its own, past the store. */
export async function querySql<Row>(database: TestDatabase, text: string): Promise<readonly Row[]> {
  if (database.kind === "sqlite") {
    const connection = new Database(join(database.dataDir, "troupe.sqlite"));
    const rows = connection.prepare(text).all();
    connection.close();
    return rows as Row[];
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows as Row[];
}
