import { createServer } from "node:http";
import { expect, onTestFinished, test, vi } from "vitest";
import { type Serving, workplace } from "../cli/support/troupe.ts";
import { type Claims, makePair, type Pair, token } from "../support/tokens.ts";
import { blocks, page, rows } from "./support/pages.ts";

// Every test starts processes, which takes long on a busy machine.
vi.setConfig({ testTimeout: 60_000 });

const authorization = page("docs/authorization.md");
const setUps = new Map(
  blocks(authorization).flatMap(({ marks, code }) => {
    const name = marks.find((mark) => mark.startsWith("setup="))?.slice("setup=".length);
    return name === undefined ? [] : [[name, code] as const];
  }),
);

const [rsa, ec, other] = [makePair(), makePair("ES256"), makePair()];

/** Starts a local provider with a key set and a discovery document for every issuer path below its URL. */
async function provider(...pairs: Pair[]): Promise<string> {
  const server = createServer(({ url = "" }, response) => {
    const [issuer = "", isDocument] = url.split(/(\.well-known\/openid-configuration)/);
    const document = {
      issuer: `${base}${isWithSlash(issuer) ? issuer : issuer.slice(0, -1)}`,
      jwks_uri: `${base}/keys`,
    };
    response.end(JSON.stringify(isDocument ? document : { keys: pairs.map(({ jwk }) => jwk) }));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const base = `http://127.0.0.1:${(server.address() as { port: number }).port}`;
  return base;
}

/** Whether the issuer ends with a slash: only one issuer of the page does. */
function isWithSlash(path: string): boolean {
  return path === "/auth0/";
}

interface Asked {
  readonly serving: Serving;
  /** Status of `GET /agents` with a token of these claims. */
  list(by: Pair, claims: Claims): Promise<number>;
  /** Status of a start, and the user it was for. */
  run(by: Pair, claims: Claims): Promise<[number, string | undefined]>;
}

/** Starts a set-up of the page. `addresses` replaces the page's providers with local ones. */
async function start(
  name: string,
  ask: (asked: Asked) => Promise<void>,
  {
    addresses = {},
    environment = {},
  }: { addresses?: Record<string, string>; environment?: Record<string, string> } = {},
): Promise<void> {
  let code = setUps.get(name) ?? "";
  for (const [there, here] of Object.entries(addresses)) {
    expect(code).toContain(there);
    code = code.replaceAll(there, here);
  }
  await using place = await workplace({ "app.ts": code, "backend.pem": name === "migration" ? rsa.pem : ec.pem });
  const serving = await place.serve("start app.ts --port 0", environment);
  expect((await fetch(`${serving.address}/agents`)).status).toBe(401);
  const headers = (by: Pair, claims: Claims) => ({ authorization: `Bearer ${token(claims, by)}` });
  await ask({
    serving,
    list: async (by, claims) => (await fetch(`${serving.address}/agents`, { headers: headers(by, claims) })).status,
    run: async (by, claims) => {
      const body = new URLSearchParams({ message: "Hi", stream: "false", user_id: "mallory" });
      const answer = await fetch(`${serving.address}/agents/greeter/runs`, {
        method: "POST",
        body,
        headers: headers(by, claims),
      });
      return [answer.status, ((await answer.json()) as { user_id?: string }).user_id];
    },
  });
}

const sub = "alice";

test("the set-up for the control plane verifies tokens and scopes", () =>
  start(
    "control-plane",
    async ({ list, run }) => {
      expect(await list(rsa, { sub, scopes: ["agents:read"] })).toBe(200);
      expect(await list(rsa, { sub, scopes: ["agents:run"] })).toBe(403);
      expect(await run(rsa, { sub, scopes: ["agents:run"] })).toEqual([200, sub]);
      expect(await list(other, { sub, scopes: ["agents:read"] })).toBe(401);
    },
    { environment: { JWT_VERIFICATION_KEY: rsa.pem.replaceAll("\n", "\\n") } },
  ));

test("the set-up for an own backend requires its audience and a user", () =>
  start("own-backend", async ({ list, run }) => {
    const aud = "newsroom";
    expect(await run(ec, { sub, aud, tenant: "acme", scopes: ["agents:greeter:run"] })).toEqual([200, sub]);
    expect(await list(ec, { sub, aud: "other", scopes: ["agents:read"] })).toBe(401);
    expect(await run(ec, { aud, scopes: ["agents:run"] })).toEqual([403, undefined]);
  }));

test("the set-up for Auth0 maps permissions to routes", async () => {
  const base = await provider(rsa);
  const iss = `${base}/auth0/`;
  const good = { iss, sub: "auth0|1", aud: "https://agents.newsroom.example" };
  await start(
    "auth0",
    async ({ list, run }) => {
      expect(await list(rsa, { ...good, permissions: ["read:agents"] })).toBe(200);
      expect(await run(rsa, { ...good, permissions: ["read:agents"] })).toEqual([403, undefined]);
      expect(await run(rsa, { ...good, permissions: ["run:agents"] })).toEqual([200, "auth0|1"]);
      expect(await list(rsa, { ...good, scope: "read:agents", scopes: ["agents:read"] })).toBe(403);
      expect(await list(rsa, { ...good, aud: "https://other.example", permissions: ["read:agents"] })).toBe(401);
    },
    { addresses: { "https://newsroom.eu.auth0.com/": iss } },
  );
});

test("the set-up for Keycloak reads realm roles, the user name and the admin role", async () => {
  const base = await provider(rsa);
  const iss = `${base}/realms/staff`;
  const good = { iss, sub: "1", preferred_username: "alice", aud: ["account", "newsroom"] };
  await start(
    "keycloak",
    async ({ list, run }) => {
      expect(await run(rsa, { ...good, realm_access: { roles: ["agents:run"] } })).toEqual([200, "alice"]);
      expect(await list(rsa, { ...good, realm_access: { roles: ["platform-admin"] } })).toBe(200);
      expect(await list(rsa, { ...good, realm_access: { roles: ["agent_os:admin"] } })).toBe(403);
    },
    { addresses: { "https://sso.newsroom.example/realms/staff": iss } },
  );
});

test("the set-up for Microsoft Entra ID maps app roles and takes the object id as the user", async () => {
  const base = await provider(rsa);
  const iss = `${base}/11111111-2222-3333-4444-555555555555/v2.0`;
  const good = { iss, sub: "pairwise", oid: "object", aud: "66666666-7777-8888-9999-000000000000" };
  await start(
    "entra",
    async ({ list, run }) => {
      expect(await list(rsa, { ...good, roles: ["Agents.Read"] })).toBe(200);
      expect(await run(rsa, { ...good, roles: ["Agents.Run"] })).toEqual([200, "object"]);
      expect(await run(rsa, { ...good, roles: ["Agents.Read"] })).toEqual([403, undefined]);
    },
    { addresses: { "https://login.microsoftonline.com": base } },
  );
});

test("the set-up for a migration accepts each issuer's tokens with that issuer's keys only", async () => {
  const [before, after] = [await provider(other), await provider(ec)];
  const claims = { sub, aud: "newsroom", scopes: ["agents:read"] };
  await start(
    "migration",
    async ({ list }) => {
      expect(await list(other, { ...claims, iss: before })).toBe(200);
      expect(await list(ec, { ...claims, iss: after })).toBe(200);
      expect(await list(rsa, claims)).toBe(200);
      expect(await list(ec, { ...claims, iss: before })).toBe(401);
      expect(await list(rsa, { ...claims, iss: before })).toBe(401);
    },
    { addresses: { "https://old.newsroom.example": before, "https://new.newsroom.example": after } },
  );
});

test("the set-up for cookies accepts the cookie only, and rejects foreign origins", () =>
  start("cookie", async ({ serving, list }) => {
    expect(await list(ec, { sub, scopes: ["agents:read"] })).toBe(401);
    const cookie = `__Host-newsroom_session=${token({ sub, scopes: ["agents:run"] }, ec)}`;
    const run = async (origin: string | undefined) => {
      const body = new URLSearchParams({ message: "Hi", stream: "false" });
      const headers = { cookie, ...(origin === undefined ? {} : { origin }) };
      return (await fetch(`${serving.address}/agents/greeter/runs`, { method: "POST", body, headers })).status;
    };
    expect(await run("https://www.newsroom.example")).toBe(200);
    expect(await run(undefined)).toBe(200);
    expect(await run("https://evil.example")).toBe(403);
    expect(await run("http://localhost:3000")).toBe(403);
  }));

test("the page's service account for CI can run its agent and no other", () =>
  start(
    "control-plane",
    async ({ serving }) => {
      const command = blocks(authorization).find(({ code }) => code.includes("/service-accounts -H"))?.code ?? "";
      const body = /-d '([^']+)'/.exec(command)?.[1] ?? "";
      const admin = token({ sub, scopes: ["agent_os:admin"] }, rsa);
      const headers = { authorization: `Bearer ${admin}`, "content-type": "application/json" };
      const made = await fetch(`${serving.address}/service-accounts`, { method: "POST", headers, body });
      const { token: secret } = (await made.json()) as { token: string };
      const run = (agent: string) => {
        const form = new URLSearchParams({ message: "Hi", stream: "false" });
        const own = { authorization: `Bearer ${secret}` };
        return fetch(`${serving.address}/agents/${agent}/runs`, { method: "POST", body: form, headers: own });
      };
      expect(await (await run("greeter")).json()).toMatchObject({ user_id: "sa:ci", status: "COMPLETED" });
      expect((await run("other")).status).toBe(403);
    },
    { environment: { JWT_VERIFICATION_KEY: rsa.pem } },
  ));

test("the page has no other set-ups, and its table translates every option name", () => {
  expect([...setUps.keys()]).toEqual([
    "control-plane",
    "own-backend",
    "auth0",
    "keycloak",
    "entra",
    "migration",
    "cookie",
  ]);
  const names = rows(authorization, "AgentOS").map(([theirs = "", ours = ""]) => [theirs, ours.split(/[:\s]/)[0]]);
  for (const [theirs = "", ours] of names) {
    if (["secret_key", "validate"].includes(theirs)) continue;
    expect(ours).toBe(theirs.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
  }
  expect(names.length).toBeGreaterThan(15);
});
