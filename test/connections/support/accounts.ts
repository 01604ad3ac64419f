/** A real authorization server on loopback, in which every name signs in with any password. It counts refreshes and revocations. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";

export interface Accounts extends AsyncDisposable {
  readonly issuer: string;
  /** Numbers of granted refreshes and revoked tokens. */
  readonly counts: { refreshes: number; revocations: number };
  /** Returns the name of the account of a token; undefined for a token that is not valid. */
  accountOf(token: string): Promise<string | undefined>;
}

/** @param redirectUri the address of the callback @param lifetimes seconds of the access tokens, in order; the last one repeats */
export async function openAccounts(redirectUri: string, lifetimes: readonly number[] = [3_600]): Promise<Accounts> {
  const counts = { refreshes: 0, revocations: 0 };
  let issued = 0;
  const server = createServer((request, response) => void handle(request, response));
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const provider = new Provider(issuer, {
    clients: [
      {
        client_id: "troupe",
        client_secret: "a secret with /+%",
        redirect_uris: [redirectUri],
        grant_types: ["authorization_code", "refresh_token"],
        response_types: ["code"],
      },
    ],
    cookies: { keys: ["a-key-for-the-cookies-of-the-test"] },
    scopes: ["openid", "repo", "gist"],
    pkce: { required: () => true },
    features: { devInteractions: { enabled: true }, revocation: { enabled: true }, userinfo: { enabled: true } },
    issueRefreshToken: () => true,
    rotateRefreshToken: true,
    ttl: { AccessToken: () => lifetimes[Math.min(issued++, lifetimes.length - 1)] as number },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
  });
  provider.on("grant.success", ({ oidc }) => {
    if (oidc.params?.grant_type === "refresh_token") counts.refreshes++;
  });
  provider.on("grant.revoked", () => counts.revocations++);
  const handle = provider.callback();
  return {
    issuer,
    counts,
    async accountOf(token) {
      const response = await fetch(`${issuer}/me`, { headers: { authorization: `Bearer ${token}` } });
      return response.ok ? ((await response.json()) as { sub: string }).sub : undefined;
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
