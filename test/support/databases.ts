import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, describe, inject } from "vitest";
import { memoryFolder } from "./postgres-folders.ts";

/** The location of a fresh database. */
export type TestDatabase = { kind: "sqlite"; dataDir: string } | { kind: "postgres"; url: string };

export const databaseKinds = ["sqlite", "postgres"] as const;

/** A fresh database that is deleted after the surrounding `eachDatabase`. */
export type OpenDatabase = () => Promise<TestDatabase>;

/**
 * The same tests on every database engine.
 *
 * ```ts
 * eachDatabase("store", (openDatabase, kind) => {
 *   test("starts empty", async () => {
 *     const database = await openDatabase();
 *   });
 * });
 * ```
 *
 * Databases have no rows. Those on Postgres have the schema, unless the tests ask for empty ones.
 */
export function eachDatabase(
  name: string,
  define: (openDatabase: OpenDatabase, kind: TestDatabase["kind"]) => void,
  contents: "schema" | "empty" = "schema",
): void {
  describe.each(databaseKinds)(`${name} on %s`, (kind) => {
    const cleanups: (() => Promise<void>)[] = [];
    afterAll(async () => {
      await Promise.all(cleanups.map((cleanup) => cleanup()));
    });
    define(async () => {
      if (kind === "sqlite") {
        const folder = await createDataDir();
        cleanups.push(folder.remove);
        return { kind, dataDir: folder.path };
      }
      const database = await (contents === "schema" ? createWithSchema() : createDatabase());
      cleanups.push(database.drop);
      return { kind, url: database.url };
    }, kind);
  });
}

/** A fresh database of a kind, deleted after the block that uses it: for tests that run at the same time. */
export async function openDatabaseOf(kind: TestDatabase["kind"]): Promise<TestDatabase & AsyncDisposable> {
  if (kind === "sqlite") {
    const { path, remove } = await createDataDir();
    return { kind, dataDir: path, [Symbol.asyncDispose]: remove };
  }
  const { url, drop } = await createWithSchema();
  return { kind, url, [Symbol.asyncDispose]: drop };
}

/** A fresh, empty database on the shared server of the test run, or on the server at `serverUrl`; with a template, a copy of it. */
export async function createDatabase(
  serverUrl: string = inject("postgresUrl"),
  template?: string,
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `troupe_test_${randomBytes(8).toString("hex")}`;
  await execute(serverUrl, `CREATE DATABASE ${name}${template ? ` TEMPLATE ${template} STRATEGY file_copy` : ""}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

function createWithSchema(): Promise<{ url: string; drop: () => Promise<void> }> {
  return createDatabase(inject("postgresUrl"), inject("postgresTemplate"));
}

/** A fresh, empty folder for a SQLite database. It is in memory, because test data need not survive the machine. */
export async function createDataDir(): Promise<{ path: string; remove: () => Promise<void> }> {
  const path = await mkdtemp(join(memoryFolder(), "troupe-test-"));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

async function execute(url: string, statement: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
}
