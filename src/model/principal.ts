/** Who is calling. Made once at the border, and passed to every store call that touches owned data. */

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
   * Reads and writes of a caller with an owner are limited to that owner's rows.
   */
  readonly owner: string | null;
}

/** The caller of a server without authorization: sees everything, counts as admin. */
export const anonymous: Principal = { kind: "anonymous", userId: null, isAdmin: true, scopes: [], owner: null };
