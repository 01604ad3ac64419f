/** A platform as a server. */
import { modeOf } from "../auth/resolve.ts";
import { isPlatform, type Platform } from "../define/platform.ts";
import { ConfigurationError, TroupeError } from "../errors.ts";
import type { Log } from "../model/runtime.ts";
import { openPlatform } from "./open.ts";
import { addressError, checkHost, checkRole, checkServerOptions, isLoopback, type ServerOptions } from "./options.ts";
import { jsonLog } from "./runtime.ts";

/** A request for `Server.inject`. */
export interface InjectRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
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
  /**
   * Listens, and answers the address: `http://127.0.0.1:7777`.
   * @throws ConfigurationError for an address that cannot be listened on, TroupeError once the server is closed
   */
  listen(): Promise<string>;
  /** Answers one request without a socket. @throws TroupeError once the server is closed */
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

/**
 * Makes a server of a platform: opens its database and brings the schema up to date. What waits there is taken up as soon as it listens, or is
 * injected a request.
 *
 * @example
 * ```ts
 * const server = await createServer(platform, { database: process.env.DATABASE_URL });
 * console.log(await server.listen());
 * ```
 * @throws ConfigurationError for what is no platform, an unknown or wrong option, a missing provider package, a database or data folder that cannot
 * be used, a role that cannot be, or an address open to everybody
 */
export async function createServer(platform: Platform, options: ServerOptions = {}): Promise<Server> {
  if (!isPlatform(platform)) throw new ConfigurationError("createServer takes what definePlatform makes.");
  checkServerOptions(options);
  const { host = "127.0.0.1", port = 7777, role = "all" } = options;
  const environment = options.environment ?? process.env;
  const mode = modeOf({ authorization: platform.authorization, environment });
  checkHost(host, options.allowAnonymous, mode);
  const log = options.log ?? jsonLog(options.logLevel ?? "info");
  checkRole(role, options.database);
  const isLocalOnly = mode === "none" && isLoopback(host) && !options.allowAnonymous;
  const parts = await openPlatform(platform, { ...options, environment, log, role, isLocalOnly });
  const { app, store } = parts;
  let ending: Promise<void> | undefined;
  const refuseClosed = (): void => {
    if (ending) throw new TroupeError("unavailable", "The server is closed.");
  };
  return {
    database: store.capabilities.label,
    log,
    listen: async () => {
      refuseClosed();
      const address = await app.listen({ host, port }).catch((error: unknown) => {
        throw addressError(error, host, port);
      });
      parts.begin();
      return address;
    },
    inject: async (request) => {
      parts.begin();
      const answer = await app.inject(request).catch((error: unknown) => {
        // Until the end has come it answers as on a socket: reads, and refusals of starts.
        refuseClosed();
        throw error;
      });
      return answer as unknown as InjectResponse;
    },
    openapi: async () => app.description(),
    close: ({ grace = platform.settings.grace } = {}) => (ending ??= parts.end(grace)),
  };
}
