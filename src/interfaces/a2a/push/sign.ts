/** Tokens that prove the sender of a push notification (JWT, RFC 7519), and the key set by which receivers verify them (JWK Set, RFC 7517). */
import { createHash } from "node:crypto";
import { importJWK, type JWK, SignJWT } from "jose";
import type { JsonWebKey } from "../../../model/authorization.ts";

/** Validity of a token, in seconds. */
const lifetime = 300;

/** Returns a function that creates the token of a body. The token contains the body's hash, so it is valid for no other body. */
export function signer(jwk: JsonWebKey, issuer: string): (url: string, body: string, id: string) => Promise<string> {
  const { alg = "", kid } = jwk as JWK;
  let key: ReturnType<typeof importJWK> | undefined;
  return async (url, body, id) => {
    key ??= importJWK(jwk as JWK, alg);
    const hash = createHash("sha256").update(body).digest("hex");
    return await new SignJWT({ request_body_sha256: hash })
      .setProtectedHeader({ alg, typ: "JWT", ...(kid !== undefined && { kid }) })
      .setIssuer(issuer)
      .setAudience(new URL(url).origin)
      .setJti(id)
      .setIssuedAt()
      .setExpirationTime(`${lifetime}s`)
      .sign(await key);
  };
}

const privateMembers: ReadonlySet<string> = new Set(["d", "p", "q", "dp", "dq", "qi", "oth", "k"]);

/** The public part of a key, as a key set. */
export function keySet(jwk: JsonWebKey): { readonly keys: readonly Readonly<Record<string, unknown>>[] } {
  const members = Object.entries(jwk).filter(([name]) => !privateMembers.has(name));
  return { keys: [{ ...Object.fromEntries(members), use: "sig", key_ops: ["verify"] }] };
}
