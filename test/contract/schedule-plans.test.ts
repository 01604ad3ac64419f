/** What a look for due schedules costs: by indexes, however many schedules and records there are. */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { CompiledQuery } from "kysely";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import type { Database } from "../../src/store/database.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { schedules } from "../../src/store/schedules.ts";
import { openSqlite } from "../../src/store/sqlite.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { testRuntime } from "../support/runtime.ts";

async function databaseIn(database: TestDatabase): Promise<Database> {
  const fixed = { migrate: true, runtime: testRuntime };
  const opened =
    database.kind === "sqlite"
      ? await openSqlite({ ...fixed, dataDir: database.dataDir })
      : await openPostgres({ ...fixed, database: database.url, directDatabase: undefined, poolSize: 2 });
  onTestFinished(() => opened.close());
  return opened;
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
  await client.query("set enable_seqscan = off");
  const { rows } = await client.query(`explain ${query.sql}`, [...query.parameters]);
  await client.end();
  return JSON.stringify(rows);
}

eachDatabase("a look for due schedules", (openDatabase) => {
  test("finds them, fires that wait and fires that were left by their indexes", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    const seen: CompiledQuery[] = [];
    const observed = {
      dialect: opened.dialect,
      read: (query: CompiledQuery) => {
        seen.push(query);
        return opened.read(query);
      },
      write: (work: Parameters<Database["write"]>[0]) =>
        opened.write(function* () {
          const steps = work();
          let step = steps.next();
          while (!step.done) {
            seen.push(step.value);
            step = steps.next(yield step.value);
          }
          return step.value;
        }),
    } as unknown as Database;
    const store = schedules(observed, 10);
    const none = { fires: [], cancelsOpen: false, nextRunAt: null };
    await store.plan(10, () => none);
    await store.claim({ owner: "p1", most: 10, orphans: true });
    await store.cancelled("p1");
    await store.untilDue();
    const plans: string[] = [];
    for (const query of seen) plans.push(await planOf(database, query));
    const used = ["schedules_due", "schedule_fires_waiting", "schedule_fires_running", "schedule_fires_running"];
    used.push("schedules_due", "schedule_fires_waiting");
    expect(plans.map((plan) => /schedules_due|schedule_fires_(waiting|running)/.exec(plan)?.[0])).toEqual(used);
  });
});
