/** Signatures of cards (JWS, RFC 7515), by which clients detect that a card was altered in transit. */
import { AgentCard, canonicalizeAgentCard } from "@a2a-js/sdk";
import { FlattenedSign, importJWK, type JWK } from "jose";
import type { JsonWebKey } from "../../../model/authorization.ts";
import type { Card } from "./card.ts";
import { type CardJson, card10 } from "./versions.ts";

/** The signature of a card: it covers the card's 1.0 members in canonical form (A2A 1.0, section 8.4), whichever version the card is written for. */
export async function signatureOf(card: Card, jwk: JsonWebKey): Promise<CardJson> {
  const { alg = "", kid = "" } = jwk as JWK;
  const key = await importJWK(jwk as JWK, alg);
  const payload = new TextEncoder().encode(canonicalizeAgentCard(AgentCard.fromJSON(card10(card))));
  const jws = await new FlattenedSign(payload).setProtectedHeader({ alg, kid, typ: "JOSE" }).sign(key);
  return { protected: jws.protected, signature: jws.signature };
}
