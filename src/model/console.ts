/** The console of a platform: the options of `definePlatform({ console })`. */

/** Options of the console. */
export interface ConsoleOptions {
  /** Sign-in with an OpenID Connect provider. Default: callers paste a token. */
  readonly oidc?: ConsoleOidc;
}

/**
 * An OpenID Connect provider for the sign-in of the console: authorization code flow with PKCE (RFC 7636), as a public client. The console sends the
 * access token that it receives to this server, so `authorization` must accept these tokens.
 */
export interface ConsoleOidc {
  /** Issuer, as in its discovery document: `https://sso.example/realms/staff`. HTTPS, or HTTP on loopback. */
  readonly issuer: string;
  /** Id of the console at the provider. Its redirect URL is the URL of the console with `/signed-in` after it. */
  readonly clientId: string;
  /** Requested scopes. Default `openid profile`. */
  readonly scopes?: readonly string[];
  /** More parameters of the authorization request, such as the `audience` of Auth0. */
  readonly parameters?: Readonly<Record<string, string>>;
  /** The token of the provider that is sent to this server. Default `access_token`. */
  readonly token?: "access_token" | "id_token";
  /** Origins of the provider's endpoints, if they differ from the origin of the issuer. */
  readonly origins?: readonly string[];
}
