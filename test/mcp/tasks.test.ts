/** Calls as tasks of revision 2025-11-25, with the client of the SDK's first major version: later clients have no methods for them. */
import { Client } from "mcp-sdk-1/client/index.js";
import { StreamableHTTPClientTransport } from "mcp-sdk-1/client/streamableHttp.js";
import { CallToolResultSchema } from "mcp-sdk-1/types.js";
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { desk } from "../a2a/support/desk.ts";
import { eachDatabase } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { type Any, addressOf } from "./support/client.ts";
import { RawMcp } from "./support/raw.ts";

eachDatabase("a call as a task", (openDatabase) => {
  let server: OpenServer;
  beforeAll(async () => {
    server = await openServer(await openDatabase(), desk());
  });
  afterAll(() => server.end(0));

  async function connected() {
    const client = new Client({ name: "test", version: "1.0.0" });
    await client.connect(new StreamableHTTPClientTransport(addressOf(server)) as Parameters<Client["connect"]>[0]);
    onTestFinished(() => client.close());
    await client.listTools();
    return client.experimental.tasks;
  }

  test("has a handle at once, is polled, and has the run's result", async () => {
    const tasks = await connected();
    const seen: string[] = [];
    let result: Any;
    let taskId = "";
    const call = { name: "run_agent", arguments: { agent_id: "clerk", message: "slow" } };
    for await (const message of tasks.callToolStream(call, CallToolResultSchema, { task: {} })) {
      seen.push(message.type);
      if (message.type === "taskCreated") taskId = message.task.taskId;
      if (message.type === "result") result = message.result;
    }
    expect(seen[0]).toBe("taskCreated");
    expect(result.structuredContent).toMatchObject({ status: "COMPLETED", run_id: taskId });
    expect(result._meta).toEqual({ "io.modelcontextprotocol/related-task": { taskId } });
    expect(await tasks.getTask(taskId)).toMatchObject({ taskId, status: "completed", ttl: null });
    expect((await tasks.listTasks()).tasks.map((task) => task.taskId)).toContain(taskId);
  });

  test("that waits for an answer is input_required, continues, and can be cancelled", async () => {
    const tasks = await connected();
    const raw = new RawMcp(server);
    const params = { name: "run_agent", arguments: { agent_id: "clerk", message: "approve" }, task: { ttl: 60_000 } };
    const started = await raw.call("tools/call", params);
    const { taskId } = started.json.result.task;
    expect(started.json.result.task.status).toBe("working");
    await expect.poll(async () => (await tasks.getTask(taskId)).status).toBe("input_required");
    const paused = await raw.call("tasks/result", { taskId });
    const [requirement] = paused.json.result.structuredContent.requirements;
    const answer = { run_id: taskId, requirements: [{ ...requirement, confirmation: true }] };
    const continued = await raw.call("tools/call", { name: "continue_run", arguments: answer, task: {} });
    expect(continued.json.result.task.taskId).toBe(taskId);
    const done = await tasks.getTaskResult(taskId, CallToolResultSchema);
    expect(done.content).toEqual([{ type: "text", text: "The tool said sent to Ada" }]);
    const second = (await raw.call("tools/call", params)).json.result.task.taskId;
    await expect.poll(async () => (await tasks.getTask(second)).status).toBe("input_required");
    expect(await tasks.cancelTask(second)).toMatchObject({ status: "cancelled" });
    await expect(tasks.cancelTask(second)).rejects.toMatchObject({ code: -32602 });
  });
});
