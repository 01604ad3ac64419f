/** The tools of a run: the tools of its definition, and the tools that its MCP servers list. */
import type { LanguageModelV4FunctionTool } from "@ai-sdk/provider";
import { type McpServer, mcpServersOf } from "../../define/mcp-server.ts";
import type { AssistantMessage, ToolCall } from "../../model/run/message.ts";
import type { ServerTool } from "../mcp/server-tool.ts";
import { withoutSecrets } from "../redact.ts";
import type { Callable } from "../tool-call/callable.ts";
import type { RunScope } from "./contract.ts";

type Definition = LanguageModelV4FunctionTool;

export class ToolSet {
  readonly #scope: RunScope;
  readonly #own: readonly Callable[];
  readonly #servers: readonly McpServer[];
  #listed: readonly (readonly ServerTool[])[] = [];
  #callables: ReadonlyMap<string, Callable>;
  /** The tools in the form in which a model request contains them. */
  definitions: readonly Definition[];

  constructor(scope: RunScope, own: readonly Callable[]) {
    this.#scope = scope;
    this.#own = own;
    this.#servers = mcpServersOf(scope.component);
    this.#callables = new Map(own.map((callable) => [callable.name, callable]));
    this.definitions = own.map(toDefinition);
  }

  /** Reads the lists of the MCP servers, which may have changed since the last turn. A server that is not available has the tools of its last list, or none. */
  refresh(): Promise<void> | undefined {
    return this.#servers.length > 0 ? this.#refresh() : undefined;
  }

  async #refresh(): Promise<void> {
    const { toolServers, context, signal, runtime } = this.#scope;
    const caller = { user: context.userId, principal: context.principal, run: context };
    const listed = await Promise.all(
      this.#servers.map(async (server) => {
        try {
          return await toolServers.list(server, caller, signal);
        } catch (error) {
          signal.throwIfAborted();
          const reason = withoutSecrets(error instanceof Error ? error.message : String(error));
          const ids = { runId: context.runId, component: context.componentId, mcpServer: server.name };
          runtime.log.warn({ ...ids, reason }, "A model request has no tools of an MCP server.");
          return none;
        }
      }),
    );
    if (listed.every((tools, place) => tools === this.#listed[place])) return;
    this.#listed = listed;
    const callables = new Map(this.#own.map((callable) => [callable.name, callable]));
    for (const [place, server] of this.#servers.entries()) {
      for (const tool of listed[place] ?? none) {
        if (!callables.has(tool.name)) callables.set(tool.name, toolServers.callable(server, tool));
        else {
          const ids = { component: context.componentId, mcpServer: server.name, tool: tool.name };
          runtime.log.warn(
            ids,
            "A tool of an MCP server has the name of another tool, so it is left out: set a prefix.",
          );
        }
      }
    }
    this.#callables = callables;
    this.definitions = [...callables.values()].map(toDefinition);
  }

  /** Adds to the calls of a turn where their tools are, so that another process finds them without a list. */
  located(message: AssistantMessage): AssistantMessage {
    if (this.#servers.length === 0 || !message.toolCalls) return message;
    const toolCalls = message.toolCalls.map((call) => {
      const origin = this.#callables.get(call.name)?.origin;
      return origin ? { ...call, origin } : call;
    });
    return { ...message, toolCalls };
  }

  /** The callables for calls. A call of an MCP tool that an earlier attempt of the run recorded is found without a list. */
  callablesFor(calls: readonly ToolCall[]): ReadonlyMap<string, Callable> {
    const recorded = calls.flatMap((call) => this.#recorded(call) ?? []);
    if (recorded.length === 0) return this.#callables;
    return new Map([...this.#callables, ...recorded.map((callable) => [callable.name, callable] as const)]);
  }

  #recorded({ name, origin }: ToolCall): Callable | undefined {
    const current = this.#callables.get(name)?.origin;
    if (!origin || (current?.server === origin.server && current.tool === origin.tool)) return undefined;
    const server = this.#servers.find((one) => one.name === origin.server);
    return server && this.#scope.toolServers.callable(server, { name, description: "", inputSchema: {}, origin });
  }
}

const none: readonly ServerTool[] = [];

function toDefinition({ name, description, inputSchema }: Callable): Definition {
  return { type: "function", name, description, inputSchema };
}
