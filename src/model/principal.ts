/** The principal: the caller of a request, or the server itself. Every store call that touches owned data takes it. */
import { TroupeError } from "../errors.ts";
import type { Limits } from "./usage/limits.ts";

/** Values of a credential for the runs that it starts. They override the values of a request. */
export interface RunClaims {
  readonly sessionId?: string;
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly sessionState?: Readonly<Record<string, unknown>>;
  /** Limits of the user. */
  readonly limits?: Limits;
}

/**
 * Kinds of principals:
 *
 * - `open`: a caller of a server whose authorization is off. It can access everything and may name the user that it acts for.
 * - `operator`: the bearer of `OS_SECURITY_KEY`. It can access everything and may name the user that it acts for.
 * - `outsider`: a caller without a credential, on a route that requires none while authorization is on. It has no scopes and no identity. With
 *   user isolation it cannot access owned data.
 * - `user`: the bearer of a JWT.
 * - `service-account`: the bearer of a service account's token.
 * - `scheduler`: a schedule that code defines, or the bearer of the internal service token.
 * - `system`: the server itself, or the program that runs a component in its own process (`agent.run()`). It can access everything. No
 *   request from outside the process has it.
 */
export type PrincipalKind = "open" | "operator" | "outsider" | "user" | "service-account" | "scheduler" | "system";

/** A caller, or the server itself. */
export interface Principal {
  readonly kind: PrincipalKind;
  /** The caller's user id; null if the caller has none. */
  readonly userId: string | null;
  /** Whether the caller passes every check of ownership and scopes: `open`, `operator`, `system`, and admins. Never an `outsider`. */
  readonly isAdmin: boolean;
  /** Granted scopes; empty with authorization off. */
  readonly scopes: readonly string[];
  /**
   * The caller's namespace of sessions; null if callers are not isolated from each other. A caller with an owner reads and writes only rows
   * of that owner, unless it is an admin.
   */
  readonly owner: string | null;
  /** Set if callers are isolated and this caller has no user id: it cannot access owned data. */
  readonly isNameless?: true;
  readonly claims?: RunClaims;
}

/** Fields of principals without an identity. */
const nobody = { userId: null, scopes: [], owner: null } as const;

/** The caller of a server whose authorization is off. */
export const open: Principal = Object.freeze({ kind: "open", isAdmin: true, ...nobody });

/** The bearer of the security key. */
export const operator: Principal = Object.freeze({ kind: "operator", isAdmin: true, ...nobody });

/** The caller without a credential while authorization is on. `Access.outsider` adds what the settings require. */
export const outsider: Principal = Object.freeze({ kind: "outsider", isAdmin: false, ...nobody });

/** The server itself, for reads that need no caller's permission. */
export const system: Principal = Object.freeze({ kind: "system", isAdmin: true, ...nobody });

/** Whether the caller presented a credential. */
export function hasCredential({ kind }: Pick<Principal, "kind">): boolean {
  return kind !== "open" && kind !== "outsider" && kind !== "system";
}

/** Whether the caller may name the user that it acts for. All other callers act for the user of their credential. */
export function mayClaimUser(caller: Pick<Principal, "kind">): boolean {
  return !hasCredential(caller) || caller.kind === "operator";
}

/** User id of the runs that schedules start. */
export const schedulerId = "__scheduler__";

/** Whether a user id is reserved for callers that are not users. Tokens and forms must not claim it. */
export function isReservedUserId(userId: string): boolean {
  return userId === schedulerId || userId.startsWith("sa:") || userId.startsWith("__oauth__:");
}

/**
 * The namespace whose rows the caller may access; null for all of them.
 * @throws TroupeError `forbidden` if callers are isolated and this caller has no user id
 */
export function visibleOwner(caller: Principal): string | null {
  refuseNameless(caller);
  return caller.isAdmin ? null : caller.owner;
}

/** The only session that the caller may access, if its credential names one; null for every session of its owner. */
export function visibleSession({ claims }: Principal): string | null {
  return claims?.sessionId ?? null;
}

/**
 * The namespace for sessions that the caller creates. An admin has a namespace of its own, too.
 * @throws TroupeError `forbidden` if callers are isolated and this caller has no user id
 */
export function ownSpace(caller: Principal): string {
  refuseNameless(caller);
  return caller.owner ?? "";
}

/**
 * Returns the user of a run or session that a caller creates from another user's data: normally the caller. If the
 * caller may act for every user, the new data belongs to the original user; this does not apply to an outsider.
 */
export function inheritedUserId(caller: Principal, earlier: string | null): string | null {
  if (!mayClaimUser(caller) || !caller.isAdmin) return caller.userId;
  return earlier !== null && isReservedUserId(earlier) ? null : earlier;
}

/** The session of a request. A session that the credential names overrides the requested one. */
export function sessionFor({ claims }: Pick<Principal, "claims">, requested: string | undefined): string | undefined {
  return claims?.sessionId ?? requested;
}

function refuseNameless({ isNameless }: Principal): void {
  if (isNameless) {
    throw new TroupeError("forbidden", "The credential names no user, and what belongs to users is for them only.");
  }
}
