/** Accounts of users at other services: the options of `definePlatform({ connections })`. See docs/connections.md. */

/** A service that gives access to its users' accounts by OAuth 2.0. */
export interface ConnectionProvider {
  /** Name for people: `GitHub`. Default: the name of the provider. */
  readonly title?: string;
  /** Address of the authorization server, whose metadata (RFC 8414, OpenID Connect Discovery) has the other addresses. */
  readonly issuer?: string;
  /** Without `issuer`: the address of its authorization page. */
  readonly authorizationUrl?: string;
  /** Without `issuer`: the address of its token endpoint. */
  readonly tokenUrl?: string;
  /** Address at which tokens are revoked (RFC 7009). Default: the one in the metadata, or none. */
  readonly revocationUrl?: string;
  readonly clientId: string;
  /** Default: none, for a client that has no secret. */
  readonly clientSecret?: string;
  /** How the secret is sent to the token endpoint. Default `basic`. */
  readonly clientAuthentication?: "basic" | "post";
  /** Scopes of every connection, added to the scopes of the tools. Default: none. */
  readonly scopes?: readonly string[];
  /** More parameters of the authorization request: `{ access_type: "offline" }`. */
  readonly parameters?: Readonly<Record<string, string>>;
}

/** Options of the connections. */
export interface ConnectionsOptions {
  /** Public URL of this server: `https://agents.example`. Register `<url>/connections/<provider>/callback` as redirect address at each provider. */
  readonly url: string;
  /** The providers, by the name that tools use. */
  readonly providers: Readonly<Record<string, ConnectionProvider>>;
}

/** The account that a tool needs. */
export interface OAuthNeed {
  /** Name of the provider in `definePlatform({ connections })`. */
  readonly provider: string;
  /** Scopes that the tool needs. */
  readonly scopes?: readonly string[];
}

/** Names of providers: they are part of URLs. */
export const providerName: RegExp = /^[a-z0-9][a-z0-9-]{0,63}$/;
