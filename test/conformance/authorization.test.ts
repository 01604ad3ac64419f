import { randomBytes } from "node:crypto";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import type { Platform } from "../../src/define/platform.ts";
import { createServer, defineAgent, definePlatform, type RunContext, type ServerOptions } from "../../src/index.ts";
import type { AuthorizationOptions } from "../../src/model/authorization.ts";
import { jsonLog } from "../../src/platform/runtime.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { createDataDir, eachDatabase, openDatabaseOf, type TestDatabase } from "../support/databases.ts";
import { silentLog } from "../support/runtime.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import type { Client } from "./support/client.ts";
import { conformancePlatform } from "./support/platform.ts";
import { databaseOptions, startServer } from "./support/server.ts";

const pair = makePair();
const alice = { sub: "alice", scopes: ["agents:read", "agents:run", "teams:run", "teams:read"] };

function platform(authorization?: boolean | AuthorizationOptions, corsOrigins: readonly string[] = []): Platform {
  const { agents, teams } = conformancePlatform();
  return definePlatform({
    ...{ id: "test-os", agents, teams, corsOrigins },
    ...(authorization === undefined ? {} : { authorization }),
  });
}

/** Starts a server, on SQLite by default. Null leaves authorization to the environment. */
async function serve(
  authorization: AuthorizationOptions | null = {},
  options: ServerOptions & { on?: TestDatabase; corsOrigins?: readonly string[] } = {},
): Promise<Client> {
  const { on, corsOrigins, ...rest } = options;
  const database = on ?? (await openDatabaseOf("sqlite"));
  const own = authorization === null ? undefined : { verificationKeys: [pair.pem], ...authorization };
  const { server, client } = await startServer(database, platform(own, corsOrigins), rest);
  onTestFinished(async () => {
    await server.close({ shutdownTimeout: 0 });
    if (!on) await (database as TestDatabase & AsyncDisposable)[Symbol.asyncDispose]();
  });
  return client;
}

const missing = { detail: "Authorization header missing", error_code: "UNAUTHENTICATED" };

describe("sources of a token", () => {
  test("[J3] [E3] [P10] the Authorization header is read with and without the word Bearer, in any case", async () => {
    const client = await serve();
    const good = token(alice, pair);
    for (const value of [`Bearer ${good}`, `bearer ${good}`, `BEARER  ${good}`, good]) {
      expect((await client.get("/agents", { authorization: value })).status).toBe(200);
    }
    expect((await client.get("/agents")).json).toEqual(missing);
    for (const value of ["Bearer", "Bearer ", "Basic dXNlcjpwdw==", "x"]) {
      const { status, json, headers } = await client.get("/agents", { authorization: value });
      expect([status, json]).toEqual([
        401,
        { detail: "Invalid token: Not enough segments", error_code: "UNAUTHENTICATED" },
      ]);
      expect(headers["www-authenticate"]).toBe('Bearer error="invalid_token"');
    }
    expect((await client.get("/agents", { cookie: `access_token=${good}` })).json).toEqual(missing);
    expect((await client.get(`/agents?access_token=${good}`)).json).toEqual(missing);
  });

  test("[J4] [J5] [J6] with tokenSource COOKIE, only the configured cookie is read", async () => {
    const client = await serve({ tokenSource: "COOKIE", cookieName: "session" });
    const good = token(alice, pair);
    for (const cookie of [`session=${good}`, `a=b; session=${good}; c=d`, `session="${good}"`]) {
      expect((await client.get("/agents", { cookie })).status).toBe(200);
    }
    for (const headers of [{}, bearer(good), { cookie: `xsession=${good}` }, { cookie: "session" }]) {
      expect((await client.get("/agents", headers)).json.detail).toBe("JWT cookie 'session' missing");
    }
  });

  test("[J4] [J5] with tokenSource BOTH, the header takes precedence over the cookie", async () => {
    const client = await serve({ tokenSource: "BOTH" });
    const cookie = `access_token=${token(alice, pair)}`;
    expect((await client.get("/agents", { cookie })).status).toBe(200);
    expect((await client.get("/agents", bearer(token(alice, pair)))).status).toBe(200);
    expect((await client.get("/agents", { ...bearer("bad.bad.bad"), cookie })).status).toBe(401);
    const { json } = await client.get("/agents");
    expect(json.detail).toBe("JWT token missing from both Authorization header and 'access_token' cookie");
  });

  test("with a cookie, requests of foreign origins return 403, and requests without an origin are served", async () => {
    const client = await serve({ tokenSource: "COOKIE" }, { corsOrigins: ["https://console.example"] });
    const cookie = `access_token=${token(alice, pair)}`;
    const start = (headers: Record<string, string>) =>
      client.post("/agents/plain-agent/runs", { message: "x", stream: false }, { cookie, ...headers });
    for (const origin of ["https://evil.example", "null", "http://localhost:3000"]) {
      const { status, headers } = await start({ origin });
      expect([origin, status, headers["access-control-allow-origin"]]).toEqual([origin, 403, undefined]);
    }
    expect((await start({ "sec-fetch-site": "cross-site" })).status).toBe(403);
    for (const headers of [{}, { origin: "https://console.example" }, { origin: client.base.origin }]) {
      expect((await start(headers)).status).toBe(200);
    }
  });
});

describe("routes without authorization", () => {
  test("[J12] [J13] [J14] the seven public paths and their assets return 200 without a token, and other paths return 401", async () => {
    const client = await serve();
    for (const path of [
      "/",
      "/health",
      "/info",
      "/docs",
      "/redoc",
      "/openapi.json",
      "/docs/oauth2-redirect",
      "/docs/",
    ]) {
      expect([path, (await client.get(path)).status]).toEqual([path, 200]);
      if (!path.startsWith("/docs") && path !== "/redoc") continue;
      const assets = [...(await client.get(path)).text.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = ""]) => url);
      for (const asset of assets) expect([asset, (await client.get(asset)).status]).toEqual([asset, 200]);
    }
    for (const path of ["/config", "/models", "/agents", "/teams", "/a2a/teams/duo-team/v1/message:stream"]) {
      expect([path, (await client.get(path)).status]).toEqual([path, 401]);
    }
    expect((await client.get("/info", bearer("nonsense"))).json.auth_mode).toBe("jwt");
  });

  test("excludedRoutePaths replaces the default list, and a caller on such a path is not an admin", async () => {
    const client = await serve({ excludedRoutePaths: ["/health/", "/agents/plain-*", "/config"] });
    for (const path of ["/health", "/config", "/agents/plain-agent"]) expect((await client.get(path)).status).toBe(200);
    for (const path of ["/", "/info", "/docs", "/docs/assets/swagger-ui.css", "/agents", "/agents/tool-agent"]) {
      expect([path, (await client.get(path)).status]).toEqual([path, 401]);
    }
    expect((await client.get("/info", bearer(token({ sub: "a" }, pair)))).status).toBe(200);
    const closed = await serve({ excludedRoutePaths: [] });
    for (const method of ["GET", "HEAD"]) expect((await closed.send("/health", { method })).status).toBe(401);
    const path = "/agents/plain-agent/runs/x/resume";
    expect((await client.post(path)).json.detail).toBe("session_id is required for this action");
    for (const trick of ["/agents/tool-agent/../plain-agent", "/agents/plain-%2F..%2Ftool-agent"]) {
      expect([trick, (await client.get(trick)).status]).not.toEqual([trick, 200]);
    }
  });

  test("with isolation, a caller without a token on an excluded path cannot start or read runs", async () => {
    const client = await serve({ excludedRoutePaths: ["/agents/*"], userIsolation: true });
    expect((await client.get("/agents/plain-agent")).status).toBe(200);
    const started = await client.post("/agents/plain-agent/runs", { message: "x", user_id: "alice" });
    expect([started.status, started.json]).toEqual([403, { detail: expect.stringContaining("names no user") }]);
    expect((await client.get("/agents/plain-agent/runs?session_id=s")).status).toBe(403);
  });
});

describe("[J35] scopeMappings", () => {
  const scopeMappings = {
    "GET /agents": ["list:agents"],
    "GET /agents/*": ["Agents.Read"],
    "POST /agents/*/runs": ["run:agents", "pay:runs"],
    "GET /config": [],
    "GET /teams/{team_id}": ["read:team"],
  };
  const with_ = (...scopes: string[]) => bearer(token({ sub: "a", scopes }, pair));

  test("replaces the required scopes by route path or by pattern", async () => {
    const client = await serve({ scopeMappings });
    const allowed = async (method: string, path: string, ...scopes: string[]): Promise<boolean> =>
      (await client.send(path, { method, headers: with_(...scopes) })).status !== 403;
    expect(await allowed("GET", "/agents", "list:agents")).toBe(true);
    const { agents } = conformancePlatform();
    expect((await client.get("/agents", with_("list:agents"))).json).toHaveLength(agents.length);
    expect(await allowed("GET", "/agents", "agents:read")).toBe(false);
    expect(await allowed("GET", "/agents/plain-agent", "Agents.Read")).toBe(true);
    expect(await allowed("GET", "/agents/plain-agent/runs?session_id=s", "Agents.Read")).toBe(true);
    expect(await allowed("GET", "/agents/plain-agent", "agents.read")).toBe(false);
    expect(await allowed("POST", "/agents/plain-agent/runs", "run:agents")).toBe(false);
    expect(await allowed("POST", "/agents/plain-agent/runs", "run:agents", "pay:runs")).toBe(true);
    expect(await allowed("POST", "/agents/plain-agent/runs", "run:plain-agent:agents", "pay:runs")).toBe(true);
    expect(await allowed("POST", "/agents/plain-agent/runs/x/cancel", "run:agents", "pay:runs")).toBe(false);
    expect(await allowed("POST", "/agents/plain-agent/runs/x/cancel", "agents:run")).toBe(true);
    expect(await allowed("GET", "/config")).toBe(true);
    expect(await allowed("GET", "/models")).toBe(false);
    expect(await allowed("GET", "/teams/duo-team", "read:team")).toBe(true);
    expect(await allowed("GET", "/teams", "read:team")).toBe(false);
    expect(await allowed("GET", "/teams", "agent_os:admin")).toBe(true);
    expect((await client.get("/config")).status).toBe(401);
    const { json } = await client.post("/agents/plain-agent/runs", { message: "x" }, with_("run:agents"));
    expect(json).toEqual({ detail: "Insufficient permissions. Required scope(s): run:agents, pay:runs" });
  });

  test("logs a warning for a mapping of a route that does not exist", async () => {
    const warn = vi.fn();
    await serve({ scopeMappings: { "GET /agent": ["x:y"], "GET /agents": ["x:y"] } }, { log: { ...silentLog, warn } });
    expect(warn).toHaveBeenCalledWith({ unused: ["GET /agent"] }, expect.stringContaining("does not have"));
  });
});

test("a definition's functions receive the credential's user, scopes and claims, and never the credential itself", async () => {
  const seen: RunContext[] = [];
  const instructions = (context: RunContext): string => {
    seen.push(context);
    return "Answer.";
  };
  const curious = defineAgent({ id: "curious", model: scriptedModel(() => "Yes."), instructions });
  const folder = await createDataDir();
  onTestFinished(folder.remove);
  const authorization = { verificationKeys: [pair.pem], dependenciesClaims: ["tenant"] };
  const hosted = definePlatform({ id: "p", agents: [curious], authorization });
  const { server, client } = await startServer({ kind: "sqlite", dataDir: folder.path }, hosted);
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  const text = token({ ...alice, tenant: "acme" }, pair);
  const fields = { message: "x", stream: false, dependencies: '{"tenant":"other","more":1}' };
  expect((await client.post("/agents/curious/runs", fields, bearer(text))).status).toBe(200);
  expect(seen[0]).toMatchObject({ userId: "alice", dependencies: { tenant: "acme", more: 1 } });
  expect(seen[0]?.principal).toEqual({
    kind: "user",
    userId: "alice",
    scopes: alice.scopes,
    isAdmin: false,
    owner: null,
  });
  expect(JSON.stringify(seen)).not.toContain(text);
});

eachDatabase("ownership of runs", (openDatabase) => {
  test("[J7] [J17] the token's user, session and claims take precedence over the form's", async () => {
    const options = { dependenciesClaims: ["tenant"], sessionStateClaims: ["locale"], userIsolation: true };
    const client = await serve(options, { on: await openDatabase() });
    const mine = bearer(token({ ...alice, session_id: "mine", tenant: "acme", locale: "da" }, pair));
    const fields = {
      message: "x",
      stream: false,
      user_id: "mallory",
      session_id: "other",
      session_state: '{"locale":"en"}',
    };
    const { json } = await client.post("/agents/plain-agent/runs", fields, mine);
    expect(json).toMatchObject({ user_id: "alice", session_id: "mine", session_state: { locale: "da" } });
  });

  test("[J7] a token that names a session reads, changes and deletes only that session", async () => {
    const client = await serve({}, { on: await openDatabase() });
    const verbs = ["read", "write", "delete"].map((action) => `sessions:${action}`);
    const scopes = [...alice.scopes, ...verbs];
    const [bound, free] = [{ session_id: "hers" }, {}].map((more) =>
      bearer(token({ ...alice, scopes, ...more }, pair)),
    );
    const runs = "/agents/plain-agent/runs";
    const json = (method: string, path: string, body: object, headers = bound!) =>
      client.send(path, {
        ...{ method, headers: { ...headers, "content-type": "application/json" } },
        body: JSON.stringify(body),
      });
    const made = await json("POST", "/sessions", { session_id: "another" });
    expect([made.status, made.json.session_id]).toEqual([201, "hers"]);
    const other = await client.post(runs, { message: "x", stream: false, session_id: "other" }, free);
    const own = await client.post(runs, { message: "x", stream: false, session_id: "other" }, bound);
    expect([other.json.session_id, own.json.session_id]).toEqual(["other", "hers"]);
    const idsOf = async (path: string, name: string) =>
      (await client.get(path, bound)).json.map((one: Record<string, string>) => one[name]);
    expect(await idsOf(runs, "run_id")).toEqual([own.json.run_id]);
    expect(await idsOf(`${runs}?session_id=hers&status=COMPLETED`, "run_id")).toEqual([own.json.run_id]);
    expect((await client.get("/sessions", bound)).json).toMatchObject({
      ...{ data: [{ session_id: "hers" }], meta: { total_count: 1 } },
    });
    expect((await client.get(`${runs}?session_id=other`, bound)).status).toBe(404);
    // The caller need not specify the token's session.
    const resumed = await client.post(`${runs}/${own.json.run_id}/resume`, {}, bound);
    expect([resumed.status, resumed.text.includes("RunCompleted")]).toEqual([200, true]);
    expect((await client.post(`${runs}/${other.json.run_id}/resume`, {}, bound)).status).toBe(404);
    const renamed = await json("POST", "/sessions/hers/rename", { session_name: "mine" });
    expect([renamed.status, renamed.json.session_name]).toEqual([200, "mine"]);
    expect((await json("PATCH", "/sessions/other", { session_name: "mine" })).status).toBe(404);
    expect((await client.send("/sessions/other", { method: "DELETE", headers: bound! })).status).toBe(204);
    expect((await client.get("/sessions/other", free)).status).toBe(200);
    expect((await client.send("/sessions/hers", { method: "DELETE", headers: bound! })).status).toBe(204);
    expect((await client.get("/sessions/hers", free)).status).toBe(404);
  });

  test("[J7] a token that names a session cannot fork it", async () => {
    const client = await serve({}, { on: await openDatabase() });
    const scopes = [...alice.scopes, "sessions:read"];
    const bound = bearer(token({ ...alice, scopes, session_id: "s" }, pair));
    const free = bearer(token({ ...alice, scopes }, pair));
    for (const kind of ["agents/plain-agent", "teams/duo-team"]) {
      const started = await client.post(`/${kind}/runs`, { message: "x", stream: false }, bound);
      const again = `/${kind}/runs/${started.json.run_id}/continue`;
      const fields = { input: "more", stream: false, session_id: "s" };
      const count = async () => (await client.get("/sessions", free)).json.meta.total_count;
      const before = await count();
      const detail = "The credential is for one session only, and a fork is another one.";
      for (const [path, fork] of [
        [`/${kind}/sessions/s/fork`, {}],
        [again, { ...fields, fork: true }],
      ] as const) {
        const { status, json } = await client.post(path, fork, bound);
        expect([path, status, json]).toEqual([path, 403, { detail }]);
      }
      expect(await count()).toBe(before);
      const { status, json } = await client.post(again, fields, bound);
      expect([status, json.session_id]).toEqual([200, "s"]);
      expect((await client.post(again, { ...fields, fork: true }, free)).status).toBe(200);
      expect((await client.post(`/${kind}/sessions/s/fork`, {}, free)).status).toBe(200);
    }
  });

  test("[R27] [R28] resume without session_id returns 400 for callers who are not admins", async () => {
    const client = await serve({}, { on: await openDatabase() });
    const mine = bearer(token(alice, pair));
    const started = await client.post("/teams/duo-team/runs", { message: "x", stream: false, session_id: "s" }, mine);
    const path = `/teams/duo-team/runs/${started.json.run_id}/resume`;
    const detail = "session_id is required for this action";
    expect((await client.post(path, {}, mine)).json).toEqual({ detail, error_code: "BAD_REQUEST" });
    expect((await client.post(path, { session_id: "s" }, mine)).status).toBe(200);
    const admin = bearer(token({ sub: "root", scopes: ["agent_os:admin"] }, pair));
    expect((await client.post(path, {}, admin)).status).toBe(200);
  });

  test("[J17] with isolation, another user's run returns 404 to resume and cancel, under every route", async () => {
    const client = await serve({ userIsolation: true }, { on: await openDatabase() });
    const mine = bearer(token(alice, pair));
    const theirs = bearer(token({ ...alice, sub: "bob" }, pair));
    const running = await client.stream("/teams/duo-team/runs", { message: "slow", session_id: "s" }, mine);
    await running.untilEvents(3);
    const path = `/teams/duo-team/runs/${running.runId}`;
    const member = running.events.map(({ data }) => data.run_id).find((id) => id !== running.runId) ?? running.runId;
    for (const [place, fields] of [
      [`${path}/resume`, { session_id: "s" }],
      [`${path}/cancel?session_id=s`, {}],
      [`/teams/quiet-team/runs/${running.runId}/resume`, { session_id: "s" }],
      [`/agents/plain-agent/runs/${running.runId}/resume`, { session_id: "s" }],
      [`/teams/duo-team/runs/${member}/resume`, { session_id: "s" }],
    ] as const) {
      const { status, json } = await client.post(place, fields, theirs);
      expect([place, status, json]).toEqual([place, 404, { detail: "Run not found", error_code: "NOT_FOUND" }]);
    }
    // Non-admins: the server requires session_id before anything else, also from the owner of the run.
    const detail = "session_id is required for this action";
    for (const [place, headers] of [
      [`${path}/cancel`, theirs],
      [`${path}/cancel`, mine],
      ["/teams/nope/runs/x/cancel", mine],
    ] as const) {
      const { status, json } = await client.post(place, {}, headers);
      expect([place, status, json]).toEqual([place, 400, { detail, error_code: "BAD_REQUEST" }]);
    }
    // The same session id of another user is another session.
    const own = await client.post("/teams/duo-team/runs", { message: "hello", stream: false, session_id: "s" }, theirs);
    expect([own.status, own.json.session_id, own.json.user_id]).toEqual([200, "s", "bob"]);
    const { json } = await client.get("/teams/duo-team/runs?session_id=s", theirs);
    expect(json.map(({ run_id }: { run_id: string }) => run_id)).toEqual([own.json.run_id]);
    await running.all();
    expect(running.events.at(-1)?.event).toBe("TeamRunCompleted");
    expect((await client.post(`${path}/cancel?session_id=s`, {}, mine)).json).toEqual({});
    const admin = bearer(token({ sub: "root", scopes: ["agent_os:admin"] }, pair));
    expect((await client.post(`${path}/cancel`, {}, admin)).json).toEqual({});
  });

  test("[J17] an admin selects one of several users' sessions with the same id by user_id", async () => {
    const client = await serve({ userIsolation: true }, { on: await openDatabase() });
    for (const sub of ["alice", "bob"]) {
      const fields = { message: `from ${sub}`, stream: false, session_id: "chat" };
      await client.post("/agents/plain-agent/runs", fields, bearer(token({ ...alice, sub }, pair)));
    }
    const admin = bearer(token({ sub: "root", scopes: ["agent_os:admin"] }, pair));
    const body = JSON.stringify({ session_name: "bob's" });
    const headers = { ...admin, "content-type": "application/json" };
    for (const [method, path] of [
      ["PATCH", "/sessions/chat?user_id=bob"],
      ["POST", "/sessions/chat/rename?user_id=bob"],
    ] as const) {
      const { status, json } = await client.send(path, { method, headers, body });
      expect([method, status, json.user_id, json.session_name]).toEqual([method, 200, "bob", "bob's"]);
    }
    const names = ["alice", "bob"].map(
      async (user) => (await client.get(`/sessions/chat?user_id=${user}`, admin)).json.session_name,
    );
    expect(await Promise.all(names)).toEqual(["from alice", "bob's"]);
  });

  test("[J17] with isolation, a verified token without a user cannot start or read runs", async () => {
    const client = await serve({ userIsolation: true }, { on: await openDatabase() });
    const nobody = bearer(token({ scopes: alice.scopes }, pair));
    expect((await client.get("/agents", nobody)).status).toBe(200);
    const detail = "The credential names no user, and what belongs to users is for them only.";
    const started = await client.post("/agents/plain-agent/runs", { message: "x", user_id: "alice" }, nobody);
    expect([started.status, started.json]).toEqual([403, { detail }]);
    expect((await client.get("/agents/plain-agent/runs/x?session_id=s", nobody)).json).toEqual({ detail });
  });

  test("[J17] when isolation is switched on, each existing session belongs to the user who created it", async () => {
    const database = await openDatabase();
    const place = { ...databaseOptions(database), port: 0, logLevel: "silent", environment: {} };
    const before = await createServer(platform({ verificationKeys: [pair.pem] }), place);
    const start = (server: typeof before, sub: string, session_id: string) =>
      server.inject({
        method: "POST",
        url: "/agents/plain-agent/runs",
        headers: { ...bearer(token({ ...alice, sub }, pair)), "content-type": "application/x-www-form-urlencoded" },
        payload: new URLSearchParams({ message: "x", stream: "false", session_id }).toString(),
      });
    const first = (await start(before, "alice", "s")).json<{ run_id: string }>();
    await start(before, "bob", "t");
    await before.close({ shutdownTimeout: 0 });
    const after = await createServer(platform({ verificationKeys: [pair.pem], userIsolation: true }), place);
    onTestFinished(() => after.close({ shutdownTimeout: 0 }));
    const second = (await start(after, "alice", "s")).json<{ run_id: string }>();
    const listed = async (sub: string, session: string) => {
      const headers = bearer(token({ ...alice, sub }, pair));
      const answer = await after.inject({
        method: "GET",
        url: `/agents/plain-agent/runs?session_id=${session}`,
        headers,
      });
      return answer.statusCode === 200
        ? answer.json<{ run_id: string }[]>().map(({ run_id }) => run_id)
        : answer.statusCode;
    };
    expect(await listed("alice", "s")).toEqual([first.run_id, second.run_id]);
    expect(await listed("bob", "s")).toBe(404);
    expect(await listed("alice", "t")).toBe(404);
    expect(await listed("bob", "t")).toHaveLength(1);
  });
});

describe("[R28] the security key", () => {
  const key = "a key of the operator";

  test("grants every scope and names no user, and a wrong key returns 401", async () => {
    const client = await serve(null, { environment: { OS_SECURITY_KEY: key } });
    for (const value of [`Bearer ${key}`, key])
      expect((await client.get("/models", { authorization: value })).status).toBe(200);
    expect((await client.get("/models")).json).toEqual({ ...missing, detail: "Authorization header required" });
    for (const value of ["Bearer wrong", `Bearer ${key}x`, `Bearer ${key.slice(1)}`, "Bearer", "Basic x"]) {
      const { status, json } = await client.get("/models", { authorization: value });
      expect([value, status, json]).toEqual([value, 401, { ...missing, detail: "Invalid authentication token" }]);
    }
    expect((await client.get("/info")).json.auth_mode).toBe("security_key");
    const fields = { message: "x", stream: false, user_id: "carol" };
    expect((await client.post("/agents/plain-agent/runs", fields, bearer(key))).json.user_id).toBe("carol");
    const kept = await client.post("/agents/plain-agent/runs", { ...fields, user_id: "sa:bot" }, bearer(key));
    expect([kept.status, kept.json]).toEqual([
      403,
      { detail: "Client-supplied user_id may not claim a reserved principal" },
    ]);
  });
});

describe("the listening address", () => {
  test("with authorization, may be any address, and requests may have any Host", async () => {
    const client = await serve({}, { host: "0.0.0.0" });
    expect((await client.get("/health", { host: "agents.example" })).status).toBe(200);
    expect((await client.get("/agents", { host: "agents.example" })).status).toBe(401);
  });

  test("without authorization, must be a loopback address: otherwise the server does not start", async () => {
    const folder = await createDataDir();
    onTestFinished(folder.remove);
    const open = { dataDir: folder.path, host: "0.0.0.0", environment: {} };
    await expect(createServer(platform(), open)).rejects.toThrow(/Turn authorization on/);
    await expect(
      createServer(platform(false), { ...open, environment: { JWT_VERIFICATION_KEY: pair.pem } }),
    ).rejects.toThrow();
  });
});

test("[P11] a verification key in the environment alone turns authorization with scopes on", async () => {
  const client = await serve(null, { environment: { JWT_VERIFICATION_KEY: pair.pem.replaceAll("\n", "\\n") } });
  expect((await client.get("/agents")).status).toBe(401);
  expect((await client.get("/agents", bearer(token(alice, pair)))).status).toBe(200);
  expect((await client.get("/config", bearer(token(alice, pair)))).status).toBe(403);
});

test("responses are not cacheable, except public assets", async () => {
  const client = await serve();
  const mine = bearer(token(alice, pair));
  expect((await client.get("/agents", mine)).headers["cache-control"]).toBe("no-store");
  expect((await client.get("/agents")).headers["cache-control"]).toBe("no-store");
  const stream = await client.stream("/agents/plain-agent/runs", { message: "x" }, mine);
  expect(stream.headers["cache-control"]).toBe("no-cache");
  await stream.all();
  expect((await client.get("/docs/assets/swagger-ui.css")).headers["cache-control"]).toContain("public");
});

test("internalServiceToken lets an external scheduler start runs, on every process with that token", async () => {
  const internalServiceToken = randomBytes(32).toString("base64url");
  for (let process = 0; process < 2; process++) {
    const client = await serve({ internalServiceToken });
    const headers = bearer(internalServiceToken);
    const started = await client.post("/agents/plain-agent/runs", { message: "x", stream: false }, headers);
    expect([started.status, started.json.user_id]).toEqual([200, "__scheduler__"]);
    expect((await client.get("/config", headers)).status).toBe(403);
    expect((await client.get("/agents", bearer(`${internalServiceToken}x`))).status).toBe(401);
  }
});

test("the log contains no token, key or secret of a request", async () => {
  const lines: string[] = [];
  const entry = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const secret = "a shared secret that nobody must read";
  const log = { debug: entry, info: entry, warn: entry, error: entry };
  const client = await serve({ algorithm: "HS256", verificationKeys: [secret, "short"] }, { log });
  const good = token(alice, secret);
  await client.get("/agents", bearer(good));
  await client.get(`/nope?token=${good}`, bearer(good));
  await client.get("/agents", bearer(token(alice, `${secret}x`)));
  await client.raw(`GET / HTTP/1.1\r\nAuthorization: Bearer ${good}\r\nbroken\r\n\r\n`);
  const text = lines.join("\n");
  expect(lines.length).toBeGreaterThan(0);
  for (const hidden of [good, good.split(".")[2] ?? "", secret]) expect(text).not.toContain(hidden);
});

test("the log omits fields of libraries' errors that may contain credentials", () => {
  const lines: string[] = [];
  const log = jsonLog("info", { write: (line) => void lines.push(line) });
  const secret = "sk-abcdefghijklmnop";
  const request = { headers: { authorization: `Bearer ${secret}` }, prompt: "a user's words" };
  const cause = Object.assign(new Error(`401 for ${secret}`), { code: "E401", config: request });
  const error = Object.assign(new Error("It failed", { cause }), { request, status: 502 });
  log.error({ error }, "A request failed.");
  log.error({ error: new AggregateError([cause], "All failed") }, "Requests failed.");
  const [one = "", several = ""] = lines;
  expect(JSON.parse(one).error).toMatchObject({ message: "It failed", status: 502, cause: { code: "E401" } });
  expect(JSON.parse(several).error.errors).toMatchObject([{ message: "401 for [hidden]" }]);
  expect(JSON.parse(one).error.stack).toContain("authorization.test.ts");
  for (const hidden of [secret, request.prompt]) expect(lines.join("")).not.toContain(hidden);
});
