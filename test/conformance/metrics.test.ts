/** `GET /metrics` and `POST /metrics/refresh`: usage by day. */
import { describe, expect, onTestFinished, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { definePlatform, type PlatformOptions } from "../../src/define/platform.ts";
import { defineTeam } from "../../src/define/team.ts";
import { defineWorkflow } from "../../src/define/workflow/workflow.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { moveClock } from "../support/move-clock.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import type { Client } from "./support/client.ts";
import { startServer } from "./support/server.ts";

const pair = makePair();
const scopes = ["agents:run", "agents:delete", "teams:run", "workflows:run", "metrics:read", "metrics:write"];
const as = (sub: string, claims: object = {}) => bearer(token({ sub, scopes, ...claims }, pair));
const dayLength = 24 * 3_600_000;
const dayAfter = (days: number): string => new Date(Date.now() + days * dayLength).toISOString().slice(0, 10);

const usage = { input: 100, output: 10 };
const agent = defineAgent({
  id: "agent",
  model: scriptedModel(({ message }) => {
    if (message === "fail") throw new Error("no answer");
    return { text: "done", usage };
  }),
});
const team = defineTeam({
  id: "team",
  model: scriptedModel(({ results }) =>
    results.length > 0
      ? { text: "done", usage }
      : { toolCalls: [{ name: "delegate_task_to_member", input: { member_id: "agent", task: "work" } }], usage },
  ),
  members: [agent],
});
const workflow = defineWorkflow({ id: "workflow", steps: [agent] });

async function serve(database: TestDatabase, options: Partial<PlatformOptions> = {}): Promise<Client> {
  const hosted = { agents: [agent], teams: [team], workflows: [workflow] };
  const prices = { "scripted-model": { input: 10, output: 100 } };
  const platform = definePlatform({ id: "test", ...hosted, prices, ...options });
  const { server, client } = await startServer(database, platform);
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  return client;
}

const start = (
  client: Client,
  path: string,
  fields: Record<string, string> = {},
  headers: Record<string, string> = {},
) => client.post(`/${path}/runs`, { message: "hi", stream: "false", ...fields }, headers);

const refresh = async (client: Client, headers: Record<string, string> = {}) =>
  await client.send("/metrics/refresh", { method: "POST", headers });

const tokens = (requests: number) => ({
  ...{ input_tokens: 100 * requests, output_tokens: 10 * requests, total_tokens: 110 * requests },
  ...{ audio_total_tokens: 0, audio_input_tokens: 0, audio_output_tokens: 0 },
  ...{ cache_read_tokens: 0, cache_write_tokens: 0, reasoning_tokens: 0 },
  cost: 0.002 * requests,
});

eachDatabase("usage by day over HTTP", (openDatabase) => {
  test("an empty database has no days, and its refresh returns none", async () => {
    const client = await serve(await openDatabase());
    const read = await client.get("/metrics");
    expect([read.status, read.json]).toEqual([200, { metrics: [], updated_at: null }]);
    const refreshed = await refresh(client);
    expect([refreshed.status, refreshed.json]).toEqual([200, []]);
  });

  test("runs of every kind count after a refresh, with the usage of members and steps, also failed and deleted ones", async () => {
    const client = await serve(await openDatabase());
    const first = await start(client, "agents/agent", { session_id: "a", user_id: "u1" });
    await start(client, "agents/agent", { session_id: "a", user_id: "u1", message: "fail" });
    await start(client, "teams/team", { session_id: "t", user_id: "u2" });
    await start(client, "workflows/workflow", { session_id: "w" });
    await client.send(`/agents/agent/runs/${first.json.run_id}?session_id=a`, { method: "DELETE" });
    const { json } = await refresh(client);
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    const today = dayAfter(0);
    const expected = {
      ...{ id: today, date: `${today}T00:00:00Z`, created_at: time, updated_at: time },
      ...{ agent_runs_count: 2, team_runs_count: 1, workflow_runs_count: 1, users_count: 2 },
      ...{ agent_sessions_count: 1, team_sessions_count: 1, workflow_sessions_count: 1 },
      token_metrics: tokens(5),
      model_metrics: [expect.objectContaining({ model_id: "scripted-model", count: 3, requests: 5, ...tokens(5) })],
    };
    expect(json).toEqual([expected]);
    const read = await client.get(`/metrics?starting_date=${today}&ending_date=${today}`);
    expect(read.json).toEqual({ metrics: [expected], updated_at: time });
    // Repeated calls change nothing.
    expect((await refresh(client)).json).toEqual(json);
    expect((await client.get("/metrics?db_id=main&table=metrics")).json.metrics).toEqual(json);
  });

  test("a run counts on the day of its start, and a refresh returns today and the days that changed", async () => {
    const client = await serve(await openDatabase());
    await start(client, "agents/agent");
    await refresh(client);
    moveClock(dayLength);
    await start(client, "agents/agent", { session_id: "s" });
    expect((await refresh(client)).json.map(({ id }: { id: string }) => id)).toEqual([dayAfter(0)]);
    await start(client, "agents/agent", { session_id: "s" });
    const counts = async (query: string) =>
      (await client.get(`/metrics${query}`)).json.metrics.map((one: Record<string, number>) => [
        ...[one.id, one.agent_runs_count, one.agent_sessions_count],
      ]);
    await refresh(client);
    const [yesterday, today] = [dayAfter(-1), dayAfter(0)];
    expect(await counts("")).toEqual([
      [yesterday, 1, 1],
      [today, 2, 1],
    ]);
    expect(await counts(`?ending_date=${yesterday}`)).toEqual([[yesterday, 1, 1]]);
    expect(await counts(`?starting_date=${today}`)).toEqual([[today, 2, 1]]);
    expect(await counts(`?starting_date=${dayAfter(1)}&ending_date=${dayAfter(5)}`)).toEqual([]);
  });

  test("users see their own usage with isolation, and a token that names a session sees none", async () => {
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    const client = await serve(await openDatabase(), { authorization });
    await start(client, "agents/agent", {}, as("alice"));
    await start(client, "agents/agent", {}, as("alice"));
    await start(client, "teams/team", {}, as("bob"));
    expect((await refresh(client, as("alice"))).json).toMatchObject([
      { agent_runs_count: 2, team_runs_count: 0, users_count: 1, token_metrics: { input_tokens: 200 } },
    ]);
    const seen = async (sub: string, claims?: object) =>
      ((await client.get("/metrics", as(sub, claims))).json.metrics ?? []).map((one: Record<string, number>) => [
        ...[one.agent_runs_count, one.team_runs_count, one.users_count],
      ]);
    expect(await seen("bob")).toEqual([[0, 1, 1]]);
    expect(await seen("eve")).toEqual([]);
    expect(await seen("root", { scopes: ["agent_os:admin"] })).toEqual([[2, 1, 2]]);
    expect((await client.get("/metrics", as("alice", { session_id: "s" }))).status).toBe(403);
    expect((await refresh(client, as("alice", { session_id: "s" }))).status).toBe(403);
    expect((await refresh(client, as("alice", { scopes: ["metrics:read"] }))).status).toBe(403);
  });
});

describe("requests for usage by day", () => {
  test("dates that are none, reversed and long ranges return 422, and an unknown database or table 404", async () => {
    const { createDataDir } = await import("../support/databases.ts");
    const folder = await createDataDir();
    onTestFinished(() => folder.remove());
    const client = await serve({ kind: "sqlite", dataDir: folder.path });
    const statusOf = async (query: string) => (await client.get(`/metrics?${query}`)).status;
    for (const bad of ["bad", "2026-02-30", "2026-1-1", "1", "2026-11-01T00:00:00Z", "+002026-11-01", "%00"])
      expect([bad, await statusOf(`starting_date=${bad}`), await statusOf(`ending_date=${bad}`)]).toEqual([
        bad,
        422,
        422,
      ]);
    expect(await statusOf("starting_date=2026-11-02&ending_date=2026-11-01")).toBe(422);
    expect(await statusOf("starting_date=2025-01-01&ending_date=2026-01-01")).toBe(200);
    expect(await statusOf("starting_date=2025-01-01&ending_date=2026-01-02")).toBe(422);
    expect(await statusOf("starting_date=1999-01-01")).toBe(422);
    expect(await statusOf("ending_date=0001-01-01")).toBe(200);
    expect(await statusOf("starting_date=&ending_date=")).toBe(200);
    expect((await client.get("/metrics?db_id=nope")).json.detail).toBe("No database found with id 'nope'");
    for (const [query, status] of [
      ["db_id=nope", 404],
      ["db_id=main&table=nope", 404],
      ["table=metrics", 400],
    ] as const) {
      expect([query, await statusOf(query)]).toEqual([query, status]);
      expect((await client.send(`/metrics/refresh?${query}`, { method: "POST" })).status).toBe(status);
    }
  });
});
