/** Tokens of callers, and the keys that sign them. */
import { createHmac, generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

/** A key pair or secret. */
export interface Signer {
  readonly algorithm: "RS256" | "ES256" | "HS256";
  /** The verification key given to the server. */
  readonly key: string;
  readonly sign: (input: Buffer) => Buffer;
}

/** Returns a new signer of each algorithm. */
export function signers(): readonly Signer[] {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 });
  const ec = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const pem = (key: KeyObject): string => key.export({ type: "spki", format: "pem" }).toString();
  return [
    { algorithm: "RS256", key: pem(rsa.publicKey), sign: (input) => sign("sha256", input, rsa.privateKey) },
    {
      algorithm: "ES256",
      key: pem(ec.publicKey),
      sign: (input) => sign("sha256", input, { key: ec.privateKey, dsaEncoding: "ieee-p1363" }),
    },
    secretSigner(),
  ];
}

/** Returns a new signer with a shared secret. */
export function secretSigner(): Signer {
  const secret = randomBytes(32).toString("base64url");
  return {
    algorithm: "HS256",
    key: secret,
    sign: (input) => createHmac("sha256", secret).update(input).digest(),
  };
}

/** Returns a token that is valid for an hour and differs from every other token. */
export function tokenOf({ algorithm, sign: signed }: Signer, claims: Readonly<Record<string, unknown>>): string {
  const exp = Math.floor(Date.now() / 1000) + 3_600;
  const parts = [
    { alg: algorithm, typ: "JWT" },
    { exp, jti: randomBytes(8).toString("hex"), ...claims },
  ].map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"));
  const input = parts.join(".");
  return `${input}.${signed(Buffer.from(input)).toString("base64url")}`;
}
