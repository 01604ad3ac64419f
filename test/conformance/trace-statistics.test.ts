/** Statistics of traces over HTTP. */
import { expect, onTestFinished, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { definePlatform, type PlatformOptions } from "../../src/define/platform.ts";
import { defineTeam } from "../../src/define/team.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { eventually } from "../support/eventually.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import type { Client } from "./support/client.ts";
import { startServer } from "./support/server.ts";

const pair = makePair();
const as = (sub: string, scopes: readonly string[] = ["agents:run", "teams:run", "traces:read"]) =>
  bearer(token({ sub, scopes }, pair));
const admin = as("root", ["agent_os:admin"]);

async function serve(database: TestDatabase, authorization: PlatformOptions["authorization"] = {}): Promise<Client> {
  const usage = { input: 100, output: 10 };
  const options = { modelId: "small", provider: "maker" };
  const model = scriptedModel(
    ({ message }) =>
      message.includes("fail") ? { error: { message: "The model is broken.", status: 400 } } : { text: "done", usage },
    options,
  );
  const agent = defineAgent({ id: "agent", model, maxModelAttempts: 1 });
  const team = defineTeam({ id: "team", model: scriptedModel(() => ({ text: "done", usage })), members: [agent] });
  const { server, client } = await startServer(
    database,
    definePlatform({
      ...{ id: "test", agents: [agent], teams: [team] },
      prices: { "maker:small": { input: 1, output: 10 } },
      authorization: { ...(authorization as object), verificationKeys: [pair.pem] },
    }),
  );
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  return client;
}

/** Starts runs, and waits until the caller's statistics cover that many traces. */
async function run(
  client: Client,
  headers: Record<string, string>,
  messages: readonly string[],
  path = "agents/agent",
) {
  for (const message of messages) await client.post(`/${path}/runs`, { message, stream: "false" }, headers);
}

async function statistics(client: Client, headers: Record<string, string>, traces: number, query = "") {
  return await eventually(async () => {
    const { json } = await client.get(`/traces/stats${query}`, headers);
    expect(json.traces).toBe(traces);
    return json;
  });
}

eachDatabase("GET /traces/stats", (openDatabase) => {
  test("shows durations, failures, tokens and costs by component, user, model and day", async () => {
    const client = await serve(await openDatabase());
    await run(client, as("alice"), ["hello", "fail", "hello"]);
    await run(client, as("bob"), ["hello"], "teams/team");
    const found = await statistics(client, admin, 4);
    expect(found).toMatchObject({ is_complete: true, first_trace_at: expect.any(String) });
    const cost = 0.0004;
    expect(found.components).toMatchObject([
      { type: "agent", id: "agent", count: 3, error_count: 1, input_tokens: 200, output_tokens: 20, cost },
      { type: "team", id: "team", count: 1, error_count: 0, input_tokens: 100, output_tokens: 10, cost: null },
    ]);
    expect(found.users).toMatchObject([
      { id: "alice", count: 3, error_count: 1 },
      { id: "bob", count: 1, error_count: 0 },
    ]);
    const models = new Map(found.models.map((one: { id: string }) => [one.id, one]));
    expect(models.get("small")).toMatchObject({ provider: "maker", count: 3, error_count: 1, input_tokens: 200, cost });
    expect(found.days).toMatchObject([{ date: new Date().toISOString().slice(0, 10), count: 4, error_count: 1 }]);
    for (const { duration_ms: of } of [...found.components, ...found.users, ...found.models, ...found.days]) {
      expect(of.p50).toBeLessThanOrEqual(of.p95);
      expect(of.p95).toBeLessThanOrEqual(of.max);
      expect(of.mean).toBeLessThanOrEqual(of.max);
    }
  });

  test("filters select the traces that are covered", async () => {
    const client = await serve(await openDatabase());
    expect(await statistics(client, admin, 0)).toMatchObject({
      is_complete: true,
      components: [],
      first_trace_at: null,
    });
    await run(client, as("alice"), ["hello", "fail"]);
    await run(client, as("bob"), ["hello"], "teams/team");
    await statistics(client, admin, 3);
    await statistics(client, admin, 1, "?status=ERROR");
    await statistics(client, admin, 2, "?agent_id=agent");
    await statistics(client, admin, 1, "?user_id=bob");
    await statistics(client, admin, 0, "?start_time=2999-01-01");
    expect((await client.get("/traces/stats?start_time=never", admin)).status).toBe(422);
  });

  test("a caller with user isolation sees the statistics of its own runs; without traces:read the answer is 403", async () => {
    const client = await serve(await openDatabase(), { userIsolation: true });
    await run(client, as("alice"), ["hello"]);
    await run(client, as("bob"), ["hello", "hello"]);
    expect((await statistics(client, as("alice"), 1)).users).toMatchObject([{ id: "alice", count: 1 }]);
    await statistics(client, as("bob"), 2);
    expect((await client.get("/traces/stats?user_id=bob", as("alice"))).json.traces).toBe(0);
    expect((await client.get("/traces/stats", as("carol", ["agents:run"]))).status).toBe(403);
    expect((await client.get("/traces/stats")).status).toBe(401);
  });
});
