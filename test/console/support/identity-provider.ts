/** An OpenID Connect provider on loopback, in which every name signs in with any password. Its access tokens are JWTs. */
import { generateKeyPairSync } from "node:crypto";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type JWK, Provider } from "oidc-provider";

export interface IdentityProvider extends AsyncDisposable {
  readonly issuer: string;
  /** Registers the console. Requests wait until then. */
  register(redirectUrl: string): void;
}

/** `scopes` are the scopes of its tokens; `audience` is their audience. */
export async function openIdentityProvider(audience: string, scopes: readonly string[]): Promise<IdentityProvider> {
  const registered = Promise.withResolvers<ReturnType<Provider["callback"]>>();
  const server = createServer((request, response) => {
    void registered.promise.then((handle) => handle(request, response));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { privateKey } = generateKeyPairSync("rsa", { modulusLength: 2048 });
  return {
    issuer,
    register(redirectUrl) {
      const provider = new Provider(issuer, {
        clients: [
          {
            client_id: "console",
            token_endpoint_auth_method: "none",
            redirect_uris: [redirectUrl],
            grant_types: ["authorization_code"],
            response_types: ["code"],
          },
        ],
        jwks: { keys: [{ ...privateKey.export({ format: "jwk" }), kid: "key", use: "sig", alg: "RS256" } as JWK] },
        cookies: { keys: ["a-key-for-the-cookies-of-the-test"] },
        clientBasedCORS: () => true,
        features: {
          devInteractions: { enabled: true },
          resourceIndicators: {
            enabled: true,
            defaultResource: () => "urn:newsroom",
            useGrantedResource: () => true,
            getResourceServerInfo: () => ({ scope: "run", audience, accessTokenFormat: "jwt" }),
          },
        },
        extraTokenClaims: () => ({ scopes: [...scopes] }),
        findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
      });
      registered.resolve(provider.callback());
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
