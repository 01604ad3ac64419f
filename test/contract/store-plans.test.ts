/** What a look for work costs: its statements as the databases plan them. */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { CompiledQuery } from "kysely";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { claims } from "../../src/store/claim.ts";
import type { Database } from "../../src/store/database.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { testRuntime } from "../support/runtime.ts";
import { creation } from "./store-fixtures.ts";

async function databaseIn(database: TestDatabase): Promise<Database> {
  const fixed = { migrate: true, runtime: testRuntime };
  const opened =
    database.kind === "sqlite"
      ? await openSqlite({ ...fixed, dataDir: database.dataDir })
      : await openPostgres({ ...fixed, database: database.url, directDatabase: undefined, poolSize: 2 });
  onTestFinished(() => opened.close());
  return opened;
}

/** The database, with every statement of its transactions written down. */
function observed(opened: Database, seen: CompiledQuery[]): Database {
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
  const { dialect, tails } = opened;
  return { dialect, ...(tails ? { tails } : {}), write } as Database;
}

async function planOf(database: TestDatabase, query: CompiledQuery): Promise<string> {
  if (database.kind === "sqlite") {
    const connection = new Sqlite(join(database.dataDir, "troupe.sqlite"));
    const rows = connection.prepare(`explain query plan ${query.sql}`).all(...query.parameters);
    connection.close();
    return JSON.stringify(rows);
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("analyze run_heads");
  const { rows } = await client.query(`explain ${query.sql}`, [...query.parameters]);
  await client.end();
  return JSON.stringify(rows);
}

eachDatabase("a look for work", (openDatabase) => {
  test("finds runs that were begun without a walk over those that were not", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    const writes = Array.from({ length: 500 }, async () => {
      const key = await opened.nextRunKey();
      return { kind: "create", key, run: creation({ policy: "parallel", startBy: null }) } as const;
    });
    await opened.append(await Promise.all(writes));
    const seen: CompiledQuery[] = [];
    const { claim } = claims(observed(opened, seen));
    await claim({ owner: "p1", slots: 4, freshSlots: 0, orphans: false });
    expect(seen).toHaveLength(1);
    expect(await planOf(database, seen[0]!)).toContain("heads_begun");
  });
});
