/** `console: { oidc }` of the platform: sign-in with an OpenID Connect provider. */
/** See `ConsoleOidc` of the server. */
export interface OidcOptions {
  readonly issuer: string;
  readonly clientId: string;
  /** Requested scopes. */
  readonly scopes: readonly string[];
  readonly token: "access_token" | "id_token";
  readonly parameters?: Readonly<Record<string, string>>;
}
