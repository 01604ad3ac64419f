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
import type { Tables } from "./rows/tables.ts";

/** A stored segment. */
export interface SegmentRow {
  readonly firstIndex: number;
  readonly lastIndex: number;
  readonly encoding: number;
  /** Bytes of the frames before any compression. */
  readonly size: number;
  /** A string is base64. */
  readonly frames: Buffer | string;
}

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
  /**
   * Segments of a query that gives `first_index`, `last_index`, `encoding`, `size` and `frames`, in order. Where bytes can be joined in the database,
   * plain ones that follow each other are one: a row for each event would cost its reader more than the event. Bytes that must come as text
   * come as base64, which is shorter than the hexadecimal of Postgres and read twice as fast.
   */
  readonly segments: (of: RawBuilder<unknown>) => RawBuilder<SegmentRow>;
  /** A column by which SQLite is to choose no index: it keeps no figures of its tables, and takes the index with the most columns for the best. */
  readonly plain: (column: string) => RawBuilder<string>;
  /** Keeps every other migrator out until the commit. */
  readonly migrationLock: RawBuilder<unknown>;
  /** Names of the columns of the table `migrations` where this server creates its tables; no rows when there is no such table. */
  readonly migrationColumns: RawBuilder<{ readonly name: string }>;
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
  segments: (
    of,
  ) => sql<SegmentRow>`select first_index as "firstIndex", last_index as "lastIndex", encoding, size, frames
    from (${of}) as stored order by last_index`,
  plain: (column) => sql<string>`+${sql.ref(column)}`,
  migrationLock: sql`select 1`,
  // With a parameter, because a text without one is run as a script, which has no rows.
  migrationColumns: sql`select name from pragma_table_info(${"migrations"})`,
};

/** Postgres. The number of the migration lock is "Troupe" in hexadecimal. */
export const postgresDialect: Dialect = {
  name: "postgres",
  db: builder("postgres"),
  now: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  locked: sql`for no key update`,
  lockedOrSkipped: sql`for no key update skip locked`,
  segments: (
    of,
  ) => sql<SegmentRow>`select min(first_index) as "firstIndex", max(last_index) as "lastIndex", encoding, sum(size) as size,
      encode(string_agg(frames, '' order by last_index), 'base64') as frames
    from (select *, sum(encoding) over (order by last_index) as compressed_before from (${of}) as stored) as numbered
    group by compressed_before, encoding order by 2`,
  plain: (column) => sql<string>`${sql.ref(column)}`,
  migrationLock: sql`select pg_advisory_xact_lock(x'54726f757065'::bigint)`,
  migrationColumns: sql`select attname as name from pg_attribute
    where attrelid = to_regclass(quote_ident(current_schema()) || '.migrations') and attnum > 0 and not attisdropped`,
};
