/** A2A of a platform: the options of `definePlatform({ a2a })`. */
import type { JsonWebKey } from "./authorization.ts";

/** Options of A2A. */
export interface A2aOptions {
  /**
   * Whether every client can read the agent cards, even when authorization is on. A card names the component's tools and members. Default
   * false: with authorization on, reading a card needs the scope `<kind>:read`.
   */
  readonly publicCards?: boolean;
  /** The component whose card is served at `/.well-known/agent-card.json`, for instance `agents/researcher`. Default: no such card. */
  readonly rootCard?: string;
  /** Public URL of this server in the cards, for instance `https://agents.example`. Default: the address of the request for the card. */
  readonly url?: string;
  /** The provider of these agents in the cards. */
  readonly provider?: { readonly organization: string; readonly url: string };
  /**
   * A private key (JWK with `alg` and `kid`) that signs cards and push notifications. Cards are signed only if `url` is set, because a
   * signature vouches for the address in the card. The public key is at `/.well-known/jwks.json`. Default: no signatures.
   */
  readonly signingKey?: JsonWebKey;
  /** Whether clients can register push notification URLs for their tasks, and which URLs. Default true: public addresses over HTTPS. */
  readonly pushNotifications?: boolean | PushAddresses;
}

/** Which push notification URLs are allowed in addition to public HTTPS addresses. */
export interface PushAddresses {
  /** Whether plain HTTP is allowed. Default false. */
  readonly allowHttp?: boolean;
  /** Whether addresses outside the public internet are allowed: private networks, this machine and the like. Default false. */
  readonly allowPrivate?: boolean;
}
