/** The client of the SDK's first major version, which most hosts still use. */
import { Client } from "mcp-sdk-1/client/index.js";
import { StreamableHTTPClientTransport } from "mcp-sdk-1/client/streamableHttp.js";
import { expect, test } from "vitest";
import { desk } from "../a2a/support/desk.ts";
import { openDatabaseOf } from "../support/databases.ts";
import { openServer } from "../support/open-server.ts";
import { addressOf } from "./support/client.ts";

test("an older client lists tools, runs a team with progress, and reads the session", async () => {
  await using database = await openDatabaseOf("sqlite");
  await using server = await openServer(database, desk());
  const client = new Client({ name: "test", version: "1.0.0" });
  const transport = new StreamableHTTPClientTransport(addressOf(server));
  // The types of the transport do not allow an undefined session under exactOptionalPropertyTypes.
  await client.connect(transport as Parameters<Client["connect"]>[0]);
  expect((await client.listTools()).tools.map(({ name }) => name)).toContain("run_team");
  const messages: (string | undefined)[] = [];
  const call = { name: "run_team", arguments: { team_id: "office", message: "slow" } };
  const result = await client.callTool(call, undefined, { onprogress: ({ message }) => messages.push(message) });
  expect(result.structuredContent).toMatchObject({ status: "COMPLETED" });
  expect(messages).toEqual(expect.arrayContaining(["Office started", "Office finished"]));
  const { session_id } = result.structuredContent as { session_id: string };
  const read = await client.callTool({ name: "get_session_runs", arguments: { session_id } });
  expect(read.structuredContent).toMatchObject({ result: [{ status: "COMPLETED", team_id: "office" }] });
  await client.close();
});
