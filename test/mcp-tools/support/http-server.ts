/** Real MCP servers over streamable HTTP, with the official server package: the current revision, and the older one with sessions. */
import { randomUUID } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { Readable } from "node:stream";
import {
  createMcpHandler,
  type McpServer,
  WebStandardStreamableHTTPServerTransport,
} from "@modelcontextprotocol/server";
import { createTools, type ToolHooks } from "./tools.ts";

/** The revision that a server speaks. */
export type Revision = "current" | "older";

/** An MCP server on a real socket. */
export interface HttpServer extends AsyncDisposable {
  readonly url: string;
  /** The requests so far: method and `authorization` header. */
  readonly requests: {
    readonly method: string;
    readonly rpc: string | undefined;
    readonly authorization: string | undefined;
  }[];
  /** Changes the tools, and reports the change to the clients. */
  change(hooks: ToolHooks): void;
  /** Stops to listen, and breaks all connections. */
  stop(): Promise<void>;
  /** Listens again on the same port. Sessions of before are lost. */
  start(): Promise<void>;
}

/** Starts an MCP server. @param allow whether it accepts a caller; others get 401 */
export async function startHttpServer(
  revision: Revision,
  given: ToolHooks = {},
  allow: (authorization: string | undefined) => boolean = () => true,
): Promise<HttpServer> {
  let hooks = given;
  let port = 0;
  let http: Server | undefined;
  let handle: (request: Request) => Promise<Response>;
  let notify = (): void => undefined;
  const requests: HttpServer["requests"] = [];
  const newHandler = (): void => {
    if (revision === "current") {
      const handler = createMcpHandler(
        ({ requestInfo }: { requestInfo?: Request }) =>
          createTools(hooks, requestInfo?.headers.get("authorization") ?? undefined),
        { legacy: "reject" },
      );
      handle = handler.fetch;
      notify = () => handler.notify.toolsChanged();
      return;
    }
    const sessions = new Map<string, { server: McpServer; transport: WebStandardStreamableHTTPServerTransport }>();
    handle = async (request) => {
      const id = request.headers.get("mcp-session-id");
      const known = id === null ? undefined : sessions.get(id);
      if (known) return known.transport.handleRequest(request);
      if (id !== null) return new Response("unknown session", { status: 404 });
      const transport = new WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: randomUUID,
        onsessioninitialized: (session) => {
          sessions.set(session, { server, transport });
        },
      });
      const server = createTools(hooks, request.headers.get("authorization") ?? undefined);
      await server.connect(transport);
      return transport.handleRequest(request);
    };
    notify = () => {
      for (const { server } of sessions.values()) {
        for (const name of hooks.more ?? [])
          server.registerTool(name, { description: "Added later." }, async () => ({
            content: [{ type: "text", text: `${name} was called` }],
          }));
      }
    };
  };
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const body = await readAll(request);
    const { method = "GET" } = request;
    const authorization = request.headers.authorization;
    requests.push({
      method,
      rpc: body === "" ? undefined : (JSON.parse(body) as { method?: string }).method,
      authorization,
    });
    if (!allow(authorization)) {
      response.writeHead(401).end("not allowed");
      return;
    }
    const headers = Object.entries(request.headers).flatMap(([name, value]) =>
      typeof value === "string" ? [[name, value] as [string, string]] : [],
    );
    const left = new AbortController();
    response.on("close", () => left.abort());
    const made = await handle(
      new Request(`http://127.0.0.1${request.url}`, {
        method,
        headers,
        signal: left.signal,
        ...(body !== "" && { body }),
      }),
    );
    response.writeHead(made.status, Object.fromEntries(made.headers));
    response.flushHeaders();
    if (made.body)
      Readable.fromWeb(made.body as never)
        .on("error", () => response.destroy())
        .pipe(response);
    else response.end();
  };
  const start = async (): Promise<void> => {
    newHandler();
    http = createServer((request, response) => {
      answer(request, response).catch(() => response.destroy());
    });
    await new Promise<void>((resolve) => http?.listen(port, "127.0.0.1", resolve));
    port = (http.address() as AddressInfo).port;
  };
  const stop = async (): Promise<void> => {
    const closed = new Promise((resolve) => http?.close(resolve));
    http?.closeAllConnections();
    await closed;
  };
  await start();
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    requests,
    change(next) {
      hooks = next;
      notify();
    },
    start,
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function readAll(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString("utf8");
}
