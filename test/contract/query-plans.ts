/** The plans that both databases choose for statements. */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { CompiledQuery } from "kysely";
import pg from "pg";
import { onTestFinished } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { openPostgres } from "../../src/store/postgres/database.ts";
import { openSqlite } from "../../src/store/sqlite/database.ts";
import type { TestDatabase } from "../support/databases.ts";
import { testRuntime } from "../support/runtime.ts";

/** Opens the database that the store uses; it is closed after the test. */
export async function databaseIn(database: TestDatabase): Promise<Database> {
  const fixed = { migrate: true, runtime: testRuntime, processId: "p1" };
  const opened =
    database.kind === "sqlite"
      ? await openSqlite({ ...fixed, dataDir: database.dataDir })
      : await openPostgres({ ...fixed, database: database.url, directDatabase: undefined, poolSize: 2 });
  onTestFinished(() => opened.close());
  return opened;
}

/** Returns the database with every statement recorded, in reads and in transactions. */
export function observed(opened: Database, seen: CompiledQuery[]): Database {
  const read: Database["read"] = (query) => {
    seen.push(query);
    return opened.read(query);
  };
  const write: Database["write"] = (work) =>
    opened.write(function* () {
      const steps = work();
      let step = steps.next();
      while (!step.done) {
        seen.push(step.value);
        step = steps.next(yield step.value);
      }
      return step.value;
    });
  const { dialect, capabilities, writeBuffer } = opened;
  return { dialect, capabilities, ...(writeBuffer ? { writeBuffer } : {}), read, write } as Database;
}

/** Returns the plan of a query. Postgres executes `first` before it, to switch off plans that pay only for tables as small as a test's. */
export async function planOf(
  database: TestDatabase,
  query: CompiledQuery,
  first: readonly string[] = [],
): Promise<string> {
  if (database.kind === "sqlite") {
    const connection = new Sqlite(join(database.dataDir, "troupe.sqlite"));
    const rows = connection.prepare(`explain query plan ${query.sql}`).all(...query.parameters);
    connection.close();
    return JSON.stringify(rows);
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  for (const statement of first) await client.query(statement);
  const { rows } = await client.query(`explain ${query.sql}`, [...query.parameters]);
  await client.end();
  return JSON.stringify(rows);
}
