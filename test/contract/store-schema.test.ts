import { createHash } from "node:crypto";
import { join } from "node:path";
import Database from "better-sqlite3";
import pg from "pg";
import { expect, onTestFinished, test } from "vitest";
import { migrations } from "../../src/store/migrations/index.ts";
import { appendConfig } from "../../src/store/postgres/client.ts";
import { createDatabase, createDataDir, eachDatabase, type TestDatabase } from "../support/databases.ts";
import { create, everybody, openOn } from "./store-fixtures.ts";

interface Column {
  readonly table: string;
  readonly column: string;
  readonly nullable: boolean;
  readonly kind: string;
}

/** Executes a statement on a connection of its own. */
async function execute<R>(database: TestDatabase, text: string): Promise<R[]> {
  if (database.kind === "sqlite") {
    const connection = new Database(join(database.dataDir, "troupe.sqlite"));
    const statement = connection.prepare(text);
    const rows = statement.reader ? statement.all() : [];
    if (!statement.reader) statement.run();
    connection.close();
    return rows as R[];
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows as R[];
}

/** Executes scripts in order. */
async function executeAll(database: TestDatabase, scripts: readonly string[]): Promise<void> {
  if (database.kind === "sqlite") {
    const connection = new Database(join(database.dataDir, "troupe.sqlite"));
    for (const script of scripts) connection.exec(script);
    connection.close();
    return;
  }
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  for (const script of scripts) await client.query(script);
  await client.end();
}

const kinds: Record<string, string> = {
  ...{ text: "text", integer: "integer", bigint: "integer", smallint: "integer", bytea: "bytes", blob: "bytes" },
};

async function columnsOf(database: TestDatabase): Promise<Column[]> {
  const { store } = await openOn(database);
  await store.close();
  const text =
    database.kind === "sqlite"
      ? `select m.name as "table", c.name as "column", c."notnull" = 0 as nullable, lower(c.type) as kind from sqlite_schema m
          join pragma_table_info(m.name) c where m.type = 'table' and m.name not like 'sqlite_%' and m.name not like 'knowledge_terms%'`
      : `select table_name as "table", column_name as "column", is_nullable = 'YES' as nullable, data_type as kind
          from information_schema.columns where table_schema = 'public'`;
  const columns = (await execute<Column>(database, text)).map((column) => ({
    ...column,
    nullable: Boolean(column.nullable),
    kind: kinds[column.kind] ?? column.kind.toLowerCase(),
  }));
  return columns.sort((a, b) => (`${a.table}.${a.column}` < `${b.table}.${b.column}` ? -1 : 1));
}

test("both databases have the same tables and columns", async () => {
  const folder = await createDataDir();
  const database = await createDatabase();
  onTestFinished(() => Promise.all([folder.remove(), database.drop()]).then(() => undefined));
  const all = await columnsOf({ kind: "sqlite", dataDir: folder.path });
  // Only SQLite has a write buffer for the ends of live logs, because its database has no other readers. Only replicas share rate limits.
  const onSqlite = all.filter(({ table }) => table !== "tails");
  const onPostgres = await columnsOf({ kind: "postgres", url: database.url });
  // The lexical index is a full-text table on SQLite. Embeddings are bytes there, and arrays on Postgres.
  const shared = onPostgres.filter(({ table }) => table !== "rate_limits" && table !== "knowledge_terms");
  expect(onSqlite).toEqual(shared.map((column) => (column.kind === "array" ? { ...column, kind: "bytes" } : column)));
  expect(onSqlite.length).toBeGreaterThan(60);
});

test("migrations have ascending numbers", () => {
  const numbers = migrations.map((migration) => migration.number);
  expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
});

test("every text column except listed JSON and free texts has binary collation on Postgres", async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  await columnsOf({ kind: "postgres", url: database.url });
  const rows = await execute<{ name: string }>(
    { kind: "postgres", url: database.url },
    `select a.attrelid::regclass || '.' || a.attname as name from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relkind = 'r' and c.relnamespace = 'public'::regnamespace and a.attnum > 0 and a.atttypid = 'text'::regtype
        and a.attcollation <> (select oid from pg_collation where collname = 'C') order by 1`,
  );
  const jsonTexts = [
    ...["requirements", "resolution_data", "resolved_by", "source_name", "tool_args"].map(
      (name) => `approvals.${name}`,
    ),
    ...[
      "jobs.state",
      "knowledge_chunks.body",
      "knowledge_chunks.headings",
      "knowledge_citations.chunks",
      ...["body", "description", "metadata", "name", "options", "origin", "status_message", "type"].map(
        (name) => `knowledge_contents.${name}`,
      ),
      "marks.body",
      "messages.body",
      "messages.brief",
      "push_targets.config",
      "push_targets.url",
      "runs.brief",
      "runs.input",
      "runs.options",
      "runs.output",
      "schedule_fires.detail",
    ],
    ...["description", "disabled_reason", "payload", "standing_grant"].map((name) => `schedules.${name}`),
    "service_accounts.claims",
    "service_accounts.scopes",
    ...["sessions.metadata", "sessions.state", "sessions.summary", "sessions.summary_by", "sessions.usage"],
    "traces.spans",
    "usage_pending.usage",
    "webhook_deliveries.error",
  ];
  expect(rows.map((row) => row.name).filter((name) => !name.startsWith("migrations."))).toEqual(jsonTexts);
});

eachDatabase(
  "migrations",
  (openDatabase, kind) => {
    test("a current database opens without migrate and keeps its rows", async () => {
      const database = await openDatabase();
      const first = await openOn(database);
      await create(first.store, { runId: "r" });
      await first.store.close();
      const again = await openOn(database, { migrate: false });
      expect(await again.store.findRun(everybody, "r")).toBeDefined();
      const rows = await execute<{ number: number; name: string; hash: string }>(
        database,
        "select number, name, hash from migrations",
      );
      expect(rows).toMatchObject(migrations.map(({ number, name }) => ({ number, name })));
    });

    test("a new database is rejected without migrate, and stays empty", async () => {
      const database = await openDatabase();
      await expect(openOn(database, { migrate: false })).rejects.toThrow(/lacks migration 1/);
      const text =
        kind === "sqlite"
          ? "select name from sqlite_schema"
          : "select table_name from information_schema.tables where table_schema = 'public'";
      expect(await execute(database, text)).toEqual([]);
      await openOn(database);
    });

    test("the migration that adds brief texts fills them in for stored rows, and changes nothing else", async () => {
      const database = await openDatabase();
      const media = (data: string) => [
        { kind: "image", mediaType: "image/png", data },
        { kind: "file", url: "http://x" },
      ];
      const text = (data: string) => JSON.stringify({ message: 'say "data":"x" \u0000', media: media(data) });
      const body = (data: string) => JSON.stringify({ role: "user", content: "c", media: media(data) });
      const data = "A".repeat(20_000);
      const runs =
        "insert into runs (key, run_id, root_key, kind, component_id, component_name, session_key, session_seq, input, options,";
      const of = (key: number, input: string) =>
        `${runs} created_at) values (${key}, 'r${key}', ${key}, 'agent', 'a', 'A', 1, ${key}, '${input}', '{}', ${key})`;
      const said = (position: number, stored: string) =>
        `insert into messages (run_key, position, id, created_at, body) values (1, ${position}, 'm', 1, '${stored}')`;
      const old = migrations.filter(({ number }) => number < 10);
      const applied = old.map(({ number, name, ...texts }) => {
        const hash = createHash("sha256").update(texts[kind]).digest("hex");
        return `insert into migrations (number, name, hash, applied_at) values (${number}, '${name}', '${hash}', 1)`;
      });
      await executeAll(database, [
        "create table migrations (number integer primary key, name text not null, hash text not null, applied_at bigint not null)",
        ...old.map((migration) => migration[kind]),
        ...applied,
        ...[of(1, text(data)), of(2, text("AAAA")), said(0, body(data)), said(1, body(data).replace("user", "tool"))],
        `insert into sessions (key, session_id, kind, component_id, state, title, next_seq, created_at, updated_at)
        values (1, 's', 'agent', 'a', '{"s":1}', 't', 2, 3, 4)`,
      ]);
      await (await openOn(database)).store.close();
      const rows = await execute(
        database,
        "select run_id, input, brief, session_seq, created_at from runs order by key",
      );
      expect(rows).toEqual(
        [
          { run_id: "r1", input: text(data), brief: text(""), session_seq: 1, created_at: 1 },
          { run_id: "r2", input: text("AAAA"), brief: null, session_seq: 2, created_at: 2 },
        ].map((row) => (kind === "sqlite" ? row : { ...row, created_at: String(row.created_at) })),
      );
      expect(await execute(database, "select body, brief from messages order by position")).toEqual([
        { body: body(data), brief: body("") },
        { body: body(data).replace("user", "tool"), brief: null },
      ]);
      expect(await execute(database, "select session_id, state, title, next_seq from sessions")).toEqual([
        { session_id: "s", state: '{"s":1}', title: "t", next_seq: 2 },
      ]);
    });

    test("a database with a migration of a newer version is rejected", async () => {
      const database = await openDatabase();
      await (await openOn(database)).store.close();
      await execute(database, "insert into migrations (number, name, hash, applied_at) values (999, 'future', 'x', 1)");
      await expect(openOn(database)).rejects.toThrow(/999 \(future\).*newer version/);
      await expect(openOn(database, { migrate: false })).rejects.toThrow(/999/);
    });

    test("another program's table named migrations is rejected with its name in the error, and is not changed", async () => {
      const database = await openDatabase();
      await (await openOn(database)).store.close();
      await execute(database, "drop table migrations");
      await execute(database, "create table migrations (id integer, batch integer)");
      for (const migrate of [true, false])
        await expect(openOn(database, { migrate })).rejects.toThrow(/has a table "migrations" that is not Troupe's/);
      expect(await execute(database, "select * from migrations")).toEqual([]);
    });

    test("a database is rejected if the hash of an applied migration differs", async () => {
      const database = await openDatabase();
      await (await openOn(database)).store.close();
      await execute(database, "update migrations set hash = 'other' where number = 1");
      await expect(openOn(database)).rejects.toThrow(/migration 1 .*was changed/);
    });
  },
  "empty",
);

test("in a database with another program's tables, Troupe's tables are in the schema of search_path", async () => {
  const { url, drop } = await createDatabase();
  onTestFinished(() => drop());
  const database = { kind: "postgres", url } as const;
  const own = { kind: "postgres", url: `${url}?options=-c%20search_path%3Dtroupe&keepalives=1` } as const;
  await expect(openOn(own)).rejects.toThrow(
    /no schema has been selected to create in\. Create the schema that search_path/,
  );
  await execute(database, "create table migrations (id integer)");
  await expect(openOn(database)).rejects.toThrow(
    /"migrations" that is not Troupe's\. Give Troupe a schema of its own: /,
  );
  await execute(database, "drop table migrations");
  await execute(database, "create table sessions (id integer)");
  await expect(openOn(database)).rejects.toThrow(/"sessions" already exists\. Give Troupe a schema of its own: /);
  await execute(database, "create schema troupe");
  const { store } = await openOn(own);
  await create(store, { runId: "r" });
  expect(await store.findRun(everybody, "r")).toBeDefined();
  expect(await execute(database, "select count(*)::int as runs from troupe.runs")).toEqual([{ runs: 1 }]);
  expect(await execute(database, "select tablename from pg_tables where schemaname = 'public'")).toEqual([
    { tablename: "sessions" },
  ]);
  await using client = Object.assign(new pg.Client(appendConfig(own.url)), {
    [Symbol.asyncDispose]: () => client.end(),
  });
  await client.connect();
  const { rows } = await client.query(
    "select current_schema() as schema, current_setting('synchronous_commit') as commit",
  );
  expect(rows).toEqual([{ schema: "troupe", commit: "on" }]);
});

test("four processes that start at the same time on a new database all open it", async () => {
  const database = await createDatabase();
  onTestFinished(() => database.drop());
  const opened = await Promise.all([1, 2, 3, 4].map(() => openOn({ kind: "postgres", url: database.url })));
  const keys = await Promise.all(opened.map(({ store }) => create(store)));
  expect(new Set(keys).size).toBe(4);
});

test("an unreachable server is reported with database, host and port, and without the password", async () => {
  await expect(openOn({ kind: "postgres", url: "postgres://u:secret@127.0.0.1:1/none" })).rejects.toThrow(
    /none at 127.0.0.1:1/,
  );
  await expect(openOn({ kind: "postgres", url: "postgres://u:secret@127.0.0.1:1/none" })).rejects.not.toThrow(/secret/);
});
