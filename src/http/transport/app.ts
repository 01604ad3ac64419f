/** The HTTP interface as a Fastify app. */
import fastifyStatic from "@fastify/static";
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import { defaultRetryAfter, InvariantError, TroupeError } from "../../errors.ts";
import type { RequiredScopes } from "../../model/authorization.ts";
import { isOpen } from "../callers/route-access.ts";
import { hasNoBody } from "../input/body.ts";
import { HeavyReads } from "../listing/heavy-reads.ts";
import { interfaceRoutes } from "../routes/all.ts";
import { connectPages } from "../routes/pages/connect.ts";
import { consoleRoutes, staticFiles } from "../routes/pages/console.ts";
import { docsRoutes } from "../routes/pages/docs.ts";
import { CredentialWatch } from "../streams/credential-watch.ts";
import { OpenStreams } from "../streams/open-streams.ts";
import { ArrivingBodies } from "./arriving-bodies.ts";
import { watchClosing } from "./closing.ts";
import { createCors } from "./cors.ts";
import { answerError } from "./errors.ts";
import { reportAtEnd, reportCaller, reportRequests } from "./finished-requests.ts";
import { Guard } from "./guard.ts";
import { lingerAfterAnswers } from "./linger.ts";
import { localRefusal } from "./local-host.ts";
import { withoutBase } from "./mounted.ts";
import { describeRoutes } from "./openapi.ts";
import { setRateHeaders } from "./rate-headers.ts";
import { answerClientError, answerRefusals } from "./raw-errors.ts";
import { addRoutes, type Route, requireRouteAccess } from "./route.ts";
import type { Services } from "./services.ts";
import { knownPaths, refusalOf } from "./unknown-path.ts";
import { type TakeOver, Upgrades } from "./upgrades.ts";
import { troupeVersion } from "./version.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The OpenAPI document of the interface. */
    description(): Record<string, unknown>;
    /** Ends streams whose caller's credential is no longer valid. */
    readonly credentials: CredentialWatch;
    /** The paths that accept web sockets. */
    readonly upgrades: Upgrades;
    /** Whether the server is closing. */
    readonly isClosing: boolean;
    /** Registers a handler for web sockets at a path. */
    takeOver(path: string, take: TakeOver): void;
    /** See `ClosingState`. */
    retire(idleTimeout: number): Promise<void>;
    /** Every route, as declared. */
    readonly routes: readonly Route[];
    /** See `Services`. */
    readonly basePath: string;
    /** The scopes that a route requires. */
    requiredScopesOf(route: Route): RequiredScopes;
  }
}

/** Maximum time for the head of a request to arrive, in milliseconds. */
const maxHeadersTimeout = 60_000;

/** Maximum interval between Node's checks for requests that exceed `requestTimeout`, in milliseconds. */
const maxTimeoutCheckInterval = 10_000;

/** Maximum length of a path parameter for the router: longer than any request. Routes themselves reject ids that are too long. */
const maxParamLength = 1_000_000;

/** Routes validate with zod and write JSON themselves. Fastify would load its compilers of JSON schemas, a hundred modules, for none. */
const withoutSchemas = {
  compilersFactory: { buildValidator: refuseSchema, buildSerializer: refuseSchema },
};

function refuseSchema(): never {
  throw new InvariantError("A route has a JSON schema of Fastify's.");
}

/**
 * Creates the app. `more` are the routes of other interfaces, such as A2A.
 *
 * @throws ConfigurationError for a route that does not declare its access
 */
export function createApp(services: Services, more: readonly Route[] = []): FastifyInstance {
  const { platform, runtime, basePath } = services;
  const described = [...interfaceRoutes(runtime.clock.now()), ...more];
  const ofConsole = platform.console === false ? [] : consoleRoutes(platform.console);
  const ofConnections = platform.connections ? connectPages(platform.connections.url) : [];
  const documents = docsRoutes(() => describeRoutes(described, basePath), basePath);
  const routes = [...described, ...documents, ...ofConsole, ...ofConnections];
  const upgrades = new Upgrades(basePath);
  const app = Fastify({
    logger: false,
    genReqId: ({ headers }) => givenRequestId(headers["x-request-id"]) ?? runtime.randomness.uuid(),
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    requestTimeout: platform.settings.requestTimeout,
    forceCloseConnections: "idle",
    http: {
      // Node swaps the two timeouts if the one for the head is longer.
      headersTimeout: Math.min(maxHeadersTimeout, platform.settings.requestTimeout),
      connectionsCheckingInterval: Math.min(Math.ceil(platform.settings.requestTimeout / 4), maxTimeoutCheckInterval),
      ...{ requireHostHeader: false, keepAlive: true, keepAliveInitialDelay: 60_000 },
      // Otherwise a client that merely offers another protocol (such as curl with HTTP/2) would receive no answer.
      shouldUpgradeCallback: (request) => upgrades.isMeant(request),
    },
    routerOptions: { maxParamLength },
    schemaController: withoutSchemas,
    rewriteUrl: ({ url }) => withColons(withoutTrailingSlash(withoutBase(url ?? "/", basePath))),
    clientErrorHandler: (error, socket) => answerClientError(error, socket, runtime),
    frameworkErrors: (error, request, reply) => {
      reply.header("x-troupe-version", troupeVersion).header("x-request-id", request.id);
      reportAtEnd(request, reply, runtime);
      answerError(error, request, reply, runtime.log);
    },
  });
  answerRefusals(app.server, runtime);
  lingerAfterAnswers(app.server, runtime.clock);
  const bodies = new ArrivingBodies(app.server, runtime.clock, (socket) =>
    answerClientError(Object.assign(new Error("too slow"), { code: "ERR_HTTP_REQUEST_TIMEOUT" }), socket, runtime),
  );
  readBodiesInRoutes(app);
  app.setErrorHandler((error, request, reply) => answerError(error, request, reply, runtime.log));

  reportRequests(app, runtime);
  const state = watchClosing(app);
  const cors = createCors(platform.corsOrigins, services.gate.rules.tokenSource);
  const guard = new Guard(services.gate);
  const { isLocalOnly } = services;
  app.server.on("upgrade", (request, socket, head) =>
    upgrades.answer(request, socket, head, { cors, isLocalOnly, isClosing: () => state.closing, runtime }),
  );
  app.decorate("upgrades", upgrades);
  app.decorate("isClosing", { getter: () => state.closing });
  app.decorate("takeOver", (path, take) => upgrades.add(path, take));
  services.gate.reportMappings(routes.map(({ method, path }) => ({ method: String(method), path })));
  const known = knownPaths(routes);
  app.decorateRequest("caller", null);
  app.decorateRequest("internalCaller", null);
  app.decorate(
    "credentials",
    new CredentialWatch(services.gate, runtime.clock, platform.settings.credentialCheckInterval),
  );
  app.decorate("heavyReads", new HeavyReads());
  app.decorate("openStreams", new OpenStreams(services.gate, platform.settings.maxStreamsPerCaller));
  app.decorate("retire", (idleTimeout: number) => state.retire(idleTimeout));
  app.decorate("routes", routes);
  app.decorate("requiredScopesOf", ({ method, path, access }) => guard.forRoute(String(method), path, access).demand);
  app.decorate("description", () => describeRoutes(described, basePath));
  app.decorate("basePath", basePath);
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-troupe-version", troupeVersion);
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    // An empty body needs no content type; Fastify would reject an invalid one.
    if (hasNoBody(request.raw)) delete request.raw.headers["content-type"];
    // Answers are for one caller only: no cache may store them.
    if (services.gate.mode !== "none") reply.header("cache-control", "no-store");
    if (cors.answers(request, reply)) return;
    if (state.closing)
      return done(new TroupeError("unavailable", "The server is shutting down.", { retryAfter: defaultRetryAfter }));
    if (request.headers.host === undefined && request.raw.httpVersion !== "1.0")
      return done(new TroupeError("badRequest", "The header Host is missing."));
    const repeated = repeatedIn(request);
    if (repeated) return done(new TroupeError("badRequest", `The request has the header ${repeated} more than once.`));
    const refusal = (isLocalOnly ? localRefusal(request.raw) : undefined) ?? cors.refusalOf(request);
    if (refusal) return done(refusal);
    const path = pathOf(request);
    const answer = (): void => done(unknownIn(request, reply, path));
    const proceed = (): void => {
      reportCaller(request);
      if (request.caller) bodies.belongsTo(request.raw, request.caller);
      const counted = countRequest(request, reply);
      if (counted) counted.then(answer, done);
      else answer();
    };
    let waiting: void | Promise<void>;
    try {
      const internalCaller = services.oneTimeTokens.take(request.headers);
      if (internalCaller) request.internalCaller = internalCaller;
      waiting = guard.admit(request, path);
    } catch (error) {
      return done(error as Error);
    }
    if (waiting) waiting.then(proceed, done);
    else proceed();
  });

  /** Counts the request towards its caller's limit. Routes that need no caller, such as health checks, have no limit. */
  function countRequest(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined {
    const { caller, internalCaller, ip, is404 } = request;
    const guard = is404 ? undefined : request.routeOptions.config.guard;
    if (!caller || internalCaller || (guard && isOpen(guard.access) && guard.access !== "caller")) return undefined;
    return services.runs.takeRequest(caller, ip)?.then((rate) => setRateHeaders(reply, rate));
  }

  /** The error for a request without a matching route. */
  function unknownIn(request: FastifyRequest, reply: FastifyReply, path: string): TroupeError | undefined {
    if (!request.is404 && !path.includes("//")) return undefined;
    const { error, allow } = refusalOf(path, known);
    if (allow !== undefined) reply.header("allow", allow);
    return error;
  }

  requireRouteAccess(app);
  if (platform.console !== false) app.register(fastifyStatic, staticFiles);
  addRoutes(app, services, routes, guard);
  return app;
}

/** Routes read their bodies themselves; unread bodies cause no error. */
function readBodiesInRoutes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
}

/** `/health/` means `/health`; `/health//` matches no route. */
function withoutTrailingSlash(url: string): string {
  const end = url.search(/[?#]|$/);
  const isTrailing = end > 1 && url[end - 1] === "/" && url[end - 2] !== "/";
  return isTrailing ? url.slice(0, end - 1) + url.slice(end) : url;
}

/** The router decodes path segments except for reserved characters; of those, routes contain only the colon (`message:stream`). */
function withColons(url: string): string {
  const end = url.search(/[?#]|$/);
  const path = url.slice(0, end);
  return path.includes("%3") ? path.replaceAll(/%3a/gi, ":") + url.slice(end) : url;
}

/** The request id that the client sent, if it is short and safe to log. */
function givenRequestId(id: string | string[] | undefined): string | undefined {
  return typeof id === "string" && /^[\w.:~+/=@-]{1,128}$/.test(id) ? id : undefined;
}

/**
 * The name of a header that must not be repeated (RFC 9112 section 3.2, RFC 9110 section 11.6.2) but is: a proxy may have checked the other value.
 */
function repeatedIn({ raw: { rawHeaders } }: FastifyRequest): string | undefined {
  let [hosts, credentials] = [0, 0];
  for (let place = 0; place < rawHeaders.length; place += 2) {
    const name = rawHeaders[place];
    if (name?.length === 4 && name.toLowerCase() === "host") hosts++;
    if (name?.length === 13 && name.toLowerCase() === "authorization") credentials++;
  }
  if (hosts > 1) return "Host";
  return credentials > 1 ? "Authorization" : undefined;
}

function pathOf({ url }: FastifyRequest): string {
  const path = url.split(/[?#]/, 1)[0] ?? "/";
  return path.startsWith("/") ? path : (URL.parse(path)?.pathname ?? path);
}
