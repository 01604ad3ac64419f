/** The principal: the caller of a request. It is created once at the border and passed to every store call that touches owned data. */
import { TroupeError } from "../errors.ts";

/** Values of a credential for the runs that it starts. They override the values of a request. */
export interface RunClaims {
  readonly sessionId?: string;
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly sessionState?: Readonly<Record<string, unknown>>;
}

/** A verified or anonymous caller. */
export interface Principal {
  readonly kind: "anonymous" | "user" | "service-account" | "scheduler";
  /** The caller's user id; null for a caller without one. */
  readonly userId: string | null;
  /** Whether the caller passes every ownership check. With authorization off, every caller does. */
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

/** The caller on a server without authorization: an admin that can access everything. */
export const anonymous: Principal = { kind: "anonymous", userId: null, isAdmin: true, scopes: [], owner: null };

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
 * The user of what a caller creates from an earlier user's data: the caller. A caller without an identity (authorization is off, or the
 * credential is the operator's key) keeps the earlier user.
 */
export function inheritedUserId(caller: Principal, earlier: string | null): string | null {
  if (caller.kind !== "anonymous" || !caller.isAdmin) return caller.userId;
  return earlier !== null && isReservedUserId(earlier) ? null : earlier;
}

/** The session of a request. A session that the credential names overrides the requested one. */
export function sessionFor({ claims }: Pick<Principal, "claims">, asked: string | undefined): string | undefined {
  return claims?.sessionId ?? asked;
}

function refuseNameless({ isNameless }: Principal): void {
  if (isNameless) {
    throw new TroupeError("forbidden", "The credential names no user, and what belongs to users is for them only.");
  }
}
