/** What callers are told who are not let in. The texts are the contract's. */
import { TroupeError } from "../errors.ts";

/** Nobody says who is calling. */
export function missing(detail: string): TroupeError {
  return new TroupeError("unauthenticated", detail, { challenge: "Bearer" });
}

/** The credential is there, and is none. */
export function invalid(detail: string): TroupeError {
  return new TroupeError("unauthenticated", detail, { challenge: 'Bearer error="invalid_token"' });
}

/** A token that is refused for what it is. */
export function invalidToken(reason: string): TroupeError {
  return invalid(`Invalid token: ${reason}`);
}

/** The caller is known, and may not do this. */
export function insufficient(required: readonly string[]): TroupeError {
  return new TroupeError("forbidden", `Insufficient permissions. Required scope(s): ${required.join(", ")}`);
}

/** Who is calling cannot be found out now. */
export function unavailable(cause?: unknown): TroupeError {
  return new TroupeError("unavailable", "Authentication is temporarily unavailable", { retryAfter: 5, cause });
}
