/** How a platform is served, and what is wrong with that. */
import { type Check, checkAll, flag, type Known, refuseUnknown, text } from "../define/checks.ts";
import { ConfigurationError } from "../errors.ts";
import type { AuthMode, Environment } from "../model/authorization.ts";
import { type Role, roles } from "../model/role.ts";
import type { Log } from "../model/runtime.ts";

/** How a platform is served. */
export interface ServerOptions {
  /** Postgres connection string. Default: an embedded SQLite database in `dataDir`. */
  readonly database?: string | undefined;
  /** Postgres connection string that reaches the server itself, where `database` goes through a transaction-mode pooler. */
  readonly directDatabase?: string | undefined;
  /** Folder of the embedded database, or `:memory:` for one that ends with the process. Default `.troupe`. */
  readonly dataDir?: string | undefined;
  /** Address to listen on. Default `127.0.0.1`; any other than loopback needs authorization, or `allowAnonymous`. */
  readonly host?: string | undefined;
  /** Port to listen on; 0 takes a free one. Default 7777. */
  readonly port?: number | undefined;
  /** Listens on other addresses than loopback although everybody may do everything. Default false. */
  readonly allowAnonymous?: boolean | undefined;
  /** Variables that authorization reads: `JWT_VERIFICATION_KEY`, `JWT_JWKS_FILE`, `OS_SECURITY_KEY`. Default: those of the process. */
  readonly environment?: Environment | undefined;
  /** Whether to bring the database's schema up to date. Default true; false fails when it is not. */
  readonly migrate?: boolean | undefined;
  /**
   * What this process does: `api` leaves background runs to other processes, `worker` executes what waits and takes no starts, `all` (default) does
   * both. The first two need Postgres.
   */
  readonly role?: Role | undefined;
  /** Where log entries go. Default: JSON lines on standard error, from level `logLevel` on. */
  readonly log?: Log | undefined;
  /** Lowest level that is logged: `debug`, `info`, `warn`, `error` or `silent`. Default `info`. */
  readonly logLevel?: string | undefined;
}

const loopback = new Set(["127.0.0.1", "localhost", "::1"]);

/** Whether only this machine reaches an address. */
export function isLoopback(host: string): boolean {
  return loopback.has(host);
}

/** Fails for an address that strangers reach, unless callers prove who they are, or it is wanted. @throws ConfigurationError */
export function checkHost(host: string, allowAnonymous: boolean | undefined, mode: AuthMode): void {
  if (mode !== "none" || isLoopback(host) || allowAnonymous) return;
  throw new ConfigurationError(
    `Without authorization the server listens on loopback only, and "${host}" is not: everybody who reaches it could do everything. ` +
      "Turn authorization on (docs/authorization.md), listen on 127.0.0.1, or say --allow-anonymous if that is what you want.",
  );
}

/** Fails for a role there is not, and for one that needs others beside it where there can be none. @throws ConfigurationError */
export function checkRole(role: string, database: string | undefined): asserts role is Role {
  if (!(roles as readonly string[]).includes(role))
    throw new ConfigurationError(`Role "${role}" is unknown; there are ${roles.join(", ")}.`);
  if (role === "all" || database !== undefined) return;
  throw new ConfigurationError(
    `A process of role ${role} shares its work with others, and the embedded database has one process only: set DATABASE_URL to a Postgres, or leave the role out.`,
  );
}

const logLevels = ["debug", "info", "warn", "error", "silent"];

const known: Known<ServerOptions> = {
  database: true,
  directDatabase: true,
  dataDir: true,
  host: true,
  port: true,
  allowAnonymous: true,
  environment: true,
  migrate: true,
  role: true,
  log: true,
  logLevel: true,
};

const anObject: Check = (value) => (typeof value === "object" && value !== null ? undefined : "must be an object");

const connection: Check = (value) => (typeof value === "string" ? undefined : "must be a connection string");

const optionChecks: Readonly<Partial<Record<keyof ServerOptions, Check>>> = {
  database: connection,
  directDatabase: connection,
  dataDir: text,
  host: text,
  allowAnonymous: flag,
  environment: anObject,
  migrate: flag,
  log: anObject,
};

/** Fails for options that there are not, or that cannot be. @throws ConfigurationError */
export function checkServerOptions(options: ServerOptions): void {
  const title = "createServer";
  refuseUnknown(title, options, known);
  checkAll(title, options, optionChecks);
  const { port, logLevel } = options;
  if (port !== undefined) checkPort(port);
  if (logLevel !== undefined) checkLogLevel(logLevel);
}

/** Fails for what is no port. @throws ConfigurationError */
export function checkPort(port: unknown): asserts port is number {
  if (Number.isInteger(port) && (port as number) >= 0 && (port as number) <= 65_535) return;
  throw new ConfigurationError(`Port "${port}" is not a number from 0 to 65535.`);
}

/** Fails for a level of the log there is not. @throws ConfigurationError */
export function checkLogLevel(level: unknown): void {
  if (logLevels.includes(level as string)) return;
  throw new ConfigurationError(`Log level "${level}" is unknown; there are ${logLevels.join(", ")}.`);
}

/** Why a server cannot listen, and what helps; any other error as it is. */
export function addressError(error: unknown, host: string, port: number): unknown {
  const reason = addressFaults[(error as NodeJS.ErrnoException).code ?? ""];
  return reason === undefined ? error : new ConfigurationError(`${host}:${port} ${reason}.`, { cause: error });
}

const addressFaults: Readonly<Record<string, string>> = {
  EADDRINUSE: "is in use: end what listens there, or choose another port (--port)",
  EACCES: "may not be listened on by this user: choose one above 1023 (--port)",
  EADDRNOTAVAIL: "is not an address of this machine: choose another (--host)",
  ENOTFOUND: "cannot be found: the host (--host) is an address or a name of this machine",
  EAI_AGAIN: "cannot be found: the host (--host) is an address or a name of this machine",
};
