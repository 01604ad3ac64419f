/** What differs between the two databases, as data. */

import type { DatabaseIntrospector, Dialect as KyselyDialect, RawBuilder } from "kysely";
import {
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresQueryCompiler,
  SqliteAdapter,
  SqliteQueryCompiler,
  sql,
} from "kysely";
import { InvariantError } from "../errors.ts";
import type { Tables } from "./tables.ts";

/** Words of one database. */
export interface Dialect {
  readonly name: "sqlite" | "postgres";
  /** Builds statements; never runs one. */
  readonly db: Kysely<Tables>;
  /** The database's clock, in milliseconds since the epoch. */
  readonly now: RawBuilder<number>;
  /** End of a query that keeps its rows until the commit. */
  readonly locked: RawBuilder<unknown>;
  /** The same, leaving out rows that another transaction keeps. */
  readonly lockedOrSkipped: RawBuilder<unknown>;
  /** Keeps every other migrator out until the commit. */
  readonly migrationLock: RawBuilder<unknown>;
  /** A row if there is a table of migrations. */
  readonly findMigrations: RawBuilder<unknown>;
}

function builder(name: "sqlite" | "postgres"): Kysely<Tables> {
  const dialect: KyselyDialect = {
    createAdapter: () => (name === "sqlite" ? new SqliteAdapter() : new PostgresAdapter()),
    createQueryCompiler: () => (name === "sqlite" ? new SqliteQueryCompiler() : new PostgresQueryCompiler()),
    createDriver: () => new DummyDriver(),
    createIntrospector: (): DatabaseIntrospector => {
      throw new InvariantError("statements are built here, not run");
    },
  };
  return new Kysely<Tables>({ dialect });
}

/** SQLite has one writer at a time, so nothing needs to be locked. */
export const sqliteDialect: Dialect = {
  name: "sqlite",
  db: builder("sqlite"),
  now: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  locked: sql``,
  lockedOrSkipped: sql``,
  migrationLock: sql`select 1`,
  // With a parameter, because a text without one is run as a script, which has no rows.
  findMigrations: sql`select 1 from sqlite_schema where type = 'table' and name = ${"migrations"}`,
};

/** Postgres. The number of the migration lock is "Troupe" in hexadecimal. */
export const postgresDialect: Dialect = {
  name: "postgres",
  db: builder("postgres"),
  now: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  locked: sql`for no key update`,
  lockedOrSkipped: sql`for no key update skip locked`,
  migrationLock: sql`select pg_advisory_xact_lock(x'54726f757065'::bigint)`,
  findMigrations: sql`select 1 where to_regclass('migrations') is not null`,
};
