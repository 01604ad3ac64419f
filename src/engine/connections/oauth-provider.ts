/** Requests to a provider's authorization server, with `oauth4webapi`. */
import type * as OAuth from "oauth4webapi";
import type { ConnectionProvider } from "../../model/connections.ts";
import type { Clock } from "../../model/runtime.ts";

/** Milliseconds that a provider may take to answer. */
const timeout = 10_000;
/** Milliseconds for which the metadata of an issuer is used. */
const metadataDuration = 3_600_000;

/** Tokens of an account. */
export interface Tokens {
  readonly accessToken: string;
  readonly refreshToken?: string | undefined;
  /** Milliseconds for which the access token is valid; undefined if the provider does not say. */
  readonly validFor?: number | undefined;
  /** Granted scopes; undefined if they are the requested ones. */
  readonly scopes?: readonly string[] | undefined;
}

/** One authorization request. */
export interface AuthorizationRequest {
  readonly state: string;
  readonly verifier: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
}

export class OAuthProvider {
  readonly #options: ConnectionProvider;
  readonly #clock: Clock;
  #metadata: { readonly server: OAuth.AuthorizationServer; readonly at: number } | undefined;

  constructor(options: ConnectionProvider, clock: Clock) {
    this.#options = options;
    this.#clock = clock;
  }

  /** Returns the address of the authorization page. @throws the error of the discovery */
  async authorizationUrl({ state, verifier, scopes, redirectUri }: AuthorizationRequest): Promise<URL> {
    const oauth = await import("oauth4webapi");
    const { authorization_endpoint } = await this.#server();
    if (authorization_endpoint === undefined) throw new Error("The provider's metadata has no authorization page.");
    const url = new URL(authorization_endpoint);
    const parameters = {
      ...this.#options.parameters,
      client_id: this.#options.clientId,
      redirect_uri: redirectUri,
      response_type: "code",
      state,
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: "S256",
      ...(scopes.length > 0 && { scope: scopes.join(" ") }),
    };
    for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value);
    return url;
  }

  /** Exchanges the code in the parameters of the callback. @throws the provider's error, or one of the validation */
  async exchange(parameters: URLSearchParams, request: Omit<AuthorizationRequest, "scopes">): Promise<Tokens> {
    const oauth = await import("oauth4webapi");
    const server = await this.#server();
    const client = this.#client();
    const valid = oauth.validateAuthResponse(server, client, parameters, request.state);
    const { redirectUri, verifier } = request;
    const authentication = this.#authentication(oauth);
    const options = this.#requestOptions(oauth);
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, client, authentication, valid, redirectUri, verifier, options] as const),
    );
    return toTokens(await oauth.processAuthorizationCodeResponse(server, client, response));
  }

  /** Returns fresh tokens. @throws see `isRejected` */
  async refresh(refreshToken: string): Promise<Tokens> {
    const oauth = await import("oauth4webapi");
    const server = await this.#server();
    const client = this.#client();
    const options = this.#requestOptions(oauth);
    const response = await oauth.refreshTokenGrantRequest(
      ...([server, client, this.#authentication(oauth), refreshToken, options] as const),
    );
    // Without a new refresh token the old one stays valid.
    return { refreshToken, ...toTokens(await oauth.processRefreshTokenResponse(server, client, response)) };
  }

  /** Revokes a token, if the provider has an endpoint for it. */
  async revoke(token: string): Promise<void> {
    const oauth = await import("oauth4webapi");
    const server = await this.#server();
    if (server.revocation_endpoint === undefined) return;
    const authentication = this.#authentication(oauth);
    const options = this.#requestOptions(oauth);
    const response = await oauth.revocationRequest(server, this.#client(), authentication, token, options);
    await oauth.processRevocationResponse(response);
  }

  #client(): OAuth.Client {
    return { client_id: this.#options.clientId };
  }

  #authentication(oauth: typeof OAuth): OAuth.ClientAuth {
    const { clientSecret, clientAuthentication } = this.#options;
    if (clientSecret === undefined) return oauth.None();
    return clientAuthentication === "post"
      ? oauth.ClientSecretPost(clientSecret)
      : oauth.ClientSecretBasic(clientSecret);
  }

  /** Plain HTTP is for providers on this machine only: the definition is checked. */
  #requestOptions(oauth: typeof OAuth): {
    readonly signal: AbortSignal;
    readonly [OAuth.allowInsecureRequests]: boolean;
  } {
    const { issuer, tokenUrl } = this.#options;
    const isPlain = (tokenUrl ?? issuer ?? "").startsWith("http:");
    const late = new AbortController();
    this.#clock.after(timeout, () => late.abort(new Error("The provider did not answer in time.")));
    return { signal: late.signal, [oauth.allowInsecureRequests]: isPlain };
  }

  async #server(): Promise<OAuth.AuthorizationServer> {
    const { issuer, authorizationUrl, tokenUrl, revocationUrl } = this.#options;
    const given = {
      ...(authorizationUrl !== undefined && { authorization_endpoint: authorizationUrl }),
      ...(tokenUrl !== undefined && { token_endpoint: tokenUrl }),
      ...(revocationUrl !== undefined && { revocation_endpoint: revocationUrl }),
    };
    // A provider without metadata sends no issuer that could be compared.
    if (issuer === undefined) return { issuer: new URL(tokenUrl as string).origin, ...given };
    const now = this.#clock.monotonic();
    if (this.#metadata === undefined || now - this.#metadata.at > metadataDuration)
      this.#metadata = { server: await this.#discover(new URL(issuer)), at: now };
    return { ...this.#metadata.server, ...given };
  }

  async #discover(issuer: URL): Promise<OAuth.AuthorizationServer> {
    const oauth = await import("oauth4webapi");
    const options = this.#requestOptions(oauth);
    const found = await oauth.discoveryRequest(issuer, { ...options, algorithm: "oidc" });
    if (found.ok) return await oauth.processDiscoveryResponse(issuer, found);
    await found.body?.cancel();
    return await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { ...options, algorithm: "oauth2" }),
    );
  }
}

/** Whether the provider rejected the refresh token: the user must connect the account again. */
export function isRejected(error: unknown): boolean {
  return ["invalid_grant", "unauthorized_client"].includes(String((Object(error) as { error?: unknown }).error));
}

function toTokens({ access_token, refresh_token, expires_in, scope }: OAuth.TokenEndpointResponse): Tokens {
  return {
    accessToken: access_token,
    ...(refresh_token !== undefined && { refreshToken: refresh_token }),
    ...(expires_in !== undefined && { validFor: expires_in * 1_000 }),
    // Some providers separate scopes by commas.
    ...(scope !== undefined && { scopes: scope.split(/[ ,]+/).filter(Boolean) }),
  };
}
