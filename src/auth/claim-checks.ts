/** Claims of a verified token: its validity, audience and bearer (RFC 7519). */
import type { errors, JWTClaimVerificationOptions } from "jose";
import type { TroupeError } from "../errors.ts";
import type { ClaimNames } from "../model/authorization.ts";
import { faultOfId } from "../model/identifiers.ts";
import { isReservedUserId, type RunClaims } from "../model/principal.ts";
import { faultOfLimits, type Limits, limitsFromWire } from "../model/usage/limits.ts";
import { invalidCredential, invalidToken } from "./credential-errors.ts";

/** Claims of a token. */
export type Claims = Readonly<Record<string, unknown>>;

/** Rules for the claims of tokens. Times in seconds. */
export interface ClaimRules extends Required<ClaimNames> {
  /** Accepted audiences; null accepts all. */
  readonly audience: readonly string[] | null;
  readonly requireExpiration: boolean;
  /** Prefix for the user id. */
  readonly userIdPrefix: string;
  readonly leeway: number;
}

/** The bearer of a token. */
export interface Bearer {
  readonly userId: string | null;
  readonly scopes: readonly string[];
  readonly claims: RunClaims | undefined;
}

/** Times of a token, and their names in errors. */
const times = { exp: "Expiration Time", nbf: "Not Before", iat: "Issued At" };

/** Returns the options with which `jwtVerify` checks times and audience at the time `now` in milliseconds. */
export function claimChecks(
  { audience, requireExpiration, leeway }: ClaimRules,
  now: number,
): JWTClaimVerificationOptions {
  return {
    requiredClaims: requireExpiration ? ["exp"] : [],
    clockTolerance: leeway,
    currentDate: new Date(now),
    ...(audience === null ? {} : { audience: [...audience] }),
  };
}

/** Returns the error of a token whose claims `jwtVerify` rejected. */
export function claimRefusal({ claim, payload }: errors.JWTClaimValidationFailed | errors.JWTExpired): TroupeError {
  const value = payload[claim] ?? undefined;
  if (claim === "aud") {
    if (value !== undefined)
      return invalidCredential("Invalid token audience - token not valid for this AgentOS instance");
    return invalidToken(
      'Token is missing the "aud" claim. Audience verification requires this claim to be present in the token.',
    );
  }
  if (payload[claim] === undefined) return invalidToken(`Token is missing the "${claim}" claim`);
  if (!Number.isFinite(value)) return notSeconds(claim as keyof typeof times);
  return claim === "exp"
    ? invalidCredential("Token has expired")
    : invalidToken(`The token is not yet valid (${claim})`);
}

/**
 * Checks what `jwtVerify` does not: fractions of a second of the expiration, infinite times, which JSON writes as 1e999, and tokens that were
 * issued in the future. `now` is in milliseconds.
 * @throws TroupeError `unauthenticated`
 */
export function checkTimes(claims: Claims, { leeway }: ClaimRules, now: number): void {
  for (const name of Object.keys(times) as (keyof typeof times)[]) {
    if (claims[name] !== undefined && !Number.isFinite(claims[name])) throw notSeconds(name);
  }
  const { exp, iat } = claims as { readonly exp?: number; readonly iat?: number };
  if (iat !== undefined && iat > now / 1000 + leeway) throw invalidToken("The token is not yet valid (iat)");
  if (exp !== undefined && exp <= now / 1000 - leeway) throw invalidCredential("Token has expired");
}

function notSeconds(name: keyof typeof times): TroupeError {
  return invalidToken(`${times[name]} claim (${name}) must be a number of seconds`);
}

/** Returns the bearer of a token. @throws TroupeError `unauthenticated` for invalid or reserved user ids */
export function bearerFromClaims(claims: Claims, rules: ClaimRules): Bearer {
  const subject = claims.sub ?? undefined;
  if (subject !== undefined && typeof subject !== "string") throw invalidToken("Subject must be a string");
  const userClaim = claimOf(claims, rules.userIdClaim) ?? undefined;
  if (userClaim !== undefined && typeof userClaim !== "string") throw invalidToken("Subject must be a string");
  const userId = userClaim === undefined ? undefined : rules.userIdPrefix + userClaim;
  for (const name of [subject, userClaim, userId]) {
    if (name !== undefined && (!isUserId(name) || isReservedUserId(name)))
      throw invalidCredential("Invalid token subject");
  }
  return { userId: userId ?? null, scopes: scopesOf(claims, rules), claims: runClaims(claims, rules) };
}

/** Returns a claim by its name, or by a path of names separated by dots. */
export function claimOf(claims: Claims, name: string): unknown {
  if (Object.hasOwn(claims, name)) return claims[name];
  let found: unknown = claims;
  for (const part of name.split(".")) {
    if (typeof found !== "object" || found === null || !Object.hasOwn(found, part)) return undefined;
    found = (found as Claims)[part];
  }
  return found;
}

/** Returns the scopes. A string is one scope, even with spaces; a value that is neither a string nor a list grants nothing. */
function scopesOf(claims: Claims, { scopesClaim }: ClaimRules): readonly string[] {
  const value = claimOf(claims, scopesClaim);
  if (typeof value === "string") return [value];
  if (!Array.isArray(value)) return [];
  if (!value.every((scope) => typeof scope === "string")) {
    throw invalidCredential(`Error decoding token: the claim "${scopesClaim}" must be a list of texts`);
  }
  return value;
}

function runClaims(claims: Claims, rules: ClaimRules): RunClaims | undefined {
  const sessionId = claimOf(claims, rules.sessionIdClaim) ?? undefined;
  if (sessionId !== undefined && (typeof sessionId !== "string" || faultOfId(sessionId) !== undefined)) {
    throw invalidToken(`the claim "${rules.sessionIdClaim}" is no session id`);
  }
  const dependencies = pickClaims(claims, rules.dependenciesClaims);
  const sessionState = pickClaims(claims, rules.sessionStateClaims);
  const limits = limitsOf(claims, rules);
  if (sessionId === undefined && !dependencies && !sessionState && !limits) return undefined;
  return {
    ...(sessionId === undefined ? {} : { sessionId }),
    ...(dependencies ? { dependencies } : {}),
    ...(sessionState ? { sessionState } : {}),
    ...(limits ? { limits } : {}),
  };
}

/** A token whose limits cannot be read is rejected: its bearer would have none. */
function limitsOf(claims: Claims, { limitsClaim }: ClaimRules): Limits | undefined {
  const value = limitsClaim === "" ? undefined : (claimOf(claims, limitsClaim) ?? undefined);
  if (value === undefined) return undefined;
  const limits = limitsFromWire(value);
  const fault = faultOfLimits(limits);
  if (fault) throw invalidToken(`the claim "${limitsClaim}" ${fault}`);
  return limits as Limits;
}

/** Returns the named claims that the token has; undefined if it has none of them. */
function pickClaims(claims: Claims, names: readonly string[]): Record<string, unknown> | undefined {
  const found = names.flatMap((name): [string, unknown][] => {
    const value = claimOf(claims, name);
    return value === undefined ? [] : [[name, value]];
  });
  return found.length === 0 ? undefined : Object.fromEntries(found);
}

function isUserId(text: string): boolean {
  return faultOfId(text) === undefined && text.trim() !== "" && !/\p{Cc}/u.test(text);
}
