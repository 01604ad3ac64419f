/** Keys that verify tokens. */
import { createPublicKey, createSecretKey, type KeyObject } from "node:crypto";
import { ConfigurationError } from "../errors.ts";
import type { Algorithm, JsonWebKey } from "../model/authorization.ts";
import type { Runtime } from "../model/runtime.ts";

/** A key with what is known of it. */
export interface VerificationKey {
  readonly key: KeyObject;
  /** Key id, for a key of a set that has one. */
  readonly kid: string | undefined;
  /** The only algorithm it is for, when its set says so. */
  readonly algorithm: string | undefined;
  /** For people, without anything secret: `key 2 of verificationKeys (RSA, 2048 bits)`. */
  readonly title: string;
}

/** Least bits of an RSA key (RFC 7518 section 3.3). */
const leastRsaBits = 2048;

/** Bytes below which a shared secret can be guessed from a token (RFC 7518 section 3.2). */
const leastSecretBytes = 32;

const curves: Readonly<Record<string, string>> = { ES256: "prime256v1", ES384: "secp384r1", ES512: "secp521r1" };

/** Why a key cannot verify tokens of an algorithm; undefined when it can. */
export function misfitOf(key: KeyObject, algorithm: string): string | undefined {
  if (algorithm.startsWith("HS")) return key.type === "secret" ? undefined : "is no shared secret";
  if (key.type !== "public") return "is no public key";
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (/^[RP]S/.test(algorithm)) {
    if (type !== "rsa") return `is a key of type ${type}, not RSA`;
    const bits = details?.modulusLength ?? 0;
    return bits < leastRsaBits ? `is an RSA key of ${bits} bits: ${leastRsaBits} are the least` : undefined;
  }
  if (algorithm === "EdDSA") return type === "ed25519" ? undefined : `is a key of type ${type}, not Ed25519`;
  const curve = curves[algorithm];
  return type === "ec" && details?.namedCurve === curve ? undefined : `is no key on the curve of ${algorithm}`;
}

/**
 * A key as the operator gave it: PEM, JWK, or for HS256 a shared secret. `place` names it in messages.
 * @throws ConfigurationError for one that does not fit the algorithm
 */
export function toVerificationKey(given: string | JsonWebKey, algorithm: Algorithm, place: string): VerificationKey {
  const refuse = (reason: string): never => {
    throw new ConfigurationError(`Authorization: ${place} ${reason}. All keys must fit the algorithm ${algorithm}.`);
  };
  const jwk = typeof given === "string" ? jwkOf(given, algorithm) : given;
  if (jwk !== undefined) {
    const found = fromJwk(jwk, place);
    if (typeof found === "string") return refuse(found);
    const misfit = misfitOf(found.key, algorithm) ?? (fits(found, algorithm) ? undefined : `is for ${found.algorithm}`);
    return misfit === undefined ? found : refuse(misfit);
  }
  const text = (given as string).includes("-----BEGIN") ? (given as string).replaceAll("\\n", "\n") : (given as string);
  const isPem = text.includes("-----BEGIN");
  if (algorithm.startsWith("HS")) {
    if (isPem) return refuse("is a key in PEM, which is public: anybody could sign with it as a shared secret");
    if (text === "") return refuse("is empty");
    return titled(createSecretKey(Buffer.from(text, "utf8")), place);
  }
  if (!isPem) return refuse("is no public key in PEM, and no JWK");
  if (/-----BEGIN [A-Z ]*PRIVATE KEY/.test(text)) return refuse("is a private key: give the public one");
  const key = publicKeyOf(text);
  if (key === undefined) return refuse("cannot be read as a public key");
  const misfit = misfitOf(key, algorithm);
  return misfit === undefined ? titled(key, place) : refuse(misfit);
}

/** Warns of shared secrets that are so short that they can be guessed. */
export function reportGuessable(keys: readonly VerificationKey[], { log }: Pick<Runtime, "log">): void {
  for (const { key, title } of keys) {
    if (key.type !== "secret" || (key.symmetricKeySize ?? 0) >= leastSecretBytes) continue;
    log.warn({ key: title }, "A shared secret is shorter than 32 bytes: who has a token can guess it.");
  }
}

/** The keys of a JSON Web Key Set that can verify. @throws Error for a text that is none */
export function toKeySet(text: string, place: string): readonly VerificationKey[] {
  const set: unknown = JSON.parse(text.replace(/^\uFEFF/, ""));
  const keys: unknown = typeof set === "object" && set !== null && "keys" in set ? set.keys : undefined;
  if (!Array.isArray(keys)) throw new Error(`${place} is no key set: it has no list "keys"`);
  return keys.flatMap((jwk, number) => {
    const found = fromJwk(jwk, `key ${number + 1} of ${place}`);
    return typeof found === "string" ? [] : [found];
  });
}

/** Whether a key may verify tokens of an algorithm, as far as its set says. */
export function fits({ algorithm: only }: VerificationKey, algorithm: string): boolean {
  return only === undefined || only === algorithm || (only === "Ed25519" && algorithm === "EdDSA");
}

/** A key of a JWK, or why it is none that verifies. */
function fromJwk(jwk: unknown, place: string): VerificationKey | string {
  if (typeof jwk !== "object" || jwk === null) return "is no JWK";
  const { kty, use, key_ops: operations, kid, alg, d, k } = jwk as Record<string, unknown>;
  if (use !== undefined && use !== "sig") return "is a key for something else than signatures";
  if (Array.isArray(operations) && !operations.includes("verify")) return "is a key for something else than to verify";
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

function publicKeyOf(given: string | JsonWebKey): KeyObject | undefined {
  try {
    return createPublicKey(typeof given === "string" ? given : { key: { ...given }, format: "jwk" });
  } catch {
    return undefined;
  }
}

/** A JWK that is given as text, in a variable for instance. */
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
