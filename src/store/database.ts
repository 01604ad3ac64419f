/** The database-specific parts of the store; everything else is shared. */
import type { CompiledQuery } from "kysely";
import type { Availability, ConnectionCounts, Outcome, Segment, StoreCapabilities, Write } from "./contract/store.ts";
import type { SqlDialect } from "./dialect.ts";
import type { Encryption } from "./encryption/encryption.ts";
import type { Transaction } from "./transaction.ts";

/** Buffer of the parts of live logs that are not in the tables yet. */
export interface BufferedLogs {
  /** Index of the run's next event; undefined when the run has nothing buffered. */
  nextIndex(key: number): number | undefined;
  /** Buffered parts of a run's log with events after `cursor`. */
  after(key: number, cursor: number): readonly Segment[];
}

/** One database. */
export interface Database {
  readonly dialect: SqlDialect;
  readonly capabilities: StoreCapabilities;
  readonly availability: Availability;
  /** Undefined if the database has no connections. */
  readonly connections?: ConnectionCounts | undefined;
  /** Set for a database that may lose commits in a failover. */
  onLostCommits?(listener: () => void): void;
  /**
   * Set when the tables alone are not the complete log. Such a database reads synchronously, so a buffer read
   * directly before a query sees the same state as the query.
   */
  readonly writeBuffer?: BufferedLogs;
  /** Undefined if stored values are not encrypted. */
  readonly encryption?: Encryption | undefined;

  /** Returns a unique run key. */
  nextRunKey(): number | Promise<number>;
  /** The group commit, with all retries. */
  append(writes: readonly Write[]): Promise<readonly Outcome[]>;
  /** Runs one read-only statement on its own snapshot. */
  read<O>(query: CompiledQuery<O>): Promise<readonly O[]>;
  /** The same for a read that takes long. Undefined if `read` delays no other work of the process. */
  readInBackground?<O>(query: CompiledQuery<O>): Promise<readonly O[]>;
  /** Runs one transaction. The work is called again when the transaction must be retried. */
  write<T>(work: () => Transaction<T>): Promise<T>;
  /**
   * Runs statements one after another on a connection of their own, each without a transaction around it and without a limit of time. `signal` ends the
   * connection. Undefined for a database without such statements.
   */
  alone?<T>(work: (execute: ExecuteAlone) => Promise<T>, signal: AbortSignal): Promise<T>;
  ping(): Promise<void>;
  /** Returns a few free pages of the file to the file system; whether more are to be returned. Undefined if the database does it itself. */
  returnSpace?(): Promise<boolean>;
  /** Rewrites the file without its free pages. Undefined if the database has no such file. */
  rewrite?(): Promise<void>;
  /** Frees cached pages and statements. */
  releaseMemory?(): void;
  close(): Promise<void>;
}

/** Runs one statement without parameters, and returns its rows. */
export type ExecuteAlone = (statement: string) => Promise<readonly unknown[]>;

/** The reading part of a database: the whole interface of a standby. */
export type ReadableDatabase = Pick<Database, "dialect" | "read" | "writeBuffer" | "encryption">;

/** Tries one flush once: either its transaction is committed when this returns, or nothing of it is. */
export type TryFlush = (
  writes: readonly Write[],
  mayHaveCommitted: boolean,
) => readonly Outcome[] | Promise<readonly Outcome[]>;
