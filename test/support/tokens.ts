/** Keys and tokens for tests. Each test run creates its own keys. */
import { createHmac, generateKeyPairSync, type KeyObject, sign } from "node:crypto";

/** A key pair of an algorithm. */
export interface Pair {
  readonly algorithm: string;
  readonly kid: string;
  readonly privateKey: KeyObject;
  readonly publicKey: KeyObject;
  /** The public key in PEM. */
  readonly pem: string;
  /** The public key as a JWK with its `kid`. */
  readonly jwk: Record<string, unknown> & { kty: string };
}

const curves: Readonly<Record<string, string>> = { ES256: "P-256", ES384: "P-384", ES512: "P-521" };
let number = 0;

/** Creates a key pair. */
export function makePair(algorithm = "RS256", bits = 2048): Pair {
  const curve = curves[algorithm];
  const { privateKey, publicKey } = curve
    ? generateKeyPairSync("ec", { namedCurve: curve })
    : algorithm === "EdDSA"
      ? generateKeyPairSync("ed25519")
      : generateKeyPairSync("rsa", { modulusLength: bits });
  const kid = `key-${++number}`;
  const pem = publicKey.export({ type: "spki", format: "pem" }).toString();
  const jwk = { ...publicKey.export({ format: "jwk" }), kid, use: "sig" } as Pair["jwk"];
  return { algorithm, kid, privateKey, publicKey, pem, jwk };
}

/** Returns the time `later` seconds from now, in seconds since the epoch. */
export function inSeconds(later: number): number {
  return Math.floor(Date.now() / 1000) + later;
}

export type Claims = Record<string, unknown>;

/** Signs any header and payload, valid or not. */
export function signRaw(header: string, payload: string, by: Pair | string, algorithm?: string): string {
  const input = `${encode(header)}.${encode(payload)}`;
  return `${input}.${signatureOf(input, by, algorithm).toString("base64url")}`;
}

/** Returns a token with these claims. Without `exp` it expires in an hour. A text as key is a shared secret. */
export function token(claims: Claims, by: Pair | string, header: Claims = {}): string {
  const algorithm = typeof by === "string" ? "HS256" : by.algorithm;
  const named = typeof by === "string" ? {} : { kid: by.kid };
  const head = { alg: algorithm, typ: "JWT", ...named, ...header };
  return signRaw(JSON.stringify(head), JSON.stringify({ exp: inSeconds(3600), ...claims }), by, algorithm);
}

export function encode(text: string): string {
  return Buffer.from(text, "utf8").toString("base64url");
}

/** Returns the Authorization header for a token. */
export function bearer(text: string): Record<string, string> {
  return { authorization: `Bearer ${text}` };
}

function signatureOf(
  input: string,
  by: Pair | string,
  algorithm = typeof by === "string" ? "HS256" : by.algorithm,
): Buffer {
  const bytes = Buffer.from(input, "utf8");
  if (typeof by === "string") return createHmac("sha256", by).update(bytes).digest();
  if (algorithm === "EdDSA") return sign(null, bytes, by.privateKey);
  const hash = `sha${algorithm.slice(2)}`;
  if (algorithm.startsWith("ES")) return sign(hash, bytes, { key: by.privateKey, dsaEncoding: "ieee-p1363" });
  if (algorithm.startsWith("PS")) return sign(hash, bytes, { key: by.privateKey, padding: 6, saltLength: -1 });
  return sign(hash, bytes, by.privateKey);
}
