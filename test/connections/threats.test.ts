/** Attacks on the flow that connects an account: each is a test. docs/connections.md lists them. */
import { expect, test } from "vitest";
import { openDatabaseOf } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { type Accounts, openAccounts } from "./support/accounts.ts";
import { browserOf, callback, linkOf, officeFor, publicUrl, record, requestLink, run } from "./support/office.ts";

async function withOffice(work: (server: OpenServer, accounts: Accounts) => Promise<void>): Promise<void> {
  await using accounts = await openAccounts(callback);
  await using database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, officeFor(accounts));
  await work(server, accounts);
}

const isConnected = async (server: OpenServer, user: string): Promise<boolean> =>
  (await server.client.get(`/connections?user_id=${user}`)).body[0].connected;

test("state fixation: a flow that one browser began is not finished in another one, and stays valid for the first", () =>
  withOffice(async (server) => {
    const paused = await run(server, "mallory");
    const attacker = browserOf(server);
    // The attacker sends the provider's address, with the own state, to a victim, who signs in.
    const address = await attacker.begin(linkOf(paused));
    const victim = browserOf(server);
    const back = await victim.signIn(address, "victim");
    const refused = await victim.open(back);
    expect(refused).toMatchObject({ status: 403, text: expect.stringContaining("begun in another browser") });
    expect(await isConnected(server, "mallory")).toBe(false);
    expect((await record(server, paused)).status).toBe("PAUSED");
    // Not even with a cookie of the victim's own flow.
    await victim.begin(await requestLink(server, "victim", []));
    expect((await victim.open(back)).status).toBe(403);
    expect((await attacker.connect(linkOf(paused), "mallory")).status).toBe(200);
  }));

test("another user's link: the page names the user that gets access, and nothing begins without its form", () =>
  withOffice(async (server) => {
    const link = linkOf(await run(server, "mallory <script>"));
    const victim = browserOf(server);
    const page = await victim.open(link);
    expect(page).toMatchObject({ status: 200, location: undefined });
    expect(page.text).toContain("Continue only if you are <b>mallory &#60;script&#62;</b>");
    expect(page.text).not.toContain("<script>");
    expect(Object.fromEntries(page.headers)).toMatchObject({
      "content-security-policy": expect.stringContaining("frame-ancestors 'none'"),
      "x-frame-options": "DENY",
      "referrer-policy": "no-referrer",
      "cache-control": "no-store",
      "set-cookie": expect.stringMatching(
        /^__Host-troupe-connect=[0-9a-f]{64}; Path=\/; Max-Age=1200; HttpOnly; SameSite=Lax; Secure$/,
      ),
    });
    // A form of another site comes without the cookie, or without the page's secret.
    const fields = Object.fromEntries(new URL(link).searchParams);
    const form = { ...fields, browser: "0".repeat(64) };
    expect((await browserOf(server).open(`${publicUrl}/connections/hub/authorize`, form)).status).toBe(403);
    expect((await victim.open(`${publicUrl}/connections/hub/authorize`, form)).status).toBe(403);
    expect((await victim.open(`${publicUrl}/connections/hub/authorize`, fields)).status).toBe(403);
  }));

test("reuse: a callback counts once, also for two requests at the same time", () =>
  withOffice(async (server) => {
    const browser = browserOf(server);
    const back = await browser.signIn(await browser.begin(await requestLink(server, "ada", ["repo"])), "ada");
    const answers = await Promise.all([browser.open(back), browser.open(back)]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await browser.open(back)).status).toBe(404);
    expect(await isConnected(server, "ada")).toBe(true);
  }));

test("code injection: a code of another flow is rejected, because its verifier differs", () =>
  withOffice(async (server) => {
    const mallory = browserOf(server);
    const stolen = await mallory.signIn(await mallory.begin(await requestLink(server, "mallory", [])), "mallory");
    const victim = browserOf(server);
    const own = new URL(await victim.signIn(await victim.begin(await requestLink(server, "victim", [])), "victim"));
    own.searchParams.set("code", new URL(stolen).searchParams.get("code") as string);
    expect((await victim.open(own.href)).status).toBe(400);
    expect(await isConnected(server, "victim")).toBe(false);
  }));

test("mix-up: a callback that names another issuer is rejected", () =>
  withOffice(async (server) => {
    const browser = browserOf(server);
    const back = new URL(await browser.signIn(await browser.begin(await requestLink(server, "ada", [])), "ada"));
    back.searchParams.set("iss", "https://evil.example");
    expect((await browser.open(back.href)).status).toBe(400);
    expect(await isConnected(server, "ada")).toBe(false);
  }));

test("open redirect: parameters of a request choose neither the provider's page nor the address after it", () =>
  withOffice(async (server, { issuer }) => {
    const link = linkOf(await run(server, "ada"));
    const evil = encodeURIComponent("https://evil.example");
    const address = await browserOf(server).begin(
      `${link}&redirect_uri=${evil}&return_to=${evil}&next=${evil}&scope=admin`,
    );
    const { origin, searchParams } = new URL(address);
    expect(origin).toBe(issuer);
    expect(Object.fromEntries(searchParams)).toEqual({
      ...{ client_id: "troupe", response_type: "code", redirect_uri: callback, scope: "openid repo" },
      ...{ code_challenge_method: "S256", code_challenge: expect.stringMatching(/^[\w-]{43}$/) },
      state: expect.stringMatching(/^[0-9a-f]{64}$/),
    });
    const browser = browserOf(server);
    const done = await browser.open(`${await browser.signIn(await browser.begin(link), "ada")}&return_to=${evil}`);
    expect([done.status, done.location, done.text.includes("evil")]).toEqual([200, undefined, false]);
  }));

test("guessed and expired links get a page with 404, without a cookie", () =>
  withOffice(async (server) => {
    const paused = await run(server, "ada");
    const browser = browserOf(server);
    const base = `${publicUrl}/connections/hub/authorize`;
    const wrong = [
      base,
      `${base}?link=${"0".repeat(64)}`,
      `${base}?run_id=${paused.run_id}`,
      `${base}?run_id=${paused.run_id}&requirement_id=${crypto.randomUUID()}`,
      `${base}?run_id=${crypto.randomUUID()}&requirement_id=${paused.requirements[0].id}`,
      linkOf(paused).replace("/hub/", "/other/"),
      linkOf(paused).replace("/hub/", "/__proto__/"),
      `${callback}?code=x&state=${"0".repeat(64)}`,
      callback,
    ];
    for (const url of wrong) {
      const page = await browser.open(url);
      expect([url, page.status, page.headers.get("set-cookie")]).toEqual([url, 404, null]);
    }
    // A link outside a run is for one flow.
    const link = await requestLink(server, "ada", []);
    const page = await browser.open(link);
    expect((await browser.submit(page)).status).toBe(303);
    expect((await browser.submit(page)).status).toBe(404);
  }));

test("with authorization, a caller lists, links and removes its own accounts only, and its runs use them only", async () => {
  await using accounts = await openAccounts(callback);
  await using database = await openDatabaseOf("sqlite");
  const pair = makePair();
  const authorization = { verificationKeys: [pair.pem], verifyAudience: false } as const;
  await using server = await openServer(database, { ...officeFor(accounts), authorization });
  const send = (user: string | undefined, method: string, path: string, body?: URLSearchParams) => {
    const scopes = ["agents:read", "agents:run", "sessions:read"];
    const headers = user === undefined ? {} : bearer(token({ sub: user, scopes }, pair));
    return fetch(new URL(path, server.client.address), { method, headers, ...(body && { body }) });
  };
  for (const [method, path] of [
    ["GET", "/connections"],
    ["POST", "/connections/hub/links"],
    ["DELETE", "/connections/hub"],
  ] as const)
    expect((await send(undefined, method, path)).status).toBe(401);
  const created = await send("ada", "POST", "/connections/hub/links?user_id=bob");
  const { url } = (await created.json()) as { url: string };
  const browser = browserOf(server);
  expect((await browser.open(url)).text).toContain("<b>ada</b>");
  await browser.connect(url, "ada at hub");
  const connected = async (user: string, query = ""): Promise<boolean> =>
    ((await (await send(user, "GET", `/connections${query}`)).json()) as { connected: boolean }[])[0]?.connected ===
    true;
  // A claimed user has no effect: the credential decides.
  expect([await connected("ada"), await connected("bob", "?user_id=ada")]).toEqual([true, false]);
  expect((await send("bob", "DELETE", "/connections/hub?user_id=ada")).status).toBe(404);
  expect(await connected("ada")).toBe(true);
  const form = new URLSearchParams({ message: "1", stream: "false", user_id: "ada" });
  expect(await (await send("bob", "POST", "/agents/clerk/runs", form)).json()).toMatchObject({ status: "PAUSED" });
  expect((await send("ada", "DELETE", "/connections/hub")).status).toBe(204);
});
