/** Messages that break the protocol, and arguments that no run accepts. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { desk } from "../a2a/support/desk.ts";
import { eachDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { RawMcp } from "./support/raw.ts";

const call = (name: unknown, input: unknown, more: object = {}) => ({
  ...{ jsonrpc: "2.0", id: 1, method: "tools/call" },
  params: { name, arguments: input, ...more },
});

eachDatabase("hostile input", (openDatabase) => {
  let server: OpenServer;
  beforeAll(async () => {
    server = await openServer(await openDatabase(), desk({}, { settings: { maxBodyBytes: 100_000 } }));
  });
  afterAll(() => server.end(0));

  describe("messages", () => {
    test.concurrent.for([
      ["malformed JSON", '{"jsonrpc": "2.0", ', 400, -32700],
      ["a batch", "[]", 400, -32600],
      ["a string", '"hello"', 400, -32600],
      ["no body", "", 400, -32700],
      ["an empty object", {}, 400, -32600],
      ["another jsonrpc", { jsonrpc: "1.0", id: 1, method: "ping" }, 400, -32600],
      ["an id that is an object", { jsonrpc: "2.0", id: {}, method: "ping" }, 400, -32600],
      ["an id of a megabyte", { jsonrpc: "2.0", id: "x".repeat(50_000), method: "ping" }, 400, -32600],
      ["an id that is no integer", { jsonrpc: "2.0", id: 1.5, method: "ping" }, 400, -32600],
      [
        "arguments with 1,000 members",
        call("run_agent", Object.fromEntries(Array.from({ length: 1_000 }, (_, n) => [`a${n}`, 1]))),
        400,
        -32600,
      ],
      ["an unknown method", { jsonrpc: "2.0", id: 1, method: "tools/dance" }, 200, -32601],
      ["constructor as method", { jsonrpc: "2.0", id: 1, method: "constructor" }, 200, -32601],
      ["a call without params", { jsonrpc: "2.0", id: 1, method: "tools/call" }, 200, -32602],
      ["a tool name that is a number", call(5, {}), 200, -32602],
      ["an unknown tool", call("nothing", {}), 200, -32602],
      ["constructor as tool", call("constructor", {}), 200, -32602],
      ["a task of a tool that has none", call("get_sessions", {}, { task: {} }), 200, -32601],
      ["an unknown task", { jsonrpc: "2.0", id: 1, method: "tasks/get", params: { taskId: "none" } }, 200, -32602],
      ["a task id with NUL", { jsonrpc: "2.0", id: 1, method: "tasks/get", params: { taskId: "a\0" } }, 200, -32602],
      ["a task id that is a list", { jsonrpc: "2.0", id: 1, method: "tasks/get", params: { taskId: [] } }, 200, -32602],
      ["a cursor of nobody", { jsonrpc: "2.0", id: 1, method: "tasks/list", params: { cursor: "x" } }, 200, -32602],
      ["a subscription", { jsonrpc: "2.0", id: 1, method: "subscriptions/listen", params: {} }, 404, -32601],
    ] as const)("%s gets a JSON-RPC error", async ([, body, status, code], { expect }) => {
      const answer = await new RawMcp(server).ask(body);
      expect([answer.status, answer.json.error.code]).toEqual([status, code]);
    });

    test("other content types, accepted types, versions and sizes are rejected", async () => {
      const raw = new RawMcp(server);
      const ping = { jsonrpc: "2.0", id: 1, method: "ping" };
      const statusWith = async (headers: Record<string, string>) => (await raw.with(headers).ask(ping)).status;
      expect(await statusWith({})).toBe(200);
      expect(await statusWith({ accept: "application/json" })).toBe(406);
      expect(await statusWith({ "content-type": "text/plain" })).toBe(422);
      expect(await statusWith({ "mcp-protocol-version": "1999-01-01" })).toBe(400);
      expect(await statusWith({ origin: "https://evil.example" })).toBe(403);
      expect((await raw.send("POST", `"${"x".repeat(200_000)}"`)).status).toBe(413);
      expect((await raw.send("DELETE")).status).toBe(405);
    });

    test("GET needs the id of an event", async () => {
      const raw = new RawMcp(server);
      const statusOf = async (id?: string) =>
        (await raw.send("GET", undefined, id === undefined ? {} : { "last-event-id": id })).status;
      expect(await statusOf()).toBe(405);
      const of = (parts: unknown) => Buffer.from(JSON.stringify(parts)).toString("base64url");
      for (const id of ["x", "1", "0.0", "0.0~", "0.7~abc", `0.0~${of({})}`, `0.0~${of([9, "a", "b", 1, null, 0])}`])
        expect(await statusOf(id)).toBe(400);
      expect(await statusOf(`0.0~${of([0, "clerk", "none", 1, null, 0])}`)).toBe(404);
      expect(await statusOf(`9999999999.0~${of([0, "clerk", "none", 1, "p", 0])}`)).toBe(404);
      expect(await statusOf(`0.0~${of([0, "clerk", "a\0", 1, null, 0])}`)).toBe(400);
    });
  });

  describe("arguments", () => {
    test.concurrent.for([
      ["no arguments", "run_agent", undefined],
      ["arguments of a wrong type", "run_agent", { agent_id: 1, message: [] }],
      ["an unknown argument", "run_agent", { agent_id: "clerk", message: "x", extra: 1 }],
      ["an unknown agent", "run_agent", { agent_id: "none", message: "x" }],
      ["an agent id with NUL", "run_agent", { agent_id: "a\0", message: "x" }],
      ["an agent id with a lone surrogate", "run_agent", { agent_id: "\ud800", message: "x" }],
      ["an empty session id", "run_agent", { agent_id: "clerk", message: "x", session_id: "" }],
      ["a reserved user", "run_agent", { agent_id: "clerk", message: "x", user_id: "sa:x" }],
      ["a run of two components", "cancel_run", { run_id: "x", agent_id: "clerk", team_id: "office" }],
      ["an unknown run", "cancel_run", { run_id: "none" }],
      ["a run id of 300 characters", "cancel_run", { run_id: "r".repeat(300) }],
      ["requirements that are no objects", "continue_run", { run_id: "x", requirements: [1] }],
      ["a page that is not a number", "get_sessions", { page: "x" }],
      ["a page beyond any integer", "get_sessions", { page: 1e18 }],
      ["a limit of 0", "get_sessions", { limit: 0 }],
      ["another database", "get_sessions", { db_id: "other" }],
      ["an unknown session", "get_session_runs", { session_id: "none" }],
    ] as const)("%s gets a result with an error", async ([, name, input], { expect }) => {
      const result = await new RawMcp(server).tool(name, input as object);
      expect(result).toMatchObject({ isError: true, content: [{ type: "text", text: expect.any(String) }] });
    });

    test("requirements of another form are rejected, and the run stays paused", async () => {
      const raw = new RawMcp(server);
      const paused = await raw.tool("run_agent", { agent_id: "clerk", message: "approve" });
      const { run_id } = paused.structuredContent;
      for (const requirements of [[{}], [{ id: 5 }], [{ tool_call_id: "x", confirmed: "maybe" }], null]) {
        expect(await raw.tool("continue_run", { run_id, requirements })).toMatchObject({ isError: true });
      }
      expect((await raw.call("tasks/get", { taskId: run_id })).json.result.status).toBe("input_required");
    });
  });
});
