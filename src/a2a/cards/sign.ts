/** Signatures of cards (JWS, RFC 7515, over the canonical JSON of RFC 8785), by which clients know that a card was not changed on its way. */
import { FlattenedSign, importJWK, type JWK } from "jose";
import type { JsonWebKey } from "../../model/authorization.ts";
import type { CardJson } from "./versions.ts";

/** The card with its signature: over the whole of it, but for members that are null, and signatures. */
export async function signed(card: CardJson, jwk: JsonWebKey): Promise<CardJson> {
  const { alg = "", kid = "" } = jwk as JWK;
  const { signatures: _, ...content } = card;
  const key = await importJWK(jwk as JWK, alg);
  const payload = new TextEncoder().encode(canonical(content));
  const jws = await new FlattenedSign(payload).setProtectedHeader({ alg, kid, typ: "JOSE" }).sign(key);
  return { ...card, signatures: [{ protected: jws.protected, signature: jws.signature }] };
}

/** JSON with the members of objects in the order of their names (RFC 8785); numbers and texts are written as `JSON.stringify` does. */
function canonical(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  const sorted = members.sort(([a], [b]) => (a < b ? -1 : 1));
  return `{${sorted.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(",")}}`;
}
