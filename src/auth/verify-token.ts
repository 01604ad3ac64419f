/** Verifies JSON Web Tokens with the keys of accepted issuers (RFC 7515, RFC 7519, RFC 8725). */
import { isUtf8 } from "node:buffer";
import { errors, jwtVerify } from "jose";
import type { Algorithm, ScopeMappings } from "../model/authorization.ts";
import type { Runtime } from "../model/runtime.ts";
import {
  type Bearer,
  bearerFromClaims,
  type ClaimRules,
  type Claims,
  checkTimes,
  claimChecks,
  claimRefusal,
} from "./claim-checks.ts";
import { authenticationUnavailable, invalidToken } from "./credential-errors.ts";
import type { KeyHint, KeySource } from "./key-source.ts";
import type { VerificationKey } from "./keys.ts";

/** An accepted issuer, with the rules for its tokens. */
export interface TrustedIssuer extends ClaimRules {
  /** The claim `iss` of its tokens; undefined for tokens of any issuer that are signed with the operator's keys. */
  readonly issuer: string | undefined;
  readonly algorithms: readonly Algorithm[];
  readonly sources: readonly KeySource[];
  /** Keys without an id, tried in order after the keys of the sources. */
  readonly keys: readonly VerificationKey[];
  readonly scopeMappings: ScopeMappings;
}

/** A verified token. */
export interface VerifiedToken extends Bearer {
  readonly trust: TrustedIssuer;
  /** Expiration time in seconds since the epoch; undefined for never. */
  readonly expires: number | undefined;
  readonly hint: KeyHint;
  /** The key that verified it. */
  readonly key: VerificationKey;
  readonly payload: Claims;
}

/** Maximum size of a token in bytes: as large as the headers of a request. */
const maxLength = 16 * 1024;

interface Parts {
  readonly hint: KeyHint;
  readonly issuer: unknown;
}

/** Verifies a token. @throws TroupeError `unauthenticated`; `unavailable` if there are no keys to verify it with */
export async function verifyToken(
  token: string,
  issuers: readonly TrustedIssuer[],
  { clock }: Runtime,
): Promise<VerifiedToken> {
  const { hint, issuer } = parseToken(token);
  const trust =
    issuers.find((some) => some.issuer !== undefined && some.issuer === issuer) ??
    issuers.find((some) => some.issuer === undefined);
  if (trust === undefined) throw invalidToken("The token's issuer is not accepted");
  if (!(trust.algorithms as readonly string[]).includes(hint.algorithm)) {
    throw invalidToken("The specified alg value is not allowed");
  }
  const { payload, key } = await verifySignature(hint, trust, async ({ key }) => {
    const checks = claimChecks(trust, clock.now());
    return (await jwtVerify(token, key, { ...checks, algorithms: [hint.algorithm] })).payload;
  });
  checkTimes(payload, trust, clock.now());
  const bearer = bearerFromClaims(payload, trust);
  return { ...bearer, trust, expires: payload.exp as number | undefined, hint, key, payload };
}

/** Whether the key that verified a token is still trusted. It also makes the sources re-check their keys from time to time. */
export function isStillTrusted({ trust, hint, key }: Pick<VerifiedToken, "trust" | "hint" | "key">): boolean {
  for (const source of trust.sources) source.watch();
  return keysFor(hint, trust).some((known) => known.key.equals(key.key));
}

/** Returns the known keys that may have signed a token. */
function keysFor(hint: KeyHint, { sources, keys }: TrustedIssuer): readonly VerificationKey[] {
  return [...sources.flatMap((source) => source.candidates(hint)), ...keys];
}

/** Parses a token. Only the canonical encoding is accepted: no padding, no spaces, no bits beyond the last byte. */
function parseToken(token: string): Parts {
  if (token.length > maxLength) throw invalidToken("The token is too long");
  const segments = token.split(".");
  if (segments.length < 3) throw invalidToken("Not enough segments");
  const [head = "", body = "", signature = ""] = segments;
  if (segments.length > 3) throw invalidToken("Too many segments");
  const header = toObject(bytesOf(head, "header"), "header");
  const claims = toObject(bytesOf(body, "payload"), "payload");
  bytesOf(signature, "signature");
  // RFC 7515 section 4.1.11: critical extensions must be understood, and this server supports none.
  if ("crit" in header || "b64" in header) throw invalidToken("The header has extensions that are not understood");
  const { alg, kid } = header;
  if (typeof alg !== "string") throw invalidToken("The specified alg value is not allowed");
  return { hint: { algorithm: alg, kid: typeof kid === "string" ? kid : undefined }, issuer: claims.iss };
}

function bytesOf(text: string, part: string): Uint8Array {
  const bytes = Buffer.from(text, "base64url");
  if (bytes.toString("base64url") !== text) throw invalidToken(`The ${part} is not base64url`);
  return bytes;
}

function toObject(bytes: Uint8Array, part: string): Claims {
  // A signed payload is always a JSON object without a byte order mark.
  if (bytes[0] !== 0x7b || !isUtf8(bytes)) throw invalidToken(`The ${part} is no JSON object`);
  try {
    return JSON.parse(Buffer.from(bytes).toString("utf8")) as Claims;
  } catch {
    throw invalidToken(`The ${part} is no JSON object`);
  }
}

/** Returns the claims of a token that a key has signed and whose times and audience are valid. */
type VerifyWith = (key: VerificationKey) => Promise<Claims>;

interface Signed {
  readonly payload: Claims;
  readonly key: VerificationKey;
}

/** Tries the candidate keys, and reads the sources again if none of them verifies the token. */
async function verifySignature(hint: KeyHint, trust: TrustedIssuer, verifyWith: VerifyWith): Promise<Signed> {
  const { sources, keys } = trust;
  const known = await tryKeys(keysFor(hint, trust), verifyWith);
  if (known) {
    for (const source of sources) source.watch();
    return known;
  }
  for (const source of sources) {
    // The read in progress may already bring the key.
    for (const read of [source.pendingRead, () => source.refresh(hint)]) {
      if (read === undefined) continue;
      await (typeof read === "function" ? read() : read);
      const found = await tryKeys(source.candidates(hint), verifyWith);
      if (found) return found;
    }
  }
  if (keys.length === 0 && sources.every((source) => source.isEmpty)) throw authenticationUnavailable();
  throw invalidToken("Signature verification failed");
}

async function tryKeys(keys: readonly VerificationKey[], verifyWith: VerifyWith): Promise<Signed | undefined> {
  for (const key of keys) {
    try {
      return { payload: await verifyWith(key), key };
    } catch (error) {
      // A key of another type is not the right one, so the next key is tried.
      if (error instanceof errors.JWSSignatureVerificationFailed || error instanceof TypeError) continue;
      if (error instanceof errors.JWTClaimValidationFailed || error instanceof errors.JWTExpired)
        throw claimRefusal(error);
      throw invalidToken("Signature verification failed");
    }
  }
  return undefined;
}
