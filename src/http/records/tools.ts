/** Tools of agents and teams in their wire form. */
import type { Component } from "../../define/platform.ts";
import type { Tool } from "../../define/tool.ts";
import { delegationTool } from "../../engine/loops/delegate.ts";

/** The tools that a component's model can call; a team's leader also has the delegation tool. */
export function describedTools(component: Component): { readonly tools?: Record<string, unknown> } {
  const tools = component.tools.map((tool) => ({ ...toToolRecord(tool), ...waitsOf(tool) }));
  if (component.kind === "team") tools.push(toToolRecord(delegationTool(component)));
  return tools.length > 0 ? { tools: { tools } } : {};
}

function toToolRecord(tool: Pick<Tool, "name" | "description" | "inputSchema">): Record<string, unknown> {
  return { name: tool.name, description: tool.description, parameters: tool.inputSchema };
}

/** The requirement for which a call of the tool pauses the run, if any. */
function waitsOf({ confirm, external, approval }: Tool): Record<string, unknown> {
  return {
    ...(confirm ? { requires_confirmation: true } : {}),
    ...(external ? { external_execution: true } : {}),
    ...(approval ? { approval_type: approval } : {}),
  };
}
