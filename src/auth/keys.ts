/** Keys that verify tokens. */

import { createPublicKey, createSecretKey, type KeyObject } from "node:crypto";
import { ConfigurationError } from "../errors.ts";
import type { Algorithm, JsonWebKey } from "../model/authorization.ts";
import { mismatchOf } from "../model/key-fit.ts";
import type { Runtime } from "../model/runtime.ts";

/** A verification key with its metadata. */
export interface VerificationKey {
  readonly key: KeyObject;
  /** Key id; undefined for a key without one. */
  readonly kid: string | undefined;
  /** The only algorithm that the key set permits for this key, if it specifies one. */
  readonly algorithm: string | undefined;
  /** Display name without any secret: `key 2 of verificationKeys (RSA, 2048 bits)`. */
  readonly title: string;
}

/** Minimum size of a shared secret in bytes: a shorter one can be guessed from a token (RFC 7518 section 3.2). */
const minSecretBytes = 32;

/**
 * Parses an operator's key: PEM, JWK, or for HS256 a shared secret. `place` names it in messages.
 * @throws ConfigurationError for a key that does not fit the algorithm
 */
export function toVerificationKey(input: string | JsonWebKey, algorithm: Algorithm, place: string): VerificationKey {
  const reject = (reason: string): never => {
    throw new ConfigurationError(`Authorization: ${place} ${reason}. All keys must fit the algorithm ${algorithm}.`);
  };
  const jwk = typeof input === "string" ? jwkOf(input, algorithm) : input;
  if (jwk !== undefined) {
    const found = fromJwk(jwk, place);
    if (typeof found === "string") return reject(found);
    const mismatch =
      mismatchOf(found.key, algorithm) ??
      (permitsAlgorithm(found, algorithm) ? undefined : `is for ${found.algorithm}`);
    return mismatch === undefined ? found : reject(mismatch);
  }
  const text = (input as string).includes("-----BEGIN") ? (input as string).replaceAll("\\n", "\n") : (input as string);
  const isPem = text.includes("-----BEGIN");
  if (algorithm.startsWith("HS")) {
    if (isPem) return reject("is a key in PEM, which is public: anybody could sign with it as a shared secret");
    if (text === "") return reject("is empty");
    return titled(createSecretKey(Buffer.from(text, "utf8")), place);
  }
  if (!isPem) return reject("is neither a public key in PEM nor a JWK");
  if (/-----BEGIN [A-Z ]*PRIVATE KEY/.test(text)) return reject("is a private key: give the public one");
  const key = publicKeyOf(text);
  if (key === undefined) return reject("cannot be read as a public key");
  const mismatch = mismatchOf(key, algorithm);
  return mismatch === undefined ? titled(key, place) : reject(mismatch);
}

/** Warns of shared secrets that are short enough to guess. */
export function warnOfShortSecrets(keys: readonly VerificationKey[], { log }: Pick<Runtime, "log">): void {
  for (const { key, title } of keys) {
    if (key.type !== "secret" || (key.symmetricKeySize ?? 0) >= minSecretBytes) continue;
    log.warn({ key: title }, "A shared secret is shorter than 32 bytes: anyone with a token can guess it.");
  }
}

/** Returns the keys of a JSON Web Key Set that can verify tokens. @throws Error for a text that is not a key set */
export function toKeySet(text: string, place: string): readonly VerificationKey[] {
  const set: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
  const keys: unknown = typeof set === "object" && set !== null && "keys" in set ? set.keys : undefined;
  if (!Array.isArray(keys)) throw new Error(`${place} is no key set: it has no list "keys"`);
  return keys.flatMap((jwk, number) => {
    const found = fromJwk(jwk, `key ${number + 1} of ${place}`);
    return typeof found === "string" ? [] : [found];
  });
}

/** Whether the metadata of a key permits an algorithm. */
export function permitsAlgorithm({ algorithm: only }: VerificationKey, algorithm: string): boolean {
  return only === undefined || only === algorithm || (only === "Ed25519" && algorithm === "EdDSA");
}

/** Parses a JWK; returns the reason if it cannot verify tokens. */
function fromJwk(jwk: unknown, place: string): VerificationKey | string {
  if (typeof jwk !== "object" || jwk === null) return "is no JWK";
  const { kty, use, key_ops: operations, kid, alg, d, k } = jwk as Record<string, unknown>;
  if (use !== undefined && use !== "sig") return "is not a key for signatures";
  if (Array.isArray(operations) && !operations.includes("verify")) return "is not a key for verification";
  if (d !== undefined) return "is a private key: give the public one";
  const known = {
    kid: typeof kid === "string" ? kid : undefined,
    algorithm: typeof alg === "string" ? alg : undefined,
  };
  if (kty === "oct") {
    return typeof k === "string" && k !== ""
      ? { ...titled(createSecretKey(Buffer.from(k, "base64url")), place), ...known }
      : "has no secret";
  }
  const key = publicKeyOf(jwk as JsonWebKey);
  return key === undefined ? "cannot be read as a public key" : { ...titled(key, place), ...known };
}

function publicKeyOf(input: string | JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey(typeof input === "string" ? input : { key: { ...input }, format: "jwk" });
  } catch {
    return undefined;
  }
}

/** Parses a JWK that is given as text, for instance in an environment variable. */
function jwkOf(text: string, algorithm: Algorithm): JsonWebKey | undefined {
  if (algorithm.startsWith("HS") || !text.trimStart().startsWith("{")) return undefined;
  try {
    return JSON.parse(text) as JsonWebKey;
  } catch {
    return undefined;
  }
}

function titled(key: KeyObject, place: string): VerificationKey {
  return { key, kid: undefined, algorithm: undefined, title: `${place} (${describe(key)})` };
}

function describe({ type, asymmetricKeyType, asymmetricKeyDetails: details }: KeyObject): string {
  if (type === "secret") return "shared secret";
  if (asymmetricKeyType === "rsa") return `RSA, ${details?.modulusLength} bits`;
  return details?.namedCurve ?? String(asymmetricKeyType);
}
