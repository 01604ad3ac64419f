/** Authentication of callers: the options of `definePlatform({ authorization })`. `src/auth/` checks and implements them. */

/** Signature algorithms of tokens (RFC 7518 section 3.1, RFC 8037). */
export const algorithms = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "ES512", "EdDSA", "HS256"] as const;

/** A signature algorithm. */
export type Algorithm = (typeof algorithms)[number];

/** Where requests carry their token. */
export type TokenSource = "HEADER" | "COOKIE" | "BOTH";

/** A public key as a JSON Web Key (RFC 7517). */
export type JsonWebKey = Readonly<Record<string, unknown>> & { readonly kty: string };

/** Scopes that a request needs: `"GET /agents": ["read:agents"]`. An empty list opens the route to every valid token. */
export type ScopeMappings = Readonly<Record<string, readonly string[]>>;

/** Names of the claims in tokens. */
export interface ClaimNames {
  /**
   * Claim with the caller's scopes, a list of strings. Default `scopes`. A name with dots that is not itself a claim is a path:
   * `realm_access.roles`.
   */
  readonly scopesClaim?: string;
  /** Claim with the caller's user id. Default `sub`. */
  readonly userIdClaim?: string;
  /** Claim with the session of the caller's runs. Default `session_id`. */
  readonly sessionIdClaim?: string;
  /** Claims that are passed to runs as dependencies. Default: none. */
  readonly dependenciesClaims?: readonly string[];
  /** Claims that are written to the session state when a run starts. Default: none. */
  readonly sessionStateClaims?: readonly string[];
  /**
   * Name of the claim with the user's limits, an object: `{ "cost": 0.5, "per_day": { "cost": 5 }, "on_limit": "pause" }`. Default: none. See
   * docs/limits.md.
   */
  readonly limitsClaim?: string;
}

/** An identity provider whose tokens are accepted, bound to its own keys and audience. */
export interface IssuerOptions extends ClaimNames {
  /** The exact claim `iss` of its tokens. */
  readonly issuer: string;
  /** URL of its key set. */
  readonly jwksUrl?: string;
  /** URL of its OpenID Connect discovery document, or `true` for the default URL below the issuer. Default: `true` if there is no `jwksUrl`. */
  readonly discovery?: boolean | string;
  /** Accepted audience or audiences: the claim `aud` of a token must contain one of them. */
  readonly audience?: string | readonly string[];
  /** False accepts tokens of this issuer for any audience. Default true. */
  readonly verifyAudience?: boolean;
  /** Accepted algorithms. Default `["RS256"]`; shared secrets are not accepted. */
  readonly algorithms?: readonly Algorithm[];
  /** Scopes that endpoints need from tokens of this issuer, if they differ from the platform's. */
  readonly scopeMappings?: ScopeMappings;
  /**
   * Prefix for the user ids of its tokens. Without a prefix, users of two providers with the same id are the same user, which is intended
   * while users move from one provider to another.
   */
  readonly userIdPrefix?: string;
  /** Whether keys may be read over plain HTTP. Default false: only from this machine. */
  readonly allowHttp?: boolean;
}

/** Options of authorization. Keys may also come from the environment: `JWT_VERIFICATION_KEY`, `JWT_JWKS_FILE`. */
export interface AuthorizationOptions extends ClaimNames {
  /** Public keys (PEM or JWK), or shared secrets for HS256. Each must match `algorithm`. */
  readonly verificationKeys?: readonly (string | JsonWebKey)[];
  /** File with a JSON Web Key Set. It is read again when it changes. */
  readonly jwksFile?: string;
  /** Algorithm of the tokens that `verificationKeys` and `jwksFile` verify. Default `RS256`. */
  readonly algorithm?: Algorithm;
  /** Identity providers, each with its own keys. */
  readonly issuers?: readonly IssuerOptions[];
  /** Accepted audience or audiences: if set, the claim `aud` of a token must contain one of them. */
  readonly audience?: string | readonly string[];
  /** `true` without `audience` requires the platform's id as audience. */
  readonly verifyAudience?: boolean;
  /** Whether tokens must have an expiration time. Default true. */
  readonly requireExpiration?: boolean;
  /** Tolerated clock difference in seconds. Default 10. */
  readonly leewaySeconds?: number;
  /** The scope that permits everything. Default `agent_os:admin`. */
  readonly adminScope?: string;
  /** Whether callers other than admins can access only their own data. Default false. */
  readonly userIsolation?: boolean;
  /** Where requests carry their token. Default `HEADER`. */
  readonly tokenSource?: TokenSource;
  /** Default `access_token`. */
  readonly cookieName?: string;
  /**
   * Paths that need no token; `*` matches any text. Replaces the default: `/`, `/health`, `/info`, `/docs`, `/redoc`, `/openapi.json`,
   * `/docs/oauth2-redirect`.
   */
  readonly excludedRoutePaths?: readonly string[];
  /** Scopes that endpoints need, instead of the default scopes. */
  readonly scopeMappings?: ScopeMappings;
  /** Token for a scheduler outside this server, at least 32 characters. It must be the same in every process. */
  readonly internalServiceToken?: string;
}

/** The kind of authentication, as shown by `GET /info`. */
export type AuthMode = "none" | "security_key" | "jwt";

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The scopes that a route requires, by index of the scope mapping that applies to the caller. */
export type RequiredScopes = readonly (readonly string[])[];
