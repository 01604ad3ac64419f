/** Tokens that say who sends a push notification (JWT, RFC 7519), and the keys by which receivers know it (JWK Set, RFC 7517). */
import { createHash } from "node:crypto";
import { importJWK, type JWK, SignJWT } from "jose";
import type { JsonWebKey } from "../../../model/authorization.ts";

/** Seconds that a token is good for. */
const lifetime = 300;

/** Makes a token for a body: it names the body by its hash, so that it fits no other one. */
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

/** The public part of a key, as a set. */
export function keySet(jwk: JsonWebKey): { readonly keys: readonly Readonly<Record<string, unknown>>[] } {
  const members = Object.entries(jwk).filter(([name]) => !privateMembers.has(name));
  return { keys: [{ ...Object.fromEntries(members), use: "sig", key_ops: ["verify"] }] };
}
