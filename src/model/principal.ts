/** Who is calling. Made once at the border, and passed to every store call that touches owned data. */
import { TroupeError } from "../errors.ts";

/** What a credential says about the runs that are started with it. It wins over what a request says. */
export interface RunClaims {
  readonly sessionId?: string;
  readonly dependencies?: Readonly<Record<string, unknown>>;
  readonly sessionState?: Readonly<Record<string, unknown>>;
}

/** A verified or anonymous caller. */
export interface Principal {
  readonly kind: "anonymous" | "user" | "service-account" | "scheduler";
  /** The caller's user id, null for a caller who has none. */
  readonly userId: string | null;
  /** Whether the caller passes every ownership check. With authorization off every caller does. */
  readonly isAdmin: boolean;
  /** Scopes as granted; empty with authorization off. */
  readonly scopes: readonly string[];
  /**
   * The name space of sessions this caller lives in, or null where callers are not isolated from each other.
   * Reads and writes of a caller with an owner are limited to that owner's rows, unless it is an admin.
   */
  readonly owner: string | null;
  /** Set where callers are isolated, and this one has no name: then nothing that is owned is for it. */
  readonly isNameless?: true;
  readonly claims?: RunClaims;
}

/** The caller of a server without authorization: sees everything, counts as admin. */
export const anonymous: Principal = { kind: "anonymous", userId: null, isAdmin: true, scopes: [], owner: null };

/** User id of what schedules start. */
export const schedulerId = "__scheduler__";

/** Whether a user id is kept for callers that are no users: tokens and forms must not claim it. */
export function isReservedUserId(userId: string): boolean {
  return userId === schedulerId || userId.startsWith("sa:") || userId.startsWith("__oauth__:");
}

/**
 * The name space whose rows the caller may see; null for all of them.
 * @throws TroupeError `forbidden` for a caller without a name among isolated ones
 */
export function visibleOwner(caller: Principal): string | null {
  refuseNameless(caller);
  return caller.isAdmin ? null : caller.owner;
}

/** The one session that the caller may see, for a credential that names one; null for all that its owner may see. */
export function visibleSession({ claims }: Principal): string | null {
  return claims?.sessionId ?? null;
}

/**
 * The name space in which the caller's sessions are made: an admin's, too, are its own.
 * @throws TroupeError `forbidden` for a caller without a name among isolated ones
 */
export function ownSpace(caller: Principal): string {
  refuseNameless(caller);
  return caller.owner ?? "";
}

/**
 * The user of what a caller makes from something that an earlier user made: the caller. A caller without an identity (authorization is off, or the
 * credential is the operator's key) keeps the earlier user.
 */
export function heirOf(caller: Principal, earlier: string | null): string | null {
  if (caller.kind !== "anonymous" || !caller.isAdmin) return caller.userId;
  return earlier !== null && isReservedUserId(earlier) ? null : earlier;
}

/** The session that a call is about: a credential that names one is for that one, whatever the call says. */
export function sessionFor({ claims }: Pick<Principal, "claims">, asked: string | undefined): string | undefined {
  return claims?.sessionId ?? asked;
}

function refuseNameless({ isNameless }: Principal): void {
  if (isNameless) {
    throw new TroupeError("forbidden", "The credential names no user, and what belongs to users is for them only.");
  }
}
