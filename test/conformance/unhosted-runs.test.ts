/** Runs of components that are no longer hosted: every interface reads, lists, cancels and deletes them. */
import { expect, onTestFinished, test } from "vitest";
import { defineAgent, defineWorkflow, step } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { Raw } from "../a2a/support/raw.ts";
import { eachDatabase, type TestDatabase } from "../support/databases.ts";
import { Gate } from "../support/gate.ts";
import { openServer } from "../support/open-server.ts";
import { SocketClient } from "../support/socket-client.ts";
import { Client } from "./support/client.ts";

const stays = defineAgent({ id: "stays", model: scriptedModel(() => "still here") });

/** A server that no longer hosts the agent and the workflow of runs that are in progress. */
async function left(database: TestDatabase, sessions: readonly string[]) {
  const gate = new Gate();
  const model = scriptedModel(async ({ message }) => {
    if (message !== "quick") await gate.pass();
    return "said";
  });
  const agent = defineAgent({ id: "gone", model });
  const flow = defineWorkflow({ id: "gone-flow", steps: [step({ name: "one", agent })] });
  const before = await openServer(database, { agents: [agent], workflows: [flow] });
  const client = new Client(before.client.address.origin);
  const begin = async (path: string, session: string): Promise<string> => {
    const fields = { message: "long", stream: false, background: true, session_id: session };
    return (await client.post(path, fields)).json.run_id;
  };
  const { json: done } = await client.post("/agents/gone/runs", {
    message: "quick",
    stream: false,
    session_id: "done",
  });
  const runs: string[] = [];
  for (const session of sessions) runs.push(await begin("/agents/gone/runs", session));
  const ofFlow = await begin("/workflows/gone-flow/runs", "flow");
  await gate.crowd(sessions.length + 1);
  await before.end(0);
  const server = await openServer(database, { agents: [stays] });
  onTestFinished(() => server.end(0));
  const { origin } = server.client.address;
  return { client: new Client(origin), raw: new Raw(() => origin), origin, runs, ofFlow, done: done.run_id as string };
}

const runs = "/agents/gone/runs";
const notFound = { detail: "Agent not found", error_code: "NOT_FOUND" };

eachDatabase("a run of a component that is no longer hosted", (openDatabase) => {
  test("is listed, read, resumed, cancelled and deleted over HTTP, and its session accepts the next run", async () => {
    const {
      client,
      runs: [open = "", other = ""],
      done,
    } = await left(await openDatabase(), ["s", "t"]);
    const statusOf = async (path: string) => (await client.get(path)).json.status;
    expect((await client.get(runs)).json).toHaveLength(3);
    expect((await client.get(`${runs}?session_id=done`)).json).toMatchObject([{ run_id: done, status: "COMPLETED" }]);
    expect((await client.get(`${runs}/${done}?session_id=done`)).json).toMatchObject({ content: "said" });
    expect((await client.get(`${runs}/${done}/checkpoints?session_id=done`)).json.checkpoints).toHaveLength(1);
    expect((await client.get(`${runs}/${done}/checkpoints/1?session_id=done`)).status).toBe(200);
    expect((await client.get("/sessions/done")).json.chat_history).toHaveLength(2);
    const replay = await client.stream(`${runs}/${done}/resume`, {});
    expect((await replay.all()).at(-1)?.event).toBe("RunCompleted");
    // A run of another agent in the same session waits for it.
    const waiting = { message: "x", stream: false, background: true, session_id: "s" };
    const { json: next } = await client.post("/agents/stays/runs", waiting);
    expect(await statusOf(`/agents/stays/runs/${next.run_id}?session_id=s`)).toBe("PENDING");
    expect((await client.post(`${runs}/${open}/cancel`)).status).toBe(200);
    await expect.poll(() => statusOf(`${runs}/${open}?session_id=s`)).toBe("CANCELLED");
    const nextPath = `/agents/stays/runs/${next.run_id}?session_id=s`;
    await expect.poll(() => statusOf(nextPath)).toBe("COMPLETED");
    expect((await client.send(`${runs}/${other}`, { method: "DELETE" })).status).toBe(204);
    expect((await client.get(`${runs}/${other}?session_id=t`)).status).toBe(404);
    expect((await client.send("/sessions/done", { method: "DELETE" })).status).toBe(204);
    // Operations that need the component return 404, as for a component that never existed.
    const start = await client.post(runs, { message: "x", stream: false });
    const again = await client.post(`${runs}/${open}/continue`, { session_id: "s", regenerate: true });
    const never = await client.get("/agents/never/runs");
    for (const { status, json } of [start, again, never]) expect([status, json]).toEqual([404, notFound]);
    expect((await client.get(`${runs}/${crypto.randomUUID()}?session_id=s`)).json).toEqual(notFound);
  });

  test("is read, followed and cancelled over A2A and the web socket", async () => {
    const {
      client,
      raw,
      origin,
      runs: [open = ""],
      ofFlow,
      done,
    } = await left(await openDatabase(), ["s"]);
    const path = "/a2a/agents/gone";
    expect((await raw.call("GetTask", { id: done }, path)).json.result.status.state).toBe("TASK_STATE_COMPLETED");
    expect((await raw.call("ListTasks", {}, path)).json.result.totalSize).toBe(2);
    expect((await raw.ask("GET", `${path}/rest/tasks/${done}`)).json.id).toBe(done);
    expect((await raw.call("CancelTask", { id: open }, path)).json.result.status.state).toBe("TASK_STATE_CANCELED");
    const sent = await raw.call(
      "SendMessage",
      { message: { messageId: "m", role: "ROLE_USER", parts: [{ text: "x" }] } },
      path,
    );
    expect(sent.json.error.message).toBe("Agent not found");
    expect((await raw.call("GetTask", { id: done }, "/a2a/agents/never")).status).toBe(404);
    const own = { jsonrpc: "2.0", id: 1, params: { id: open, contextId: "s" } };
    const json = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(own) };
    expect((await client.send(`${path}/v1/tasks:get`, json)).json.result.status.state).toBe("canceled");
    expect((await client.send(`${path}/v1/tasks:cancel`, json)).json.result.status.state).toBe("canceled");

    const socket = await SocketClient.open(origin);
    onTestFinished(() => socket.close());
    socket.send({ action: "reconnect", run_id: ofFlow, session_id: "flow" });
    await socket.event("WorkflowStarted");
    expect((await client.post(`/workflows/gone-flow/runs/${ofFlow}/cancel`)).status).toBe(200);
    await socket.event("WorkflowCancelled");
    expect((await client.send(`/workflows/gone-flow/runs/${ofFlow}`, { method: "DELETE" })).status).toBe(204);
  });
});
