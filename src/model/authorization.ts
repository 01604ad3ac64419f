/** How callers are told apart: the options of `definePlatform({ authorization })`. `src/auth/` checks them and makes them work. */

/** Signature algorithms of tokens (RFC 7518 section 3.1, RFC 8037). */
export const algorithms = ["RS256", "RS384", "RS512", "PS256", "ES256", "ES384", "ES512", "EdDSA", "HS256"] as const;

/** A signature algorithm. */
export type Algorithm = (typeof algorithms)[number];

/** Where a request carries its token. */
export type TokenSource = "HEADER" | "COOKIE" | "BOTH";

/** A public key as a JSON Web Key (RFC 7517). */
export type JsonWebKey = Readonly<Record<string, unknown>> & { readonly kty: string };

/** Scopes that a request needs: `"GET /agents": ["read:agents"]`. An empty list opens the route to every valid token. */
export type ScopeMappings = Readonly<Record<string, readonly string[]>>;

/** Which claims say what. */
export interface ClaimNames {
  /**
   * Claim with the caller's scopes, a list of texts. Default `scopes`. A name with dots that is no claim itself is a path:
   * `realm_access.roles`.
   */
  readonly scopesClaim?: string;
  /** Claim with the caller's user id. Default `sub`. */
  readonly userIdClaim?: string;
  /** Claim with the session that the caller's runs belong to. Default `session_id`. */
  readonly sessionIdClaim?: string;
  /** Claims that are handed to runs among their dependencies. Default none. */
  readonly dependenciesClaims?: readonly string[];
  /** Claims that are put into the state of the session of a run that starts. Default none. */
  readonly sessionStateClaims?: readonly string[];
}

/** An identity provider whose tokens are accepted, bound to its own keys and audience. */
export interface IssuerOptions extends ClaimNames {
  /** The claim `iss` of its tokens, exactly. */
  readonly issuer: string;
  /** Address of its key set. */
  readonly jwksUrl?: string;
  /** Its OpenID Connect discovery document, or `true` for the usual address below the issuer. Default when there is no `jwksUrl`. */
  readonly discovery?: boolean | string;
  /** Who its tokens must be meant for: one of these in the claim `aud`. */
  readonly audience?: string | readonly string[];
  /** False accepts tokens of this issuer whoever they are meant for. Default true. */
  readonly verifyAudience?: boolean;
  /** Accepted algorithms. Default `["RS256"]`; no shared secrets. */
  readonly algorithms?: readonly Algorithm[];
  /** Scopes that endpoints need of tokens of this issuer, where they differ from those of the platform. */
  readonly scopeMappings?: ScopeMappings;
  /**
   * Put before the user ids of its tokens. Two providers may have different users of one name: without a prefix they are the same user here, as
   * it should be while users move from one provider to another.
   */
  readonly userIdPrefix?: string;
  /** Reads keys over plain HTTP. Default false: only from this machine itself. */
  readonly allowHttp?: boolean;
}

/** Options of authorization. Keys may also come from the environment: `JWT_VERIFICATION_KEY`, `JWT_JWKS_FILE`. */
export interface AuthorizationOptions extends ClaimNames {
  /** Public keys (PEM or JWK), or shared secrets for HS256. Each must fit `algorithm`. */
  readonly verificationKeys?: readonly (string | JsonWebKey)[];
  /** File with a JSON Web Key Set; read again when it changes. */
  readonly jwksFile?: string;
  /** Algorithm of tokens that `verificationKeys` and `jwksFile` verify. Default `RS256`. */
  readonly algorithm?: Algorithm;
  /** Identity providers, each with its own keys. */
  readonly issuers?: readonly IssuerOptions[];
  /** Who tokens must be meant for: one of these in the claim `aud`. Given, it is verified. */
  readonly audience?: string | readonly string[];
  /** `true` without `audience` expects the platform's id. */
  readonly verifyAudience?: boolean;
  /** Whether a token must say when it expires. Default true. */
  readonly requireExpiration?: boolean;
  /** Seconds by which clocks may differ. Default 10. */
  readonly leewaySeconds?: number;
  /** The scope that allows everything. Default `agent_os:admin`. */
  readonly adminScope?: string;
  /** Limits every caller but admins to what is its own. Default false. */
  readonly userIsolation?: boolean;
  /** Where requests carry their token. Default `HEADER`. */
  readonly tokenSource?: TokenSource;
  /** Default `access_token`. */
  readonly cookieName?: string;
  /**
   * Paths that need no token, `*` standing for anything. Replaces the usual ones: `/`, `/health`, `/info`, `/docs`, `/redoc`,
   * `/openapi.json`, `/docs/oauth2-redirect`.
   */
  readonly excludedRoutePaths?: readonly string[];
  /** What endpoints need instead of their usual scopes. */
  readonly scopeMappings?: ScopeMappings;
  /** Token of a scheduler outside of this server, at least 32 characters. Every process must be given the same. */
  readonly internalServiceToken?: string;
}

/** How callers prove who they are, as `GET /info` says it. */
export type AuthMode = "none" | "security_key" | "jwt";

/** Variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;
