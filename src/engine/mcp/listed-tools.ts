/** Tools of MCP servers in descriptions of components. */
import { type McpServer, mcpServersOf } from "../../define/mcp-server.ts";
import type { Hosted } from "../../define/platform.ts";
import { isRemote } from "../../define/remote.ts";
import { componentsWithin } from "../../define/within.ts";
import { abortable } from "../../model/abortable.ts";
import type { Principal } from "../../model/principal.ts";
import type { EngineParts } from "../parts.ts";
import type { ServerTool } from "./server-tool.ts";

/** The tools of MCP servers, by server. */
export type ListedTools = ReadonlyMap<McpServer, readonly ServerTool[]>;

/** Milliseconds for which a description waits for the lists of all its servers. */
const maxWait = 2_000;

/** Returns the tools that the MCP servers of a component and its members list for a caller. A server that does not answer in time is missing. */
export async function listTools(
  { toolServers, runtime }: Pick<EngineParts, "toolServers" | "runtime">,
  principal: Principal,
  component: Hosted,
): Promise<ListedTools> {
  const parts = componentsWithin([component]).filter((one) => !isRemote(one) && one.kind !== "workflow");
  const servers = [...new Set(parts.flatMap((one) => ("tools" in one ? mcpServersOf(one) : [])))];
  if (servers.length === 0) return new Map();
  const late = new AbortController();
  const cancel = runtime.clock.after(maxWait, () => late.abort());
  const caller = { user: principal.userId, principal, run: undefined };
  try {
    const listed = await Promise.allSettled(
      servers.map((server) => abortable(toolServers.list(server, caller, late.signal), late.signal)),
    );
    return new Map(
      listed.flatMap((result, place) =>
        result.status === "fulfilled" ? [[servers[place] as McpServer, result.value] as const] : [],
      ),
    );
  } finally {
    cancel();
  }
}
