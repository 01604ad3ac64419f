/** Tokens of connected accounts: refresh, encryption, and MCP servers that need them. */
import { expect, test } from "vitest";
import { defineAgent } from "../../src/define/agent.ts";
import { mcpServer } from "../../src/define/mcp-server.ts";
import { definePlatform } from "../../src/define/platform.ts";
import { openPlatform } from "../../src/platform/open.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { startHttpServer } from "../mcp-tools/support/http-server.ts";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { executeSql } from "../support/execute-sql.ts";
import { openServer } from "../support/open-server.ts";
import { silentLog } from "../support/runtime.ts";
import { openAccounts } from "./support/accounts.ts";
import {
  type Any,
  browserOf,
  callback,
  connectionsTo,
  keyProvider,
  linkOf,
  officeFor,
  record,
  requestLink,
  run,
} from "./support/office.ts";

eachDatabase("tokens of connected accounts", (openDatabase, kind) => {
  test("a token that ends soon is refreshed once, however many calls of all processes need it", async () => {
    // The first token ends within the minute before which tokens are refreshed.
    await using accounts = await openAccounts(callback, [30, 3_600]);
    const database = await openDatabase();
    const tokens: string[] = [];
    await using first = await openServer(database, officeFor(accounts, tokens));
    await browserOf(first).connect(await requestLink(first, "ada", ["repo"]), "ada");
    // SQLite has one process.
    await using second = kind === "postgres" ? await openServer(database, officeFor(accounts, tokens)) : undefined;
    const runs = await Promise.all(
      [0, 1, 2, 3].map((number) => {
        const form = { message: "3", stream: false, session_id: `s${number}`, user_id: "ada" };
        return ((number % 2 && second) || first).client.post("/agents/clerk/runs", form);
      }),
    );
    for (const { body } of runs) expect(body.content).toBe("result: account of ada, account of ada, account of ada");
    expect(accounts.counts.refreshes).toBe(1);
    expect(new Set(tokens).size).toBe(1);
  });

  test("a refresh that the provider rejects ends the connection: the run asks for another one", async () => {
    await using accounts = await openAccounts(callback, [30]);
    const database = await openDatabase();
    await using server = await openServer(database, officeFor(accounts));
    await browserOf(server).connect(await requestLink(server, "ada", ["repo"]), "ada");
    expect((await run(server, "ada")).status).toBe("COMPLETED");
    await using other = await openAccounts(callback);
    // The account's provider no longer knows the token: all of its state is gone.
    await server.end(0);
    const { providers, url } = connectionsTo(accounts);
    const { issuer } = connectionsTo(other).providers.hub as Any;
    const moved = { url, providers: { hub: { ...providers.hub, issuer } as Any } };
    await using later = await openServer(database, { ...officeFor(accounts), connections: moved });
    expect((await run(later, "ada")).status).toBe("PAUSED");
    expect((await later.client.get("/connections?user_id=ada")).body[0].connected).toBe(false);
  });

  test("a refresh that another process reserved and did not finish is made after the reservation", async () => {
    await using accounts = await openAccounts(callback, [30, 3_600]);
    const database = await openDatabase();
    await using server = await openServer(database, officeFor(accounts));
    await browserOf(server).connect(await requestLink(server, "ada", ["repo"]), "ada");
    const soon = Date.now() + 1_500;
    await executeSql(database, `update connections set refreshing_until = ${soon}`);
    expect((await run(server, "ada")).status).toBe("COMPLETED");
    expect(Date.now()).toBeGreaterThanOrEqual(soon);
    expect(accounts.counts.refreshes).toBe(1);
  });
});

test("an MCP server gets the user's token; without an account, the model has a tool that connects it", async () => {
  await using accounts = await openAccounts(callback);
  await using database = await openDatabaseOf("sqlite");
  await using mcp = await startHttpServer(
    "current",
    {},
    (authorization) => authorization?.startsWith("Bearer ") ?? false,
  );
  const names: string[][] = [];
  const model = scriptedModel(({ results, tools }) => {
    names.push([...tools]);
    if (results.length === 0) return { toolCalls: [{ name: tools[0] as string }] };
    return results.length === 1 ? { toolCalls: [{ name: "hub_whoami" }] } : `result: ${results.at(-1)?.text}`;
  });
  const tools = [mcpServer({ url: mcp.url, prefix: "hub_", oauth: { provider: "hub", scopes: ["repo"] } })];
  const options = { connections: connectionsTo(accounts), encryption: { keyProvider } };
  await using server = await openServer(database, { agents: [defineAgent({ id: "clerk", model, tools })], ...options });
  const paused = await run(server, "ada");
  expect(paused).toMatchObject({ status: "PAUSED", tools: [{ tool_name: "hub_connect" }] });
  expect(names).toEqual([["hub_connect"]]);
  expect(mcp.requests).toEqual([]);
  await browserOf(server).connect(linkOf(paused), "ada at hub");
  await expect.poll(async () => (await record(server, paused)).status).toBe("COMPLETED");
  const { content } = await record(server, paused);
  expect(names[1]).toContain("hub_whoami");
  expect(await accounts.accountOf(String(content).replace("result: Bearer ", ""))).toBe("ada at hub");
});

test.each([
  [
    "connections without a key",
    {},
    /connections stores tokens of users, always encrypted, and no key is configured: set TROUPE_ENCRYPTION_KEYS/,
  ],
  [
    "connections with keys for reading only",
    { encryption: { keyProvider: { ...keyProvider, keyId: null } } },
    /no key is configured/,
  ],
  [
    "a tool of an unknown provider",
    { connections: undefined },
    /"look" of "clerk" needs an account of "hub", which is no provider in connections of the platform \(it defines none\)/,
  ],
])("the server rejects %s at its start", async (_, change, message) => {
  await using accounts = await openAccounts(callback);
  const { encryption: __, ...office } = officeFor(accounts);
  const platform = definePlatform({ id: "p", ...office, ...change } as never);
  const opening = openPlatform(platform, { dataDir: ":memory:", log: silentLog, role: "all", isLocalOnly: true });
  await expect(opening).rejects.toThrow(message);
});
