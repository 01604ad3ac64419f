/** Which keys fit which signature algorithms (RFC 7518 section 3.1, RFC 8037). */
import type { KeyObject } from "node:crypto";

/** Minimum size of an RSA key in bits (RFC 7518 section 3.3). */
const minRsaBits = 2048;

const curves: Readonly<Record<string, string>> = { ES256: "prime256v1", ES384: "secp384r1", ES512: "secp521r1" };

/** Returns why a key cannot verify tokens of an algorithm; undefined if it can. */
export function mismatchOf(key: KeyObject, algorithm: string): string | undefined {
  if (algorithm.startsWith("HS")) return key.type === "secret" ? undefined : "is not a shared secret";
  if (key.type !== "public") return "is no public key";
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = key;
  if (/^[RP]S/.test(algorithm)) {
    if (type !== "rsa") return `is a key of type ${type}, not RSA`;
    const bits = details?.modulusLength ?? 0;
    return bits < minRsaBits ? `is an RSA key of ${bits} bits: ${minRsaBits} are the least` : undefined;
  }
  if (algorithm === "EdDSA") return type === "ed25519" ? undefined : `is a key of type ${type}, not Ed25519`;
  const curve = curves[algorithm];
  return type === "ec" && details?.namedCurve === curve ? undefined : `is no key on the curve of ${algorithm}`;
}
