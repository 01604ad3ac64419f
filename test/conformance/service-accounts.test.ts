import { describe, expect, onTestFinished, test } from "vitest";
import { definePlatform } from "../../src/index.ts";
import type { AuthorizationOptions } from "../../src/model/authorization.ts";
import type { ServerOptions } from "../../src/platform/options.ts";
import { createServer, type Server } from "../../src/platform/server.ts";
import { databaseUnavailable } from "../../src/store/database-errors.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { type Answer, Client } from "./support/client.ts";
import { conformancePlatform } from "./support/platform.ts";
import { databaseOptions } from "./support/server.ts";

const pair = makePair();
const key = "the operator's key";
const withKey = bearer(key);
const as = (sub: string, ...scopes: string[]) => bearer(token({ sub, scopes }, pair));

const servers = new WeakMap<Client, Server>();

async function serve(database: TestDatabase, authorization: AuthorizationOptions | null, options: ServerOptions = {}) {
  const { agents, teams } = conformancePlatform();
  const own = authorization === null ? {} : { authorization: { verificationKeys: [pair.pem], ...authorization } };
  const platform = definePlatform({ id: "test-os", agents, teams, ...own });
  const place = { ...databaseOptions(database), port: 0, logLevel: "silent", environment: {} };
  const server = await createServer(platform, { ...place, ...options });
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  const client = new Client(await server.listen());
  servers.set(client, server);
  return client;
}

function mint(client: Client, headers: Record<string, string>, body: object): Promise<Answer> {
  const json = { ...headers, "content-type": "application/json" };
  return client.send("/service-accounts", { method: "POST", headers: json, body: JSON.stringify(body) });
}

const granted = (...scopes: string[]) => scopes.map((scope) => ({ scope }));
const bad = { detail: "Invalid or expired service account token", error_code: "UNAUTHENTICATED" };

eachDatabase("service accounts", (openDatabase) => {
  const open = async () => serve(await openDatabase(), null, { environment: { OS_SECURITY_KEY: key } });

  test("a wrong security key returns 429 after 20 failures of an address, and the right one is accepted", async () => {
    const client = await open();
    const tries = [];
    for (let tried = 0; tried < 21; tried++) tries.push(await client.get("/config", bearer(`guess ${tried}`)));
    expect(tries.slice(0, 20).map(({ status }) => status)).toEqual(Array(20).fill(401));
    expect(tries[0]?.json.detail).toBe("Invalid authentication token");
    const { status, headers, json } = tries[20]!;
    expect([status, json.detail]).toEqual([429, "Too many failed authentication attempts"]);
    expect(Number(headers["retry-after"])).toBeGreaterThan(0);
    // Wrong security keys and wrong account tokens share one count.
    expect((await client.get("/config", bearer("agno_pat_guess"))).status).toBe(429);
    expect((await client.get("/config", withKey)).status).toBe(200);
  });

  test("an account is created, shown once with its token, listed, revoked and created again", async () => {
    const client = await open();
    const made = await mint(client, withKey, { name: "bot" });
    expect(made.status).toBe(201);
    expect(made.headers["cache-control"]).toBe("no-store");
    const { token: secret, ...record } = made.json;
    expect(secret).toMatch(/^agno_pat_[0-9A-Za-z]{40,43}$/);
    expect(record).toEqual({
      ...{ id: expect.any(String), name: "bot", principal: "sa:bot", user_id: null, created_by: null },
      ...{ token_prefix: secret.slice(0, 16), created_at: expect.any(Number), last_used_at: null, revoked_at: null },
      expires_at: record.created_at + 90 * 86_400,
      scopes: ["agents:run", "teams:run", "workflows:run", "sessions:read", "config:read"].map((raw) => {
        const [namespace, permission] = raw.split(":");
        return { id: null, raw, namespace, sub_namespace: null, permission, value: "allow" };
      }),
    });
    const listed = await client.get("/service-accounts", withKey);
    expect(listed.json).toEqual({
      data: [record],
      meta: { page: 1, limit: 20, total_pages: 1, total_count: 1, search_time_ms: expect.any(Number) },
    });
    expect(listed.text).not.toContain(secret);

    const taken = await mint(client, withKey, { name: "bot" });
    expect([taken.status, taken.json.detail]).toEqual([
      409,
      "An active service account named 'bot' already exists. Revoke it first to rotate.",
    ]);
    expect((await client.get("/models", bearer(secret))).status).toBe(200);
    const revoke = () => client.send(`/service-accounts/${record.id}`, { method: "DELETE", headers: withKey });
    for (const time of [1, 2]) expect([time, (await revoke()).status, (await revoke()).text]).toEqual([time, 204, ""]);
    expect((await client.get("/models", bearer(secret))).json).toEqual(bad);
    expect((await mint(client, withKey, { name: "bot" })).status).toBe(201);
    const without = await client.get("/service-accounts?include_revoked=false&limit=1", withKey);
    expect(without.json.data.map(({ revoked_at }: { revoked_at: null }) => revoked_at)).toEqual([null]);
    const all = await client.get("/service-accounts?sort_by=name&sort_order=asc&page=2&limit=1", withKey);
    expect([all.json.data.length, all.json.meta.total_count, all.json.meta.total_pages]).toEqual([1, 2, 2]);
    const unknown = await client.send("/service-accounts/nope", { method: "DELETE", headers: withKey });
    expect(unknown.json).toEqual({ detail: "Service account 'nope' not found", error_code: "NOT_FOUND" });
  });

  test("a token without a subject returns 403 under isolation, and other requests are served", async () => {
    const client = await serve(await openDatabase(), { userIsolation: true });
    const nameless = bearer(token({ sub: undefined, scopes: ["service_accounts:write"] }, pair));
    expect((await mint(client, nameless, { name: "bot" })).status).toBe(403);
    const started = await client.post(
      "/agents/plain-agent/runs",
      { message: "Hi", stream: false },
      as("a", "agents:run"),
    );
    expect(started.status).toBe(200);
  });

  test("a token acts within its scopes, as its own user, and reads only its own runs", async () => {
    const client = await open();
    const made = await mint(client, withKey, { name: "bot", scopes: granted("agents:run", "agents:plain-agent:read") });
    const bot = bearer(made.json.token);
    expect((await client.get("/models", bot)).json).toEqual({
      detail: "Insufficient permissions. Required scope(s): config:read",
    });
    const fields = { message: "x", stream: false, session_id: "s", user_id: "other" };
    const theirs = await client.post("/agents/plain-agent/runs", fields, withKey);
    const own = await client.post("/agents/plain-agent/runs", fields, bot);
    expect([theirs.json.user_id, own.json.user_id]).toEqual(["other", "sa:bot"]);
    const listed = await client.get("/agents/plain-agent/runs?session_id=s", bot);
    expect(listed.json.map(({ run_id }: { run_id: string }) => run_id)).toEqual([own.json.run_id]);
    expect((await client.get(`/agents/plain-agent/runs/${theirs.json.run_id}?session_id=s`, bot)).status).toBe(404);
    expect((await client.get("/agents", bot)).json.map(({ id }: { id: string }) => id)).toEqual(["plain-agent"]);
    await expect
      .poll(async () => (await client.get("/service-accounts", withKey)).json.data[0].last_used_at)
      .toEqual(expect.any(Number));
  });

  test.each([
    [{ name: "Bad Name" }, 422, { type: "string_pattern_mismatch", loc: ["body", "name"] }],
    [{}, 422, { type: "missing", loc: ["body", "name"], input: {} }],
    [{ name: "p", scopes: ["config:read"] }, 422, { loc: ["body", "scopes", 0] }],
    [{ name: "p", scopes: [{ scope: "config:read", effect: "deny" }] }, 422, { loc: ["body", "scopes", 0, "effect"] }],
    [{ name: "p", expires_in_days: 0 }, 422, { type: "greater_than_equal" }],
    [{ name: "p", expires_in_days: 3651 }, 422, { type: "less_than_equal" }],
    [{ name: "p", scopes: granted("bad", "agents:fly", "*:*") }, 400, "Invalid scope(s): bad, agents:fly, *:*"],
    [
      { name: "p", scopes: granted("sessions:write", "agents:run") },
      400,
      "Privileged scope(s) require allow_privileged_scopes=true: sessions:write. Privileged tokens must be deliberate, never accidental.",
    ],
    [{ name: "p", scopes: granted("agent_os:admin") }, 400, expect.stringContaining("agent_os:admin")],
    [{ name: "p", scopes: granted("service_accounts:read") }, 400, expect.stringContaining("Privileged")],
  ])("creating %j returns %i", async (body, status, fault) => {
    const answer = await mint(await open(), withKey, body);
    expect([answer.status, status === 422 ? answer.json.detail[0] : answer.json.detail]).toEqual([
      status,
      typeof fault === "object" && !("asymmetricMatch" in fault) ? expect.objectContaining(fault) : fault,
    ]);
  });

  test("an account grants only scopes that it holds, and lists only accounts that it created", async () => {
    const client = await open();
    const scopes = granted("service_accounts:write", "service_accounts:read", "agents:run", "teams:duo-team:run");
    const writer = await mint(client, withKey, { name: "writer", scopes, allow_privileged_scopes: true });
    const headers = bearer(writer.json.token);
    for (const [scope, status] of [
      ["agents:plain-agent:run", 201],
      ["agents:*:run", 201],
      ["agents:run", 201],
      ["teams:duo-team:run", 201],
      ["teams:quiet-team:run", 403],
      ["teams:run", 403],
      ["teams:*:run", 403],
      ["agents:read", 403],
      ["config:read", 403],
      ["agent_os:admin", 403],
    ] as const) {
      const body = {
        name: `kid-${scope.replaceAll(/\W/g, "-")}`,
        scopes: granted(scope),
        allow_privileged_scopes: true,
      };
      const answer = await mint(client, headers, body);
      expect([scope, answer.status]).toEqual([scope, status]);
      if (status === 403) expect(answer.json).toEqual({ detail: `Cannot grant scope(s) you do not hold: ${scope}` });
      else expect([answer.json.created_by, answer.json.user_id]).toEqual(["sa:writer", "sa:writer"]);
    }
    expect((await mint(client, headers, { name: "usual" })).status).toBe(403);
    // The account lists the accounts that it created, and no others.
    const { data } = (await client.get("/service-accounts", headers)).json;
    expect(new Set(data.map(({ created_by }: { created_by: string }) => created_by))).toEqual(new Set(["sa:writer"]));
  });

  test("wrong account tokens return 429 after 20 failures of an address, and a valid one is accepted", async () => {
    const client = await open();
    const { json } = await mint(client, withKey, { name: "bot" });
    const statuses: number[] = [];
    for (let time = 0; time < 22; time++) {
      statuses.push((await client.get("/models", bearer(`agno_pat_guess${time}`))).status);
    }
    expect(statuses).toEqual([...Array(20).fill(401), 429, 429]);
    const late = await client.get("/models", bearer("agno_pat_guess"));
    expect(late.json).toEqual({ detail: "Too many failed authentication attempts", error_code: "TOO_MANY_REQUESTS" });
    expect(Number(late.headers["retry-after"])).toBeGreaterThan(0);
    expect((await client.get("/models", bearer(json.token))).status).toBe(200);
  });

  test("with isolation, only the creator and admins see and revoke an account", async () => {
    const client = await serve(await openDatabase(), { userIsolation: true, adminScope: "boss" });
    const boss = as("root", "boss");
    const scopes = ["service_accounts:read", "service_accounts:write", "service_accounts:delete", "agents:run"];
    const alice = as("alice", ...scopes);
    const made = await mint(client, alice, { name: "bot", scopes: granted("agents:run") });
    expect(made.json).toMatchObject({ created_by: "alice", principal: "sa:bot" });
    const bot = bearer(made.json.token);
    expect((await client.post("/agents/plain-agent/runs", { message: "x", stream: false }, bot)).status).toBe(200);
    const bob = as("bob", ...scopes);
    expect((await client.get("/service-accounts", bob)).json.data).toEqual([]);
    const revoke = (headers: Record<string, string>) =>
      client.send(`/service-accounts/${made.json.id}`, { method: "DELETE", headers });
    expect((await revoke(bob)).status).toBe(404);
    expect((await client.get("/service-accounts", boss)).json.data).toHaveLength(1);
    expect((await revoke(alice)).status).toBe(204);
    expect((await client.get("/agents", bot)).json).toEqual(bad);
    const root = { name: "root", scopes: granted("boss"), never_expires: true, allow_privileged_scopes: true };
    expect((await mint(client, alice, root)).status).toBe(403);
    const all = await mint(client, boss, root);
    expect(all.json.expires_at).toBeNull();
    expect((await client.get("/config", bearer(all.json.token))).status).toBe(200);
  });

  test("[J17] the name of a revoked account stays its creator's: another user gets 409, and the creator's new account reads its runs", async () => {
    const client = await serve(await openDatabase(), { userIsolation: true });
    const scopes = ["service_accounts:write", "service_accounts:delete", "agents:run", "agents:read"];
    const [alice, bob] = [as("alice", ...scopes), as("bob", ...scopes)];
    const wanted = { name: "bot", scopes: granted("agents:run", "agents:read") };
    const { json } = await mint(client, alice, wanted);
    await client.post("/agents/plain-agent/runs", { message: "hers", stream: false }, bearer(json.token));
    await client.send(`/service-accounts/${json.id}`, { method: "DELETE", headers: alice });
    expect((await mint(client, bob, wanted)).status).toBe(409);
    const again = bearer((await mint(client, alice, wanted)).json.token);
    expect((await client.get("/agents/plain-agent/runs", again)).json).toHaveLength(1);
  });

  test("[J9] a wider scope does not grant a scope that a mapping requires literally, nor the admin scope", async () => {
    const scopeMappings = { "GET /config": ["agents:vip:run"] };
    const client = await serve(await openDatabase(), { scopeMappings });
    const boss = as("mallory", "service_accounts:write", "agents:run", "agent_os:*:admin");
    for (const scope of ["agents:vip:run", "agent_os:admin"]) {
      const body = { name: "bot", scopes: granted(scope), allow_privileged_scopes: true };
      const refused = await mint(client, boss, body);
      expect([refused.status, refused.json.detail]).toEqual([403, `Cannot grant scope(s) you do not hold: ${scope}`]);
    }
    expect((await mint(client, boss, { name: "bot", scopes: granted("agents:other:run") })).status).toBe(201);
  });

  test("a caller without a token gets 401, even on an excluded path", async () => {
    const client = await serve(await openDatabase(), { excludedRoutePaths: ["/service-accounts"] });
    const refused = await mint(client, {}, { name: "x", scopes: [] });
    expect([refused.status, refused.json.error_code]).toEqual([401, "UNAUTHENTICATED"]);
  });

  test("without authorization, creation returns 401, an unknown token is ignored and a known one is enforced", async () => {
    const database = await openDatabase();
    const locked = await serve(database, null, { environment: { OS_SECURITY_KEY: key } });
    const { json } = await mint(locked, withKey, { name: "bot" });
    await servers.get(locked)?.close({ shutdownTimeout: 0 });
    const client = await serve(database, null);
    const refused = await mint(client, {}, { name: "x" });
    expect([refused.status, refused.json.detail]).toEqual([
      401,
      "JWT authentication is required to mint a service account.",
    ]);
    for (const text of ["agno_pat_unknown", "anything"]) {
      expect((await client.get("/agents", bearer(text))).status).toBe(200);
    }
    expect((await client.get("/models", bearer(json.token))).status).toBe(200);
    expect((await client.get("/agents", bearer(json.token))).status).toBe(403);
  });
});

describe("several processes", () => {
  test("the revoking process rejects a token at once, and another process within 30 seconds", async () => {
    const { AccessControl } = await import("../../src/auth/access-control.ts");
    const { resolveAccess } = await import("../../src/auth/access-rules.ts");
    const { hashOf } = await import("../../src/auth/secrets.ts");
    const { testRuntime } = await import("../support/runtime.ts");
    const clock = { now: 0, wall: 1_000_000 };
    const runtime = {
      ...testRuntime,
      clock: { ...testRuntime.clock, monotonic: () => clock.now, now: () => clock.wall },
    };
    let revokedAt: number | null = null;
    let isAway = false;
    const account = {
      ...{ id: "1", name: "bot", tokenHash: hashOf("agno_pat_x"), tokenPrefix: "agno_pat_x", scopes: [] },
      ...{ claims: null, createdBy: null, createdAt: 0, expiresAt: 1_100_000, lastUsedAt: null },
    };
    const store = {
      findByTokenHash: async (hash: string) => {
        if (isAway) throw databaseUnavailable(new Error("away"));
        return hash === account.tokenHash ? { ...account, revokedAt } : undefined;
      },
      touch: async () => {},
    };
    const none = (): never => {
      throw new Error("not asked here");
    };
    const rules = { platformId: "p", authorization: undefined, environment: { OS_SECURITY_KEY: "k" }, runtime };
    const access = () =>
      new AccessControl(
        resolveAccess(rules),
        { ...store, create: none, findActive: none, list: none, revoke: none },
        runtime,
      );
    const [here, elsewhere] = [access(), access()];
    const ask = async (at: typeof here) => {
      try {
        return (await at.principalOf("agno_pat_x", "a")).userId;
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect([await ask(here), await ask(elsewhere)]).toEqual(["sa:bot", "sa:bot"]);
    revokedAt = 5;
    here.forget("1");
    expect([await ask(here), await ask(elsewhere)]).toEqual([bad.detail, "sa:bot"]);
    clock.now += 30_000;
    expect(await ask(elsewhere)).toBe(bad.detail);
    revokedAt = null;
    clock.now += 30_000;
    expect(await ask(here)).toBe("sa:bot");
    // An account's expiry also applies to a cached account.
    clock.wall = 1_100_000;
    expect(await ask(here)).toBe(bad.detail);
    clock.wall = 1_000_000;
    isAway = true;
    clock.now += 30_000;
    expect(await ask(here)).toBe("Authentication is temporarily unavailable");
  });
});
