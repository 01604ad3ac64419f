/** Signatures of cards (JWS, RFC 7515), by which clients detect that a card was altered in transit. */
import { FlattenedSign, importJWK, type JWK } from "jose";
import type { JsonWebKey } from "../../../model/authorization.ts";
import { canonicalJson } from "../../../model/canonical-json.ts";
import type { Card } from "./card.ts";
import { type CardJson, card10 } from "./versions.ts";

/** Returns the signature of a card. It covers the card's 1.0 members, whichever version the card is written for. */
export async function signatureOf(card: Card, jwk: JsonWebKey): Promise<CardJson> {
  const { alg = "", kid = "" } = jwk as JWK;
  const key = await importJWK(jwk as JWK, alg);
  const payload = new TextEncoder().encode(signedText(card));
  const jws = await new FlattenedSign(payload).setProtectedHeader({ alg, kid, typ: "JOSE" }).sign(key);
  return { protected: jws.protected, signature: jws.signature };
}

/** Returns the text that the signature covers: the card without its empty members, in canonical form (A2A 1.0, section 8.4). */
export function signedText(card: Card): string {
  // Verifiers drop unknown members of a provider. The stock library for JavaScript (@a2a-js/sdk 1.3) also drops all security schemes.
  const provider = card.provider && { organization: card.provider.organization, url: card.provider.url };
  return canonicalJson(withoutEmpty(card10({ ...card, provider, securities: [] })));
}

/** Returns a value without its members that are empty or become empty; undefined if nothing remains. Numbers and `false` are not empty. */
function withoutEmpty(value: unknown): unknown {
  if (value === "" || value === null) return undefined;
  if (typeof value !== "object") return value;
  if (Array.isArray(value)) {
    const items = value.map(withoutEmpty).filter((item) => item !== undefined);
    return items.length === 0 ? undefined : items;
  }
  const members = Object.entries(value as object)
    .map(([name, member]) => [name, withoutEmpty(member)] as const)
    .filter(([, member]) => member !== undefined);
  return members.length === 0 ? undefined : Object.fromEntries(members);
}
