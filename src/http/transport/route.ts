/** Declares a route: its inputs, its responses, and the callers that may use it. */
import type { FastifyInstance, FastifyReply, FastifyRequest, HTTPMethods } from "fastify";
import type { z } from "zod";
import { ConfigurationError, InvariantError, type TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import { isOpen, type RouteAccess } from "../callers/route-access.ts";
import { type BodySpec, readFields } from "../input/body.ts";
import type { Reader } from "../input/decode.ts";
import { type Guard, shownTo } from "./guard.ts";
import type { Services } from "./services.ts";
import { storedErrors } from "./statuses.ts";

export type { RouteAccess as Access } from "../callers/route-access.ts";

/** One possible answer of a route. */
export interface ResponseSpec {
  readonly description: string;
  /** Schema of a JSON answer; `any` if the contract does not define it. */
  readonly json?: z.ZodType | "any";
  /** Whether the answer may be an event stream. */
  readonly eventStream?: boolean;
}

/** The description of a route in the OpenAPI document. */
export interface Operation {
  readonly id: string;
  readonly tag: string;
  readonly summary: string;
  readonly security: "none" | "bearer" | "optional";
  readonly success: Readonly<Record<number, ResponseSpec>>;
  /** Error statuses that the route may answer. */
  readonly errors: readonly number[];
  /** The form of its 422: a text, or a list of faults. Default: text. */
  readonly faults?: "text" | "list";
  /** Headers that it reads. */
  readonly headers?: z.ZodObject;
}

/** Makes a function that describes the operations of a tag, for callers with a credential. Default errors: those of operations that use the database. */
export function operationsOf(
  tag: string,
): (id: string, summary: string, success: Operation["success"], errors?: readonly number[]) => Operation {
  return (id, summary, success, errors = storedErrors) => ({ id, tag, summary, security: "bearer", success, errors });
}

/** One validated request to a route. */
export interface Call<Path, Query, Body> {
  readonly services: Services;
  readonly caller: Principal;
  readonly path: Path;
  readonly query: Query;
  readonly body: Body;
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Returns an address that depends on the request. */
export type ChallengeUrl = (request: FastifyRequest) => string;

/** The answer to an error in the form of a protocol. */
export interface ErrorAnswer {
  readonly status: number;
  readonly body: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** The form of a protocol's errors. An internal error arrives without its details. */
export type ErrorForm = (error: TroupeError) => ErrorAnswer;

interface RouteSpec<Path, Query, Body> {
  readonly method: HTTPMethods;
  /** In the contract's notation: `/teams/{team_id}`. */
  readonly path: string;
  /** Whether `HEAD` is served, too: the same headers without the body. */
  readonly head?: boolean;
  readonly access: RouteAccess;
  /** Undefined for routes that the OpenAPI document omits. */
  readonly operation?: Operation;
  /** The form of its errors. Default: the platform's form. */
  readonly errorForm?: ErrorForm;
  readonly pathParams?: Reader<Path>;
  readonly query?: Reader<Query>;
  readonly body?: BodySpec<Body>;
  /** Whether its answer may wait for a run: it then counts as a stream of its caller. Not needed for routes that may answer with a stream. */
  readonly waits?: true;
  /** Whether it is an expensive read that must wait for its caller's turn. */
  readonly isHeavy?: true;
  /** Runs before a heavy read waits for its turn: other work must not occupy a place that another caller's read could use. */
  readonly prepare?: (call: Call<Path, Query, Body>) => Promise<void>;
  /** Address of the OAuth metadata that the challenge of a rejected request names (RFC 9728, section 5.1). */
  readonly challengeUrl?: ChallengeUrl | undefined;
  /** Rejects a request by throwing, before anything else is done. */
  readonly admit?: (services: Services, request: FastifyRequest) => void;
  /** The answer's JSON value; undefined if the handler has taken over the reply. */
  readonly handle: (call: Call<Path, Query, Body>) => unknown;
}

/** A declared route, ready to be registered. */
export interface Route {
  readonly method: HTTPMethods;
  readonly path: string;
  readonly head: boolean;
  readonly access: RouteAccess;
  readonly operation: Operation | undefined;
  readonly errorForm: ErrorForm | undefined;
  /** Whether its answer may take as long as a run. */
  readonly isLong: boolean;
  readonly challengeUrl: ChallengeUrl | undefined;
  readonly pathSchema: z.ZodObject | undefined;
  readonly querySchema: z.ZodObject | undefined;
  readonly body: BodySpec<unknown> | undefined;
  serve(services: Services, request: FastifyRequest, reply: FastifyReply): Promise<unknown>;
}

declare module "fastify" {
  interface FastifyContextConfig {
    access?: RouteAccess;
    faults?: "text" | "list";
    challengeUrl?: ChallengeUrl | undefined;
    errorForm?: ErrorForm;
  }
}

/** Declares a route. The server validates path, query and body in this order, and stops at the first that has errors. */
export function route<Path = undefined, Query = undefined, Body = undefined>(
  spec: RouteSpec<Path, Query, Body>,
): Route {
  const { method, path, head = false, access, operation, pathParams, query, body } = spec;
  return {
    method,
    path,
    head,
    access,
    operation,
    challengeUrl: spec.challengeUrl,
    errorForm: spec.errorForm,
    isLong: spec.waits ?? Object.values(operation?.success ?? {}).some(({ eventStream }) => eventStream),
    pathSchema: pathParams?.schema,
    querySchema: query?.schema,
    body,
    async serve(services, request, reply) {
      spec.admit?.(services, request);
      const { caller } = request;
      const { guard } = request.routeOptions.config;
      if (caller === null || guard === undefined) throw new InvariantError(`No guard for ${method} ${path}`);
      const call = {
        services,
        caller,
        path: pathParams?.read(request.params as Record<string, string>, "path") as Path,
        query: query?.read(request.query as Record<string, string>, "query") as Query,
        body: body?.reader.read(await readFields(request.raw, body.types, services.platform.settings), "body"),
        request,
        reply,
      };
      // Not awaited here: the body would stay in memory for as long as the handler waits for a run.
      const handle = (): unknown => spec.handle(call as Call<Path, Query, Body>);
      if (spec.prepare) await spec.prepare(call as Call<Path, Query, Body>);
      const inTurn = (): unknown => (reply.raw.destroyed ? reply.hijack() : handle());
      const answer = spec.isHeavy ? request.server.heavyReads.take(caller, inTurn) : handle();
      if (isOpen(access) || !access.lists) return answer;
      return shownTo(services.gate, caller, guard, await answer);
    },
  };
}

/** Makes the app reject routes that do not declare their access. It must be called before any route is added. */
export function requireRouteAccess(app: FastifyInstance): void {
  app.addHook("onRoute", ({ method, url, config }) => {
    if (config?.access === undefined) {
      throw new ConfigurationError(`Route ${method} ${url} does not declare whom it serves: add its access.`);
    }
  });
}

/** Adds routes to the app. */
export function addRoutes(app: FastifyInstance, services: Services, routes: readonly Route[], guard: Guard): void {
  for (const { method, path, head, access, operation, errorForm, isLong, challengeUrl, serve } of routes) {
    app.route({
      method: head ? [method, "HEAD"].flat() : method,
      // A literal colon is doubled so that the router does not parse it as a parameter.
      url: path.replaceAll(":", "::").replaceAll(/\{(\w+)\}/g, ":$1"),
      config: {
        access,
        route: path,
        isLong,
        guard: guard.forRoute(String(method), path, access),
        faults: operation?.faults ?? "text",
        challengeUrl,
        ...(errorForm && { errorForm }),
      },
      handler: (request, reply) => {
        if (isLong && !app.openStreams.admit(request, reply.raw)) return reply.hijack();
        return serve(services, request, reply);
      },
    });
  }
}
