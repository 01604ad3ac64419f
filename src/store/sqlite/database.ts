/** The embedded database: one SQLite file in the data folder, written by this process alone. */
import Sqlite from "better-sqlite3";
import type { CompiledQuery } from "kysely";
import { TroupeError } from "../../errors.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Availability, Outcome, StoreCapabilities, Write } from "../contract/store.ts";
import type { Database } from "../database.ts";
import {
  classifySqliteError,
  type DatabaseErrorKind,
  databaseUnavailable,
  describeError,
  isDamage,
} from "../database-errors.ts";
import { sqliteDialect } from "../dialect.ts";
import type { OpenEncryption } from "../encryption/data-keys.ts";
import type { Encryption } from "../encryption/encryption.ts";
import { backoff } from "../flush/backoff.ts";
import type { CommitParts } from "../flush/commit.ts";
import { commitWrites } from "../flush/commit.ts";
import { migrate } from "../migrate.ts";
import { Outages } from "../outages.ts";
import type { Transact, Transaction } from "../transaction.ts";
import { BackgroundReads } from "./background-reads.ts";
import { SqliteConnection } from "./connection.ts";
import { damageAdvice, databaseFile, fileError, makeDataFolder } from "./data-folder.ts";
import { lockDataFolder } from "./data-folder-lock.ts";
import { SqliteFlush } from "./flush.ts";
import { GroupedWrites } from "./grouped-writes.ts";
import { Checkpoints } from "./wal-checkpoint.ts";
import { WriteBuffer } from "./write-buffer.ts";

/** Used in place of a folder: the database is in memory and ends with the process. */
const inMemory = ":memory:";

/** Location of the embedded database. */
export interface SqliteOptions {
  /** Its folder, or `:memory:`. */
  readonly dataDir: string;
  readonly migrate: boolean;
  /** Default: no encryption. */
  readonly openEncryption?: OpenEncryption | undefined;
  readonly runtime: Runtime;
}

/**
 * Opens (or creates) the database of a data folder, as the only process.
 * @throws ConfigurationError naming the folder or file that cannot be used
 */
export async function openSqlite({
  dataDir,
  migrate: apply,
  openEncryption,
  runtime,
}: SqliteOptions): Promise<Database> {
  const isInMemory = dataDir === inMemory;
  const unlock = isInMemory ? () => undefined : lockDataFolder(makeDataFolder(dataDir));
  const open: Sqlite.Database[] = [];
  const file = isInMemory ? inMemory : databaseFile(dataDir);
  try {
    const writer = new Sqlite(file, { timeout: 1_000 });
    open.push(writer);
    // Takes effect in a new file only: the file of an earlier version changes when it is rewritten (`troupe prune --rewrite`).
    writer.pragma("auto_vacuum = incremental");
    writer.pragma("journal_mode = wal");
    writer.pragma("synchronous = full");
    writer.pragma("wal_autocheckpoint = 0");
    writer.pragma("cache_size = -16384");
    if (process.platform === "darwin") writer.pragma("fullfsync = on");
    const connection = new SqliteConnection(writer);
    const transact: Transact = async (work) => connection.runTransaction(work);
    await migrate(sqliteDialect, transact, apply);
    const encryption = await openEncryption?.(sqliteDialect, transact);
    // The clear text of a value that is encrypted later must not stay in free pages.
    if (encryption !== undefined) writer.pragma("secure_delete = on");
    // No other process is running: every RUNNING run was left behind.
    writer.exec("delete from processes");
    // From here on only another program can lock the file: the server waits for its lock without blocking this process.
    writer.pragma("busy_timeout = 20");
    // A second in-memory connection would be a second database.
    if (isInMemory)
      return new SqliteDatabase({ file, writer: connection, reader: connection, unlock, runtime, encryption });
    const reader = new Sqlite(file, { readonly: true, timeout: 1_000 });
    open.push(reader);
    reader.pragma("cache_size = -8192");
    const connections = { writer: connection, reader: new SqliteConnection(reader) };
    return new SqliteDatabase({ file, ...connections, unlock, runtime, encryption });
  } catch (error) {
    for (const database of open) database.close();
    unlock();
    throw fileError(file, error);
  }
}

const maxTries = 5;

/** Pages that one step returns to the file system. A step writes the pages that it moves to the places of free ones. */
const pagesPerStep = 128;

/** The share of the file that stays free for new rows, and its min number of pages: returned pages would soon be needed again. */
const freeShare = 1 / 16;
const minFreePages = 256;

/** Value of `pragma auto_vacuum` for a file whose free pages can be returned in steps. */
const incremental = 2;

/** After this many milliseconds of consecutive statements, other work of the process gets a turn. */
const maxTurnDuration = 20;

interface SqliteParts {
  readonly file: string;
  readonly writer: SqliteConnection;
  readonly reader: SqliteConnection;
  readonly unlock: () => void;
  readonly runtime: Runtime;
  readonly encryption: Encryption | undefined;
}

class SqliteDatabase implements Database {
  readonly dialect = sqliteDialect;
  readonly capabilities: StoreCapabilities;
  readonly writeBuffer: WriteBuffer;
  readonly encryption: Encryption | undefined;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #unlock: () => void;
  readonly #outages: Outages;
  readonly #flush: SqliteFlush;
  readonly #writes: GroupedWrites;
  readonly #parts: CommitParts;
  readonly #checkpoints: Checkpoints;
  readonly #closing = new AbortController();
  readonly #runtime: Runtime;
  readonly #file: string;
  readonly #background: BackgroundReads | undefined;
  #isDamaged = false;
  #hasVectors = false;
  #lastKey: number;
  /** When the first statement of this turn of the event loop ran. */
  #turnBegan: number | undefined;
  #closed: Promise<void> | undefined;

  constructor({ file, writer, reader, unlock, runtime, encryption }: SqliteParts) {
    this.capabilities = { dialect: "sqlite", replicas: false, label: `SQLite ${file}` };
    this.#file = file;
    this.#writer = writer;
    this.#reader = reader;
    this.#unlock = unlock;
    this.#runtime = runtime;
    this.#outages = new Outages(runtime);
    this.#checkpoints = new Checkpoints(writer, file, runtime);
    // A database in memory has one connection.
    this.#background = file === inMemory ? undefined : new BackgroundReads(file);
    this.encryption = encryption;
    this.writeBuffer = new WriteBuffer(writer, undefined, encryption);
    this.#flush = new SqliteFlush(writer, this.writeBuffer, encryption);
    this.#writes = new GroupedWrites({
      defer: (callback) => runtime.clock.defer(callback),
      alone: (work) => this.#writeAlone(work),
      together: (works) => this.#writeTogether(works),
    });
    this.#parts = {
      runtime,
      tryFlush: (writes, mayHaveCommitted) => {
        const outcomes = this.#flush.tryFlush(writes, mayHaveCommitted);
        this.#checkpoints.committed();
        return outcomes;
      },
      classify: (error) => this.#classify(error),
      outages: this.#outages,
      closed: this.#closing.signal,
    };
    const newest = writer.database.prepare("select max(key) as key from runs").get() as { key: number | null };
    this.#lastKey = newest.key ?? 0;
  }

  get availability(): Availability {
    return this.#outages.availability;
  }

  nextRunKey(): number {
    this.#lastKey += 1;
    return this.#lastKey;
  }

  append(writes: readonly Write[]): Promise<readonly Outcome[]> {
    return commitWrites(writes, this.#parts);
  }

  async read<O>(query: CompiledQuery<O>): Promise<readonly O[]> {
    if (this.#isTurnOver()) await this.#nextTurn();
    return this.#read(() => this.#reader.run(query).rows as readonly O[]);
  }

  async readInBackground<O>(query: CompiledQuery<O>): Promise<readonly O[]> {
    this.#closing.signal.throwIfAborted();
    if (this.#background) return await this.#background.read<O>(query.sql, query.parameters);
    const { load } = await import("sqlite-vec");
    if (!this.#hasVectors) load(this.#reader.database);
    this.#hasVectors = true;
    return await this.read(query);
  }

  write<T>(work: () => Transaction<T>): Promise<T> {
    return this.#writes.run(work);
  }

  /** Runs one write in a transaction of its own. */
  async #writeAlone<T>(work: () => Transaction<T>): Promise<T> {
    if (this.#isTurnOver()) await this.#nextTurn();
    for (let tries = 0; ; tries++) {
      this.#closing.signal.throwIfAborted();
      try {
        this.#flush.forget();
        const result = this.#writer.runTransaction(work);
        this.#checkpoints.committed();
        this.#outages.responded();
        return result;
      } catch (error) {
        if (this.#classify(error) === "permanent") throw error;
        if (tries >= maxTries) {
          this.#outages.failed(error);
          throw databaseUnavailable(error);
        }
        await this.#runtime.clock.sleep(backoff(tries, this.#runtime), this.#closing.signal);
      }
    }
  }

  /** Runs writes in one transaction, until other work of the process gets a turn. */
  #writeTogether(works: readonly (() => Transaction<unknown>)[]): readonly unknown[] {
    this.#closing.signal.throwIfAborted();
    this.#flush.forget();
    const results = this.#writer.transact(() => {
      const done: unknown[] = [];
      for (const work of works) {
        done.push(this.#writer.runSteps(work));
        if (this.#isTurnOver()) break;
      }
      return done;
    });
    this.#checkpoints.committed();
    this.#outages.responded();
    return results;
  }

  async returnSpace(): Promise<boolean> {
    const { database } = this.#writer;
    const read = (name: string): number => database.pragma(name, { simple: true }) as number;
    return this.#read(() => {
      if (read("auto_vacuum") !== incremental) return false;
      const excess = read("freelist_count") - Math.max(minFreePages, read("page_count") * freeShare);
      if (excess <= 0) return false;
      database.pragma(`incremental_vacuum(${pagesPerStep})`);
      this.#checkpoints.committed();
      return excess > pagesPerStep;
    });
  }

  async rewrite(): Promise<void> {
    this.#flush.forget();
    this.#writer.database.exec("vacuum");
    this.#writer.database.pragma("wal_checkpoint(truncate)");
  }

  async ping(): Promise<void> {
    // Reads the file: a query without a table would be answered from memory.
    this.#read(() => this.#reader.prepare("select 1 from sqlite_schema limit 1").get());
  }

  releaseMemory(): void {
    if (this.#closing.signal.aborted) return;
    for (const { database } of new Set([this.#reader, this.#writer])) database.pragma("shrink_memory");
    this.#flush.forget();
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  #isTurnOver(): boolean {
    const now = this.#runtime.clock.monotonic();
    if (this.#turnBegan !== undefined) return now - this.#turnBegan > maxTurnDuration;
    this.#turnBegan = now;
    this.#runtime.clock.defer(() => {
      this.#turnBegan = undefined;
    });
    return false;
  }

  #nextTurn(): Promise<void> {
    return new Promise((resolve) => this.#runtime.clock.defer(resolve));
  }

  #read<T>(query: () => T): T {
    this.#closing.signal.throwIfAborted();
    try {
      return query();
    } catch (error) {
      throw this.#classify(error) === "permanent" ? error : databaseUnavailable(error);
    }
  }

  /** Classifies an error. Logs the first error that means damage, with recovery instructions. */
  #classify(error: unknown): DatabaseErrorKind {
    if (!this.#isDamaged && isDamage(error)) {
      this.#isDamaged = true;
      this.#runtime.log.error({ file: this.#file, ...describeError(error) }, damageAdvice(this.#file));
    }
    return classifySqliteError(error);
  }

  async #end(): Promise<void> {
    this.#closing.abort(new TroupeError("unavailable", "The store is closed"));
    await Promise.all([this.#checkpoints.close(), this.#background?.close()]);
    try {
      this.writeBuffer.drain();
    } catch (error) {
      this.#runtime.log.warn(
        describeError(error),
        "the write buffer could not be written to the log tables; the next start does it",
      );
    }
    for (const { database } of new Set([this.#reader, this.#writer])) database.close();
    this.#unlock();
  }
}
