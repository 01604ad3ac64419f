/** Rows of tables that are newer than the fixture of the previous release: they stay through every later migration. */
import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { migrations } from "../../src/store/migrations/index.ts";
import { openOn } from "../contract/store-fixtures.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { executeSql, querySql } from "../support/execute-sql.ts";

/** Statements that fill what a migration adds, by its number. */
const fill: Readonly<Record<number, string>> = {
  20: `insert into sessions (key, session_id, kind, component_id, state, next_seq, created_at, updated_at)
      values (1, 's', 'agent', 'a', '{}', 1, 1, 1);
    insert into runs (key, run_id, root_key, kind, component_id, component_name, session_key, session_seq, input, options, created_at)
      values (1, 'r', 1, 'agent', 'a', 'A', 1, 0, '{"message":"m"}', '{}', 1);
    insert into run_heads (run_key, root_key, session_key, session_seq, policy, status, attempt, cancel_requested, first_kept, updated_at)
      values (1, 1, 1, 0, 'queue', 'COMPLETED', 1, 0, 0, 1);`,
  21: `insert into jobs (kind, id, lane, share, due_at, attempt, claims, state, created_at) values ('webhook', 'j', 'l', '', 1, 0, 0, '{}', 1);
    insert into webhook_deliveries (id, hook_id, event, run_key, event_index, share, state, attempts, status_code, error, created_at, updated_at)
      values ('d', 'h', 'run.completed', 1, 4, '', 'failed', 2, 500, 'refused', 1, 2);`,
  22: "update run_heads set steered = 2;",
  23: `insert into connections (user_id, provider, tokens, scopes, expires_at, version, refreshing_until, created_at, updated_at)
      values ('u', 'hub', '{"access":"t"}', '["read"]', 9, 1, 0, 1, 1);
    insert into connection_flows (digest, provider, user_id, flow, expires_at) values ('f', 'hub', 'u', '{}', 9);`,
  24: `insert into memories (id, user_id, body, origin, agent_id, session_id, revision, created_at, updated_at)
      values ('m', 'u', '{"memory":"likes tea","topics":["tea"]}', 'extraction', 'a', 's', 1, 1, 1);
    insert into memory_users (user_id, memories, updated_at) values ('u', 1, 1);`,
  25: `insert into learnings (learning_id, owner, learning_type, content, metadata, created_at, updated_at)
      values ('user_profile_u', 'u', 'user_profile', '{"name":"Ada"}', '{}', 1, 1);`,
  26: `update sessions set summary = '{"summary":"of tea"}', summary_seq = 0, summary_by = 'agent/a', summary_version = 3;`,
  27: `insert into cached_responses (digest, user_id, body, created_at, expires_at) values ('c', 'u', '[]', 1, 9999999999999);`,
};

/** Creates the database as the version with the last migration `last` leaves it. */
async function createAt(database: TestDatabase, last: number): Promise<void> {
  const scripts = migrations
    .filter(({ number }) => number <= last)
    .flatMap(({ number, name, ...texts }) => {
      const text = texts[database.kind];
      const hash = createHash("sha256").update(text).digest("hex");
      const applied = `insert into migrations (number, name, hash, applied_at) values (${number}, '${name}', '${hash}', 1)`;
      return [text, applied, fill[number] ?? ""];
    });
  const migrationsTable =
    "create table migrations (number integer primary key, name text not null, hash text not null, applied_at bigint not null)";
  await executeSql(database, [migrationsTable, ...scripts].join(";\n"));
}

async function tablesOf(database: TestDatabase): Promise<readonly string[]> {
  const rows = await querySql<{ readonly name: string }>(
    database,
    database.kind === "sqlite"
      ? "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%'"
      : "select table_name as name from information_schema.tables where table_schema = 'public'",
  );
  return rows.map(({ name }) => name).filter((name) => name !== "migrations");
}

async function filledTables(database: TestDatabase): Promise<ReadonlyMap<string, readonly object[]>> {
  const tables = await tablesOf(database);
  const rows = await Promise.all(tables.map((table) => querySql<object>(database, `select * from ${table}`)));
  return new Map(
    tables.map((table, place) => [table, rows[place] ?? []] as const).filter(([, found]) => found.length > 0),
  );
}

eachDatabase(
  "a database with rows",
  (openDatabase) => {
    test.each([23, 27])("of the version with migration %i keeps them when it is opened", async (last) => {
      const database = await openDatabase();
      await createAt(database, last);
      const before = await filledTables(database);
      const names = ["connection_flows", "connections", "jobs", "run_heads", "runs", "sessions", "webhook_deliveries"];
      const later = ["cached_responses", "learnings", "memories", "memory_users"];
      expect([...before.keys()].sort()).toEqual([...names, ...(last < 27 ? [] : later)].sort());
      const opened = await openOn(database);
      await opened.store.ping();
      const after = await filledTables(database);
      for (const [table, rows] of before) expect([table, after.get(table)]).toMatchObject([table, rows]);
      if (last < 27) return;
      expect(await opened.responses.find("c")).toBe("[]");
      expect(await opened.store.sessionSummary(1)).toMatchObject({
        summary: '{"summary":"of tea"}',
        seq: 0,
        version: 3,
      });
    });
  },
  "empty",
);
