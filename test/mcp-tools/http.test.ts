/** Agents with the tools of MCP servers over streamable HTTP. */
import { describe, expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { type McpHttpOptions, mcpServer } from "../../src/define/mcp-server.ts";
import { defineTeam } from "../../src/define/team.ts";
import { type ScriptedToolCall, scriptedModel } from "../../src/testing/index.ts";
import { openDatabaseOf } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { type Revision, startHttpServer } from "./support/http-server.ts";
import { pixel } from "./support/tools.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped bodies
type Any = any;

/** The prompts and tool names of a model's requests. */
interface Seen {
  readonly tools: readonly string[][];
  readonly prompts: Any[];
}

/** An agent that makes these calls, one in each turn, and then answers with the text of the last result. */
function agentWith(server: McpHttpOptions, calls: readonly ScriptedToolCall[], seen?: Seen) {
  const model = scriptedModel(({ results, tools, prompt }) => {
    (seen?.tools as string[][] | undefined)?.push([...tools]);
    seen?.prompts.push(prompt);
    const call = calls[results.length];
    return call ? { toolCalls: [call] } : `result: ${results.at(-1)?.text}`;
  });
  return defineAgent({ id: "clerk", model, tools: [mcpServer(server)] });
}

async function open(...agents: readonly Any[]): Promise<OpenServer & { [Symbol.asyncDispose](): Promise<void> }> {
  const database = await openDatabaseOf("sqlite");
  const server = await openServer(database, { agents });
  return {
    ...server,
    async [Symbol.asyncDispose]() {
      await server[Symbol.asyncDispose]();
      await database[Symbol.asyncDispose]();
    },
  };
}

async function run(server: OpenServer, form: Record<string, string | boolean> = {}): Promise<Any> {
  const { status, body } = await server.client.post("/agents/clerk/runs", { message: "go", stream: false, ...form });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
}

const revisions: readonly Revision[] = ["current", "older"];

describe.each(revisions)("an MCP server of the %s revision", (revision) => {
  test("its tools are in the model's request, and a call returns the server's text", async () => {
    await using mcp = await startHttpServer(revision);
    const seen: Seen = { tools: [], prompts: [] };
    await using server = await open(agentWith({ url: mcp.url }, [{ name: "add", input: { a: 2, b: 3 } }], seen));
    const body = await run(server);
    expect(body).toMatchObject({ status: "COMPLETED", content: "result: 5" });
    expect(body.tools).toMatchObject([
      { tool_name: "add", tool_args: { a: 2, b: 3 }, result: "5", tool_call_error: false },
    ]);
    expect(seen.tools[0]).toEqual(["add", "picture", "weather_today", "fail", "long", "whoami", "wait"]);
  });

  test("several runs share one connection and one list of tools", async () => {
    await using mcp = await startHttpServer(revision);
    await using server = await open(agentWith({ url: mcp.url }, [{ name: "add", input: { a: 2, b: 3 } }]));
    await Promise.all([run(server), run(server), run(server)]);
    const rpc = mcp.requests.map((one) => one.rpc);
    expect(rpc.filter((method) => method === "tools/list")).toHaveLength(1);
    expect(rpc.filter((method) => method === "tools/call")).toHaveLength(3);
  });

  test("a picture is part of the run's images and of the next model request", async () => {
    await using mcp = await startHttpServer(revision);
    const seen: Seen = { tools: [], prompts: [] };
    await using server = await open(agentWith({ url: mcp.url }, [{ name: "picture" }], seen));
    const body = await run(server);
    expect(body.tools[0].result).toBe("one pixel");
    expect(body.images).toMatchObject([{ mime_type: "image/png", content: pixel }]);
    expect(seen.prompts[1].at(-1).content[0].output).toEqual({
      type: "content",
      value: [
        { type: "text", text: "one pixel" },
        { type: "file", mediaType: "image/png", data: { type: "data", data: pixel } },
      ],
    });
  });

  test("structured content without text becomes JSON, and the name of the tool fits the model's provider", async () => {
    await using mcp = await startHttpServer(revision);
    await using server = await open(agentWith({ url: mcp.url }, [{ name: "weather_today" }]));
    expect(await run(server)).toMatchObject({ content: 'result: {"degrees":21}' });
  });

  test("a tool's error and wrong arguments are errors for the model", async () => {
    await using mcp = await startHttpServer(revision);
    await using server = await open(
      agentWith({ url: mcp.url }, [{ name: "fail" }, { name: "add", input: { a: "x" } }]),
    );
    const { tools } = await run(server);
    expect(tools[0]).toMatchObject({ result: "the disk is full", tool_call_error: true });
    expect(tools[1].tool_call_error).toBe(true);
    expect(tools[1].result).toMatch(/expected number/);
  });

  test("a tool that the server adds is in the next model request of the same run", async () => {
    await using mcp = await startHttpServer(revision);
    const names: string[][] = [];
    const model = scriptedModel(async ({ results, tools }) => {
      names.push([...tools]);
      if (results.length === 0) return { toolCalls: [{ name: "add", input: { a: 1, b: 1 } }] };
      if (tools.includes("extra"))
        return results.length < 99 && results.at(-1)?.tool !== "extra" ? { toolCalls: [{ name: "extra" }] } : "found";
      if (results.length === 1) mcp.change({ more: ["extra"] });
      return { wait: 20, toolCalls: [{ name: "add", input: { a: 1, b: 1 } }] };
    });
    const clerk = defineAgent({ id: "clerk", model, maxSteps: 1_000, tools: [mcpServer({ url: mcp.url })] });
    await using server = await open(clerk);
    const body = await run(server);
    expect(body.content).toBe("found");
    expect(body.tools.at(-1)).toMatchObject({ tool_name: "extra", result: "extra was called" });
    expect(names[0]).not.toContain("extra");
  });

  test("a call during the server's absence fails, and the next call after its return succeeds", async () => {
    await using mcp = await startHttpServer(revision);
    const model = scriptedModel(async ({ results, tools }) => {
      expect(tools).toContain("add");
      if (results.length === 0) await mcp.stop();
      if (results.length === 1) await mcp.start();
      if (results.at(-1)?.isError === false) return "done";
      return { wait: 50, toolCalls: [{ name: "add", input: { a: 1, b: 1 } }] };
    });
    const tools = [mcpServer({ url: mcp.url, name: "sums", connectTimeout: 1_000 })];
    await using server = await open(defineAgent({ id: "clerk", model, tools, maxSteps: 10_000 }));
    const body = await run(server);
    expect(body.status).toBe("COMPLETED");
    expect(body.tools[0]).toMatchObject({
      tool_call_error: true,
      result: 'The MCP server "sums" is not available: the connection was refused.',
    });
    expect(body.tools.at(-1)).toMatchObject({ tool_call_error: false, result: "2" });
  });

  test("a call that exceeds the time-out is an error, and the server is told to cancel it", async () => {
    let stopped = 0;
    await using mcp = await startHttpServer(revision, { onCall: (tool) => void (tool === "wait" && stopped++) });
    await using server = await open(
      agentWith({ url: mcp.url, timeout: 300 }, [{ name: "wait" }, { name: "add", input: { a: 1, b: 1 } }]),
    );
    const { tools } = await run(server);
    expect(tools[0]).toMatchObject({ tool_call_error: true, result: "wait took longer than 0.3 s and was stopped." });
    expect(tools[1].result).toBe("2");
    expect(stopped).toBe(1);
  });
});

test("a filter and a prefix decide what the model sees; a call outside the filter is not made", async () => {
  const called: string[] = [];
  await using mcp = await startHttpServer("current", { onCall: (tool) => void called.push(tool) });
  const seen: Seen = { tools: [], prompts: [] };
  const options = { url: mcp.url, prefix: "sum_", tools: { include: ["add", "w*"], exclude: ["wait"] } };
  await using server = await open(agentWith(options, [{ name: "fail" }, { name: "sum_whoami" }], seen));
  const { tools } = await run(server);
  expect(seen.tools[0]).toEqual(["sum_add", "sum_weather_today", "sum_whoami"]);
  expect(tools.map((tool: Any) => tool.tool_call_error)).toEqual([true, false]);
  expect(called).toEqual(["whoami"]);
});

test("each user's calls have that user's credentials, and neither log nor database holds them", async () => {
  await using mcp = await startHttpServer("older");
  const headers = ({ user }: { user: string | null }) => ({ authorization: `Bearer secret-of-${user}` });
  await using server = await open(agentWith({ url: mcp.url, headers }, [{ name: "whoami" }]));
  const both = await Promise.all(["ada", "bob", "ada"].map((user) => run(server, { user_id: user })));
  expect(both.map(({ content }) => content)).toEqual(
    ["ada", "bob", "ada"].map((user) => `result: Bearer secret-of-${user}`),
  );
  const initialized = mcp.requests.filter(({ rpc }) => rpc === "initialize").map(({ authorization }) => authorization);
  expect(initialized.sort()).toEqual(["Bearer secret-of-ada", "Bearer secret-of-bob"]);
});

test("a server that rejects one user's credential still serves another user", async () => {
  await using mcp = await startHttpServer("current", {}, (authorization) => authorization !== "Bearer bob");
  const headers = ({ user }: { user: string | null }) => ({ authorization: `Bearer ${user}` });
  const tools = [mcpServer({ url: mcp.url, headers, connectTimeout: 3_000 })];
  const model = scriptedModel(({ results, tools: names }) =>
    names.length > 0 && results.length === 0 ? { toolCalls: [{ name: "whoami" }] } : `${names.length} tools`,
  );
  await using server = await open(defineAgent({ id: "clerk", model, tools }));
  const [bob, ada] = await Promise.all([run(server, { user_id: "bob" }), run(server, { user_id: "ada" })]);
  expect([bob.content, ada.content]).toEqual(["0 tools", "7 tools"]);
});

test("a server that never was available fails neither the start nor the run: the model has no tools of it", async () => {
  await using server = await open(agentWith({ url: "http://127.0.0.1:9/mcp", connectTimeout: 300 }, []));
  expect(await run(server)).toMatchObject({ status: "COMPLETED" });
  const { status, body } = await server.client.get("/agents/clerk");
  expect([status, body.tools]).toEqual([200, undefined]);
});

test("GET /agents/{id} and GET /teams/{id} list the tools, with their confirmations", async () => {
  await using mcp = await startHttpServer("current");
  const options = { url: mcp.url, confirm: ["add"], tools: { include: ["add", "fail"] } };
  const clerk = agentWith(options, []);
  const desk = defineTeam({
    id: "desk",
    model: scriptedModel(["hi"]),
    members: [clerk],
    tools: [mcpServer({ ...options, prefix: "t_" })],
  });
  const database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, { agents: [clerk], teams: [desk] });
  const { body } = await server.client.get("/agents/clerk");
  expect(body.tools.tools).toMatchObject([
    {
      name: "add",
      description: "Adds two numbers.",
      parameters: { type: "object", required: ["a", "b"] },
      requires_confirmation: true,
    },
    { name: "fail" },
  ]);
  const team = await server.client.get("/teams/desk");
  expect(team.body.tools.tools.map(({ name }: Any) => name)).toEqual(["t_add", "t_fail", "delegate_task_to_member"]);
  expect(team.body.members[0].tools.tools.map(({ name }: Any) => name)).toEqual(["add", "fail"]);
});
