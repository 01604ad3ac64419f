import { randomBytes } from "node:crypto";
import { mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import pg from "pg";
import { afterAll, describe, inject } from "vitest";
import { memoryFolder } from "./postgres-folders.ts";

/** Where a fresh, empty database is. */
export type TestDatabase = { kind: "sqlite"; dataDir: string } | { kind: "postgres"; url: string };

export const databaseKinds = ["sqlite", "postgres"] as const;

/** A fresh, empty database that is deleted after the surrounding `eachDatabase`. */
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
 */
export function eachDatabase(
  name: string,
  define: (openDatabase: OpenDatabase, kind: TestDatabase["kind"]) => void,
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
      const database = await createDatabase();
      cleanups.push(database.drop);
      return { kind, url: database.url };
    }, kind);
  });
}

/** A fresh, empty database of a kind, deleted after the block that uses it: for tests that run at the same time. */
export async function openDatabaseOf(kind: TestDatabase["kind"]): Promise<TestDatabase & AsyncDisposable> {
  if (kind === "sqlite") {
    const { path, remove } = await createDataDir();
    return { kind, dataDir: path, [Symbol.asyncDispose]: remove };
  }
  const { url, drop } = await createDatabase();
  return { kind, url, [Symbol.asyncDispose]: drop };
}

/** A fresh, empty database on the shared server of the test run, or on the server at `serverUrl`. */
export async function createDatabase(
  serverUrl: string = inject("postgresUrl"),
): Promise<{ url: string; drop: () => Promise<void> }> {
  const name = `troupe_test_${randomBytes(8).toString("hex")}`;
  await execute(serverUrl, `CREATE DATABASE ${name}`);
  const url = new URL(serverUrl);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => execute(serverUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) };
}

/** A fresh, empty folder for a SQLite database: in memory, since the data of a test need not survive the machine. */
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
