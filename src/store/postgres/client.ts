/** Connections to Postgres. */
import type { Duplex } from "node:stream";
import type { ClientBase, ClientConfig, PoolConfig } from "pg";
import pg from "pg";
import { ConfigurationError } from "../../errors.ts";
import { postgresFault } from "../faults.ts";
import { postgresTypes } from "./types.ts";

const oldestVersion = 15;

/** How long things may take, in milliseconds. */
const limits = {
  connect: 10_000,
  /** The server gives up a statement. */
  statement: 25_000,
  /** The client gives up a connection that does not answer. */
  silence: 30_000,
  /** A transaction that waits for this process is rolled back, so that a stalled process does not keep its locks. */
  idleInTransaction: 10_000,
  lock: 10_000,
  probe: 1_500,
};

/** What every connection says; `settings` are those of the server, which a transaction-mode pooler would not pass on. */
export function clientConfig(url: string, settings: Readonly<Record<string, string>>): ClientConfig {
  const all = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const { rest, options } = apartFromOptions(url);
  if (options !== undefined) all.unshift(options);
  return {
    connectionString: withoutAliases(rest),
    application_name: "troupe",
    types: postgresTypes,
    keepAlive: true,
    connectionTimeoutMillis: limits.connect,
    query_timeout: limits.silence,
    ...(all.length === 0 ? {} : { options: all.join(" ") }),
  };
}

/** The parameter `options` of a connection string, by itself: in the string it would replace the settings of a connection. */
function apartFromOptions(url: string): { readonly rest: string; readonly options: string | undefined } {
  const [, given] = /[?&]options=([^&]*)/.exec(url) ?? [];
  if (given === undefined) return { rest: url, options: undefined };
  const rest = url.replace(/([?&])options=[^&]*(?:&|$)/, "$1").replace(/[?&]$/, "");
  return { rest, options: decodeURIComponent(given.replaceAll("+", " ")) };
}

const timeouts: Readonly<Record<string, string>> = {
  statement_timeout: String(limits.statement),
  idle_in_transaction_session_timeout: String(limits.idleInTransaction),
  lock_timeout: String(limits.lock),
  // A plan of a short statement is never worth compiling.
  jit: "off",
};

/** Few rows looked up by their keys in tables of any size: planned once, while the tables may still be empty. */
const keyedPlans: Readonly<Record<string, string>> = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
};

/** For the group commit: durable whatever the server's default is, a flush without waiting in between. */
export function appendConfig(url: string): ClientConfig {
  const settings = { ...timeouts, ...keyedPlans, synchronous_commit: "on" };
  return { ...clientConfig(url, settings), pipeline: true } as ClientConfig;
}

/** Sends several queries of a pipeline in one write to the socket: each write of its own costs more than the query does here. */
export function together<T>(client: ClientBase, send: () => T): T {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection;
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}

/** Ends a connection without waiting for the server. */
export function breakOff(client: ClientBase): void {
  const { stream } = (client as unknown as { readonly connection: { readonly stream: Duplex } }).connection;
  stream.destroy();
}

/** Asks on a connection of its own; resolves when the server answers anything, an error included. Rejects after two seconds. */
export async function probe(url: string): Promise<void> {
  const client = new pg.Client({ ...clientConfig(url, {}), connectionTimeoutMillis: limits.probe });
  client.on("error", () => undefined);
  try {
    await client.connect();
  } catch (error) {
    if (postgresFault(error) === "away") throw error;
  } finally {
    breakOff(client);
  }
}

/** For reads and short transactions; behind a transaction-mode pooler without settings. */
export function poolConfig(url: string, max: number, isPooled: boolean): PoolConfig {
  return { ...clientConfig(url, isPooled ? {} : timeouts), max, idleTimeoutMillis: 30_000, allowExitOnIdle: true };
}

/** For LISTEN and NOTIFY: a lost wake-up costs a poll, a wait for the disk would cost every wake-up. */
export function signalConfig(url: string): ClientConfig {
  return clientConfig(url, { synchronous_commit: "off", statement_timeout: String(limits.statement) });
}

/** For migrations, which may take their time. */
export async function withClient<T>(url: string, use: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client({ ...clientConfig(url, {}), query_timeout: 0 });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return await use(client);
  } finally {
    await client.end();
  }
}

/**
 * What pg verifies as `verify-full` says so: it does for the other modes, too, today, and warns that it will not for ever (docs/operating.md).
 * With `uselibpqcompat` they are what they are for libpq.
 */
function withoutAliases(url: string): string {
  if (/[?&]uselibpqcompat=true(?:&|$)/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
}

/** @throws ConfigurationError for what is no connection string, or names files that cannot be read */
export function checkConnectionString(url: string): void {
  const scheme = /^\w+(?=:)/.exec(url)?.[0];
  const wanted = "a Postgres connection string, like postgres://user:password@host:5432/name";
  if (scheme !== "postgres" && scheme !== "postgresql" && scheme !== "socket") {
    // What has no scheme may be anything, a password for instance: it is not repeated.
    const other = scheme === undefined ? 'does not begin with "postgres://"' : `begins with "${scheme}:"`;
    const found = url === "" ? "is empty" : other;
    throw new ConfigurationError(
      `the database must be ${wanted}, and what was given ${found}. Without one, an embedded SQLite database is used`,
    );
  }
  try {
    new pg.Client(clientConfig(url, {}));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigurationError(
      code === "ERR_INVALID_URL"
        ? `the database must be ${wanted}, and what was given cannot be read as one: in a user or password, write %23 for #, %2F for /, %3F for ?, %40 for @`
        : `the database's connection string cannot be used: ${message}`,
      { cause: error },
    );
  }
}

/** Name of the database for people. */
export function labelOf(url: string): string {
  const { host, port, database } = new pg.Client(clientConfig(url, {}));
  return `Postgres ${database ?? ""} at ${host}:${port}`;
}

/** @throws ConfigurationError for a server that is too old */
export async function checkVersion(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query("show server_version");
  const version = String(rows[0]?.server_version);
  if (Number.parseInt(version, 10) >= oldestVersion) return;
  throw new ConfigurationError(
    `Troupe needs Postgres ${oldestVersion} or newer, and the server is ${version}: upgrade it`,
  );
}
