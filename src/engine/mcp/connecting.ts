/** The tool that stands for a server's tools until the user has connected the account that the server needs. */
import { z } from "zod";
import type { McpServer } from "../../define/mcp-server.ts";
import type { ToolOrigin } from "../../model/run/message.ts";
import type { Callable } from "../tool-call/callable.ts";
import type { ServerTool } from "./server-tool.ts";
import { modelNameOf } from "./tool-names.ts";

const noInput = z.object({});

const tools = new WeakMap<McpServer, readonly ServerTool[]>();

/** Returns the list with the one tool. */
export function connectingTools(server: McpServer): readonly ServerTool[] {
  const known = tools.get(server);
  if (known) return known;
  const made = [
    {
      name: modelNameOf(server, server.prefix === "" ? `connect_${server.name}` : "connect"),
      description: `Asks the user to connect the account that the tools of ${server.name} need. The tools are available afterwards.`,
      inputSchema: { type: "object", properties: {} },
      // No tool of a server has an empty name.
      origin: { server: server.name, tool: "" },
    },
  ];
  tools.set(server, made);
  return made;
}

/** Whether a call is of this tool. */
export function isConnecting({ tool }: ToolOrigin): boolean {
  return tool === "";
}

/** Returns the tool as a callable. Its call waits for the account, and then has nothing to do. */
export function connectingCallable(server: McpServer, tool: ServerTool): Callable {
  return {
    ...tool,
    ...{ input: noInput, oauth: server.oauth, timeout: undefined, stopAfterCall: false, ifInterrupted: "again" },
    run: async () => ({
      text: `The account is connected. The tools of ${server.name} are available now.`,
      isError: false,
    }),
  };
}
