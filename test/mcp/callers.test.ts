/** Authentication, scopes, user isolation and OAuth metadata of the MCP server. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { desk } from "../a2a/support/desk.ts";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { bearer, makePair, token } from "../support/tokens.ts";
import { connect } from "./support/client.ts";
import { RawMcp } from "./support/raw.ts";

const pair = makePair();
const all = [
  "agents:run",
  "agents:read",
  "teams:run",
  "teams:read",
  "workflows:run",
  "workflows:read",
  "config:read",
  "sessions:read",
];

eachDatabase("callers of the MCP server", (openDatabase) => {
  let server: OpenServer;
  beforeAll(async () => {
    const authorization = { verificationKeys: [pair.pem], userIsolation: true };
    server = await openServer(await openDatabase(), desk({}, { authorization, mcp: { componentTools: true } }));
  });
  afterAll(() => server.end(0));
  const as = (sub: string, ...scopes: string[]): RawMcp => new RawMcp(server, bearer(token({ sub, scopes }, pair)));
  const toolsOf = async (raw: RawMcp): Promise<string[]> => {
    return (await raw.call("tools/list")).json.result.tools.map(({ name }: { name: string }) => name);
  };

  test("without a token get 401", async () => {
    const stranger = new RawMcp(server);
    for (const answer of [await stranger.call("tools/list"), await stranger.call("initialize")]) {
      expect([answer.status, answer.headers.get("www-authenticate")]).toEqual([401, "Bearer"]);
    }
    expect((await stranger.send("GET", undefined, { "last-event-id": "0.0~x" })).status).toBe(401);
  });

  test("see only the tools that their scopes allow", async () => {
    expect(await toolsOf(as("ada"))).toEqual([]);
    expect(await toolsOf(as("ada", "sessions:read"))).toEqual(["get_sessions", "get_session_runs"]);
    expect(await toolsOf(as("ada", "agents:clerk:run", "config:read"))).toEqual([
      ...["get_agentos_config", "run_agent", "continue_run", "cancel_run"],
      "agent_clerk",
    ]);
    expect(await toolsOf(as("ada", ...all))).toEqual(
      expect.arrayContaining(["team_office", "workflow_round", "agent_bank"]),
    );
  });

  test("may run only the components of their scopes", async () => {
    const raw = as("ada", "agents:clerk:run");
    expect(await raw.tool("run_agent", { agent_id: "clerk", message: "hello" })).toMatchObject({ isError: false });
    expect(await raw.tool("agent_clerk", { message: "hello" })).toMatchObject({ isError: false });
    for (const [name, input] of [
      ["run_agent", { agent_id: "bank", message: "hello" }],
      ["run_agent", { agent_id: "unknown", message: "hello" }],
      ["run_team", { team_id: "office", message: "hello" }],
      ["get_sessions", {}],
      ["get_agentos_config", {}],
    ] as const) {
      const refused = await raw.tool(name, input);
      expect(refused.content[0].text).toContain("Insufficient permissions");
    }
    expect(await raw.tool("agent_bank", { message: "hello" })).toMatchObject({ code: -32602 });
    const { structuredContent } = await as("ada", "config:read", "agents:clerk:read").tool("get_agentos_config", {});
    expect(structuredContent.agents.map(({ id }: { id: string }) => id)).toEqual(["clerk"]);
    expect(structuredContent.teams).toEqual([]);
  });

  test("of another user find nothing, with the same errors as for unknown runs and sessions", async () => {
    const [ada, bob] = [as("ada", ...all), as("bob", ...all)];
    const events = await ada.stream("run_agent", { agent_id: "clerk", message: "approve", session_id: "private" });
    const { run_id, session_id, requirements } = events.at(-1)!.data.result.structuredContent;
    for (const [name, input] of [
      ["continue_run", { run_id, requirements }],
      ["continue_run", { run_id, agent_id: "clerk", requirements }],
      ["cancel_run", { run_id }],
      ["cancel_run", { run_id, agent_id: "clerk" }],
      ["get_session_runs", { session_id }],
    ] as const) {
      const known = await bob.tool(name, input);
      const unknown = await bob.tool(name, {
        ...input,
        ...("run_id" in input ? { run_id: "none" } : { session_id: "none" }),
      });
      expect(known).toMatchObject({ isError: true });
      expect(known).toEqual(unknown);
    }
    expect((await bob.tool("get_sessions", {})).structuredContent.data).toEqual([]);
    expect((await bob.send("GET", undefined, { "last-event-id": events[0]!.id })).status).toBe(404);
    for (const method of ["tasks/get", "tasks/cancel", "tasks/result"]) {
      expect((await bob.call(method, { taskId: run_id })).json.error).toEqual({
        code: -32602,
        message: "Task not found",
      });
    }
    expect((await bob.call("tasks/list")).json.result.tasks).toEqual([]);
    expect((await ada.call("tasks/get", { taskId: run_id })).json.result.status).toBe("input_required");
    const reader = as("ada", "agents:read");
    expect((await reader.send("GET", undefined, { "last-event-id": events[0]!.id })).status).toBe(403);
  });

  test("cannot cancel the call of another user that has the same session and request", async () => {
    const session = { "mcp-session-id": "shared" };
    const [ada, bob] = [as("ada", ...all).with(session), as("bob", ...all).with(session)];
    const events = await ada.stream("run_agent", { agent_id: "clerk", message: "slow" }, 2);
    const notification = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 7 } };
    expect((await bob.ask(notification)).status).toBe(202);
    const rest = await ada.resume(events.at(-1)!.id);
    expect(rest.at(-1)?.data.result.structuredContent.status).toBe("COMPLETED");
  });
});

test("with an identity provider the challenge names the metadata, and the metadata names the provider", async () => {
  await using database = await openDatabaseOf("sqlite");
  const issuer = { issuer: "https://sso.example/realm", audience: "troupe", jwksUrl: "https://sso.example/keys" };
  const authorization = { issuers: [issuer], verificationKeys: [pair.pem] };
  const url = "https://agents.example/";
  await using server = await openServer(database, desk({}, { authorization, mcp: { url } }));
  const { origin } = server.client.address;
  const { headers } = await new RawMcp(server).call("tools/list");
  const address = "https://agents.example/.well-known/oauth-protected-resource/mcp";
  expect(headers.get("www-authenticate")).toBe(`Bearer resource_metadata="${address}"`);
  const invalid = await new RawMcp(server, { authorization: "Bearer x" }).call("tools/list");
  expect(invalid.headers.get("www-authenticate")).toBe(`Bearer error="invalid_token", resource_metadata="${address}"`);
  for (const path of ["", "/mcp"]) {
    const answer = await fetch(`${origin}/.well-known/oauth-protected-resource${path}`);
    expect(await answer.json()).toEqual({
      resource: "https://agents.example/mcp",
      authorization_servers: ["https://sso.example/realm"],
      bearer_methods_supported: ["header"],
      resource_name: "test",
    });
  }
  const info = await (await fetch(`${origin}/info`)).json();
  expect(info).toMatchObject({
    mcp: {
      enabled: true,
      path: "/mcp",
      oauth: { authorization_servers: [issuer.issuer], resource: "https://agents.example/mcp" },
    },
  });
  const client = await connect(server, { headers: bearer(token({ sub: "ada", scopes: all }, pair)) });
  expect((await client.listTools()).tools.length).toBe(8);
});

test("the platform can turn the MCP server off", async () => {
  await using database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, desk({}, { mcp: false }));
  expect((await new RawMcp(server).call("tools/list")).status).toBe(404);
});
