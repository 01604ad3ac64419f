/** Authenticates and authorizes requests before their route handles them. Requests to undeclared routes are rejected. */
import type { FastifyRequest } from "fastify";
import type { AccessControl } from "../../auth/access-control.ts";
import { fromHeader } from "../../auth/token-source.ts";
import { InvariantError, TroupeError } from "../../errors.ts";
import type { RequiredScopes } from "../../model/authorization.ts";
import type { Principal } from "../../model/principal.ts";
import type { ComponentName } from "../../runs/find.ts";
import type { RunAction } from "../../runs/permissions.ts";
import type { Runs } from "../../runs/runs.ts";
import { isOpen, type RouteAccess } from "../callers/route-access.ts";

/** The part of access control that the HTTP interface uses. */
export type Gate = Pick<
  AccessControl,
  | "mode"
  | "callerOf"
  | "authenticate"
  | "outsider"
  | "requiredScopesOf"
  | "requiredOf"
  | "reportMappings"
  | "check"
  | "permitted"
  | "checkGrant"
  | "forget"
  | "credentialCheckOf"
> & {
  readonly rules: Pick<AccessControl["rules"], "excludedRoutePaths" | "tokenSource" | "cookieName">;
};

/** The checks of a route, computed when it is added. */
export interface RouteGuard {
  readonly access: RouteAccess;
  readonly demand: RequiredScopes;
  /** The resource and action of the route's other possible action. */
  readonly otherDemand: RequiredScopes | undefined;
  /** Whether a request to the route needs no token. */
  isExcluded(params: Readonly<Record<string, string>>): boolean;
}

declare module "fastify" {
  interface FastifyContextConfig {
    guard?: RouteGuard;
  }
  interface FastifyRequest {
    /** The authenticated caller; set before any handler runs. */
    caller: Principal | null;
    /** The caller of a call that this process makes to itself. */
    internalCaller: Principal | null;
  }
}

/** Assets of the API reference: if one of its pages is excluded from authentication, its assets are excluded, too. */
const assets = "/docs/assets/";

/** Checks requests before their routes. */
export class Guard {
  readonly #gate: Gate;
  readonly #excluded: readonly RegExp[];

  constructor(gate: Gate) {
    this.#gate = gate;
    this.#excluded = gate.rules.excludedRoutePaths.map(toPattern);
  }

  /** The guard of a route; `path` is the contract's pattern. */
  forRoute(method: string, path: string, access: RouteAccess): RouteGuard {
    const demand = isOpen(access) ? [] : this.#gate.requiredScopesOf({ ...access, method, path });
    const other = isOpen(access) ? undefined : access.or;
    const otherDemand =
      isOpen(access) || !other ? undefined : this.#gate.requiredScopesOf({ ...access, action: other, method, path });
    const isAsset = path.startsWith(assets) && (this.#isExcluded("/docs") || this.#isExcluded("/redoc"));
    const isFixed = isAsset || access === "open" || !path.includes("{");
    const isAlways = isAsset || access === "open" || this.#isExcluded(path);
    return {
      access,
      demand,
      otherDemand,
      isExcluded: (params) => (isFixed ? isAlways : this.#isExcluded(withParams(path, params))),
    };
  }

  /** Authenticates and authorizes the request, and sets its caller. @throws TroupeError, or rejects with it */
  admit(request: FastifyRequest, path: string): void | Promise<void> {
    const guard = request.is404 ? undefined : request.routeOptions.config.guard;
    if (!guard && !request.is404) throw new InvariantError(`Nothing guards ${request.method} ${path}`);
    if (request.internalCaller) return this.#admit(request, request.internalCaller, guard);
    const params = request.params as Readonly<Record<string, string>>;
    const isExcluded = guard ? guard.isExcluded(params) : this.#isExcluded(path);
    // No route serves OPTIONS, so an OPTIONS request needs no authentication.
    if (isExcluded || (request.is404 && request.method === "OPTIONS")) {
      request.caller = this.#gate.outsider();
      return;
    }
    const { authorization, cookie } = request.headers;
    const caller = this.#gate.callerOf({ authorization, cookie, address: request.ip });
    if (caller instanceof Promise) return caller.then((known) => this.#admit(request, known, guard));
    this.#admit(request, caller, guard);
  }

  #admit(request: FastifyRequest, caller: Principal, guard: RouteGuard | undefined): void {
    request.caller = caller;
    if (!guard || isOpen(guard.access) || guard.access.lists) return;
    const { idParam } = guard.access;
    const id = idParam === undefined ? undefined : (request.params as Record<string, string>)[idParam];
    if (guard.otherDemand && mayDo(this.#gate, caller, guard.otherDemand, id)) return;
    this.#gate.check(caller, guard.demand, id);
  }

  #isExcluded(path: string): boolean {
    return this.#excluded.some((pattern) => pattern.test(path));
  }
}

/** The token in the request's header; tokens in cookies are not forwarded. */
export function tokenIn({ headers: { authorization } }: Pick<FastifyRequest, "headers">): string | undefined {
  return authorization === undefined ? undefined : fromHeader(authorization);
}

/** For a route with two possible actions: checks that the caller may do the action of this call. @throws TroupeError `forbidden` */
export function checkAction(gate: Gate, request: FastifyRequest, action: "read" | "run", id: string): void {
  const { guard } = request.routeOptions.config;
  const { caller } = request;
  if (!guard || isOpen(guard.access) || !caller)
    throw new InvariantError("An action was checked on a route without a guard");
  if (guard.isExcluded(request.params as Record<string, string>)) return;
  gate.check(caller, guard.access.action === action ? guard.demand : (guard.otherDemand ?? guard.demand), id);
}

/**
 * Checks that a caller may perform an action on the runs of a component, as the HTTP route with the same effect requires: for interfaces whose routes have
 * several actions. A route that is excluded from authentication has outsiders as callers, who need no permission.
 *
 * @throws TroupeError `forbidden`
 */
export function checkRunAction(
  runs: Pick<Runs, "authorize">,
  caller: Principal,
  action: RunAction,
  component: ComponentName,
): void {
  if (caller.kind !== "outsider") runs.authorize(caller, action, component);
}

function mayDo(gate: Gate, caller: Principal, demand: RequiredScopes, id: string | undefined): boolean {
  try {
    gate.check(caller, demand, id);
    return true;
  } catch (error) {
    if (error instanceof TroupeError && error.code === "forbidden") return false;
    throw error;
  }
}

/** The part of a route's answer that the caller may see: all of it, or the permitted elements of a list. */
export function shownTo(gate: Gate, caller: Principal, guard: RouteGuard, answer: unknown): unknown {
  if (isOpen(guard.access) || !guard.access.lists) return answer;
  if (!Array.isArray(answer)) throw new InvariantError("A route that lists must answer a list");
  return guard.isExcluded({}) ? answer : gate.permitted(caller, guard.demand, answer as readonly { id: string }[]);
}

/** A pattern in which `*` matches anything and `?` one character; a trailing slash is ignored. */
function toPattern(path: string): RegExp {
  const text = path.replace(/(?<=.)\/$/, "").replaceAll(/[.+^$|()[\]\\{}]/g, "\\$&");
  return new RegExp(`^${text.replaceAll("*", ".*").replaceAll("?", ".")}$`);
}

/** The path of a request in canonical form, whatever escapes the client used. */
function withParams(path: string, params: Readonly<Record<string, string>>): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ""));
}
