/**
 * The MCP library: it validates requests, negotiates versions and frames answers. It is loaded by the first request, because it costs memory and time. It
 * holds no state: each request has a server object of its own.
 */
import type { CallToolRequest, CallToolResult, McpHttpHandler, Tool } from "@modelcontextprotocol/server";
import type { ServedPlatform } from "./served-platform.ts";

/** The handlers of one request. */
export interface Exchange {
  listTools(): readonly Tool[];
  /** Never resolves if the call is answered by the stream of a run. */
  callTool(params: CallToolRequest["params"], isModern: boolean): Promise<CallToolResult>;
}

/** The answer that the library made. */
export interface ProtocolAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

/** Answers JSON-RPC messages. */
export interface Protocol {
  /** @param signal aborts when the answer is no longer needed */
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

/** Loads the library. */
export async function openProtocol({ name, version }: ServedPlatform): Promise<Protocol> {
  const { createMcpHandler, McpServer } = await import("@modelcontextprotocol/server");
  // The library validates answers of clients with it, and this server asks none over that way.
  const jsonSchemaValidator = { getValidator: () => refuse };
  const handler: McpHttpHandler = createMcpHandler(
    ({ era, authInfo }) => {
      const exchange = authInfo?.extra?.exchange as Exchange;
      const { server } = new McpServer(
        { name, version },
        { capabilities: { tools: {} }, instructions, jsonSchemaValidator },
      );
      server.setRequestHandler("tools/list", () => ({ tools: [...exchange.listTools()] }));
      server.setRequestHandler("tools/call", ({ params }) => exchange.callTool(params, era === "modern"));
      return server;
    },
    { keepAliveMs: 0, maxSubscriptions: 1 },
  );
  return {
    async answer(request, message, exchange) {
      const authInfo = { token: "", clientId: "", scopes: [], extra: { exchange } };
      const { status, headers, ...response } = await handler
        .fetch(request, { parsedBody: message, authInfo })
        .then(async (answer) => ({ status: answer.status, headers: answer.headers, body: await answer.text() }));
      return { status, headers, ...response };
    },
  };
}

function refuse(): never {
  throw new RpcError(-32603, "Internal server error");
}
