/** Agents with the tools of MCP servers that run as child processes. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { type McpCredentials, mcpServer } from "../../src/define/mcp-server.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { openDatabaseOf } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";

// biome-ignore lint/suspicious/noExplicitAny: tests read fields of untyped bodies
type Any = any;

const file = fileURLToPath(new URL("support/stdio-server.ts", import.meta.url));

function clerk(calls: readonly string[], env: McpCredentials) {
  const model = scriptedModel(({ results }) => {
    const name = calls[results.length];
    return name ? { toolCalls: [{ name, input: { a: 1, b: 1 } }] } : `result: ${results.at(-1)?.text}`;
  });
  const tools = [mcpServer({ name: "sums", command: process.execPath, args: [file], env })];
  return defineAgent({ id: "clerk", model, tools });
}

async function run(server: OpenServer, form: Record<string, string> = {}): Promise<Any> {
  const { status, body } = await server.client.post("/agents/clerk/runs", { message: "go", stream: false, ...form });
  expect([status, body.detail]).toEqual([200, undefined]);
  return body;
}

const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

function pidFile(): { readonly path: string; readonly pids: () => number[] } & Disposable {
  const folder = mkdtempSync(join(tmpdir(), "mcp-"));
  const path = join(folder, "pids");
  const pids = (): number[] =>
    existsSync(path) ? readFileSync(path, "utf8").trim().split("\n").map(Number).filter(isAlive) : [];
  return { path, pids, [Symbol.dispose]: () => rmSync(folder, { recursive: true }) };
}

test("the process starts with the first run, serves several runs, and ends with the server", async () => {
  using file = pidFile();
  await using database = await openDatabaseOf("sqlite");
  const server = await openServer(database, { agents: [clerk(["add"], { PID_FILE: file.path })] });
  expect(file.pids()).toEqual([]);
  expect(await run(server)).toMatchObject({ content: "result: 2" });
  const pids = file.pids();
  expect(pids).toHaveLength(1);
  expect(await run(server)).toMatchObject({ content: "result: 2" });
  expect(file.pids()).toEqual(pids);
  await server.end(0);
  await expect.poll(file.pids).toEqual([]);
});

test("a process that dies during a call fails the call; the next call starts another process", async () => {
  using file = pidFile();
  await using database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, {
    agents: [clerk(["fail", "add"], { PID_FILE: file.path, TOKEN: "die" })],
  });
  const { tools, content } = await run(server);
  expect(tools[0]).toMatchObject({
    tool_call_error: true,
    result: 'The MCP server "sums" is not available: the connection was closed.',
  });
  expect(content).toBe("result: 2");
});

test("a process that is killed during a call fails the call; the next call starts another process", async () => {
  using file = pidFile();
  await using database = await openDatabaseOf("sqlite");
  const calls = `${file.path}-calls`;
  await using server = await openServer(database, {
    agents: [clerk(["wait", "add"], { PID_FILE: file.path, CALL_FILE: calls })],
  });
  const running = run(server);
  await expect.poll(() => (existsSync(calls) ? readFileSync(calls, "utf8") : "")).toBe("wait\n");
  const [pid] = file.pids();
  process.kill(pid!, "SIGKILL");
  const { status, tools, content } = await running;
  expect([status, content]).toEqual(["COMPLETED", "result: 2"]);
  expect(tools[0]).toMatchObject({
    tool_call_error: true,
    result: 'The MCP server "sums" is not available: the connection was closed.',
  });
  expect(file.pids()).toHaveLength(1);
  expect(file.pids()).not.toContain(pid);
});

test("users with credentials of their own have processes of their own, without the variables of this process", async () => {
  using file = pidFile();
  await using database = await openDatabaseOf("sqlite");
  const env = ({ user }: { user: string | null }) => ({ PID_FILE: file.path, TOKEN: `token of ${user}` });
  await using server = await openServer(database, { agents: [clerk(["whoami"], env)] });
  const answers = await Promise.all(["ada", "bob", "ada"].map((user) => run(server, { user_id: user })));
  expect(answers.map(({ content }) => content)).toEqual(
    ["ada", "bob", "ada"].map((user) => `result: token of ${user}`),
  );
  expect(file.pids()).toHaveLength(2);
});

test("a program that does not exist fails the list, and not the run", async () => {
  await using database = await openDatabaseOf("sqlite");
  const tools = [mcpServer({ command: "/no/such/program", connectTimeout: 300 })];
  await using server = await openServer(database, {
    agents: [defineAgent({ id: "clerk", model: scriptedModel(["hi"]), tools })],
  });
  expect(await run(server)).toMatchObject({ status: "COMPLETED", content: "hi" });
});
