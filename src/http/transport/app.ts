/** The HTTP interface as a Fastify app. */
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify";
import type { Demand } from "../../auth/access.ts";
import { TroupeError, usualRetryAfter } from "../../errors.ts";
import { hasNoBody } from "../input/body.ts";
import { HeavyReads } from "../listing/heavy-reads.ts";
import { interfaceRoutes } from "../routes/all.ts";
import { docsRoutes } from "../routes/docs.ts";
import { CredentialWatch } from "../streams/credential-watch.ts";
import { OpenStreams } from "../streams/open-streams.ts";
import { ArrivingBodies } from "./arriving-bodies.ts";
import { watchClosing } from "./closing.ts";
import { createCors } from "./cors.ts";
import { answerError } from "./errors.ts";
import { Guard } from "./guard.ts";
import { lingerAfterAnswers } from "./linger.ts";
import { hostRefusal } from "./local-host.ts";
import { describeRoutes } from "./openapi.ts";
import { answerClientError, answerRefusals } from "./raw-errors.ts";
import { addRoutes, demandAccess, type Route } from "./route.ts";
import type { Services } from "./services.ts";
import { knownPaths, refusalOf } from "./unknown-path.ts";
import { type TakeOver, Upgrades } from "./upgrades.ts";
import { troupeVersion } from "./version.ts";

declare module "fastify" {
  interface FastifyInstance {
    /** The OpenAPI document of the interface. */
    description(): Record<string, unknown>;
    /** Ends streams whose caller's credential is good no more. */
    readonly credentials: CredentialWatch;
    /** Lets web sockets to a path be taken over. */
    takeOver(path: string, take: TakeOver): void;
    /** Every route, as declared. */
    readonly routes: readonly Route[];
    /** What a route demands of its callers. */
    demandOf(route: Route): Demand;
  }
}

/** Most milliseconds that the head of a request may take to arrive. */
const longestHead = 60_000;

/** Most milliseconds between two looks of Node for requests that take longer than `requestTimeout` to arrive. */
const longestUnchecked = 10_000;

/** Longest part of a path that is looked at: whatever fits into a request. Which ids are too long, their routes decide. */
const maxParamLength = 1_000_000;

/**
 * Makes the app. `more` are the routes of other interfaces (A2A and the like).
 *
 * @throws ConfigurationError for a route that does not declare whom it serves
 */
export function createApp(services: Services, more: readonly Route[] = []): FastifyInstance {
  const { platform, runtime } = services;
  const described = [...interfaceRoutes(runtime.clock.now()), ...more];
  const routes = [...described, ...docsRoutes(() => describeRoutes(described))];
  const upgrades = new Upgrades();
  const app = Fastify({
    logger: false,
    genReqId: ({ headers }) => givenRequestId(headers["x-request-id"]) ?? runtime.randomness.uuid(),
    requestIdHeader: false,
    exposeHeadRoutes: false,
    return503OnClosing: false,
    requestTimeout: platform.settings.requestTimeout,
    forceCloseConnections: "idle",
    http: {
      // Node exchanges both bounds where the one for the head is the longer one.
      headersTimeout: Math.min(longestHead, platform.settings.requestTimeout),
      connectionsCheckingInterval: Math.min(Math.ceil(platform.settings.requestTimeout / 4), longestUnchecked),
      ...{ requireHostHeader: false, keepAlive: true, keepAliveInitialDelay: 60_000 },
      // Else whoever only offers another protocol (curl and its HTTP/2) would be answered by nobody.
      shouldUpgradeCallback: (request) => upgrades.isMeant(request),
    },
    routerOptions: { maxParamLength },
    rewriteUrl: ({ url }) => withColons(withoutTrailingSlash(url ?? "/")),
    clientErrorHandler: (error, socket) => answerClientError(error, socket, runtime),
    frameworkErrors: (error, request, reply) => {
      reply.header("x-troupe-version", troupeVersion).header("x-request-id", request.id);
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

  const state = watchClosing(app);
  const cors = createCors(platform.corsOrigins, services.gate.rules.tokenSource);
  const guard = new Guard(services.gate);
  const { isLocalOnly } = services;
  app.server.on("upgrade", (request, socket, head) =>
    upgrades.answer(request, socket, head, { cors, isLocalOnly, isClosing: () => state.closing, runtime }),
  );
  app.decorate("takeOver", (path, take) => upgrades.add(path, take));
  services.gate.reportMappings(routes.map(({ method, path }) => ({ method: String(method), path })));
  const known = knownPaths(routes);
  app.decorateRequest("caller", null);
  app.decorateRequest("ticket", null);
  app.decorate("credentials", new CredentialWatch(services.gate, runtime.clock, platform.settings.credentialCheck));
  app.decorate("heavyReads", new HeavyReads());
  app.decorate("openStreams", new OpenStreams(services.gate, platform.settings.callerStreams));
  app.decorate("routes", routes);
  app.decorate("demandOf", ({ method, path, access }) => guard.forRoute(String(method), path, access).demand);
  app.decorate("description", () => describeRoutes(described));
  app.addHook("onRequest", (request, reply, done) => {
    reply.header("x-troupe-version", troupeVersion);
    reply.header("x-request-id", request.id);
    reply.header("x-content-type-options", "nosniff");
    // A type of nothing says nothing; the framework would refuse one that is not valid.
    if (hasNoBody(request.raw)) delete request.raw.headers["content-type"];
    // What one caller is answered is for nobody else, whatever stands in between.
    if (services.gate.mode !== "none") reply.header("cache-control", "no-store");
    if (cors.answers(request, reply)) return;
    if (state.closing)
      return done(new TroupeError("unavailable", "The server is shutting down.", { retryAfter: usualRetryAfter }));
    if (request.headers.host === undefined && request.raw.httpVersion !== "1.0")
      return done(new TroupeError("badRequest", "The header Host is missing."));
    const repeated = repeatedIn(request);
    if (repeated) return done(new TroupeError("badRequest", `The header ${repeated} is there more than once.`));
    const refusal = (isLocalOnly ? hostRefusal(request.headers.host) : undefined) ?? cors.refusalOf(request);
    if (refusal) return done(refusal);
    const path = pathOf(request);
    const goOn = (): void => {
      if (request.caller) bodies.belongsTo(request.raw, request.caller);
      done(unknownIn(request, reply, path));
    };
    let waiting: void | Promise<void>;
    try {
      const ticket = services.tickets.take(request.headers);
      if (ticket) request.ticket = ticket;
      waiting = guard.admit(request, path);
    } catch (error) {
      return done(error as Error);
    }
    if (waiting) waiting.then(goOn, done);
    else goOn();
  });

  /** What a request is told that no route serves. */
  function unknownIn(request: FastifyRequest, reply: FastifyReply, path: string): TroupeError | undefined {
    if (!request.is404 && !path.includes("//")) return undefined;
    const { error, allow } = refusalOf(path, known);
    if (allow !== undefined) reply.header("allow", allow);
    return error;
  }

  demandAccess(app);
  addRoutes(app, services, routes, guard);
  return app;
}

/** Routes read their bodies themselves, and bodies that nobody reads do no harm. */
function readBodiesInRoutes(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", (_request, _payload, done) => done(null));
}

/** `/health/` is `/health`; `/health//` is nothing. */
function withoutTrailingSlash(url: string): string {
  const end = url.search(/[?#]|$/);
  const isTrailing = end > 1 && url[end - 1] === "/" && url[end - 2] !== "/";
  return isTrailing ? url.slice(0, end - 1) + url.slice(end) : url;
}

/** The router decodes all of a path's words but reserved characters, and a colon is the only one of these in a route (`message:stream`). */
function withColons(url: string): string {
  const end = url.search(/[?#]|$/);
  const path = url.slice(0, end);
  return path.includes("%3") ? path.replaceAll(/%3a/gi, ":") + url.slice(end) : url;
}

/** The caller's own id of a request, where it is short and can stand in every log. */
function givenRequestId(id: string | string[] | undefined): string | undefined {
  return typeof id === "string" && /^[\w.:~+/=@-]{1,128}$/.test(id) ? id : undefined;
}

/** A header that may be there once (RFC 9112 section 3.2, RFC 9110 section 11.6.2) and is there twice: a proxy may have checked the other one. */
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
