/** Runs with MCP tools that pause, that another process takes over, or that continue while the MCP server is away. */
import { expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { type McpHttpOptions, mcpServer } from "../../src/define/mcp-server.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { startHttpServer } from "./support/http-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped bodies
type Any = any;

function clerkWith(options: McpHttpOptions, tool: string, input = {}) {
  const model = scriptedModel(({ results }) =>
    results.length === 0 ? { toolCalls: [{ name: tool, input }] } : `result: ${results.at(-1)?.text}`,
  );
  return defineAgent({ id: "clerk", model, tools: [mcpServer(options)] });
}

const run = async (server: OpenServer): Promise<Any> =>
  (await server.client.post("/agents/clerk/runs", { message: "go", stream: false, session_id: "s" })).body;

const record = async (server: OpenServer, id: string): Promise<Any> =>
  (await server.client.get(`/agents/clerk/runs/${id}?session_id=s`)).body;

async function confirm(server: OpenServer, paused: Any): Promise<Any> {
  const tools = JSON.stringify(paused.tools.map((tool: object) => ({ ...tool, confirmed: true })));
  const form = { session_id: "s", stream: false, tools };
  return (await server.client.post(`/agents/clerk/runs/${paused.run_id}/continue`, form)).body;
}

eachDatabase("MCP tools", (openDatabase) => {
  test("a call that needs a confirmation is made once, by the process that continues the run", async () => {
    const called: string[] = [];
    await using mcp = await startHttpServer("current", { onCall: (tool) => void called.push(tool) });
    const clerk = clerkWith({ url: mcp.url, confirm: true }, "add", { a: 1, b: 2 });
    const database = await openDatabase();
    const first = await openServer(database, { agents: [clerk] });
    const paused = await run(first);
    expect(paused).toMatchObject({ status: "PAUSED", tools: [{ tool_name: "add", requires_confirmation: true }] });
    await first.end(0);
    expect(called).toEqual([]);
    await using second = await openServer(database, { agents: [clerk] });
    expect(await confirm(second, paused)).toMatchObject({ status: "COMPLETED", content: "result: 3" });
    expect(called).toEqual(["add"]);
  });

  test("a confirmed call of a server that is away fails as that server's call, also if no list of its tools is known", async () => {
    await using mcp = await startHttpServer("current");
    const options = { url: mcp.url, name: "sums", confirm: ["add"] };
    const clerk = clerkWith(options, "add", { a: 1, b: 2 });
    const hasty = clerkWith({ ...options, connectTimeout: 2_000 }, "add", { a: 1, b: 2 });
    const database = await openDatabase();
    const first = await openServer(database, { agents: [clerk] });
    const paused = await run(first);
    await first.end(0);
    await mcp.stop();
    await using second = await openServer(database, { agents: [hasty] });
    const body = await confirm(second, paused);
    expect(body.content).toBe('result: The MCP server "sums" is not available: the connection was refused.');
    await mcp.start();
  });

  test.each([
    ["an idempotent call is made again", true, 2, "result: done"],
    [
      "another call is not made again: the model learns that its outcome is unknown",
      false,
      1,
      /The server stopped while whoami ran/,
    ],
  ])("after a takeover, %s", async (_, idempotent, calls, content) => {
    let called = 0;
    let hold: (() => void) | undefined;
    const held = new Promise<void>((resolve) => {
      hold = resolve;
    });
    await using mcp = await startHttpServer("older", {
      async onCall() {
        called++;
        if (called === 1) await held;
      },
    });
    const clerk = clerkWith({ url: mcp.url, idempotent, headers: { authorization: "done" } }, "whoami");
    const database = await openDatabase();
    const first = await openServer(database, { agents: [clerk] });
    const started = await first.client.post("/agents/clerk/runs", {
      message: "go",
      stream: false,
      background: true,
      session_id: "s",
    });
    await expect.poll(() => called).toBe(1);
    await first.end(0);
    await using second = await openServer(database, { agents: [clerk] });
    const ended = async (): Promise<Any> => (await record(second, started.body.run_id)).status;
    await expect.poll(ended).toBe("COMPLETED");
    expect((await record(second, started.body.run_id)).content).toMatch(content);
    expect(called).toBe(calls);
    hold?.();
  });
});
