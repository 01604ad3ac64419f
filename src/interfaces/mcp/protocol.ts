/**
 * The MCP library: it validates requests, negotiates versions and frames answers. It is loaded by the first request, because it costs memory and time. It
 * holds no state: each request has a server object of its own.
 */
import type { CallToolRequest, CallToolResult, McpServer, Tool } from "@modelcontextprotocol/server";
import { z } from "zod";
import type { ServedPlatform } from "./served-platform.ts";

type Server = McpServer["server"];

/** The handlers of one request. */
export interface Exchange {
  listTools(): readonly Tool[];
  /** Never resolves if the call is answered by the stream of a run. */
  callTool(params: CallToolRequest["params"], isModern: boolean): Promise<CallToolResult>;
  readTask(taskId: string): Promise<object>;
  cancelTask(taskId: string): Promise<object>;
  listTasks(cursor: string | undefined): Promise<object>;
  /** Never resolves: the stream of the run answers. */
  awaitTask(taskId: string): Promise<never>;
}

/** The answer that the library made. */
export interface ProtocolAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Answers JSON-RPC messages. */
export interface Protocol {
  /** @param request the headers of the request, with a signal that aborts when the answer is no longer needed */
  answer(request: Request, message: unknown, exchange: Exchange): Promise<ProtocolAnswer>;
}

/** Error with a code of JSON-RPC. */
export class RpcError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const instructions =
  "Runs agents, teams and workflows. get_agentos_config lists them. Each run has a run_id and belongs to a session: pass its session_id to continue a conversation.";

const taskCapabilities = { list: {}, cancel: {}, requests: { tools: { call: {} } } };

/** Loads the library. */
export async function openProtocol({ name, version }: ServedPlatform): Promise<Protocol> {
  const library = await import("@modelcontextprotocol/server");
  // The library validates answers of clients with it, and this server asks none over that way.
  const jsonSchemaValidator = { getValidator: () => refuse };
  const handler = library.createMcpHandler(
    ({ era, authInfo }) => {
      const exchange = authInfo?.extra?.exchange as Exchange;
      const isModern = era === "modern";
      // The library declares notifications of changed lists, unless they are turned off. This server sends none.
      const capabilities = { tools: { listChanged: false }, ...(isModern ? {} : { tasks: taskCapabilities }) };
      const { server } = new library.McpServer({ name, version }, { capabilities, instructions, jsonSchemaValidator });
      server.setRequestHandler("tools/list", () => ({ tools: [...exchange.listTools()] }));
      server.setRequestHandler("tools/call", ({ params }) => exchange.callTool(params, isModern));
      if (!isModern) serveTasks(server, exchange);
      return server;
    },
    { keepAliveMs: 0 },
  );
  return {
    async answer(request, message, exchange) {
      const authInfo = { token: "", clientId: "", scopes: [], extra: { exchange } };
      const answer = await handler.fetch(request, { parsedBody: message, authInfo });
      return { status: answer.status, headers: answer.headers, body: await answer.text() };
    },
  };
}

const taskParams = { params: z.looseObject({ taskId: z.string() }) };
const listParams = { params: z.looseObject({ cursor: z.string().optional() }) };

/** Adds the methods of tasks. The library has their messages, but no server for them. */
function serveTasks(server: Server, exchange: Exchange): void {
  server.setRequestHandler("tasks/get", taskParams, async ({ taskId }) => ({ ...(await exchange.readTask(taskId)) }));
  server.setRequestHandler("tasks/cancel", taskParams, async ({ taskId }) => ({
    ...(await exchange.cancelTask(taskId)),
  }));
  server.setRequestHandler("tasks/result", taskParams, ({ taskId }) => exchange.awaitTask(taskId));
  server.setRequestHandler("tasks/list", listParams, async ({ cursor }) => ({ ...(await exchange.listTasks(cursor)) }));
}

function refuse(): never {
  throw new RpcError(-32603, "Internal server error");
}
