/** Agents that other servers offer by A2A, as agents here: a Troupe server (1.0), and the stock server of JavaScript (0.3). */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { DefaultRequestHandler, InMemoryTaskStore, JsonRpcTransportHandler } from "a2a-sdk-0.3/server";
import { describe, expect, onTestFinished, test } from "vitest";
import { defineAgent, remoteAgent } from "../../src/index.ts";
import { scriptedModel } from "../../src/testing/index.ts";
import { eachDatabase, openDatabaseOf } from "../support/databases.ts";
import { type OpenServer, openServer } from "../support/open-server.ts";
import { desk } from "./support/desk.ts";
import { Raw } from "./support/raw.ts";

const rawOf = (server: OpenServer): Raw => new Raw(() => server.client.address.origin);

/** Starts a run by its form. */
async function run(raw: Raw, message: string, fields: Record<string, string> = {}) {
  const form = new URLSearchParams({ message, stream: "false", ...fields }).toString();
  return await raw.with({ "content-type": "application/x-www-form-urlencoded" }).ask("POST", "/agents/far/runs", form);
}

/** A server of the stock library of 0.3, which echoes in pieces, and breaks its streams off where it is told to. */
async function stock03(): Promise<{ origin: string; cards: number; breaks: boolean }> {
  const state = { origin: "", cards: 0, breaks: false };
  const card = () => ({
    ...{ name: "Echo", description: "Echoes.", protocolVersion: "0.3.0", version: "1.0.0", url: `${state.origin}/rpc` },
    ...{ preferredTransport: "JSONRPC", capabilities: { streaming: true }, skills: [] },
    ...{ defaultInputModes: ["text"], defaultOutputModes: ["text"] },
  });
  const executor = {
    // biome-ignore lint/suspicious/noExplicitAny: types of the library are its own
    async execute({ taskId, contextId, userMessage }: any, bus: any) {
      const name = { taskId, contextId };
      bus.publish({ kind: "task", id: taskId, contextId, status: { state: "submitted" }, history: [userMessage] });
      const [{ text }] = userMessage.parts;
      for (const [place, word] of ["Echo: ", text].entries()) {
        const artifact = { artifactId: "a", parts: [{ kind: "text", text: word }] };
        bus.publish({ kind: "artifact-update", ...name, artifact, append: place > 0, lastChunk: place > 0 });
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      const failed = text.includes("fail");
      const message = { kind: "message", messageId: "m", role: "agent", parts: [{ kind: "text", text: "No." }] };
      const status = failed ? { state: "failed", message } : { state: "completed" };
      bus.publish({ kind: "status-update", ...name, status, final: true });
      bus.finished();
    },
    cancelTask: async () => undefined,
  };
  // biome-ignore lint/suspicious/noExplicitAny: types of the library are its own
  const handler = new DefaultRequestHandler(card() as any, new InMemoryTaskStore(), executor as any);
  const transport = new JsonRpcTransportHandler(handler);
  const server = createServer(async (request, response) => {
    if (request.method === "GET") {
      state.cards += 1;
      return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(card()));
    }
    let text = "";
    for await (const chunk of request) text += chunk;
    const answer = await transport.handle(JSON.parse(text));
    if (!(Symbol.asyncIterator in (answer as object))) {
      return void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
    }
    response.writeHead(200, { "content-type": "text/event-stream" });
    let pieces = 0;
    for await (const item of answer as AsyncIterable<object>) {
      if (state.breaks && ++pieces > 2) response.destroy();
      else if (!response.destroyed) response.write(`data: ${JSON.stringify(item)}\n\n`);
    }
    response.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  state.origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return state;
}

eachDatabase("a remote agent by A2A", (openDatabase) => {
  test("of 1.0: runs, streams, sessions, failures and cancels are those of an agent here", async () => {
    await using there = await openServer(await openDatabase(), desk());
    const a2a = `${there.client.address.origin}/a2a/agents/clerk`;
    await using here = await openServer(await openDatabase(), { agents: [remoteAgent({ id: "far", a2a })] });
    const raw = rawOf(here);
    const done = await run(raw, "hello", { session_id: "s1" });
    expect(done.json).toMatchObject({
      status: "COMPLETED",
      content: "You said: hello",
      agent_id: "far",
      session_id: "s1",
    });
    const tasks = await rawOf(there).call("ListTasks", { contextId: "s1" });
    expect(tasks.json.result.tasks).toHaveLength(1);

    const form = new URLSearchParams({ message: "in pieces", stream: "true" }).toString();
    const frames = await raw
      .with({ "content-type": "application/x-www-form-urlencoded" })
      .frames("POST", "/agents/far/runs", form);
    const names = frames.map(({ event }) => event);
    expect([names[0], names.at(-1)]).toEqual(["RunStarted", "RunCompleted"]);
    const said = frames.filter(({ event }) => event === "RunContent").map(({ data }) => data.content);
    expect([said.length > 2, said.join("")]).toEqual([true, "You said: in pieces"]);
    expect(frames.map(({ data }) => data.event_index)).toEqual(frames.map((_, place) => place));
    expect(new Set(frames.map(({ data }) => data.run_id)).size).toBe(1);

    const failed = await run(raw, "explode");
    expect(failed.status).toBe(500);
    expect(JSON.stringify(failed.json)).not.toContain("secret");
    const paused = await run(raw, "approve");
    expect(JSON.stringify(paused.json)).toContain("waits for a person");

    const begun = await raw
      .with({ "content-type": "application/x-www-form-urlencoded" })
      .frames("POST", "/agents/far/runs", new URLSearchParams({ message: "endless", stream: "true" }).toString(), 4);
    const { run_id, session_id } = begun[0]!.data;
    await raw.ask("POST", `/agents/far/runs/${run_id}/cancel?session_id=${session_id}`);
    await expect
      .poll(
        async () => (await rawOf(there).call("ListTasks", { contextId: session_id })).json.result.tasks[0].status.state,
        {
          timeout: 15_000,
        },
      )
      .toBe("TASK_STATE_CANCELED");
  });
});

describe("a stock server of 0.3", () => {
  test("answers, fails, and is asked for its task when its stream breaks", async () => {
    const there = await stock03();
    await using database = await openDatabaseOf("sqlite");
    const card = `${there.origin}/.well-known/agent-card.json`;
    const own = defineAgent({ id: "own", model: scriptedModel(["x"]) });
    const agents = [own, remoteAgent({ id: "far", a2a: card, credential: "none" })];
    await using here = await openServer(database, { agents });
    const raw = rawOf(here);
    expect((await run(raw, "hello")).json).toMatchObject({ status: "COMPLETED", content: "Echo: hello" });
    const failed = await run(raw, "fail");
    expect([failed.status, JSON.stringify(failed.json).includes("No.")]).toEqual([500, true]);
    there.breaks = true;
    expect((await run(raw, "again")).json).toMatchObject({ status: "COMPLETED", content: "Echo: again" });
  });

  test("is not spoken to where its card sends callers elsewhere, and not where there is none", async () => {
    const there = await stock03();
    await using database = await openDatabaseOf("sqlite");
    // The card's address has another name than the endpoint: a credential would go to whoever that is.
    const a2a = there.origin.replace("127.0.0.1", "localhost");
    const nobody = "http://127.0.0.1:1";
    const agents = [remoteAgent({ id: "far", a2a }), remoteAgent({ id: "gone", a2a: nobody })];
    await using here = await openServer(database, { agents });
    const refused = await run(rawOf(here), "hello");
    expect(refused.status).toBe(502);
    const form = new URLSearchParams({ message: "x", stream: "false" }).toString();
    const raw = rawOf(here).with({ "content-type": "application/x-www-form-urlencoded" });
    expect((await raw.ask("POST", "/agents/gone/runs", form)).status).toBe(502);
  });
});
