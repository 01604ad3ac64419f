/** Compares the tables and indexes of an SQLite file with the schema that the migrations create. */
import Sqlite from "better-sqlite3";
import { migrations } from "../migrations/index.ts";
import type { Finding } from "./finding.ts";

interface SchemaRow {
  readonly type: string;
  readonly name: string;
  readonly sql: string;
}

const query = "select type, name, sql from sqlite_schema where type in ('table', 'index') and sql is not null";

/** Finds missing and changed tables and indexes. */
export function checkSqliteSchema(file: Sqlite.Database): readonly Finding[] {
  const fresh = new Sqlite(":memory:");
  try {
    for (const { sqlite } of migrations) fresh.exec(sqlite);
    const found = new Map((file.prepare(query).all() as SchemaRow[]).map((row) => [row.name, row.sql]));
    return (fresh.prepare(query).all() as SchemaRow[]).flatMap(({ type, name, sql }) => {
      const own = found.get(name);
      if (own === sql) return [];
      const problem = `the ${type} ${name} ${own === undefined ? "is missing" : "is not that of the migrations"}`;
      const remedy =
        type === "index"
          ? `Stop the server, and create it with sqlite3: ${own === undefined ? "" : `drop index ${name}; `}${sql.replaceAll(/\s+/g, " ")};`
          : "Restore a backup.";
      return [{ problem, remedy }];
    });
  } finally {
    fresh.close();
  }
}
