/** The embedded database: one SQLite file in the data folder, written by this process alone. */
import Sqlite from "better-sqlite3";
import type { CompiledQuery } from "kysely";
import { TroupeError } from "../../errors.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Availability, Outcome, StoreCapabilities, Write } from "../contract/store.ts";
import type { Database } from "../database.ts";
import { sqliteDialect } from "../dialect.ts";
import { describeFault, type Fault, isDamage, sqliteFault, unavailable } from "../faults.ts";
import type { AppendParts } from "../flush/append.ts";
import { append } from "../flush/append.ts";
import { backoff } from "../flush/backoff.ts";
import { migrate } from "../migrate.ts";
import { Outages } from "../outages.ts";
import type { Work } from "../work.ts";
import { SqliteAppend } from "./append.ts";
import { SqliteConnection } from "./connection.ts";
import { damageAdvice, databaseFile, fileRefusal, makeDataFolder } from "./data-folder.ts";
import { lockDataFolder } from "./lock.ts";
import { Checkpoints } from "./wal-checkpoint.ts";
import { Tails } from "./write-buffer.ts";

/** Used in place of a folder: the database is in memory and ends with the process. */
const inMemory = ":memory:";

/** Location of the embedded database. */
export interface SqliteOptions {
  /** Its folder, or `:memory:`. */
  readonly dataDir: string;
  readonly migrate: boolean;
  readonly runtime: Runtime;
}

/**
 * Opens (or creates) the database of a data folder, as the only process.
 * @throws ConfigurationError naming the folder or file that cannot be used
 */
export async function openSqlite({ dataDir, migrate: apply, runtime }: SqliteOptions): Promise<Database> {
  const isInMemory = dataDir === inMemory;
  const unlock = isInMemory ? () => undefined : lockDataFolder(makeDataFolder(dataDir));
  const open: Sqlite.Database[] = [];
  const file = isInMemory ? inMemory : databaseFile(dataDir);
  try {
    const writer = new Sqlite(file, { timeout: 1_000 });
    open.push(writer);
    writer.pragma("journal_mode = wal");
    writer.pragma("synchronous = full");
    writer.pragma("wal_autocheckpoint = 0");
    writer.pragma("cache_size = -65536");
    if (process.platform === "darwin") writer.pragma("fullfsync = on");
    const connection = new SqliteConnection(writer);
    await migrate(sqliteDialect, async (work) => connection.work(work), apply);
    // No other process is running: every RUNNING run was left behind.
    writer.exec("delete from processes");
    // From here on only another program can lock the file: its lock is waited for without blocking this process.
    writer.pragma("busy_timeout = 20");
    // A second in-memory connection would be a second database.
    if (isInMemory) return new SqliteDatabase(file, connection, connection, unlock, runtime);
    const reader = new Sqlite(file, { readonly: true, timeout: 1_000 });
    open.push(reader);
    reader.pragma("cache_size = -32768");
    return new SqliteDatabase(file, connection, new SqliteConnection(reader), unlock, runtime);
  } catch (error) {
    for (const database of open) database.close();
    unlock();
    throw fileRefusal(file, error);
  }
}

const mostTries = 5;

/** Milliseconds of consecutive statements after which other work of the process gets a turn: back-to-back statements would block it. */
const longestTurn = 20;

class SqliteDatabase implements Database {
  readonly dialect = sqliteDialect;
  readonly capabilities: StoreCapabilities;
  readonly tails: Tails;
  readonly #writer: SqliteConnection;
  readonly #reader: SqliteConnection;
  readonly #unlock: () => void;
  readonly #outages: Outages;
  readonly #flush: SqliteAppend;
  readonly #parts: AppendParts;
  readonly #checkpoints: Checkpoints;
  readonly #closing = new AbortController();
  readonly #runtime: Runtime;
  readonly #file: string;
  #isDamaged = false;
  #lastKey: number;
  /** When the first statement of this turn of the event loop ran. */
  #turnBegan: number | undefined;
  #closed: Promise<void> | undefined;

  constructor(file: string, writer: SqliteConnection, reader: SqliteConnection, unlock: () => void, runtime: Runtime) {
    this.capabilities = { dialect: "sqlite", replicas: false, label: `SQLite ${file}` };
    this.#file = file;
    this.#writer = writer;
    this.#reader = reader;
    this.#unlock = unlock;
    this.#runtime = runtime;
    this.#outages = new Outages(runtime);
    this.#checkpoints = new Checkpoints(writer, file, runtime);
    this.tails = new Tails(writer);
    this.#flush = new SqliteAppend(writer, this.tails);
    this.#parts = {
      runtime,
      attempt: (writes, suspect) => {
        const outcomes = this.#flush.attempt(writes, suspect);
        this.#checkpoints.wrote();
        return outcomes;
      },
      faultOf: (error) => this.#faultOf(error),
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
    return append(writes, this.#parts);
  }

  async read<O>(query: CompiledQuery<O>): Promise<readonly O[]> {
    if (this.#isTurnOver()) await this.#nextTurn();
    return this.#look(() => this.#reader.run(query).rows as readonly O[]);
  }

  async write<T>(work: () => Work<T>): Promise<T> {
    if (this.#isTurnOver()) await this.#nextTurn();
    for (let tries = 0; ; tries++) {
      this.#closing.signal.throwIfAborted();
      try {
        this.#flush.forget();
        const result = this.#writer.work(work);
        this.#checkpoints.wrote();
        this.#outages.answered();
        return result;
      } catch (error) {
        if (this.#faultOf(error) === "refused") throw error;
        if (tries >= mostTries) {
          this.#outages.failed(error);
          throw unavailable(error);
        }
        await this.#runtime.clock.sleep(backoff(tries, this.#runtime), this.#closing.signal);
      }
    }
  }

  async ping(): Promise<void> {
    // Reads the file: a query without a table would be answered from memory.
    this.#look(() => this.#reader.prepare("select 1 from sqlite_schema limit 1").get());
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  #isTurnOver(): boolean {
    const now = this.#runtime.clock.monotonic();
    if (this.#turnBegan !== undefined) return now - this.#turnBegan > longestTurn;
    this.#turnBegan = now;
    this.#runtime.clock.defer(() => {
      this.#turnBegan = undefined;
    });
    return false;
  }

  #nextTurn(): Promise<void> {
    return new Promise((resolve) => this.#runtime.clock.defer(resolve));
  }

  #look<T>(reads: () => T): T {
    this.#closing.signal.throwIfAborted();
    try {
      return reads();
    } catch (error) {
      throw this.#faultOf(error) === "refused" ? error : unavailable(error);
    }
  }

  /** Classifies an error. Logs the first error that means damage, with recovery instructions. */
  #faultOf(error: unknown): Fault {
    if (!this.#isDamaged && isDamage(error)) {
      this.#isDamaged = true;
      this.#runtime.log.error({ file: this.#file, ...describeFault(error) }, damageAdvice(this.#file));
    }
    return sqliteFault(error);
  }

  async #end(): Promise<void> {
    this.#closing.abort(new TroupeError("unavailable", "The store is closed"));
    await this.#checkpoints.close();
    try {
      this.tails.settle();
    } catch (error) {
      this.#runtime.log.warn(describeFault(error), "the ends of live logs are left to the next start");
    }
    for (const { database } of new Set([this.#reader, this.#writer])) database.close();
    this.#unlock();
  }
}
