/**
 * Sign-in with an OpenID Connect provider: authorization code flow with PKCE (RFC 6749 section 4.1, RFC 7636). The page leaves for the provider and
 * returns to the place where it was.
 */
import { ApiError } from "../api/errors.ts";
import { consoleOptions, consolePath } from "../api/places.ts";
import { signIn } from "./credential.ts";
import type { OidcOptions } from "./oidc-options.ts";

const key = "troupe-oidc";

/** What a sign-in needs when the provider sends the browser back. */
interface Begun {
  readonly state: string;
  readonly nonce: string;
  readonly verifier: string;
  readonly keep: boolean;
  /** Path and query of the page, below the console's path. */
  readonly place: string;
}

const redirectUrl = (): string => `${location.origin}${consolePath}/signed-in`;

/** Opens the provider's sign-in page. @throws ApiError if the provider cannot be reached */
export async function beginOidc({ keep }: { readonly keep: boolean }): Promise<void> {
  const { options, oauth, server } = await discover();
  const verifier = oauth.generateRandomCodeVerifier();
  const begun: Begun = {
    state: oauth.generateRandomState(),
    nonce: oauth.generateRandomNonce(),
    verifier,
    keep,
    place: location.href.slice(location.origin.length + consolePath.length),
  };
  sessionStorage.setItem(key, JSON.stringify(begun));
  const url = new URL(server.authorization_endpoint ?? "");
  url.search = new URLSearchParams({
    ...options.parameters,
    client_id: options.clientId,
    redirect_uri: redirectUrl(),
    response_type: "code",
    scope: options.scopes.join(" "),
    state: begun.state,
    nonce: begun.nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
  }).toString();
  location.assign(url);
}

/** Completes the sign-in on the redirect URL, and returns the place to return to. @throws ApiError */
export async function completeOidc(): Promise<string> {
  const kept = sessionStorage.getItem(key);
  sessionStorage.removeItem(key);
  if (kept === null)
    throw new ApiError("This tab has begun no sign-in. Open the console and sign in again.", { status: 400 });
  const begun: Begun = JSON.parse(kept);
  const { options, oauth, server, insecure } = await discover();
  const client = { client_id: options.clientId };
  try {
    const parameters = oauth.validateAuthResponse(server, client, new URL(location.href), begun.state);
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, client, oauth.None(), parameters, redirectUrl(), begun.verifier, insecure] as const),
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: begun.nonce,
    });
    const token = tokens[options.token];
    if (token === undefined) throw new Error(`The provider sent no ${options.token}.`);
    signIn(token, { keep: begun.keep });
    return begun.place;
  } catch (error) {
    throw toError(error);
  }
}

async function discover() {
  const options = consoleOptions.oidc as OidcOptions;
  const oauth = await import("oauth4webapi");
  const issuer = new URL(options.issuer);
  // The server accepts an issuer over HTTP on loopback only.
  const insecure = { [oauth.allowInsecureRequests]: issuer.protocol === "http:" };
  try {
    const response = await oauth.discoveryRequest(issuer, insecure);
    return { options, oauth, insecure, server: await oauth.processDiscoveryResponse(issuer, response) };
  } catch (error) {
    throw toError(error);
  }
}

function toError(error: unknown): ApiError {
  const { error_description: description } = error as { readonly error_description?: unknown };
  const message =
    typeof description === "string" ? description : error instanceof Error ? error.message : String(error);
  return new ApiError(`The sign-in provider: ${message}`, { status: 400 });
}
