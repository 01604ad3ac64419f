/** An agent of the stock library of 0.3 on an HTTP server with configurable faults. */
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { DefaultRequestHandler, InMemoryTaskStore, JsonRpcTransportHandler } from "a2a-sdk-0.3/server";
import { onTestFinished } from "vitest";

/** The server and its configurable behaviour. */
export interface StockServer {
  readonly origin: string;
  /** Methods that were called. */
  readonly calls: string[];
  /** The idempotency keys of received messages. */
  readonly keys: unknown[];
  /** Number of items after which a stream's connection breaks. */
  breaksAfter: number;
  /** Methods that it rejects as unknown. */
  unknown: readonly string[];
  /** Whether each frame has an id without meaning, as some servers send them. */
  ids: boolean;
}

/** Starts an agent that answers "Echo:" and the words of the message, 30 ms apart. A message with `fail` fails, and one with `ask` gets a question. */
export async function stockServer03(): Promise<StockServer> {
  const state = {
    ...{ origin: "", calls: [] as string[], keys: [] as unknown[], unknown: [] as readonly string[], ids: false },
    breaksAfter: Number.POSITIVE_INFINITY,
  };
  const card = () => ({
    ...{ name: "Echo", description: "Echoes.", protocolVersion: "0.3.0", version: "1.0.0", url: `${state.origin}/rpc` },
    ...{ preferredTransport: "JSONRPC", capabilities: { streaming: true }, skills: [] },
    ...{ defaultInputModes: ["text"], defaultOutputModes: ["text"] },
  });
  // biome-ignore lint/suspicious/noExplicitAny: types of the library are its own
  const handler = new DefaultRequestHandler(card() as any, new InMemoryTaskStore(), echo as any);
  const transport = new JsonRpcTransportHandler(handler);
  const server = createServer(async (request, response) => {
    if (request.method === "GET") return answer(response, card());
    let text = "";
    for await (const chunk of request) text += chunk;
    const asked = JSON.parse(text);
    state.calls.push(asked.method);
    if (/send|stream/.test(asked.method)) state.keys.push(request.headers["idempotency-key"]);
    if (state.unknown.includes(asked.method)) {
      return answer(response, { jsonrpc: "2.0", id: asked.id, error: { code: -32601, message: "Method not found" } });
    }
    const answered = await transport.handle(asked);
    if (!(Symbol.asyncIterator in (answered as object))) return answer(response, answered);
    response.writeHead(200, { "content-type": "text/event-stream" });
    let items = 0;
    for await (const item of answered as AsyncIterable<object>) {
      if (++items > state.breaksAfter) response.destroy();
      const id = state.ids ? `id: ${items}.0\n` : "";
      if (!response.destroyed) response.write(`${id}data: ${JSON.stringify(item)}\n\n`);
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

const echo = {
  // biome-ignore lint/suspicious/noExplicitAny: types of the library are its own
  async execute({ taskId, contextId, userMessage }: any, bus: any) {
    const name = { taskId, contextId };
    bus.publish({ kind: "task", id: taskId, contextId, status: { state: "submitted" }, history: [userMessage] });
    const [{ text = JSON.stringify(userMessage.parts[0].data) }] = userMessage.parts;
    if (text.includes("ask")) {
      const message = {
        kind: "message",
        messageId: `q-${taskId}`,
        role: "agent",
        parts: [{ kind: "text", text: "Which one?" }],
      };
      bus.publish({ kind: "status-update", ...name, status: { state: "input-required", message }, final: true });
      return bus.finished();
    }
    for (const [place, word] of ["Echo:", ...text.split(" ")].entries()) {
      const artifact = { artifactId: "a", parts: [{ kind: "text", text: place > 0 ? ` ${word}` : word }] };
      bus.publish({ kind: "artifact-update", ...name, artifact, append: place > 0 });
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
    const failed = text.includes("fail");
    const message = { kind: "message", messageId: "m", role: "agent", parts: [{ kind: "text", text: "No." }] };
    const status = failed ? { state: "failed", message } : { state: "completed" };
    bus.publish({ kind: "status-update", ...name, status, final: true });
    bus.finished();
  },
  cancelTask: async () => undefined,
};

function answer(response: ServerResponse, body: unknown): void {
  response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(body));
}
