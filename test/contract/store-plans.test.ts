/** What a look for work costs: its statements as the databases plan them. */
import { join } from "node:path";
import Sqlite from "better-sqlite3";
import type { CompiledQuery } from "kysely";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { anonymous } from "../../src/model/principal.ts";
import { claims } from "../../src/store/claim.ts";
import type { Database } from "../../src/store/database.ts";
import { openPostgres } from "../../src/store/postgres.ts";
import { runReads } from "../../src/store/runs.ts";
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

/** The plan; `without` are ways that would pay for a table as small as that of a test. */
async function planOf(database: TestDatabase, query: CompiledQuery, without: readonly string[] = []): Promise<string> {
  if (database.kind === "sqlite") {
    const connection = new Sqlite(join(database.dataDir, "troupe.sqlite"));
    const rows = connection.prepare(`explain query plan ${query.sql}`).all(...query.parameters);
    connection.close();
    return JSON.stringify(rows);
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  await client.query("analyze run_heads, runs, sessions");
  for (const way of without) await client.query(`set enable_${way} = off`);
  const { rows } = await client.query(`explain ${query.sql}`, [...query.parameters]);
  await client.end();
  return JSON.stringify(rows);
}

eachDatabase("a look for work", (openDatabase) => {
  test("finds runs that were begun, and those that somebody waits for, without a walk over the queue", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    const writes = Array.from({ length: 500 }, async () => {
      const key = await opened.nextRunKey();
      return { kind: "create", key, run: creation({ policy: "parallel", startBy: null, background: true }) } as const;
    });
    await opened.append(await Promise.all(writes));
    const seen: CompiledQuery[] = [];
    const { claim } = claims(observed(opened, seen));
    await claim({ owner: "p1", slots: 4, freshSlots: 0, orphans: false });
    const plans = await Promise.all(seen.map((query) => planOf(database, query)));
    expect(plans).toEqual([expect.stringContaining("heads_begun"), expect.stringContaining("heads_ready")]);
  });
});

eachDatabase("a listing of runs", (openDatabase) => {
  test("begins where its page begins, and sorts nothing", async () => {
    const database = await openDatabase();
    const opened = await databaseIn(database);
    for (let part = 0; part < 20; part++) {
      const writes = Array.from({ length: 100 }, async (_, place) => {
        const key = await opened.nextRunKey();
        const userId = `user-${place % 10}`;
        const change = { policy: "parallel", sessionId: `s${place}`, userId, createdAt: part * 100 + place } as const;
        return { kind: "create", key, run: creation({ ...change, startBy: null }) } as const;
      });
      await opened.append(await Promise.all(writes));
    }
    const seen: CompiledQuery[] = [];
    const read: Database["read"] = (query) => {
      seen.push(query);
      return opened.read(query);
    };
    const { listRuns } = runReads({ dialect: opened.dialect, read } as Database);
    const component = { kind: "agent", componentId: "agent-1" } as const;
    const after = { key: 1, sessionKey: 1, sessionSeq: 1, createdAt: 1_500 };
    const pages = [{ descending: true }, { after }, { after, descending: true }, { userId: "user-1", after }];
    for (const page of pages) expect(await listRuns(anonymous, { ...component, ...page, limit: 50 })).toHaveLength(50);
    for (const [place, query] of seen.entries()) {
      const plan = await planOf(database, query, ["seqscan", "hashjoin", "bitmapscan", "sort"]);
      expect(plan).toContain(place === 3 ? "runs_of_user" : "runs_listed");
      expect(plan).not.toMatch(/Sort|TEMP B-TREE|SCAN/);
    }
  });
});
