/** Options of a server and their validation. */
import { type Check, checkAll, flag, type Known, refuseUnknown, text } from "../define/checks.ts";
import { ConfigurationError } from "../errors.ts";
import type { AuthMode, Environment } from "../model/authorization.ts";
import { isLoopback } from "../model/loopback.ts";
import { type Role, roles } from "../model/role.ts";
import type { Log } from "../model/runtime.ts";

/** A function of type `OpenInterface` of `troupe/interface`. The parameter has no type here, because that type needs Node's types. */
export type AnyInterface = (
  services: never,
) => { close(): void | Promise<void> } | Promise<{ close(): void | Promise<void> }>;

/** Options of `createServer`. */
export interface ServerOptions {
  /** Postgres connection string. Default: an embedded SQLite database in `dataDir`. */
  readonly database?: string | undefined;
  /** Postgres connection string that bypasses the pooler, if `database` is a transaction-mode pooler. */
  readonly directDatabase?: string | undefined;
  /**
   * Postgres connection string of a streaming standby of `database`, which then serves listings and the events of ended runs while it is up to date.
   * Default: none.
   */
  readonly readDatabase?: string | undefined;
  /** Folder of the embedded database, or `:memory:` for a database that is lost when the process ends. Default `.troupe`. */
  readonly dataDir?: string | undefined;
  /** Address to listen on. Default `127.0.0.1`; any address other than loopback needs authorization or `allowAnonymous`. */
  readonly host?: string | undefined;
  /** Port to listen on; 0 chooses a free port. Default 7777. */
  readonly port?: number | undefined;
  /**
   * Path below which an application mounts the server, or a proxy serves it: `/troupe`. Links, cards and documents contain it; the server accepts requests with
   * and without it. Default: none. See docs/embedding.md.
   */
  readonly basePath?: string | undefined;
  /**
   * Whether the server may listen on addresses other than loopback without authorization, so that every client has full access. Default
   * false.
   */
  readonly allowAnonymous?: boolean | undefined;
  /** Environment variables for authorization: `JWT_VERIFICATION_KEY`, `JWT_JWKS_FILE`, `OS_SECURITY_KEY`. Default: `process.env`. */
  readonly environment?: Environment | undefined;
  /** Whether to migrate the database schema. Default true; false fails if the schema is not up to date. */
  readonly migrate?: boolean | undefined;
  /**
   * Role of this process: `api` leaves background runs to other processes, `worker` executes waiting runs and accepts no starts, `all`
   * (default) does both. `api` and `worker` need Postgres.
   */
  readonly role?: Role | undefined;
  /**
   * More interfaces to the same runs, such as a protocol of your own: functions of the type `OpenInterface` of `troupe/interface`. The server opens them when it begins to listen, and closes them when it
   * closes. Default: none.
   *
   * @example
   * ```ts
   * import type { OpenInterface } from "troupe/interface";
   *
   * const beacon: OpenInterface = ({ platform, runtime }) => {
   *   const stop = runtime.clock.after(1_000, () => runtime.log.info({ platform: platform.id }, "The platform is up."));
   *   return { close: stop };
   * };
   * const server = await createServer(platform, { interfaces: [beacon] });
   * ```
   */
  readonly interfaces?: readonly AnyInterface[] | undefined;
  /** Destination of log entries. Default: JSON lines on standard error, filtered by `logLevel`. */
  readonly log?: Log | undefined;
  /**
   * Port of Prometheus metrics (`GET /metrics`), on the same address; 0 chooses a free port. Metrics need no credential, so keep the port inside
   * the network. Default: no metrics.
   */
  readonly metricsPort?: number | undefined;
  /** Minimum level of log entries: `debug`, `info`, `warn`, `error` or `silent`. Default `info`. */
  readonly logLevel?: string | undefined;
}

/** Rejects an address that other machines can reach, unless there is authorization or `allowAnonymous`. @throws ConfigurationError */
export function checkHost(host: string, allowAnonymous: boolean | undefined, mode: AuthMode): void {
  if (mode !== "none" || isLoopback(host) || allowAnonymous) return;
  throw new ConfigurationError(
    `Without authorization the server listens on loopback only, and "${host}" is not: everybody who reaches it could do everything. ` +
      "Turn authorization on (docs/authorization.md), listen on 127.0.0.1, or pass --allow-anonymous if that is intended.",
  );
}

/** Rejects an unknown role, and a role that needs other processes if the database is embedded. @throws ConfigurationError */
export function checkRole(role: string, database: string | undefined): asserts role is Role {
  if (!(roles as readonly string[]).includes(role))
    throw new ConfigurationError(`Role "${role}" is unknown; there are ${roles.join(", ")}.`);
  if (role === "all" || database !== undefined) return;
  throw new ConfigurationError(
    `A process of role ${role} shares its work with others, and the embedded database has one process only: set DATABASE_URL to a Postgres, or leave the role out.`,
  );
}

/** Rejects a standby of the embedded database. @throws ConfigurationError */
export function checkReadDatabase(readDatabase: string | undefined, database: string | undefined): void {
  if (readDatabase === undefined || database !== undefined) return;
  throw new ConfigurationError(
    "DATABASE_READ_URL (--read-database) is a standby of a Postgres database, and the embedded database has none: set DATABASE_URL to the standby's primary, or leave it out.",
  );
}

const logLevels = ["debug", "info", "warn", "error", "silent"];

const known: Known<ServerOptions> = {
  database: true,
  directDatabase: true,
  readDatabase: true,
  dataDir: true,
  host: true,
  port: true,
  basePath: true,
  allowAnonymous: true,
  environment: true,
  migrate: true,
  role: true,
  interfaces: true,
  metricsPort: true,
  log: true,
  logLevel: true,
};

const anObject: Check = (value) => (typeof value === "object" && value !== null ? undefined : "must be an object");

const connection: Check = (value) => (typeof value === "string" ? undefined : "must be a connection string");

const path: Check = (value) =>
  typeof value === "string" && /^(\/[\w.~-]+)+$/.test(value)
    ? undefined
    : 'must be a path without a slash at its end, like "/troupe"';

const functions: Check = (value) =>
  Array.isArray(value) && value.every((one) => typeof one === "function") ? undefined : "must be a list of functions";

const optionChecks: Readonly<Partial<Record<keyof ServerOptions, Check>>> = {
  database: connection,
  directDatabase: connection,
  readDatabase: connection,
  dataDir: text,
  host: text,
  basePath: path,
  allowAnonymous: flag,
  environment: anObject,
  migrate: flag,
  interfaces: functions,
  log: anObject,
};

/** Rejects unknown options and invalid values. @throws ConfigurationError */
export function checkServerOptions(options: ServerOptions): void {
  const title = "createServer";
  refuseUnknown(title, options, known);
  checkAll(title, options, optionChecks);
  const { port, metricsPort, logLevel } = options;
  for (const given of [port, metricsPort]) if (given !== undefined) checkPort(given);
  if (logLevel !== undefined) checkLogLevel(logLevel);
}

/** Rejects an invalid port. @throws ConfigurationError */
export function checkPort(port: unknown): asserts port is number {
  if (Number.isInteger(port) && (port as number) >= 0 && (port as number) <= 65_535) return;
  throw new ConfigurationError(`Port "${port}" is not a number from 0 to 65535.`);
}

/** Rejects an unknown log level. @throws ConfigurationError */
export function checkLogLevel(level: unknown): void {
  if (logLevels.includes(level as string)) return;
  throw new ConfigurationError(`Log level "${level}" is unknown; there are ${logLevels.join(", ")}.`);
}

/** Converts an error of `listen` to a ConfigurationError with the reason and the fix; returns any other error unchanged. */
export function addressError(error: unknown, host: string, port: number, option = "--port"): unknown {
  const reason = addressFaults[(error as NodeJS.ErrnoException).code ?? ""];
  return reason === undefined
    ? error
    : new ConfigurationError(`${host}:${port} ${reason.replace("--port", option)}.`, { cause: error });
}

const addressFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use: end what listens there, or choose another port (--port)",
  EACCES: "may not be listened on by this user: choose one above 1023 (--port)",
  EADDRNOTAVAIL: "is not an address of this machine: choose another (--host)",
  ENOTFOUND: "cannot be found: the host (--host) is an address or a name of this machine",
  EAI_AGAIN: "cannot be found: the host (--host) is an address or a name of this machine",
};
