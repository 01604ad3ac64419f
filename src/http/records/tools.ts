/** Tools of agents and teams in their wire form. */
import { includesTool, type McpServer, mcpServersOf, ownTools } from "../../define/mcp-server.ts";
import type { Component } from "../../define/platform.ts";
import type { Team } from "../../define/team.ts";
import type { Tool } from "../../define/tool.ts";
import { delegationTool } from "../../engine/loops/delegate.ts";
import { taskToolsOf } from "../../engine/loops/tasks/task-mode.ts";
import type { ListedTools } from "../../engine/mcp/listed-tools.ts";
import type { ServerTool } from "../../engine/mcp/server-tool.ts";

/** The tools that a component's model can call; a team's leader also has the delegation tool. @param listed the tools of its MCP servers */
export function describedTools(
  component: Component,
  listed: ListedTools,
): { readonly tools?: Record<string, unknown> } {
  const own = ownTools(component).map((tool) => ({ ...toToolRecord(tool), ...waitsOf(tool) }));
  const ofServers = mcpServersOf(component).flatMap((server) =>
    (listed.get(server) ?? []).map((tool) => ({ ...toToolRecord(tool), ...waitsOf(demandsOf(server, tool)) })),
  );
  const tools = [...own, ...ofServers];
  if (component.kind === "team") tools.push(...leaderTools(component).map(toToolRecord));
  return tools.length > 0 ? { tools: { tools } } : {};
}

function leaderTools(team: Team): readonly Pick<Tool, "name" | "description" | "inputSchema">[] {
  return team.mode === "tasks" ? taskToolsOf(team) : [delegationTool(team)];
}

function toToolRecord(tool: Pick<Tool, "name" | "description" | "inputSchema">): Record<string, unknown> {
  return { name: tool.name, description: tool.description, parameters: tool.inputSchema };
}

type Waits = Pick<Tool, "confirm" | "external" | "approval">;

function demandsOf(server: McpServer, { origin }: ServerTool): Waits {
  const confirm = includesTool(server.confirm, origin.tool);
  return { confirm, external: false, approval: confirm ? server.approval : undefined };
}

/** The requirement for which a call of the tool pauses the run, if any. */
function waitsOf({ confirm, external, approval }: Waits): Record<string, unknown> {
  return {
    ...(confirm ? { requires_confirmation: true } : {}),
    ...(external ? { external_execution: true } : {}),
    ...(approval ? { approval_type: approval } : {}),
  };
}
