/** The MCP servers that this process is connected to: one connection for each server and each set of credentials. */
import { createHash } from "node:crypto";
import type { McpCaller, McpServer } from "../../define/mcp-server.ts";
import { canonicalJson } from "../../model/canonical-json.ts";
import type { ToolOrigin } from "../../model/run/message.ts";
import type { Settings } from "../../model/settings.ts";
import { accessTokenFor, type Connections, NotConnected } from "../connections/connections.ts";
import { type Callable, cut, type ToolResult } from "../tool-call/callable.ts";
import { callableOf } from "./callables.ts";
import { connectingCallable, connectingTools, isConnecting } from "./connecting.ts";
import { type ConnectionParts, type Listing, McpConnection } from "./connection.ts";
import { toToolResult } from "./results.ts";
import type { ServerTool } from "./server-tool.ts";
import { isOffered, modelNameOf } from "./tool-names.ts";

/** Milliseconds after which a connection with credentials of its own is closed if no call uses it. */
const idleDuration = 300_000;
/** Maximum number of connections to one server. Beyond it, unused ones are closed, the oldest first. */
const maxConnections = 1_000;

/** Dependencies of the MCP servers. */
export interface ToolServersParts extends ConnectionParts {
  readonly settings: Settings;
  /** Undefined on a platform without connections. */
  readonly connections?: Connections | undefined;
}

export class ToolServers {
  readonly #parts: ToolServersParts;
  readonly #connections = new Map<McpServer, Map<string, McpConnection>>();
  readonly #offered = new WeakMap<Listing, readonly ServerTool[]>();
  #cancelSweep: (() => void) | undefined;
  #isClosed = false;

  constructor(parts: ToolServersParts) {
    this.#parts = parts;
  }

  /**
   * Returns the tools of a server that the model can call. The result is the same object while the list is the same.
   * For a user who has not connected the account that the server needs, it is one tool that connects it.
   * @throws ServerUnavailable, or the error of the server's credentials function
   */
  async list(server: McpServer, caller: McpCaller, signal: AbortSignal): Promise<readonly ServerTool[]> {
    let connection: McpConnection;
    try {
      connection = await this.#connection(server, caller);
    } catch (error) {
      if (error instanceof NotConnected) return connectingTools(server);
      throw error;
    }
    const listing = await connection.tools(signal);
    const known = this.#offered.get(listing);
    if (known) return known;
    const tools = listing.tools
      .filter(({ name }) => isOffered(server, name))
      .map(({ name, description, inputSchema }) => ({
        name: modelNameOf(server, name),
        description: description ?? "",
        inputSchema,
        origin: { server: server.name, tool: name },
      }));
    this.#offered.set(listing, tools);
    return tools;
  }

  /** Returns a tool as a callable. */
  callable(server: McpServer, tool: ServerTool): Callable {
    const { settings } = this.#parts;
    if (isConnecting(tool.origin)) return connectingCallable(server, tool);
    return callableOf(server, tool, settings, (input, context) =>
      this.#call(server, tool.origin, input, {
        caller: { user: context.userId, principal: context.principal, run: context },
        signal: context.signal,
      }),
    );
  }

  async #call(
    server: McpServer,
    { tool }: ToolOrigin,
    input: Readonly<Record<string, unknown>>,
    { caller, signal }: { readonly caller: McpCaller; readonly signal: AbortSignal },
  ): Promise<ToolResult> {
    const { settings } = this.#parts;
    // The filter also holds for a call that an earlier version of the definition allowed.
    if (!isOffered(server, tool))
      return { text: `The MCP server "${server.name}" no longer offers the tool ${cut(tool, 100)}.`, isError: true };
    const connection = await this.#connection(server, caller);
    return toToolResult(await connection.call(tool, input, signal), settings);
  }

  async #connection(server: McpServer, caller: McpCaller): Promise<McpConnection> {
    const { credentials: given } = server;
    const own = typeof given === "function" ? await given(caller) : given;
    const token = server.oauth && (await accessTokenFor(this.#parts.connections, server.oauth, toUser(caller)));
    const credentials = token === undefined ? own : { ...own, authorization: `Bearer ${token}` };
    if (this.#isClosed) throw new Error("The server shuts down.");
    const all = this.#connections.get(server) ?? new Map<string, McpConnection>();
    this.#connections.set(server, all);
    const key = createHash("sha256").update(canonicalJson(credentials)).digest("hex");
    const known = all.get(key);
    if (known) {
      known.usedAt = this.#parts.runtime.clock.monotonic();
      return known;
    }
    const made = new McpConnection(this.#parts, server, credentials);
    all.set(key, made);
    if (isOfUser(server)) {
      this.#closeOldest(all);
      this.#sweepLater();
    }
    return made;
  }

  #closeOldest(all: Map<string, McpConnection>): void {
    if (all.size <= maxConnections) return;
    const unused = [...all].filter(([, one]) => !one.isBusy).sort(([, one], [, other]) => one.usedAt - other.usedAt);
    for (const [key, connection] of unused.slice(0, all.size - maxConnections)) this.#close(all, key, connection);
  }

  #sweepLater(): void {
    this.#cancelSweep ??= this.#parts.runtime.clock.after(idleDuration, () => {
      this.#cancelSweep = undefined;
      const oldest = this.#parts.runtime.clock.monotonic() - idleDuration;
      let left = 0;
      for (const [server, all] of this.#connections) {
        if (!isOfUser(server)) continue;
        for (const [key, connection] of all)
          if (!connection.isBusy && connection.usedAt < oldest) this.#close(all, key, connection);
        left += all.size;
      }
      if (left > 0) this.#sweepLater();
    });
  }

  #close(all: Map<string, McpConnection>, key: string, connection: McpConnection): void {
    all.delete(key);
    void connection.close();
  }

  /** Closes all connections, and ends the processes of the servers. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#cancelSweep?.();
    const all = [...this.#connections.values()].flatMap((connections) => [...connections.values()]);
    await Promise.all(all.map((connection) => connection.close()));
  }
}

/** Whether the connections of a server depend on the user. */
function isOfUser({ credentials, oauth }: McpServer): boolean {
  return typeof credentials === "function" || oauth !== undefined;
}

function toUser({ user, principal }: McpCaller): Parameters<typeof accessTokenFor>[2] {
  return { userId: user, principal };
}
