/** Authentication and authorization: the only place that converts credentials to principals. */

import { LRUCache } from "lru-cache";
import { TroupeError } from "../errors.ts";
import type { AuthMode, RequiredScopes, ScopeMappings } from "../model/authorization.ts";
import { mayClaimUser, open, operator, outsider, type Principal, schedulerId } from "../model/principal.ts";
import type { Runtime } from "../model/runtime.ts";
import type { StandingGrant } from "../model/schedule/schedule.ts";
import {
  isServiceToken,
  type ServiceAccount,
  type ServiceAccountStore,
  servicePrincipalId,
} from "../model/service-account.ts";
import type { AccessRules } from "./access-rules.ts";
import { insufficientScopes, missingCredential } from "./credential-errors.ts";
import { FailedAttempts } from "./failed-attempts.ts";
import { checkGrant, type ScopeGrant } from "./grants.ts";
import { mappedScopes, type RouteName, unusedMappings } from "./mappings.ts";
import { narrowScope, satisfiesAll } from "./scopes.ts";
import { equalsInConstantTime, hashOf } from "./secrets.ts";
import { ServiceTokens } from "./service-tokens.ts";
import { cookieOf, fromHeader } from "./token-source.ts";
import { isStillTrusted, type VerifiedToken, verifyToken } from "./verify-token.ts";

/** The credentials of a request. */
export interface Credentials {
  /** The header `Authorization`. */
  readonly authorization: string | undefined;
  /** The header `Cookie`. */
  readonly cookie: string | undefined;
  /** Address of the client. */
  readonly address: string;
}

/** A route with the resource and action that it requires. */
export interface GuardedRoute extends RouteName {
  readonly resource: string;
  readonly action: string;
}

/** Whether the credential of a caller is still valid. */
export interface CredentialCheck {
  isValid(): boolean | Promise<boolean>;
}

/** Scopes of a scheduler. */
const schedulerScopes: readonly string[] = [
  ...["agents", "teams", "workflows"].flatMap((resource) => [`${resource}:read`, `${resource}:run`]),
  ...["schedules:read", "schedules:write", "schedules:delete"],
];

/** Time in milliseconds for which a verified token is cached. When the token expires or the keys change, it leaves the cache earlier. */
const cacheDuration = 30_000;
const maxTokens = 10_000;

interface CachedPrincipal {
  readonly principal: Principal;
  /** Monotonic time. */
  readonly until: number;
  /** Wall time. */
  readonly expires: number;
}

export class AccessControl {
  readonly rules: AccessRules;
  readonly #runtime: Runtime;
  readonly #serviceTokens: ServiceTokens;
  readonly #failed: FailedAttempts;
  readonly #verified = new LRUCache<string, CachedPrincipal>({ max: maxTokens });
  /** The scope mappings of the platform and its issuers. `#mappingOf` holds the index for a caller; by default, the platform's mapping applies. */
  readonly #mappings: readonly ScopeMappings[];
  readonly #mappingOf = new WeakMap<Principal, number>();
  /** Id of a service account: its name may later belong to another account. */
  readonly #accountOf = new WeakMap<Principal, string>();
  readonly #credentialChecks = new WeakMap<Principal, CredentialCheck>();
  readonly #withoutAuthorization: Principal;
  readonly #outsider: Principal;

  /** @param withoutAuthorization the principal of requests without a token while authorization is off */
  constructor(
    rules: AccessRules,
    accounts: ServiceAccountStore,
    runtime: Runtime,
    withoutAuthorization: Principal = open,
  ) {
    this.rules = rules;
    this.#withoutAuthorization = withoutAuthorization;
    this.#outsider = this.#principal(outsider);
    this.#runtime = runtime;
    this.#serviceTokens = new ServiceTokens(accounts, runtime);
    this.#failed = new FailedAttempts(runtime);
    this.#mappings = [
      ...new Set([rules.scopeMappings, ...rules.trustedIssuers.map(({ scopeMappings }) => scopeMappings)]),
    ];
    for (const source of rules.trustedIssuers.flatMap(({ sources }) => sources)) {
      source.onChange(() => this.#verified.clear());
    }
  }

  get mode(): AuthMode {
    return this.rules.mode;
  }

  /** Reads remote keys before the first token needs them. */
  warmUp(): void {
    for (const { sources } of this.rules.trustedIssuers) {
      for (const source of sources) if (source.isEmpty) void source.refresh({ kid: undefined, algorithm: "" });
    }
  }

  /** Returns the caller of a request. @throws TroupeError `unauthenticated`, `tooManyRequests`, `unavailable` */
  callerOf(credentials: Credentials): Principal | Promise<Principal> {
    if (this.mode === "jwt") return this.principalOf(this.#tokenOf(credentials), credentials.address);
    const { authorization, address } = credentials;
    const token = authorization === undefined ? undefined : fromHeader(authorization);
    if (token === undefined && this.mode !== "none") throw missingCredential("Authorization header required");
    return this.authenticate(token, address);
  }

  /**
   * Returns the principal of a caller that sends its token outside of HTTP headers. With authorization off, a caller needs no token, and the token of a service
   * account still determines the caller.
   *
   * @throws TroupeError as `callerOf`
   */
  authenticate(token: string | undefined, address: string): Principal | Promise<Principal> {
    if (this.mode !== "none") {
      if (token === undefined) throw missingCredential("Token is required");
      return this.principalOf(token, address);
    }
    if (token === undefined || !isServiceToken(token)) return this.#withoutAuthorization;
    const found = this.#serviceTokens.find(token);
    return found.then((account) => (account ? this.#servicePrincipal(account, token) : this.#withoutAuthorization));
  }

  /** Returns the principal of a token from any source. @throws TroupeError as `callerOf` */
  principalOf(token: string, address: string): Principal | Promise<Principal> {
    if (isServiceToken(token)) return this.#servicePrincipalOf(token, address);
    const { internalServiceToken, securityKey } = this.rules;
    if (internalServiceToken !== undefined && equalsInConstantTime(token, internalServiceToken))
      return this.#scheduler();
    if (this.mode === "jwt") return this.#cached(hashOf(token)) ?? this.#verify(token);
    if (securityKey !== undefined && equalsInConstantTime(token, securityKey)) return operator;
    throw this.#failed.countFailure(address, "Invalid authentication token");
  }

  /** The principal for paths that need no token: an outsider, unless authorization is off. */
  outsider(): Principal {
    return this.mode === "none" ? this.#withoutAuthorization : this.#outsider;
  }

  /** Returns the check of whether a caller's credential is still valid, for long requests; undefined for credentials that do not end. */
  credentialCheckOf(caller: Principal): CredentialCheck | undefined {
    return this.#credentialChecks.get(caller);
  }

  /** Returns the scopes that a route requires. */
  requiredScopesOf(route: GuardedRoute): RequiredScopes {
    const own = route.action === "admin" ? this.rules.adminScope : `${route.resource}:${route.action}`;
    return this.#mappings.map((mappings) => mappedScopes(mappings, route) ?? [own]);
  }

  /** Warns of mappings that match no route. */
  reportMappings(routes: readonly RouteName[]): void {
    const unused = this.#mappings.flatMap((mappings) => unusedMappings(mappings, routes));
    if (unused.length > 0)
      this.#runtime.log.warn({ unused }, "Scope mappings name routes that this server does not have.");
  }

  /** Returns the scopes that a requirement has for a caller: each issuer may have mappings of its own. */
  requiredOf(caller: Principal, requirement: RequiredScopes): readonly string[] {
    return requirement[this.#mappingOf.get(caller) ?? 0] ?? requirement[0] ?? [];
  }

  /** @throws TroupeError `forbidden` for a caller without the scopes of a route, for the component `id` if the route has one */
  check(caller: Principal, requirement: RequiredScopes, id?: string): void {
    const required = this.requiredOf(caller, requirement);
    if (!satisfiesAll(caller, required, id)) throw insufficientScopes(required);
  }

  /** Returns the items of a listing that the caller may see. @throws TroupeError `forbidden` for a caller without a scope for any item */
  permitted<Item extends { readonly id: string }>(
    caller: Principal,
    requirement: RequiredScopes,
    items: readonly Item[],
  ): readonly Item[] {
    const required = this.requiredOf(caller, requirement);
    if (satisfiesAll(caller, required)) return items;
    const permitted = items.filter(({ id }) => satisfiesAll(caller, required, id));
    if (permitted.length === 0) throw insufficientScopes(required);
    return permitted;
  }

  /**
   * Returns the grant for later calls on behalf of a caller: its identity, its credential's claims about runs, and only the scopes that the
   * route requires.
   *
   * @throws TroupeError `forbidden` if the caller lacks the scopes of the route
   */
  standingGrant(caller: Principal, requirement: RequiredScopes, id?: string): StandingGrant {
    this.check(caller, requirement, id);
    const { kind, userId, claims } = caller;
    const scopes = this.requiredOf(caller, requirement).map((scope) => narrowScope(scope, id));
    const [mapping, account] = [this.#mappingOf.get(caller) ?? 0, this.#accountOf.get(caller) ?? null];
    return { kind, userId, scopes, mapping, account, ...(claims ? { claims } : {}) };
  }

  /** Returns the principal that a grant acts for. @throws TroupeError `forbidden` if the grant is no longer valid */
  async actingFor(grant: StandingGrant): Promise<Principal> {
    if (grant.kind === "scheduler")
      return this.mode === "none" ? { ...this.#scheduler(), isAdmin: true } : this.#scheduler();
    const { kind, userId, scopes, account, claims } = grant;
    if (mayClaimUser(grant)) {
      if (this.mode === "none") return this.#withoutAuthorization;
      if (this.mode === "security_key" && kind !== "outsider") return operator;
      throw new TroupeError("forbidden", "It was made without a credential, and authorization is on now.");
    }
    if (kind === "user") {
      const principal = this.#principal({ kind, userId, scopes, isAdmin: false, ...(claims ? { claims } : {}) });
      this.#mappingOf.set(principal, grant.mapping);
      return principal;
    }
    if (userId !== null && account !== null && (await this.#serviceTokens.isAccountValid(userId, account))) {
      const principal = Object.freeze({
        kind,
        userId,
        scopes,
        isAdmin: false,
        owner: userId,
        ...(claims && { claims }),
      });
      this.#accountOf.set(principal, account);
      return principal;
    }
    throw new TroupeError("forbidden", "The service account that made it is revoked or has expired.");
  }

  /** @throws TroupeError for scopes that the caller may not grant to a service account */
  checkGrant(caller: Principal, grant: ScopeGrant): void {
    const mapped = new Set(this.#mappings.flatMap((mappings) => Object.values(mappings).flat()));
    checkGrant(caller, grant, { adminScope: this.rules.adminScope, mapped });
  }

  /** Removes a revoked service account from the cache. */
  forget(accountId: string): void {
    this.#serviceTokens.forget(accountId);
  }

  /** Verifies a token and returns all details, to explain why a token is rejected. */
  explain(token: string): Promise<VerifiedToken> {
    return verifyToken(token, this.rules.trustedIssuers, this.#runtime);
  }

  #tokenOf({ authorization, cookie }: Credentials): string {
    const { tokenSource, cookieName } = this.rules;
    const inHeader = tokenSource === "COOKIE" || authorization === undefined ? undefined : fromHeader(authorization);
    const token = inHeader ?? (tokenSource === "HEADER" ? undefined : cookieOf(cookie, cookieName));
    if (token !== undefined) return token;
    if (tokenSource === "HEADER") throw missingCredential("Authorization header missing");
    if (tokenSource === "COOKIE") throw missingCredential(`JWT cookie '${cookieName}' missing`);
    throw missingCredential(`JWT token missing from both Authorization header and '${cookieName}' cookie`);
  }

  #cached(hash: string): Principal | undefined {
    const cached = this.#verified.get(hash);
    if (!cached) return undefined;
    const { clock } = this.#runtime;
    if (cached.until > clock.monotonic() && cached.expires > clock.now()) {
      for (const { sources } of this.rules.trustedIssuers) for (const source of sources) source.watch();
      return cached.principal;
    }
    this.#verified.delete(hash);
    return undefined;
  }

  async #verify(token: string): Promise<Principal> {
    const { clock } = this.#runtime;
    const began = clock.monotonic();
    const verified = await verifyToken(token, this.rules.trustedIssuers, this.#runtime);
    const { userId, scopes, claims, expires, trust } = verified;
    const isAdmin = scopes.includes(this.rules.adminScope);
    const principal = this.#principal({ kind: "user", userId, scopes, isAdmin, ...(claims ? { claims } : {}) });
    this.#mappingOf.set(principal, this.#mappings.indexOf(trust.scopeMappings));
    const until = began + cacheDuration;
    const ends = expires === undefined ? Number.POSITIVE_INFINITY : (expires + trust.leeway) * 1000;
    const { hint, key } = verified;
    this.#credentialChecks.set(principal, {
      isValid: () => ends > clock.now() && isStillTrusted({ trust, hint, key }),
    });
    this.#verified.set(hashOf(token), { principal, until, expires: ends });
    return principal;
  }

  async #servicePrincipalOf(token: string, address: string): Promise<Principal> {
    const account = await this.#serviceTokens.find(token);
    if (!account) throw this.#failed.countFailure(address, "Invalid or expired service account token");
    return this.#servicePrincipal(account, token);
  }

  /** Service accounts are always isolated to their own data, unless they are admins. */
  #servicePrincipal(account: ServiceAccount, token: string): Principal {
    const userId = servicePrincipalId(account);
    const { scopes, claims } = account;
    const isAdmin = scopes.includes(this.rules.adminScope);
    const who = { kind: "service-account" as const, userId, scopes, isAdmin, owner: userId };
    const principal: Principal = Object.freeze({ ...who, ...(claims && { claims }) });
    const hash = hashOf(token);
    this.#credentialChecks.set(principal, { isValid: () => this.#serviceTokens.isStillValid(hash) });
    this.#accountOf.set(principal, account.id);
    return principal;
  }

  #scheduler(): Principal {
    return this.#principal({ kind: "scheduler", userId: schedulerId, scopes: schedulerScopes, isAdmin: false });
  }

  /** Adds the namespace that the caller has under the rules. */
  #principal(who: Omit<Principal, "owner" | "isNameless">): Principal {
    if (!this.rules.userIsolation) return Object.freeze({ ...who, owner: null });
    const isNameless = who.userId === null && !who.isAdmin;
    return Object.freeze({ ...who, owner: who.userId, ...(isNameless ? { isNameless } : {}) });
  }
}
