/** The Postgres database, which several processes may share. */
import { CompiledQuery } from "kysely";
import pg from "pg";
import { ConfigurationError, TroupeError } from "../../errors.ts";
import type { Runtime } from "../../model/runtime.ts";
import type { Availability, ConnectionCounts, Outcome, StoreCapabilities, Write } from "../contract/store.ts";
import type { Database, ExecuteAlone } from "../database.ts";
import {
  classifyPostgresError,
  databaseUnavailable,
  describeError,
  isReadOnlyServer,
  isUnstorableText,
  keepsConnection,
  NoResponse,
} from "../database-errors.ts";
import { postgresDialect } from "../dialect.ts";
import type { OpenEncryption } from "../encryption/data-keys.ts";
import type { Encryption } from "../encryption/encryption.ts";
import { backoff } from "../flush/backoff.ts";
import type { CommitParts } from "../flush/commit.ts";
import { commitWrites } from "../flush/commit.ts";
import { ForeignTable, migrate } from "../migrate.ts";
import { Outages } from "../outages.ts";
import type { Transaction } from "../transaction.ts";
import { appendConfig, checkVersion, poolConfig } from "./client.ts";
import { RememberedSessions } from "./flush/remembered-sessions.ts";
import { tryFlush } from "./flush/try-flush.ts";
import { Hosts } from "./hosts.ts";
import { KeyBlocks } from "./key-blocks.ts";
import { LostCommits } from "./lost-commits.ts";
import { runTransaction } from "./run-transaction.ts";
import { destroyConnection } from "./socket.ts";
import { StatementNames } from "./statement-names.ts";
import { tlsHint } from "./tls.ts";

/** Server addresses and connection options. */
export interface PostgresOptions {
  readonly database: string;
  readonly directDatabase: string | undefined;
  /** The hosts of `directDatabase`, else of `database`. Default: own ones. */
  readonly hosts?: Hosts;
  readonly migrate: boolean;
  readonly poolSize: number;
  /** The owner of this process's runs. */
  readonly processId: string;
  /** Default: no encryption. */
  readonly openEncryption?: OpenEncryption | undefined;
  readonly runtime: Runtime;
}

/** Connects, checks the server, and brings its tables up to date. */
export async function openPostgres(options: PostgresOptions): Promise<Database> {
  const { database, directDatabase = database, runtime } = options;
  const hosts = options.hosts ?? new Hosts(directDatabase, runtime.log);
  let encryption: Encryption | undefined;
  try {
    await hosts.withClient(async (client) => {
      await checkVersion(client);
      await migrate(postgresDialect, (work) => runTransaction(client, work), options.migrate);
      encryption = await options.openEncryption?.(postgresDialect, (work) => runTransaction(client, work));
    });
  } catch (error) {
    if (error instanceof ConfigurationError && !(error instanceof ForeignTable)) throw error;
    const { message } = describeError(error);
    const hint = `${tlsHint(error)}${schemaHint(error)}`;
    throw new ConfigurationError(`${hosts.label} cannot be used: ${message}${hint}`, { cause: error });
  }
  const pooled = directDatabase === database ? hosts : new Hosts(database, runtime.log);
  return new PostgresDatabase(options, hosts, pooled, encryption);
}

/** Hint for when the tables cannot be created in the connection's schema: `duplicate_table`, `insufficient_privilege`, `invalid_schema_name`. */
function schemaHint(error: unknown): string {
  const { code } = describeError(error);
  if (code === "3F000") return ". Create the schema that search_path names, or correct search_path (docs/operating.md)";
  if (!(error instanceof ForeignTable) && code !== "42P07" && code !== "42501") return "";
  return (
    '. Give Troupe a schema of its own: "create schema troupe" in the database, and options=-c%20search_path%3Dtroupe ' +
    "as a parameter of the connection string (docs/operating.md)"
  );
}

const maxTries = 5;

/** Milliseconds after which a transaction is not retried: each try may have waited for a lock. */
const maxRetryDuration = 10_000;

class PostgresDatabase implements Database {
  readonly dialect = postgresDialect;
  readonly capabilities: StoreCapabilities;
  readonly encryption: Encryption | undefined;
  readonly #runtime: Runtime;
  readonly #directUrl: string;
  readonly #direct: Hosts;
  /** Hosts of the pool: other ones behind a pooler. */
  readonly #pooled: Hosts;
  /** Undefined behind a pooler: a prepared statement belongs to one connection, and a pooler switches connections. */
  readonly #names: StatementNames | undefined;
  readonly #pool: pg.Pool;
  readonly #keys: KeyBlocks;
  readonly #outages: Outages;
  readonly #parts: CommitParts;
  #remembered = new RememberedSessions();
  readonly #lostCommits: LostCommits;
  readonly #closing = new AbortController();
  readonly #lossListeners: (() => void)[] = [];
  #appender: pg.Client | undefined;
  /** Max attempts to open the connection for appending. */
  #connects = 0;
  #lastAppend: Promise<unknown> = Promise.resolve();
  #closed: Promise<void> | undefined;

  constructor(
    { database, directDatabase, poolSize, processId, runtime }: PostgresOptions,
    direct: Hosts,
    pooled: Hosts,
    encryption: Encryption | undefined,
  ) {
    this.encryption = encryption;
    encryption?.attach((work) => this.write(work));
    this.capabilities = { dialect: "postgres", replicas: true, label: pooled.label };
    this.#runtime = runtime;
    this.#lostCommits = new LostCommits(processId);
    this.#directUrl = directDatabase ?? database;
    this.#direct = direct;
    this.#pooled = pooled;
    const isPooled = direct !== pooled;
    this.#names = isPooled ? undefined : new StatementNames();
    this.#pool = new pg.Pool({ ...poolConfig(database, poolSize, isPooled), Client: pooled.clientClass });
    // An idle connection ended: the pool opens a new one.
    this.#pool.on("error", () => undefined);
    // A connection that ends while in use fails its query; the event alone must not end the process.
    this.#pool.on("connect", (client) => client.on("error", () => undefined));
    this.#outages = new Outages(runtime, () => direct.probe());
    this.#keys = new KeyBlocks(async () => {
      const rows = await this.read<{ first: number }>(CompiledQuery.raw("select nextval('run_keys') as first"));
      return rows[0]?.first as number;
    });
    this.#parts = {
      runtime,
      tryFlush: (writes, mayHaveCommitted) => this.#append(writes, mayHaveCommitted),
      classify: classifyPostgresError,
      outages: this.#outages,
      closed: this.#closing.signal,
    };
  }

  get availability(): Availability {
    return this.#outages.availability;
  }

  get connections(): ConnectionCounts {
    const { totalCount: open, idleCount: idle, waitingCount: waiting } = this.#pool;
    return { open, idle, waiting };
  }

  onLostCommits(listener: () => void): void {
    this.#lossListeners.push(listener);
  }

  nextRunKey(): number | Promise<number> {
    return this.#keys.next();
  }

  /**
   * Runs one flush at a time: two flushes on one connection would share a transaction, and facts that the second had read under its locks would be
   * out of date.
   */
  append(writes: readonly Write[]): Promise<readonly Outcome[]> {
    const appended = this.#lastAppend.then(() => commitWrites(writes, this.#parts));
    this.#lastAppend = appended.catch(() => undefined);
    return appended;
  }

  async read<O>({ sql, parameters }: CompiledQuery<O>): Promise<readonly O[]> {
    this.#closing.signal.throwIfAborted();
    const name = this.#names?.nameOf(sql, parameters.length);
    try {
      const query = { text: sql, values: [...parameters], name } as pg.QueryConfig;
      const { rows } = await this.#outages.wait(this.#pool.query(query));
      return rows as O[];
    } catch (error) {
      // A text that cannot be stored, such as a text with a NUL, matches nothing.
      if (isUnstorableText(error)) return [];
      this.#leaveIfReadOnly(error);
      throw classifyPostgresError(error) === "permanent" ? error : databaseUnavailable(error);
    }
  }

  async write<T>(work: () => Transaction<T>): Promise<T> {
    const { clock } = this.#runtime;
    const begun = clock.monotonic();
    for (let tries = 0; ; tries++) {
      this.#closing.signal.throwIfAborted();
      try {
        const result = await this.#transact(work);
        this.#outages.responded();
        return result;
      } catch (error) {
        const kind = classifyPostgresError(error);
        if (kind === "permanent") throw error;
        this.#leaveIfReadOnly(error);
        if (kind === "disconnected") this.#outages.failed(error);
        const isLate = tries >= maxTries || clock.monotonic() - begun >= maxRetryDuration;
        if (kind === "disconnected" || isLate) throw databaseUnavailable(error);
        await clock.sleep(backoff(tries, this.#runtime), this.#closing.signal);
      }
    }
  }

  async alone<T>(work: (execute: ExecuteAlone) => Promise<T>, signal: AbortSignal): Promise<T> {
    const ended = AbortSignal.any([signal, this.#closing.signal]);
    ended.throwIfAborted();
    return await this.#direct.withClient(async (client) => {
      const end = (): void => destroyConnection(client);
      client.on("error", () => undefined);
      ended.addEventListener("abort", end);
      try {
        await client.query("set statement_timeout = 0");
        return await work(async (statement) => (await client.query(statement)).rows);
      } finally {
        ended.removeEventListener("abort", end);
      }
    });
  }

  async ping(): Promise<void> {
    await this.read(CompiledQuery.raw("select 1"));
  }

  close(): Promise<void> {
    this.#closed ??= this.#end();
    return this.#closed;
  }

  async #end(): Promise<void> {
    this.#closing.abort(new TroupeError("unavailable", "The store is closed"));
    const appender = this.#appender;
    this.#appender = undefined;
    await Promise.all([this.#pool.end(), appender?.end()]);
  }

  /** Tries a transaction once. Closes its connection if the database does not respond: after a late commit, for instance of a claim, no caller would receive the result. */
  async #transact<T>(work: () => Transaction<T>): Promise<T> {
    let used: pg.PoolClient | undefined;
    let isGivenUp = false;
    const transact = async (): Promise<T> => {
      const client = await this.#pool.connect();
      if (isGivenUp) {
        client.release();
        throw new NoResponse();
      }
      used = client;
      try {
        const result = await runTransaction(client, work, this.#names);
        client.release();
        return result;
      } catch (error) {
        client.release(!keepsConnection(error));
        throw error;
      } finally {
        used = undefined;
      }
    };
    try {
      return await this.#outages.wait(transact());
    } catch (error) {
      isGivenUp = error instanceof NoResponse;
      if (isGivenUp && used) destroyConnection(used);
      throw error;
    }
  }

  /** One try of a flush. After a `NoResponse` its connection is broken, so that it writes nothing more. */
  async #append(writes: readonly Write[], mayHaveCommitted: boolean): Promise<readonly Outcome[]> {
    try {
      return await this.#outages.wait(this.#tryAppend(writes, mayHaveCommitted));
    } catch (error) {
      if (error instanceof NoResponse) {
        const client = this.#appender;
        this.#appender = undefined;
        if (client) destroyConnection(client);
      }
      this.#leaveIfReadOnly(error);
      throw error;
    }
  }

  /** Forgets all assumptions from lost commits. The rows of this process's runs are fenced. */
  #forgetLost(): void {
    this.#remembered = new RememberedSessions();
    this.#keys.clear();
    this.#runtime.log.error(
      { server: this.#direct.label },
      "the database server that took over lacks committed writes of this process; its runs continue after their last stored events",
    );
    for (const listener of this.#lossListeners) listener();
  }

  /** A server that was demoted while its connections stayed open is not used again until it accepts writes. */
  #leaveIfReadOnly(error: unknown): void {
    if (!isReadOnlyServer(error)) return;
    this.#direct.leave();
    this.#pooled.leave();
  }

  async #tryAppend(writes: readonly Write[], mayHaveCommitted: boolean): Promise<readonly Outcome[]> {
    const client = this.#appender ?? (await this.#connectAppender());
    try {
      const { encryption } = this;
      const flush = () => tryFlush(client, writes, mayHaveCommitted, this.#remembered, encryption);
      const outcomes = await (encryption ? encryption.withKeys(flush) : flush());
      this.#lostCommits.committed(writes, outcomes);
      return outcomes;
    } catch (error) {
      // A new connection has a clean state, whatever state this one is in.
      if (!keepsConnection(error) && this.#appender === client) {
        this.#appender = undefined;
        client.end().catch(() => undefined);
      }
      throw error;
    }
  }

  async #connectAppender(): Promise<pg.Client> {
    this.#connects += 1;
    const connects = this.#connects;
    const client = this.#direct.client(appendConfig(this.#directUrl));
    client.on("error", () => {
      if (this.#appender === client) this.#appender = undefined;
    });
    await client.connect();
    if (await this.#lostCommits.check(client)) this.#forgetLost();
    // A later attempt has begun: this one was abandoned.
    if (connects !== this.#connects) {
      destroyConnection(client);
      throw new NoResponse();
    }
    if (this.#closing.signal.aborted) {
      await client.end();
      throw this.#closing.signal.reason;
    }
    this.#appender = client;
    return client;
  }
}
