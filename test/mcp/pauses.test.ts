/** Runs that wait for an answer, are cancelled, or outlive their client. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { desk } from "../a2a/support/desk.ts";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { type Any, connect } from "./support/client.ts";
import { RawMcp } from "./support/raw.ts";

eachDatabase("a run that a tool started", (openDatabase) => {
  let server: OpenServer;
  beforeAll(async () => {
    server = await openServer(await openDatabase(), desk());
  });
  afterAll(() => server.end(0));

  test.each([
    ["run_agent", { agent_id: "clerk" }],
    ["run_team", { team_id: "office" }],
    ["run_workflow", { workflow_id: "round" }],
  ] as const)("pauses, and continues with the answered requirements: %s", async (name, id) => {
    const client = await connect(server);
    const paused = await client.callTool({ name, arguments: { ...id, message: "approve" } });
    expect(paused.isError).toBe(false);
    const { status, run_id, requirements } = paused.structuredContent as Any;
    expect(status).toBe("PAUSED");
    const confirmed = requirements.map((one: Any) =>
      one.executor_requirements
        ? {
            ...one,
            executor_requirements: one.executor_requirements.map((call: Any) => ({ ...call, confirmation: true })),
          }
        : { ...one, confirmation: true },
    );
    const done = await client.callTool({ name: "continue_run", arguments: { run_id, requirements: confirmed } });
    expect(done.content).toEqual([{ type: "text", text: "The tool said sent to Ada" }]);
    expect(done.structuredContent).toMatchObject({ status: "COMPLETED", run_id });
    const again = await client.callTool({ name: "continue_run", arguments: { run_id, requirements: confirmed } });
    expect(again).toMatchObject({
      isError: true,
      content: [{ text: "The run is not paused: its status is COMPLETED." }],
    });
  });

  test("is cancelled with cancel_run, and its call gets an error", async () => {
    const client = await connect(server);
    const raw = new RawMcp(server);
    const events = await raw.stream("run_agent", { agent_id: "clerk", message: "endless" }, 2);
    const [run] = (await raw.tool("get_sessions", { session_type: "agent", component_id: "clerk", limit: 1 }))
      .structuredContent.data;
    const listed = await raw.tool("get_session_runs", { session_id: run.session_id });
    const { run_id, status } = listed.structuredContent.result.at(-1);
    expect(status).toBe("RUNNING");
    await client.callTool({ name: "cancel_run", arguments: { run_id } });
    const rest = await raw.resume(events.at(-1)!.id);
    expect(rest.at(-1)?.data.result).toMatchObject({
      isError: true,
      structuredContent: { status: "CANCELLED", run_id },
    });
  });

  test("continues when its client disconnects", async () => {
    const raw = new RawMcp(server);
    const begun = await raw.stream("run_agent", { agent_id: "clerk", message: "slow" }, 1);
    const rest = await raw.resume(begun[0]!.id);
    expect(rest.at(-1)?.data.result.structuredContent.status).toBe("COMPLETED");
  });

  test("that fails has the reason as its result", async () => {
    const failed = await new RawMcp(server).tool("run_agent", { agent_id: "clerk", message: "explode" });
    expect(failed).toMatchObject({ isError: true, structuredContent: { status: "ERROR" } });
    expect(failed.content[0].text).toContain("the model exploded");
  });

  test("with a structured answer has it as data", async () => {
    const done = await new RawMcp(server).tool("run_agent", { agent_id: "counter", message: "abc" });
    expect(done.structuredContent).toMatchObject({ status: "COMPLETED", output: { letters: 3 } });
    expect(JSON.parse(done.content[0].text)).toEqual({ letters: 3 });
  });

  test("starts once for repeated calls with an Idempotency-Key", async () => {
    const raw = new RawMcp(server, { "idempotency-key": "once" });
    const call = ["run_agent", { agent_id: "clerk", message: "hello" }] as const;
    const [one, two] = [await raw.tool(...call), await raw.tool(...call)];
    expect(two).toEqual(one);
    expect(await raw.tool(call[0], { ...call[1], message: "else" })).toMatchObject({ isError: true });
  });
});

test("aborting a call of the official client cancels its run, also at another replica", async () => {
  await using database = await openDatabaseOf("postgres");
  await using one = await openServer(database, desk());
  await using other = await openServer(database, desk());
  const stop = new AbortController();
  const client = await connect(one, {
    // Notifications reach another replica than calls.
    fetch: (address, init) => {
      const isNotification = typeof init?.body === "string" && init.body.includes("notifications/cancelled");
      const to = isNotification ? other.client.address.origin : one.client.address.origin;
      return fetch(new URL(new URL(String(address)).pathname, to), init);
    },
  });
  const calling = client.callTool(
    { name: "run_agent", arguments: { agent_id: "clerk", message: "endless" } },
    { signal: stop.signal, onprogress: () => stop.abort() },
  );
  await expect(calling).rejects.toThrow();
  const raw = new RawMcp(other);
  await expect
    .poll(async () => {
      const { data } = (await raw.tool("get_sessions", {})).structuredContent;
      const { result } = (await raw.tool("get_session_runs", { session_id: data[0].session_id })).structuredContent;
      return result[0].status;
    })
    .toBe("CANCELLED");
});
