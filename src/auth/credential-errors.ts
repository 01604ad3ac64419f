/** Error responses for rejected credentials. The texts are the contract's. */
import { TroupeError } from "../errors.ts";

/** The request has no credential. */
export function missingCredential(detail: string): TroupeError {
  return new TroupeError("unauthenticated", detail, { challenge: "Bearer" });
}

/** The credential is not valid. */
export function invalidCredential(detail: string): TroupeError {
  return new TroupeError("unauthenticated", detail, { challenge: 'Bearer error="invalid_token"' });
}

/** The token was rejected for the given reason. */
export function invalidToken(reason: string): TroupeError {
  return invalidCredential(`Invalid token: ${reason}`);
}

/** The caller is authenticated, but lacks a scope. */
export function insufficientScopes(required: readonly string[]): TroupeError {
  return new TroupeError("forbidden", `Insufficient permissions. Required scope(s): ${required.join(", ")}`);
}

/** The credential cannot be verified at the moment. */
export function authenticationUnavailable(cause?: unknown): TroupeError {
  return new TroupeError("unavailable", "Authentication is temporarily unavailable", { retryAfter: 5, cause });
}
