/** The user of a run: the caller of the request, also when the request continues a run, session or account of another user. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { z } from "zod";
import { defineAgent, defineTeam, defineTool, type PlatformOptions, remoteAgent } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { scriptedServer } from "../support/http-script.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { Client, type Fields } from "./support/client.ts";

const pair = makePair();
const runs = "/agents/mirror/runs";

/** Returns what a tool receives about the caller. */
const whoami = defineTool({
  name: "whoami",
  description: "Who calls",
  input: z.object({}),
  execute: (_input, { principal, userId, dependencies }) =>
    JSON.stringify({ caller: principal.userId, user: userId, ...dependencies }),
});
const ask = defineTool({
  name: "ask",
  description: "Asks",
  input: z.object({}),
  confirm: true,
  execute: () => "asked",
});
const model = scriptedModel(({ message, results }) => {
  if (results.length > 0) return results.at(-1)!.text;
  return { toolCalls: [{ name: message === "ask" ? "ask" : "whoami", input: {} }] };
});
const mirror = defineAgent({ id: "mirror", model, tools: [whoami, ask] });

const claimNames = { dependenciesClaims: ["tenant"] };
const as = (sub: string | undefined, claims: object = {}) =>
  bearer(token({ ...(sub && { sub }), scopes: ["agents:run", "agents:read", "sessions:read"], ...claims }, pair));
const admin = as("root", { scopes: ["agent_os:admin"], tenant: "roots" });
const alice = as("alice", { tenant: "acme" });
const bob = as("bob");

// biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
type Run = any;

const start = async (client: Client, session: string, headers: Record<string, string>, fields: Fields = {}) => {
  const form = { message: "who", stream: false, session_id: session, ...fields };
  const { status, json } = await client.post(runs, form, headers);
  expect([status, json.status]).toEqual([200, fields.message === "ask" ? "PAUSED" : "COMPLETED"]);
  return json as Run;
};
const go = (client: Client, run: Run, fields: Fields, headers: Record<string, string>) =>
  client.post(`${runs}/${run.run_id}/continue`, { session_id: run.session_id, stream: false, ...fields }, headers);
const acted = ({ json }: { json: Run }): unknown => [json.user_id ?? null, JSON.parse(json.content)];

const ways: readonly (readonly [string, Fields])[] = [
  ["a new input", { input: "and you?", replace_original: false }],
  ["regenerate", { regenerate: true, replace_original: false }],
  ["a fork", { fork: true, input: "and you?" }],
  ["continue_from", { continue_from: "0", replace_original: false }],
];

function served(openDatabase: Parameters<Parameters<typeof eachDatabase>[1]>[0], options: Partial<PlatformOptions>) {
  let server: OpenServer;
  let client: Client;
  beforeAll(async () => {
    server = await openServer(await openDatabase(), { agents: [mirror], ...options });
    client = new Client(server.client.address.origin);
  });
  afterAll(() => server.end(0));
  return () => client;
}

eachDatabase("a run that continues another user's run", (openDatabase) => {
  describe("without isolation", () => {
    const client = served(openDatabase, { authorization: { verificationKeys: [pair.pem], ...claimNames } });

    test.each(ways)("with %s has its caller's user and dependencies", async (name, fields) => {
      const given = JSON.stringify({ plan: "gold" });
      const run = await start(client(), `of alice: ${name}`, alice, { dependencies: given });
      expect(JSON.parse(run.content)).toEqual({ caller: "alice", user: "alice", plan: "gold", tenant: "acme" });
      expect(acted(await go(client(), run, fields, bob))).toEqual(["bob", { caller: "bob", user: "bob" }]);
      const nameless = await go(client(), run, fields, as(undefined));
      expect(acted(nameless)).toEqual([null, { caller: null, user: null }]);
      const roots = { caller: "root", user: "root", tenant: "roots" };
      expect(acted(await go(client(), run, fields, admin))).toEqual(["root", roots]);
      // Alice's own run keeps the dependencies that she sent, without the claims of her other token.
      const own = { caller: "alice", user: "alice", plan: "gold" };
      expect(acted(await go(client(), run, fields, as("alice")))).toEqual(["alice", own]);
    });

    test("a fork of a session belongs to the caller, and its copied runs do not lend their user to new runs", async () => {
      await start(client(), "to copy", alice);
      const { json: fork } = await client().post("/agents/mirror/sessions/to%20copy/fork", {}, bob);
      const { json: shown } = await client().get(`/sessions/${fork.session_id}`, bob);
      expect(shown.user_id).toBe("bob");
      const { json: all } = await client().get(`${runs}?session_id=${fork.session_id}`, bob);
      expect(all.map(({ user_id }: Run) => user_id)).toEqual(["alice"]);
      const again = await go(client(), { ...all[0], session_id: fork.session_id }, { regenerate: true }, bob);
      expect(acted(again)).toEqual(["bob", { caller: "bob", user: "bob" }]);
    });
  });

  describe("with isolation", () => {
    const authorization = { verificationKeys: [pair.pem], userIsolation: true, ...claimNames };
    const client = served(openDatabase, { authorization });

    test("returns 403 for an admin in the user's session, and an admin's fork belongs to the admin", async () => {
      const run = await start(client(), "private", alice);
      const refused = await go(client(), run, { input: "and you?" }, admin);
      expect([refused.status, refused.json]).toEqual([403, { detail: expect.stringContaining("another user's") }]);
      const { json: forked } = await go(client(), run, { input: "and you?", fork: true }, admin);
      expect(acted({ json: forked })).toEqual(["root", { caller: "root", user: "root", tenant: "roots" }]);
      expect((await client().get(`/sessions/${forked.session_id}`, alice)).status).toBe(404);
      const { json: copied } = await client().post("/agents/mirror/sessions/private/fork?user_id=alice", {}, admin);
      const seen = await client().get(`/sessions/${copied.session_id}`, admin);
      expect([seen.status, seen.json.user_id]).toEqual([200, "root"]);
      expect((await client().get(`/sessions/${copied.session_id}`, alice)).status).toBe(404);
      expect((await client().get("/sessions", alice)).json.meta.total_count).toBe(1);
    });
  });

  describe("without authorization", () => {
    const client = served(openDatabase, {});

    test("keeps its user and dependencies unless the request names another user", async () => {
      const given = JSON.stringify({ plan: "gold" });
      const run = await start(client(), "open", {}, { user_id: "ann", dependencies: given });
      const kept = await go(client(), run, { input: "and you?", replace_original: false }, {});
      expect(acted(kept)).toEqual(["ann", { caller: null, user: "ann", plan: "gold" }]);
      const other = await go(client(), run, { input: "and you?", user_id: "ben", replace_original: false }, {});
      expect(acted(other)).toEqual(["ben", { caller: null, user: "ben" }]);
    });
  });
});

eachDatabase("a paused run that another user continues", (openDatabase) => {
  test("keeps its user, and returns 403 if the caller's token would go to another server", async () => {
    await using far = await scriptedServer((_request, response) => response.writeHead(500).end());
    const boss = defineAgent({ id: "mirror", model, tools: [ask] });
    const authorization = { verificationKeys: [pair.pem] };
    const remote = remoteAgent({ id: "far", url: far.url });
    const team = defineTeam({ id: "team", model, tools: [ask], members: [remote] });
    await using server = await openServer(await openDatabase(), { agents: [boss], teams: [team], authorization });
    const client = new Client(server.client.address.origin);
    const confirmed = (run: Run) => ({
      tools: JSON.stringify(run.tools.map((one: Run) => ({ ...one, confirmed: true }))),
    });
    const run = await start(client, "ask", alice, { message: "ask" });
    const done = await go(client, run, confirmed(run), bob);
    expect([done.status, done.json.status, done.json.user_id]).toEqual([200, "COMPLETED", "alice"]);

    const both = { scopes: ["teams:run"] };
    const form = { message: "ask", stream: false, session_id: "far" };
    const { json: waiting } = await client.post("/teams/team/runs", form, as("alice", both));
    expect(waiting.status).toBe("PAUSED");
    const requirements = JSON.stringify(
      waiting.requirements.map((one: Run) => ({
        ...one,
        confirmation: true,
        tool_execution: { ...one.tool_execution, confirmed: true },
      })),
    );
    const answers = { session_id: "far", stream: false, requirements };
    const path = `/teams/team/runs/${waiting.run_id}/continue`;
    const refused = await client.post(path, answers, as("bob", both));
    expect([refused.status, refused.json.detail]).toEqual([403, expect.stringContaining("token of its user")]);
    expect((await client.post(path, answers, as("alice", both))).json.status).toBe("COMPLETED");
    expect(far.heard).toEqual([]);
  });
});

eachDatabase("a service account", (openDatabase) => {
  const authorization = {
    ...{ verificationKeys: [pair.pem], dependenciesClaims: ["tenant"], sessionStateClaims: ["locale"] },
  };
  const client = served(openDatabase, { authorization });
  const scopes = ["agents:run", "service_accounts:write", "schedules:read", "schedules:write"];

  const send = (path: string, headers: Record<string, string>, body: object = {}) =>
    client().send(path, {
      ...{ method: "POST", headers: { ...headers, "content-type": "application/json" } },
      body: JSON.stringify(body),
    });
  const minted = async (name: string, by: Record<string, string>) => {
    const wanted = { name, scopes: scopes.map((scope) => ({ scope })), allow_privileged_scopes: true };
    const { status, json } = await send("/service-accounts", by, wanted);
    expect(status).toBe(201);
    expect(JSON.stringify(json)).not.toContain("acme");
    return bearer(json.token);
  };

  test("applies the run claims of its creator's token to its runs, and to the accounts and schedules that it creates", async () => {
    const hers = { scopes, tenant: "acme", session_id: "hers", locale: "da" };
    const bot = await minted("bot", as("alice", hers));
    const child = await minted("child", bot);
    const given = { dependencies: JSON.stringify({ tenant: "other", plan: "gold" }) };
    for (const [name, headers] of [
      ["bot", bot],
      ["child", child],
    ] as const) {
      const run = await start(client(), "another", headers, { ...given, session_state: '{"locale":"en"}' });
      const user = `sa:${name}`;
      expect(run).toMatchObject({ user_id: user, session_id: "hers", session_state: { locale: "da" } });
      expect(JSON.parse(run.content)).toEqual({ caller: user, user, tenant: "acme", plan: "gold" });
    }
    const payload = { message: "who", session_id: "another", dependencies: { tenant: "other" } };
    const plan = { name: "daily", cron_expr: "0 0 1 1 *", method: "POST", endpoint: runs, payload };
    const { status, json: schedule } = await send("/schedules", bot, plan);
    expect(status).toBe(201);
    const fired = await send(`/schedules/${schedule.id}/trigger`, bot);
    expect([fired.status, fired.json.status, fired.json.session_id]).toEqual([200, "success", "hers"]);
    const { json: run } = await client().get(`${runs}/${fired.json.run_id}?session_id=hers`, admin);
    expect(JSON.parse(run.content)).toMatchObject({ caller: "sa:bot", tenant: "acme" });
  });

  test("adds no claims if its creator's token has none", async () => {
    const plain = await minted("plain", as("ann", { scopes }));
    const run = await start(client(), "any", plain, { dependencies: '{"tenant":"mine"}' });
    expect([run.session_id, JSON.parse(run.content).tenant]).toEqual(["any", "mine"]);
  });
});
