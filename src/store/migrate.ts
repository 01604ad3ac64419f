/** Brings the tables up to date: one transaction per migration, one migrator at a time. */
import { createHash } from "node:crypto";
import type { Compilable } from "kysely";
import { CompiledQuery } from "kysely";
import { ConfigurationError } from "../errors.ts";
import type { Database } from "./database.ts";
import type { SqlDialect } from "./dialect.ts";
import type { Migration } from "./migrations/index.ts";
import { migrations } from "./migrations/index.ts";
import type { Transact, Transaction } from "./transaction.ts";
import { all, run } from "./transaction.ts";

/** The schema is out of date, and migrating was not allowed. */
export class SchemaOutdated extends ConfigurationError {}

/** A table of another program has the name of one of Troupe's tables. */
export class ForeignTable extends ConfigurationError {
  constructor(table: string, options?: ErrorOptions) {
    super(`the database has a table "${table}" that is not Troupe's`, options);
  }
}

const ownColumns = ["number", "name", "hash", "applied_at"] as const;

interface Applied {
  readonly number: number;
  readonly name: string;
  readonly hash: string;
}

/**
 * Applies missing migrations, and returns those it applied.
 * @throws SchemaOutdated when a migration is missing and `apply` is false
 */
export async function migrate(dialect: SqlDialect, transact: Transact, apply: boolean): Promise<readonly Migration[]> {
  const done: Migration[] = [];
  for (;;) {
    const next = await transact(() => step(dialect, apply));
    if (next === undefined) return done;
    done.push(next);
  }
}

function* step(dialect: SqlDialect, apply: boolean): Transaction<Migration | undefined> {
  const { db } = dialect;
  yield dialect.migrationLock.compile(db);
  const columns = (yield dialect.migrationColumns.compile(db)).rows.map((row) => (row as { name: unknown }).name);
  if (columns.length > 0 && !ownColumns.every((name) => columns.includes(name))) throw new ForeignTable("migrations");
  if (columns.length === 0 && apply) yield* run(createTable(dialect));
  const applied = columns.length === 0 ? [] : yield* readApplied(dialect);
  for (const row of applied) check(row, dialect);
  // Versions in development may have applied a later migration before an earlier one.
  const next = migrations.find(({ number }) => applied.every((row) => row.number !== number));
  if (next === undefined) return undefined;
  if (!apply) {
    throw new SchemaOutdated(
      `the database lacks migration ${next.number} (${next.name}): run "troupe migrate", or start once without --no-migrate`,
    );
  }
  yield CompiledQuery.raw(next[dialect.name]);
  const row = { number: next.number, name: next.name, hash: hashOf(next, dialect), applied_at: dialect.now };
  yield* run(db.insertInto("migrations").values(row));
  return next;
}

/** Whether the last migration of this version is applied. Migrations of newer versions may be there, too: a rolling update applies them first. */
export async function isMigrated(database: Pick<Database, "dialect" | "read">): Promise<boolean> {
  const newest = database.dialect.db.selectFrom("migrations").select(({ fn }) => fn.max("number").as("number"));
  const [row] = await database.read(newest.compile());
  return (row?.number ?? 0) >= (migrations.at(-1)?.number ?? 0);
}

function createTable(dialect: SqlDialect): Compilable {
  return dialect.db.schema
    .createTable("migrations")
    .ifNotExists()
    .addColumn("number", "integer", (column) => column.notNull().primaryKey())
    .addColumn("name", "text", (column) => column.notNull())
    .addColumn("hash", "text", (column) => column.notNull())
    .addColumn("applied_at", "bigint", (column) => column.notNull());
}

function* readApplied(dialect: SqlDialect): Transaction<readonly Applied[]> {
  return yield* all(dialect.db.selectFrom("migrations").select(["number", "name", "hash"]).orderBy("number"));
}

function check(row: Applied, dialect: SqlDialect): void {
  const known = migrations.find((migration) => migration.number === row.number);
  if (known === undefined) {
    throw new ConfigurationError(
      `the database has migration ${row.number} (${row.name}), which this version of Troupe does not know: run a newer version`,
    );
  }
  if (row.hash !== hashOf(known, dialect)) {
    throw new ConfigurationError(
      `migration ${row.number} (${known.name}) was changed after it was applied to this database: its tables may not be what this version of Troupe expects`,
    );
  }
}

function hashOf(migration: Migration, dialect: SqlDialect): string {
  return createHash("sha256").update(migration[dialect.name]).digest("hex");
}
