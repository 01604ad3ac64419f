/** Limits over HTTP: of a start, of a token, and `GET /usage`. */
import { expect, onTestFinished, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import type { PlatformOptions } from "../../src/define/platform.ts";
import { definePlatform } from "../../src/define/platform.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { SocketClient } from "../support/socket-client.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { postJson, request } from "./support/a2a.ts";
import type { Client } from "./support/client.ts";
import { startServer } from "./support/server.ts";

const pair = makePair();
const scopes = ["agents:run", "agents:read", "sessions:read", "a2a:run"];
const usage = { input: 100, output: 10 };
const as = (sub: string, claims: object = {}) => bearer(token({ sub, scopes, ...claims }, pair));

async function serve(database: TestDatabase, options: Partial<PlatformOptions> = {}): Promise<Client> {
  const agent = defineAgent({
    id: "agent",
    model: scriptedModel(() => ({ text: "done", usage })),
    limits: { perDay: { modelRequests: 100 }, perSession: { tokens: 1_100 } },
  });
  const { server, client } = await startServer(
    database,
    definePlatform({
      id: "test",
      agents: [agent],
      workflows: [defineWorkflow({ id: "flow", steps: [agent] })],
      prices: { "scripted-model": { input: 10, output: 100 } },
      authorization: { verificationKeys: [pair.pem], limitsClaim: "plan.limits" },
      ...options,
    }),
  );
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  return client;
}

const start = (client: Client, caller: ReturnType<typeof as>, fields: Record<string, string> = {}) =>
  client.post("/agents/agent/runs", { message: "hi", stream: "false", ...fields }, caller);

eachDatabase("limits over HTTP", (openDatabase) => {
  test("a start takes limits, and rejects names and amounts that are none with 422", async () => {
    const client = await serve(await openDatabase());
    const limited = await start(client, as("alice"), { limits: JSON.stringify({ cost: 0.01, model_requests: 1 }) });
    expect([limited.status, limited.json.metrics.cost]).toEqual([200, 0.002]);
    for (const limits of [
      { costs: 1 },
      { modelRequests: 1 },
      { cost: 0 },
      { tokens: 1.5 },
      { per_day: { cost: 1 } },
      [],
    ])
      expect([limits, (await start(client, as("alice"), { limits: JSON.stringify(limits) })).status]).toEqual([
        limits,
        422,
      ]);
  });

  test("the claim of a token limits its user, and a claim that cannot be read rejects the token", async () => {
    const client = await serve(await openDatabase());
    const alice = as("alice", { plan: { limits: { per_day: { model_requests: 1 } } } });
    expect((await start(client, alice)).status).toBe(200);
    const rejected = await start(client, alice);
    expect([rejected.status, rejected.json.limit]).toEqual([
      429,
      expect.objectContaining({ scope: "user", id: "alice", period: "day", used: 1, allowed: 1 }),
    ]);
    expect((await start(client, as("bob"))).status).toBe(200);
    for (const limits of [{ cots: 1 }, { per_day: { modelRequests: 1 } }, { on_limit: "stop" }, 7])
      expect((await start(client, as("eve", { plan: { limits } }))).status).toBe(401);
  });

  test("A2A rejects a start over a daily limit with 429 and Retry-After", async () => {
    const client = await serve(await openDatabase());
    const alice = as("alice", { plan: { limits: { per_day: { model_requests: 1 } } } });
    await start(client, alice);
    const path = "/a2a/agents/agent/v1/message:send";
    const { status, headers } = await postJson(client, path, request("hi"), alice);
    expect([status, Number(headers["retry-after"]) > 0]).toEqual([429, true]);
  });

  test("the web socket rejects a start over a daily limit", async () => {
    const client = await serve(await openDatabase());
    const claims = { plan: { limits: { per_day: { model_requests: 1 } } } };
    await start(client, as("alice", claims));
    const socket = await SocketClient.open(client.base);
    onTestFinished(() => socket.close());
    await socket.event("connected");
    socket.send({
      action: "authenticate",
      token: token({ sub: "alice", scopes: ["workflows:run"], ...claims }, pair),
    });
    await socket.event("authenticated");
    socket.send({ action: "start-workflow", workflow_id: "flow", message: "hi" });
    expect(JSON.stringify(await socket.event("error"))).toContain("1 model requests in one day");
  });

  test("GET /usage shows the limits with their use, those closest to their end first", async () => {
    const client = await serve(await openDatabase(), {
      limits: { perDay: { cost: 1 }, perSession: { modelRequests: 4 }, user: { perDay: { cost: 0.004 } } },
    });
    await start(client, as("alice"), { session_id: "s" });
    await start(client, as("bob"));
    const { status, json } = await client.get("/usage?session_id=s", as("alice"));
    expect([status, json.user_id, json.session_id]).toEqual([200, "alice", "s"]);
    expect(
      json.limits.map(({ scope, period, metric, used, allowed }: Record<string, unknown>) => [
        ...[scope, period, metric, used, allowed],
      ]),
    ).toEqual([
      ["user", "day", "cost", 0.002, 0.004],
      ["platform", "session", "model_requests", 1, 4],
      ["agent", "session", "tokens", 110, 1_100],
      ["agent", "day", "model_requests", 2, 100],
      ["platform", "day", "cost", 0.004, 1],
    ]);
    expect(json.limits[0].reset_at).toBe(json.reset_at);
    expect((await client.get("/usage?session_id=none", as("alice"))).status).toBe(404);
  });

  test("GET /usage shows the lower one of a user's limits from the claim and from the platform", async () => {
    const client = await serve(await openDatabase(), { limits: { user: { perDay: { cost: 0.5, tokens: 100 } } } });
    const alice = as("alice", { plan: { limits: { per_day: { cost: 0.1, tokens: 200 } } } });
    const { json } = await client.get("/usage", alice);
    const own = json.limits.filter(({ scope }: { scope: string }) => scope === "user");
    expect(own.map(({ metric, allowed }: Record<string, unknown>) => [metric, allowed]).sort()).toEqual([
      ["cost", 0.1],
      ["tokens", 100],
    ]);
  });

  test("with user isolation, a caller sees its own limits only", async () => {
    const client = await serve(await openDatabase(), {
      authorization: { verificationKeys: [pair.pem], userIsolation: true },
      limits: { perDay: { cost: 1 }, perSession: { modelRequests: 4 }, user: { perDay: { cost: 0.004 } } },
    });
    await start(client, as("alice"), { session_id: "s" });
    const { json } = await client.get("/usage?user_id=alice", as("bob"));
    expect([json.user_id, json.limits]).toEqual([
      "bob",
      [expect.objectContaining({ scope: "user", id: "bob", used: 0 })],
    ]);
    expect((await client.get("/usage?session_id=s", as("bob"))).status).toBe(404);
    const own = await client.get("/usage?session_id=s", as("alice"));
    expect(own.json.limits.map(({ scope }: { scope: string }) => scope)).toEqual(["user", "platform", "agent"]);
    const admin = bearer(token({ sub: "root", scopes: ["agent_os:admin"] }, pair));
    const all = await client.get("/usage?user_id=alice", admin);
    expect(all.json.limits.map(({ scope, used }: { scope: string; used: number }) => [scope, used])).toEqual([
      ...[
        ["user", 0.002],
        ["agent", 1],
        ["platform", 0.002],
      ],
    ]);
  });

  test("GET /usage needs the scope sessions:read", async () => {
    const client = await serve(await openDatabase());
    const { status } = await client.get("/usage", bearer(token({ sub: "alice", scopes: ["agents:run"] }, pair)));
    expect(status).toBe(403);
  });
});
