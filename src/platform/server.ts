/** A platform as an HTTP server. */
import { lookup } from "node:dns/promises";
import { modeOf } from "../auth/access-rules.ts";
import { isPlatform, type Platform } from "../define/platform.ts";
import { ConfigurationError, TroupeError } from "../errors.ts";
import { mount } from "../http/transport/mount.ts";
import { isLoopback } from "../model/loopback.ts";
import type { Log } from "../model/runtime.ts";
import { type MetricsListener, serveMetrics } from "./metrics-listener.ts";
import type { SummableMetrics } from "./metrics-sum.ts";
import { openPlatform } from "./open.ts";
import {
  addressError,
  checkHost,
  checkReadDatabase,
  checkRole,
  checkServerOptions,
  type ServerOptions,
} from "./options.ts";
import { jsonLog } from "./runtime.ts";

/** A request for `Server.inject`. */
export interface InjectRequest {
  readonly method: "GET" | "HEAD" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly payload?: string;
}

/** The response to an injected request. */
export interface InjectResponse {
  readonly statusCode: number;
  readonly headers: Readonly<Record<string, number | string | string[] | undefined>>;
  readonly body: string;
  json<T = unknown>(): T;
}

/** A request of Node's HTTP server (`IncomingMessage`). */
export interface NodeRequest {
  readonly url?: string | undefined;
  readonly method?: string | undefined;
  readonly headers: object;
}

/** Its response (`ServerResponse`). */
export interface NodeResponse {
  readonly headersSent: boolean;
  readonly statusCode: number;
}

/** A server of one platform. */
export interface Server {
  /**
   * Starts to listen and returns the URL: `http://127.0.0.1:7777`.
   * @throws ConfigurationError for an address that the server cannot listen on, TroupeError once the server is closed, and the error of an
   * interface that does not open
   */
  listen(): Promise<string>;
  /**
   * Starts without listening, for an application that mounts the server: opens the interfaces and begins to execute waiting runs. The first mounted request starts the
   * server, too. @throws as `listen`
   */
  start(): Promise<void>;
  /**
   * Handles a request of the application's own Node server: `createServer(server.handler)`, or `app.use("/troupe", server.handler)` in Express. Mount it before body
   * parsers. See docs/embedding.md.
   */
  readonly handler: (request: NodeRequest, response: NodeResponse) => void;
  /**
   * Handles a web request, for Hono, Next.js and other applications of the Fetch standard. Bodies are streams in both directions. An abort of the request, or a cancel
   * of the response's body, disconnects the client; its run continues.
   *
   * @param client the client's address. Without it, a server without authorization needs `allowAnonymous`
   * @throws the reason of the abort, TroupeError once the server is closed
   */
  fetch(request: Request, client?: { readonly address?: string | undefined }): Promise<Response>;
  /**
   * Handles the event `upgrade` of the application's Node server, for the web socket of workflows. Returns false if the path is not one of this server: then it does
   * nothing.
   */
  upgrade(request: NodeRequest, socket: object, head: Uint8Array): boolean;
  /**
   * A Fastify plugin: `await app.register(server.plugin, { prefix: "/troupe" })`. The prefix must be the `basePath`. It handles the web socket, too.
   */
  // biome-ignore lint/suspicious/noExplicitAny: the types of this package do not depend on Fastify's
  readonly plugin: (app: any) => Promise<void>;
  /** Handles one request without a socket. @throws TroupeError once the server is closed */
  inject(request: InjectRequest): Promise<InjectResponse>;
  /** Returns the OpenAPI document of the server. */
  openapi(): Promise<Record<string, unknown>>;
  /** Display name of the database, without credentials. */
  readonly database: string;
  readonly log: Log;
  /** URL of the metrics: `http://127.0.0.1:9464/metrics`. Undefined without `metricsPort`, and before the server listens. */
  readonly metricsUrl: string | undefined;
  /**
   * Closes the server. If a load balancer checks `/health/ready`, the server first serves all requests for the setting `drainDuration`, while
   * that check fails; a `shutdownTimeout` of 0 skips this. Then it rejects new starts, waits up to `shutdownTimeout` milliseconds for live runs (default: the setting), and ends
   * streams with a comment that holds their cursor. Unfinished runs are left for other processes or the next start.
   */
  close(options?: { readonly shutdownTimeout?: number }): Promise<void>;
}

/** A server that shares its port with servers in other processes. */
export interface SharedServer extends Server {
  /** Whether it serves callers on this machine only: without authorization, on loopback. */
  readonly isLocalOnly: boolean;
  /** Undefined if it measures nothing. */
  readonly metrics: SummableMetrics | undefined;
  /**
   * Closes the server while others accept the connections of its port: it accepts no more connections, and serves the open ones until they close, at most
   * `shutdownTimeout` milliseconds (default: the setting). Then it closes as after `close`.
   */
  retire(shutdownTimeout?: number): Promise<void>;
  /** Like `close`. With `isChecked`, a load balancer checks another process on the port, so that this one drains, too. */
  close(options?: { readonly shutdownTimeout?: number; readonly isChecked?: boolean }): Promise<void>;
}

/** How a server shares its port. */
export interface Sharing {
  /** Whether to measure without `metricsPort`, for `SharedServer.metrics`. */
  readonly measures: boolean;
  /** Called at each readiness check. */
  readonly onChecked: () => void;
}

/**
 * Creates a server for a platform: opens its database and migrates the schema. The server starts to execute waiting runs when it listens or
 * handles an injected request.
 *
 * @example
 * ```ts
 * const server = await createServer(platform, { database: process.env.DATABASE_URL });
 * console.log(await server.listen());
 * ```
 * @throws ConfigurationError for a value that is not a platform, an unknown or invalid option, a missing provider package, a database or data
 * folder that cannot be used, role `api` or `worker` or a standby without Postgres, or a public address without authorization
 */
export function createServer(platform: Platform, options: ServerOptions = {}): Promise<Server> {
  return openServer(platform, options);
}

/** Creates a server that may share its port. @throws see `createServer` */
export async function openServer(platform: Platform, options: ServerOptions, sharing?: Sharing): Promise<SharedServer> {
  if (!isPlatform(platform)) throw new ConfigurationError("createServer takes what definePlatform makes.");
  checkServerOptions(options);
  const { host = "127.0.0.1", port = 7777, role = "all" } = options;
  const environment = options.environment ?? process.env;
  const mode = modeOf({ authorization: platform.authorization, environment });
  checkHost(host, options.allowAnonymous, mode);
  const log = options.log ?? jsonLog(options.logLevel ?? "info");
  checkRole(role, options.database);
  checkReadDatabase(options.readDatabase, options.database);
  const isLocalOnly = mode === "none" && isLoopback(host) && !options.allowAnonymous;
  const { metricsPort } = options;
  const measures = metricsPort !== undefined || sharing?.measures === true;
  const tracingEnvironment = process.env;
  const parts = await openPlatform(platform, {
    ...{ ...options, environment, tracingEnvironment, log, role, isLocalOnly, measures },
    onChecked: sharing?.onChecked,
  });
  const { app, store, interfaces } = parts;
  const { basePath = "" } = options;
  let metricsListener: MetricsListener | undefined;
  let begun: Promise<void> | undefined;
  let ending: Promise<void> | undefined;
  const refuseClosed = (): void => {
    if (ending) throw new TroupeError("unavailable", "The server is closed.");
  };
  const { shutdownTimeout: defaultTimeout, drainDuration } = platform.settings;
  const end = async (shutdownTimeout: number, isChecked: boolean): Promise<void> => {
    if (shutdownTimeout > 0) await parts.leave(isChecked);
    await parts.end(shutdownTimeout);
    // The last to end: a shutdown is measured, too.
    await metricsListener?.close();
  };
  const endRetired = async (shutdownTimeout: number): Promise<void> => {
    const begun = performance.now();
    await parts.retire(drainDuration, shutdownTimeout);
    await parts.end(Math.max(0, shutdownTimeout - (performance.now() - begun)));
  };
  const open = async (): Promise<void> => {
    if (parts.metrics && metricsPort !== undefined)
      metricsListener = await serveMetrics(parts.metrics, {
        host,
        port: metricsPort,
        isLocalOnly: () => isLocalOnly,
        log,
      });
    await interfaces.open(options.interfaces ?? []);
    parts.begin();
  };
  const begin = (): Promise<void> => (begun ??= open());
  const start = async (): Promise<void> => {
    refuseClosed();
    await app.ready();
    await begin();
  };
  return {
    database: store.capabilities.label,
    log,
    isLocalOnly,
    metrics: parts.metrics,
    get metricsUrl() {
      return metricsListener?.url;
    },
    listen: async () => {
      refuseClosed();
      // For `localhost`, Fastify opens a server per address, and `retire` would close only the first of them.
      const own = sharing && host === "localhost" ? (await lookup(host)).address : host;
      const address = await app.listen({ host: own, port }).catch((error: unknown) => {
        throw addressError(error, host, port);
      });
      await begin();
      return address;
    },
    start,
    ...mount({ app, basePath, start, log }),
    inject: async (request) => {
      parts.begin();
      const answer = await app.inject(request).catch((error: unknown) => {
        // While the server closes, it responds as on a socket: it serves reads and rejects starts.
        refuseClosed();
        throw error;
      });
      return answer as unknown as InjectResponse;
    },
    openapi: async () => app.description(),
    close: ({ shutdownTimeout = defaultTimeout, isChecked = false } = {}) =>
      (ending ??= end(shutdownTimeout, isChecked)),
    retire: (shutdownTimeout = defaultTimeout) => (ending ??= endRetired(shutdownTimeout)),
  };
}
