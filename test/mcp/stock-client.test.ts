/** The official client calls every tool, over both generations of the protocol. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { desk } from "../a2a/support/desk.ts";
import { eachDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { type Any, connect } from "./support/client.ts";

const names = [
  "get_agentos_config",
  "run_agent",
  "run_team",
  "run_workflow",
  "continue_run",
  "cancel_run",
  "get_sessions",
  "get_session_runs",
];

eachDatabase("the official client", (openDatabase) => {
  let server: OpenServer;
  beforeAll(async () => {
    server = await openServer(await openDatabase(), desk());
  });
  afterAll(() => server.end(0));

  describe.each([
    ["of the handshake", false],
    ["of 2026-07-28", true],
  ])("%s", (_, isModern) => {
    test("lists the recorded tools", async () => {
      const client = await connect(server, { isModern });
      const { tools } = await client.listTools();
      expect(tools.map(({ name }) => name)).toEqual(names);
      // The server never reports a changed list, so it does not declare that it does.
      expect(client.getServerCapabilities()?.tools?.listChanged).not.toBe(true);
    });

    test("runs an agent, a team and a workflow", async () => {
      const client = await connect(server, { isModern });
      for (const [name, id] of [
        ["run_agent", { agent_id: "clerk" }],
        ["run_team", { team_id: "office" }],
        ["run_workflow", { workflow_id: "round" }],
      ] as const) {
        const result = await client.callTool({ name, arguments: { ...id, message: "hello" } });
        expect(result.content).toEqual([{ type: "text", text: "You said: hello" }]);
        expect(result.structuredContent).toMatchObject({ status: "COMPLETED", run_id: expect.any(String) });
      }
    });

    test("receives progress that increases", async () => {
      const client = await connect(server, { isModern });
      const progress: Any[] = [];
      await client.callTool(
        { name: "run_agent", arguments: { agent_id: "clerk", message: "slow" } },
        { onprogress: (one) => progress.push(one) },
      );
      expect(progress.map(({ message }) => message)).toContain("Clerk started");
      const steps = progress.map((one) => one.progress);
      expect(steps).toEqual([...new Set(steps)].sort((a, b) => a - b));
    });
  });
});
