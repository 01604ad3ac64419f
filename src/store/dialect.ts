/** Differences between the two databases, as data. */

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
  /** Uncompressed bytes of the frames. */
  readonly size: number;
  /** A string is base64. */
  readonly frames: Buffer | string;
}

/** SQL fragments of one database. */
export interface SqlDialect {
  readonly name: "sqlite" | "postgres";
  /** Builds statements; never runs one. */
  readonly db: Kysely<Tables>;
  /** The database's clock, in milliseconds since the epoch. */
  readonly now: RawBuilder<number>;
  /** The same for a comparison with an indexed column: evaluated once per statement, because no index can be searched for a value that changes. */
  readonly nowOnce: RawBuilder<number>;
  /** Suffix of a query that locks its rows until the commit. */
  readonly locked: RawBuilder<unknown>;
  /** The same, skipping rows that another transaction has locked. */
  readonly lockedOrSkipped: RawBuilder<unknown>;
  /**
   * Segments of a query that returns `first_index`, `last_index`, `encoding`, `size` and `frames`, in order. Where the database can concatenate
   * bytes, consecutive uncompressed segments become one row, because one row per event would cost its reader more than the event. Bytes that must be
   * transferred as text use base64, which is shorter than the hexadecimal of Postgres and decodes twice as fast.
   */
  readonly segments: (of: RawBuilder<unknown>) => RawBuilder<SegmentRow>;
  /**
   * A text column for which the database must not use an index. SQLite keeps no statistics of its tables, and prefers the index with the most
   * columns. Postgres has no statistics of a new table, and keeps a plan that it made with them.
   */
  readonly plain: (column: string) => RawBuilder<string>;
  /** Begins a transaction whose commit waits for no disk, where the database has such commits: a crash may take it back. */
  readonly lazyCommit: RawBuilder<unknown> | undefined;
  /** The key of a new session, for texts that are encrypted before the session is inserted. */
  readonly newSessionKey: RawBuilder<{ readonly key: number }>;
  /** Blocks every other migrator until the commit. */
  readonly migrationLock: RawBuilder<unknown>;
  /** Column names of the table `migrations` in the schema where this server creates its tables; no rows when the table does not exist. */
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
export const sqliteDialect: SqlDialect = {
  name: "sqlite",
  db: builder("sqlite"),
  now: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  nowOnce: sql<number>`cast(unixepoch('subsec') * 1000 as integer)`,
  locked: sql``,
  lockedOrSkipped: sql``,
  segments: (
    of,
  ) => sql<SegmentRow>`select first_index as "firstIndex", last_index as "lastIndex", encoding, size, frames
    from (${of}) as stored order by last_index`,
  plain: (column) => sql<string>`+${sql.ref(column)}`,
  lazyCommit: undefined,
  newSessionKey: sql`select coalesce(max(key), 0) + 1 as key from sessions where key > ${0}`,
  migrationLock: sql`select 1`,
  // Uses a parameter because text without parameters is run as a script, which returns no rows.
  migrationColumns: sql`select name from pragma_table_info(${"migrations"})`,
};

/** Postgres. The number of the migration lock is "Troupe" in hexadecimal. */
export const postgresDialect: SqlDialect = {
  name: "postgres",
  db: builder("postgres"),
  now: sql<number>`cast(extract(epoch from clock_timestamp()) * 1000 as bigint)`,
  nowOnce: sql<number>`(select cast(extract(epoch from clock_timestamp()) * 1000 as bigint))`,
  locked: sql`for no key update`,
  lockedOrSkipped: sql`for no key update skip locked`,
  segments: (
    of,
  ) => sql<SegmentRow>`select min(first_index) as "firstIndex", max(last_index) as "lastIndex", encoding, sum(size) as size,
      encode(string_agg(frames, '' order by last_index), 'base64') as frames
    from (select *, sum(encoding) over (order by last_index) as compressed_before from (${of}) as stored) as numbered
    group by compressed_before, encoding order by 2`,
  plain: (column) => sql<string>`(${sql.ref(column)} || '')`,
  lazyCommit: sql`set local synchronous_commit = off`,
  newSessionKey: sql`select nextval(${"run_keys"}::regclass) as key`,
  migrationLock: sql`select pg_advisory_xact_lock(x'54726f757065'::bigint)`,
  migrationColumns: sql`select attname as name from pg_attribute
    where attrelid = to_regclass(quote_ident(current_schema()) || '.migrations') and attnum > 0 and not attisdropped`,
};
