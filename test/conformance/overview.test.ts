/** `GET /me`, `GET /overview` and `GET /runs` over HTTP. */
import { expect, onTestFinished, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { definePlatform, type PlatformOptions } from "../../src/define/platform.ts";
import { defineTeam } from "../../src/define/team.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import type { Client } from "./support/client.ts";
import { startServer } from "./support/server.ts";

const pair = makePair();
const as = (sub: string, scopes: readonly string[]) => bearer(token({ sub, scopes }, pair));
const admin = as("root", ["agent_os:admin"]);
const reader = ["agents:run", "sessions:read"];

async function serve(database: TestDatabase, authorization: PlatformOptions["authorization"] = {}): Promise<Client> {
  const usage = { input: 100, output: 10 };
  const model = scriptedModel(({ message }) => {
    if (message.includes("fail")) throw new Error("The model is away.");
    return { text: "done", usage };
  });
  const agent = defineAgent({ id: "agent", model });
  const team = defineTeam({ id: "team", model: scriptedModel(() => "done"), members: [agent] });
  const { server, client } = await startServer(
    database,
    definePlatform({
      id: "test",
      agents: [agent],
      teams: [team],
      authorization: { ...(authorization as object), verificationKeys: [pair.pem] },
    }),
  );
  onTestFinished(() => server.close({ shutdownTimeout: 0 }));
  return client;
}

eachDatabase("GET /me", (openDatabase) => {
  test("lists the routes that the caller may use, for the components that its scopes name", async () => {
    const client = await serve(await openDatabase());
    const { status, json } = await client.get("/me", as("alice", ["agents:agent:run", "sessions:read"]));
    expect(status).toBe(200);
    expect(json).toMatchObject({ kind: "user", user_id: "alice", is_admin: false, sees_only_own: false });
    const permissions = new Map(
      json.permissions.map((one: { method: string; path: string; components: unknown }) => [
        `${one.method} ${one.path}`,
        one.components,
      ]),
    );
    expect(permissions.get("POST /agents/{agent_id}/runs")).toEqual(["agent"]);
    expect(permissions.get("GET /sessions")).toBeNull();
    expect(permissions.has("DELETE /sessions")).toBe(false);
    expect(permissions.has("POST /teams/{team_id}/runs")).toBe(false);
    const scopesOf = (wanted: string) =>
      json.permissions.find(({ method, path }: { method: string; path: string }) => `${method} ${path}` === wanted)
        .scopes;
    expect(scopesOf("POST /agents/{agent_id}/runs")).toEqual(["agents:run"]);
    expect(scopesOf("GET /sessions")).toEqual(["sessions:read"]);
  });

  test("follows scope mappings, and needs a valid token", async () => {
    const client = await serve(await openDatabase(), { scopeMappings: { "GET /sessions": ["read:chats"] } });
    const pathsOf = async (scopes: readonly string[]) =>
      (await client.get("/me", as("alice", scopes))).json.permissions.map(({ path }: { path: string }) => path);
    expect(await pathsOf(["read:chats"])).toEqual(["/sessions"]);
    const { json } = await client.get("/me", as("alice", ["read:chats"]));
    expect(json.permissions[0].scopes).toEqual(["read:chats"]);
    expect(await pathsOf([])).toEqual([]);
    expect((await client.get("/me")).status).toBe(401);
  });
});

eachDatabase("GET /runs", (openDatabase) => {
  test("lists the runs of all components with tokens and the reason of a failure, in linked pages", async () => {
    const client = await serve(await openDatabase());
    const alice = as("alice", ["agents:run", "teams:run", "sessions:read"]);
    const start = (path: string, message: string) =>
      client.post(`${path}/runs`, { message, stream: "false", session_id: path.slice(1, 5) }, alice);
    await start("/agents/agent", "hello");
    await start("/teams/team", "hello");
    await start("/agents/agent", "fail");
    const { status, json } = await client.get("/runs", alice);
    expect(status).toBe(200);
    expect(json.map((run: { component_id: string; status: string }) => [run.component_id, run.status])).toEqual([
      ["agent", "ERROR"],
      ["team", "COMPLETED"],
      ["agent", "COMPLETED"],
    ]);
    expect(json[0].error).toContain("The model is away.");
    await expect
      .poll(async () => (await client.get("/runs?type=agent&status=COMPLETED", alice)).json[0].input_tokens)
      .toBe(100);
    const first = await client.get("/runs?limit=2", alice);
    const link = /<([^>]+)>; rel="next"/.exec(String(first.headers.link))?.[1] ?? "";
    const second = await client.get(link, alice);
    expect([...first.json, ...second.json].map(({ run_id }) => run_id)).toEqual(
      json.map(({ run_id }: { run_id: string }) => run_id),
    );
    expect(second.headers.link).toBeUndefined();
  });

  test("shows isolated users their own runs without the process, and rejects bad filters with 422", async () => {
    const client = await serve(await openDatabase(), { userIsolation: true });
    await client.post("/agents/agent/runs", { message: "hi", stream: "false", session_id: "s" }, as("alice", reader));
    expect((await client.get("/runs", as("bob", reader))).json).toEqual([]);
    const [own] = (await client.get("/runs", as("alice", reader))).json;
    expect(own).toMatchObject({ user_id: "alice", replica_id: null });
    expect((await client.get("/runs", admin)).json).toHaveLength(1);
    for (const query of ["cursor=x", "cursor=W10", "status=NONE", "limit=0", "limit=101", "type=x"])
      expect([query, (await client.get(`/runs?${query}`, admin)).status]).toEqual([query, 422]);
    expect((await client.get("/runs", as("carol", ["agents:read"]))).status).toBe(403);
  });
});

eachDatabase("GET /overview", (openDatabase) => {
  test("shows this process with its lease and an empty queue, to callers with config:read", async () => {
    const client = await serve(await openDatabase());
    const { status, json } = await client.get("/overview", as("alice", ["config:read"]));
    expect(status).toBe(200);
    expect(json.replicas).toHaveLength(1);
    expect(json.replicas[0].lease_seconds).toBeGreaterThan(0);
    expect(json.queue).toEqual({ length: 0, is_longer: false, oldest_wait_seconds: 0 });
    expect((await client.get("/overview", as("alice", reader))).status).toBe(403);
  });
});
