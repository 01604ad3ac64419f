/** Who is calling, and what the caller may do: the one place where credentials become principals. */
import { TroupeError } from "../errors.ts";
import type { AuthMode, ScopeMappings } from "../model/authorization.ts";
import { anonymous, type Principal, schedulerId } from "../model/principal.ts";
import type { Runtime } from "../model/runtime.ts";
import type { StandingGrant } from "../model/schedule/schedule.ts";
import { type ServiceAccount, type ServiceAccountStore, servicePrincipalId } from "../model/service-account.ts";
import { BoundedMap } from "./bounded-map.ts";
import { FailedAttempts } from "./failures.ts";
import { checkGrant, type Grant } from "./grants.ts";
import { mappedScopes, type RouteName, unusedMappings } from "./mappings.ts";
import { insufficient, missing } from "./refusals.ts";
import type { AccessRules } from "./resolve.ts";
import { narrowed, satisfiesAll } from "./scopes.ts";
import { hashOf, isSame } from "./secrets.ts";
import { isServiceToken, ServiceTokens } from "./service-tokens.ts";
import { cookieOf, fromHeader } from "./token-source.ts";
import { isStillTrusted, type Verified, verifyToken } from "./verify-token.ts";

/** What a request brings to say who is calling. */
export interface Credentials {
  /** The header `Authorization`. */
  readonly authorization: string | undefined;
  /** The header `Cookie`. */
  readonly cookie: string | undefined;
  /** Where it comes from. */
  readonly address: string;
}

/** A route as it declares whom it serves. */
export interface GuardedRoute extends RouteName {
  readonly resource: string;
  readonly action: string;
}

/** What a route demands, by the index of the rules that a caller's token falls under. */
export type Demand = readonly (readonly string[])[];

/** Whether the credential that let a caller in is good still. */
export interface Standing {
  isGood(): boolean | Promise<boolean>;
}

/** Scopes of a scheduler. */
const schedulerScopes: readonly string[] = [
  ...["agents", "teams", "workflows"].flatMap((resource) => [`${resource}:read`, `${resource}:run`]),
  ...["schedules:read", "schedules:write", "schedules:delete"],
];

/** Milliseconds that a verified token is remembered. Its own expiry, and a change of keys, end that earlier. */
const remembered = 30_000;
const mostTokens = 10_000;

interface Remembered {
  readonly principal: Principal;
  /** By the monotonic clock. */
  readonly until: number;
  /** By the wall clock. */
  readonly expires: number;
}

export class Access {
  readonly rules: AccessRules;
  readonly #runtime: Runtime;
  readonly #serviceTokens: ServiceTokens;
  readonly #failed: FailedAttempts;
  readonly #verified = new BoundedMap<string, Remembered>(mostTokens);
  /** Which mappings a caller's token falls under; the platform's own for all others. */
  readonly #mappings: readonly ScopeMappings[];
  readonly #mappingOf = new WeakMap<Principal, number>();
  /** Id of a program's account: another one may have its name later. */
  readonly #accountOf = new WeakMap<Principal, string>();
  readonly #standings = new WeakMap<Principal, Standing>();

  constructor(rules: AccessRules, accounts: ServiceAccountStore, runtime: Runtime) {
    this.rules = rules;
    this.#runtime = runtime;
    this.#serviceTokens = new ServiceTokens(accounts, runtime);
    this.#failed = new FailedAttempts(runtime);
    this.#mappings = [...new Set([rules.scopeMappings, ...rules.trusted.map(({ scopeMappings }) => scopeMappings)])];
    for (const source of rules.trusted.flatMap(({ sources }) => sources)) {
      source.onChange(() => this.#verified.clear());
    }
  }

  get mode(): AuthMode {
    return this.rules.mode;
  }

  /** Reads remote keys before the first token needs them. */
  warmUp(): void {
    for (const { sources } of this.rules.trusted) {
      for (const source of sources) if (source.isEmpty) void source.refresh({ kid: undefined, algorithm: "" });
    }
  }

  /** The caller of a request. @throws TroupeError `unauthenticated`, `tooManyRequests`, `unavailable` */
  callerOf(credentials: Credentials): Principal | Promise<Principal> {
    if (this.mode === "jwt") return this.bearerOf(this.#tokenOf(credentials), credentials.address);
    const { authorization, address } = credentials;
    const token = authorization === undefined ? undefined : fromHeader(authorization);
    if (this.mode === "none") {
      if (token === undefined || !isServiceToken(token)) return anonymous;
      const found = this.#serviceTokens.find(token);
      return found.then((account) => (account ? this.#servicePrincipal(account, token) : anonymous));
    }
    if (token === undefined) throw missing("Authorization header required");
    return this.bearerOf(token, address);
  }

  /** The bearer of a token, however it came. @throws TroupeError */
  bearerOf(token: string, address: string): Principal | Promise<Principal> {
    if (isServiceToken(token)) return this.#service(token, address);
    const { internalServiceToken, securityKey } = this.rules;
    if (internalServiceToken !== undefined && isSame(token, internalServiceToken)) return this.#scheduler();
    if (this.mode === "jwt") return this.#known(hashOf(token)) ?? this.#verify(token);
    if (securityKey !== undefined && isSame(token, securityKey)) return anonymous;
    throw this.#failed.refusalFor(address, "Invalid authentication token");
  }

  /** Who calls a path that needs no token: nobody in particular, and no admin. */
  outsider(): Principal {
    if (this.mode === "none") return anonymous;
    return this.#principal({ kind: "anonymous", userId: null, scopes: [], isAdmin: false });
  }

  /** How to know, as long as something goes on for a caller, whether it still may; undefined for credentials that do not end. */
  standingOf(caller: Principal): Standing | undefined {
    return this.#standings.get(caller);
  }

  /** What a route demands of its callers. */
  demandOf(route: GuardedRoute): Demand {
    return this.#mappings.map((mappings) => mappedScopes(mappings, route) ?? [`${route.resource}:${route.action}`]);
  }

  /** Warns of mappings that are about none of the routes. */
  reportMappings(routes: readonly RouteName[]): void {
    const unused = this.#mappings.flatMap((mappings) => unusedMappings(mappings, routes));
    if (unused.length > 0) this.#runtime.log.warn({ unused }, "Scope mappings name routes that do not exist here.");
  }

  /** @throws TroupeError `forbidden` for a caller who may not do what a route does, to the component `id` when it is about one */
  check(caller: Principal, demand: Demand, id?: string): void {
    const required = this.#requiredOf(caller, demand);
    if (!satisfiesAll(caller, required, id)) throw insufficient(required);
  }

  /** What of a listing is shown to the caller. @throws TroupeError `forbidden` for a caller who is shown nothing because it holds no scope */
  shown<Item extends { readonly id: string }>(
    caller: Principal,
    demand: Demand,
    items: readonly Item[],
  ): readonly Item[] {
    const required = this.#requiredOf(caller, demand);
    if (satisfiesAll(caller, required)) return items;
    const shown = items.filter(({ id }) => satisfiesAll(caller, required, id));
    if (shown.length === 0) throw insufficient(required);
    return shown;
  }

  /**
   * What a caller leaves behind for calls that are made later in its name: who it is, what its credential says of its runs, and the scopes that a
   * route demands, no more.
   *
   * @throws TroupeError `forbidden` for a caller who may not do it itself
   */
  standingGrant(caller: Principal, demand: Demand, id?: string): StandingGrant {
    this.check(caller, demand, id);
    const { kind, userId, claims } = caller;
    const scopes = this.#requiredOf(caller, demand).map((scope) => narrowed(scope, id));
    const [mapping, account] = [this.#mappingOf.get(caller) ?? 0, this.#accountOf.get(caller) ?? null];
    return { kind, userId, scopes, mapping, account, ...(claims ? { claims } : {}) };
  }

  /** In whose name a grant acts now. @throws TroupeError `forbidden` where it counts no more */
  async actingFor(grant: StandingGrant): Promise<Principal> {
    if (grant.kind === "scheduler")
      return this.mode === "none" ? { ...this.#scheduler(), isAdmin: true } : this.#scheduler();
    if (grant.kind === "anonymous") {
      if (this.mode !== "jwt") return anonymous;
      throw new TroupeError("forbidden", "It was made without a credential, and authorization is on now.");
    }
    const { kind, userId, scopes, account, claims } = grant;
    if (kind === "user") {
      const principal = this.#principal({ kind, userId, scopes, isAdmin: false, ...(claims ? { claims } : {}) });
      this.#mappingOf.set(principal, grant.mapping);
      return principal;
    }
    if (userId !== null && account !== null && (await this.#serviceTokens.isGood(userId, account))) {
      return Object.freeze({ kind, userId, scopes, isAdmin: false, owner: userId, ...(claims && { claims }) });
    }
    throw new TroupeError("forbidden", "The service account that made it is revoked or has expired.");
  }

  /** @throws TroupeError for scopes that the caller may not give to a service account */
  checkGrant(caller: Principal, grant: Grant): void {
    const mapped = new Set(this.#mappings.flatMap((mappings) => Object.values(mappings).flat()));
    checkGrant(caller, grant, { adminScope: this.rules.adminScope, mapped });
  }

  /** Forgets a service account that was revoked. */
  forget(accountId: string): void {
    this.#serviceTokens.forget(accountId);
  }

  /** Verifies a token and says all that is known of it, for those who look for the reason why it is refused. */
  explain(token: string): Promise<Verified> {
    return verifyToken(token, this.rules.trusted, this.#runtime);
  }

  #requiredOf(caller: Principal, demand: Demand): readonly string[] {
    return demand[this.#mappingOf.get(caller) ?? 0] ?? demand[0] ?? [];
  }

  #tokenOf({ authorization, cookie }: Credentials): string {
    const { tokenSource, cookieName } = this.rules;
    const inHeader = tokenSource === "COOKIE" || authorization === undefined ? undefined : fromHeader(authorization);
    const token = inHeader ?? (tokenSource === "HEADER" ? undefined : cookieOf(cookie, cookieName));
    if (token !== undefined) return token;
    if (tokenSource === "HEADER") throw missing("Authorization header missing");
    if (tokenSource === "COOKIE") throw missing(`JWT cookie '${cookieName}' missing`);
    throw missing(`JWT token missing from both Authorization header and '${cookieName}' cookie`);
  }

  #known(hash: string): Principal | undefined {
    const known = this.#verified.get(hash);
    if (!known) return undefined;
    const { clock } = this.#runtime;
    if (known.until > clock.monotonic() && known.expires > clock.now()) {
      for (const { sources } of this.rules.trusted) for (const source of sources) source.watch();
      return known.principal;
    }
    this.#verified.delete(hash);
    return undefined;
  }

  async #verify(token: string): Promise<Principal> {
    const { clock } = this.#runtime;
    const began = clock.monotonic();
    const verified = await verifyToken(token, this.rules.trusted, this.#runtime);
    const { userId, scopes, claims, expires, trust } = verified;
    const isAdmin = scopes.includes(this.rules.adminScope);
    const principal = this.#principal({ kind: "user", userId, scopes, isAdmin, ...(claims ? { claims } : {}) });
    this.#mappingOf.set(principal, this.#mappings.indexOf(trust.scopeMappings));
    const until = began + remembered;
    const ends = expires === undefined ? Number.POSITIVE_INFINITY : (expires + trust.leeway) * 1000;
    const { hint, key } = verified;
    this.#standings.set(principal, { isGood: () => ends > clock.now() && isStillTrusted({ trust, hint, key }) });
    this.#verified.set(hashOf(token), { principal, until, expires: ends });
    return principal;
  }

  async #service(token: string, address: string): Promise<Principal> {
    const account = await this.#serviceTokens.find(token);
    if (!account) throw this.#failed.refusalFor(address, "Invalid or expired service account token");
    return this.#servicePrincipal(account, token);
  }

  /** A program is always limited to what is its own, unless it may do everything. */
  #servicePrincipal(account: ServiceAccount, token: string): Principal {
    const userId = servicePrincipalId(account);
    const { scopes, claims } = account;
    const isAdmin = scopes.includes(this.rules.adminScope);
    const who = { kind: "service-account" as const, userId, scopes, isAdmin, owner: userId };
    const principal: Principal = Object.freeze({ ...who, ...(claims && { claims }) });
    const hash = hashOf(token);
    this.#standings.set(principal, { isGood: () => this.#serviceTokens.isStillGood(hash) });
    this.#accountOf.set(principal, account.id);
    return principal;
  }

  #scheduler(): Principal {
    return this.#principal({ kind: "scheduler", userId: schedulerId, scopes: schedulerScopes, isAdmin: false });
  }

  #principal(who: Omit<Principal, "owner" | "isNameless">): Principal {
    if (!this.rules.userIsolation) return Object.freeze({ ...who, owner: null });
    const isNameless = who.userId === null && !who.isAdmin;
    return Object.freeze({ ...who, owner: who.userId, ...(isNameless ? { isNameless } : {}) });
  }
}
