/** Connections to Postgres. */
import type { ClientConfig, PoolConfig } from "pg";
import pg from "pg";
import { ConfigurationError } from "../../errors.ts";
import { connectionString, type HostUse, parseHosts, unreadable } from "./host-list.ts";
import { postgresTypes } from "./types.ts";

const minVersion = 15;

/** Timeouts, in milliseconds. */
const limits = {
  connect: 10_000,
  /** The server cancels a statement. */
  statement: 25_000,
  /** The client drops a connection that does not respond. */
  response: 30_000,
  /** A transaction that waits for this process is rolled back, so that a stalled process does not keep its locks. */
  idleInTransaction: 10_000,
  lock: 10_000,
  standbyConnect: 1_000,
  standbyStatement: 5_000,
};

/** Configuration shared by all connections, with the first host: `Hosts` chooses among several. `settings` are server settings, which a transaction-mode pooler would not pass on. */
export function clientConfig(url: string, settings: Readonly<Record<string, string>>): ClientConfig {
  const all = Object.entries(settings).map(([name, value]) => `-c ${name}=${value}`);
  const { rest, options } = splitOptions(parseHosts(url).urls[0]);
  if (options !== undefined) all.unshift(options);
  return {
    connectionString: withoutSslAliases(rest),
    application_name: "troupe",
    types: postgresTypes,
    keepAlive: true,
    connectionTimeoutMillis: limits.connect,
    query_timeout: limits.response,
    ...(all.length === 0 ? {} : { options: all.join(" ") }),
  };
}

/** Splits the parameter `options` off a connection string: left in the string, it would override the settings of a connection. */
function splitOptions(url: string): { readonly rest: string; readonly options: string | undefined } {
  const [, given] = /[?&]options=([^&]*)/.exec(url) ?? [];
  if (given === undefined) return { rest: url, options: undefined };
  const rest = url.replace(/([?&])options=[^&]*(?:&|$)/, "$1").replace(/[?&]$/, "");
  return { rest, options: decodeURIComponent(given.replaceAll("+", " ")) };
}

const timeouts: Readonly<Record<string, string>> = {
  statement_timeout: String(limits.statement),
  idle_in_transaction_session_timeout: String(limits.idleInTransaction),
  lock_timeout: String(limits.lock),
  // JIT compilation costs more time than it saves for short statements.
  jit: "off",
  // Starting parallel workers takes longer than reading a page. The planner expects a page to be a tenth of the table.
  max_parallel_workers_per_gather: "0",
};

/** For lookups of few rows by key in tables of any size: the plan is made once, possibly while the tables are still empty. */
const keyedPlans: Readonly<Record<string, string>> = {
  plan_cache_mode: "force_generic_plan",
  enable_seqscan: "off",
  enable_hashjoin: "off",
  enable_mergejoin: "off",
  enable_material: "off",
};

/** For the group commit: durable regardless of the server's default, with pipelined statements. */
export function appendConfig(url: string): ClientConfig {
  const settings = { ...timeouts, ...keyedPlans, synchronous_commit: "on" };
  return { ...clientConfig(url, settings), pipeline: true } as ClientConfig;
}

/** For reads and short transactions; behind a transaction-mode pooler without settings. */
export function poolConfig(url: string, max: number, isPooled: boolean): PoolConfig {
  const settings = isPooled ? {} : { ...timeouts, ...keyedPlans };
  return { ...clientConfig(url, settings), max, idleTimeoutMillis: 30_000, allowExitOnIdle: true };
}

/** For reads from a standby: after these times, the primary serves the read. */
export function standbyConfig(url: string, max: number): PoolConfig {
  const settings = { ...timeouts, ...keyedPlans, statement_timeout: String(limits.standbyStatement) };
  return {
    ...clientConfig(parseHosts(url, "standby").urls[0], settings),
    query_timeout: limits.standbyStatement,
    connectionTimeoutMillis: limits.standbyConnect,
    max,
    idleTimeoutMillis: 30_000,
    allowExitOnIdle: true,
    pipeline: true,
  } as PoolConfig;
}

/** For LISTEN and NOTIFY without synchronous commit: losing a wake-up only costs a poll, but waiting for the disk would delay every wake-up. */
export function signalConfig(url: string): ClientConfig {
  return clientConfig(url, { synchronous_commit: "off", statement_timeout: String(limits.statement) });
}

/**
 * Writes `verify-full` for the modes that pg treats as `verify-full`: it warns that this will change (docs/operating.md). With `uselibpqcompat` the
 * modes keep their libpq meaning.
 */
function withoutSslAliases(url: string): string {
  if (/[?&]uselibpqcompat=true(?:&|$)/.test(url)) return url;
  return url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, "$1verify-full");
}

/** @throws ConfigurationError for an invalid connection string, or one that names unreadable files */
export function checkConnectionString(url: string, use?: HostUse): void {
  const scheme = /^\w+(?=:)/.exec(url)?.[0];
  if (scheme !== "postgres" && scheme !== "postgresql" && scheme !== "socket") {
    // A text without a scheme may be anything, such as a password: it is not repeated.
    const other = scheme === undefined ? 'does not begin with "postgres://"' : `begins with "${scheme}:"`;
    const found = url === "" ? "is empty" : other;
    throw new ConfigurationError(
      `the database must be ${connectionString}, and what was given ${found}. Without one, an embedded SQLite database is used`,
    );
  }
  try {
    for (const each of parseHosts(url, use).urls) new pg.Client(clientConfig(each, {}));
  } catch (error) {
    if (error instanceof ConfigurationError) throw error;
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ConfigurationError(
      code === "ERR_INVALID_URL" ? unreadable : `the database's connection string cannot be used: ${message}`,
      { cause: error },
    );
  }
}

/** @throws ConfigurationError for a server that is too old */
export async function checkVersion(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query("show server_version");
  const version = String(rows[0]?.server_version);
  if (Number.parseInt(version, 10) >= minVersion) return;
  throw new ConfigurationError(
    `Troupe needs Postgres ${minVersion} or newer, and the server is ${version}: upgrade it`,
  );
}
