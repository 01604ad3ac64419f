/** Tools of MCP servers as callables of a run. */
import { z } from "zod";
import type { ToolContext } from "../../define/context.ts";
import { includesTool, type McpServer } from "../../define/mcp-server.ts";
import type { Settings } from "../../model/settings.ts";
import type { Callable, ToolResult } from "../tool-call/callable.ts";
import type { ServerTool } from "./server-tool.ts";

/** The server checks the arguments by its own schema. */
const anyObject = z.record(z.string(), z.unknown());

/** Returns a tool as a callable, with the requirements that the server's options set. */
export function callableOf(
  server: McpServer,
  { name, description, inputSchema, origin }: ServerTool,
  { toolTimeout }: Pick<Settings, "toolTimeout">,
  call: (input: Readonly<Record<string, unknown>>, context: ToolContext) => Promise<ToolResult>,
): Callable {
  const { approval, timeout = toolTimeout, onInterrupted } = server;
  const confirm = includesTool(server.confirm, origin.tool);
  return {
    ...{ name, description, inputSchema, origin, timeout },
    input: anyObject,
    oauth: server.oauth,
    stopAfterCall: false,
    ifInterrupted: includesTool(server.idempotent, origin.tool) ? "again" : onInterrupted,
    demands: confirm ? { confirm, approval, userInput: [], external: false, wholeSchema: inputSchema } : undefined,
    run: (input, context) => call(input as Readonly<Record<string, unknown>>, context),
  };
}
