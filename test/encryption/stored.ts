/** Reads everything that a database stores, past the server. */
import { randomBytes } from "node:crypto";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { KeyProvider } from "../../src/model/encryption.ts";
import { sealedColumns } from "../../src/store/encryption/columns.ts";
import { environmentKeys } from "../../src/store/encryption/environment-keys.ts";
import type { TestDatabase } from "../support/databases.ts";
import { querySql } from "../support/execute-sql.ts";

const keys = new Map<string, string>();

/** The value of `TROUPE_ENCRYPTION_KEYS` for these ids. An id has the same key in all tests of a file. */
export function keyText(...ids: readonly string[]): string {
  const entries = ids.map((id) => {
    if (id === "none") return id;
    const key = keys.get(id) ?? randomBytes(32).toString("base64");
    keys.set(id, key);
    return `${id}:${key}`;
  });
  return entries.join(",");
}

/** A provider of the keys with these ids. */
export function keysOf(...ids: readonly string[]): KeyProvider {
  return environmentKeys(keyText(...ids)) as KeyProvider;
}

/** Tables of the database. */
export async function tablesOf(database: TestDatabase): Promise<readonly string[]> {
  const text =
    database.kind === "sqlite"
      ? "select name from sqlite_schema where type = 'table' and name not like 'sqlite_%' and name not like 'knowledge_terms_%'"
      : "select tablename as name from pg_tables where schemaname = current_schema()";
  return (await querySql<{ name: string }>(database, text)).map(({ name }) => name).sort();
}

/** Whether a text is somewhere in the files of the database, or on Postgres in a row of any table. */
export async function contains(database: TestDatabase, text: string): Promise<boolean> {
  if (database.kind === "sqlite") {
    const files = readdirSync(database.dataDir).map((name) => readFileSync(join(database.dataDir, name)));
    return files.some((bytes) => bytes.includes(text));
  }
  const hex = Buffer.from(text).toString("hex");
  for (const table of await tablesOf(database)) {
    for (const { row } of await querySql<{ row: string }>(database, `select t::text as row from "${table}" t`))
      if (row.includes(text) || row.includes(hex)) return true;
  }
  return false;
}

/** Numbers of encrypted and of clear values, by column. */
export async function countSealed(
  database: TestDatabase,
): Promise<ReadonlyMap<string, { readonly sealed: number; readonly clear: number }>> {
  const counts = new Map<string, { sealed: number; clear: number }>();
  for (const name of Object.keys(sealedColumns)) {
    const [table, column] = name.split(".");
    const rows = await querySql<{ text: string }>(
      database,
      `select ${column} as text from ${table} where ${column} is not null`,
    );
    const sealed = rows.filter(({ text }) => text.startsWith("~e1.")).length;
    counts.set(name, { sealed, clear: rows.length - sealed });
  }
  const segments = await querySql<{ encoding: number }>(database, "select encoding from segments");
  const sealed = segments.filter(({ encoding }) => encoding >= 2).length;
  counts.set("segments.frames", { sealed, clear: segments.length - sealed });
  return counts;
}
