/** A platform as a server. */
import { modeOf } from "./auth/resolve.ts";
import type { Platform } from "./define/platform.ts";
import { ConfigurationError } from "./errors.ts";
import type { AuthMode, Environment } from "./model/authorization.ts";
import { type Role, roles } from "./model/role.ts";
import type { Log } from "./model/runtime.ts";
import { openPlatform } from "./platform-parts.ts";
import { jsonLog } from "./platform-runtime.ts";

/** How a platform is served. */
export interface ServerOptions {
  /** Postgres connection string. Default: an embedded SQLite database in `dataDir`. */
  readonly database?: string | undefined;
  /** Postgres connection string that reaches the server itself, where `database` goes through a transaction-mode pooler. */
  readonly directDatabase?: string | undefined;
  /** Folder of the embedded database. Default `.troupe`. */
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

/** A request for `Server.inject`. */
export interface InjectRequest {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string;
}

/** What an injected request was answered. */
export interface InjectResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, number | string | string[] | undefined>>;
  readonly body: string;
  json<T = unknown>(): T;
}

/** A server of one platform. */
export interface Server {
  /** Listens, and answers the address: `http://127.0.0.1:7777`. */
  listen(): Promise<string>;
  /** Answers one request without a socket. */
  inject(request: InjectRequest): Promise<InjectResponse>;
  /** The OpenAPI document of the interface. */
  openapi(): Promise<Record<string, unknown>>;
  /** Name of the database for people, without credentials. */
  readonly database: string;
  readonly log: Log;
  /**
   * Ends the server: refuses starts, waits for live runs for `grace` milliseconds (default: the setting `grace`), ends the streams with a
   * comment that names their cursor, and leaves what still runs to be taken up.
   */
  close(options?: { readonly grace?: number }): Promise<void>;
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

/**
 * Makes a server of a platform: opens its database and brings the schema up to date. What waits there is taken up as soon as it listens, or is
 * injected a request.
 *
 * @example
 * ```ts
 * const server = await createServer(platform, { database: process.env.DATABASE_URL });
 * console.log(await server.listen());
 * ```
 * @throws ConfigurationError for a wrong definition, an unreachable model provider, a database in use, a role that cannot be, or an address
 * open to everybody
 */
export async function createServer(platform: Platform, options: ServerOptions = {}): Promise<Server> {
  const host = options.host ?? "127.0.0.1";
  const environment = options.environment ?? process.env;
  const mode = modeOf({ authorization: platform.authorization, environment });
  checkHost(host, options.allowAnonymous, mode);
  const log = options.log ?? jsonLog(options.logLevel ?? "info");
  const { role = "all" } = options;
  checkRole(role, options.database);
  const isLocalOnly = mode === "none" && isLoopback(host) && !options.allowAnonymous;
  const parts = await openPlatform(platform, { ...options, environment, log, role, isLocalOnly });
  const { app, store } = parts;
  let ending: Promise<void> | undefined;
  return {
    database: store.capabilities.label,
    log,
    listen: async () => {
      const address = await app.listen({ host, port: options.port ?? 7777 });
      parts.begin();
      return address;
    },
    inject: async (request) => {
      parts.begin();
      return (await app.inject(request)) as unknown as InjectResponse;
    },
    openapi: async () => app.description(),
    close: ({ grace = platform.settings.grace } = {}) => (ending ??= parts.end(grace)),
  };
}
