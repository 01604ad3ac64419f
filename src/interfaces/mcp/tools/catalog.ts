/** All tools. */
import { kinds } from "../../../http/transport/kinds.ts";
import type { McpOptions } from "../../../model/mcp.ts";
import { componentTools } from "./component-tools.ts";
import { configTool, sessionRunsTool, sessionsTool } from "./read-tools.ts";
import { cancelTool, continueTool, startTool } from "./run-tools.ts";
import type { McpTool, ToolContext } from "./tool.ts";

/** In the recorded order. */
const fixed: readonly McpTool[] = [
  configTool,
  ...Object.values(kinds).map(startTool),
  continueTool,
  cancelTool,
  sessionsTool,
  sessionRunsTool,
];

/** The tools that the caller may call. */
export function listTools(context: ToolContext, options: McpOptions): readonly McpTool[] {
  const own = options.componentTools ? componentTools(context) : [];
  return [...fixed.filter((tool) => tool.isPermitted(context)), ...own];
}

/** The tool of this name; undefined if there is none. A tool that the caller may not call is found too: the call itself is then rejected. */
export function findTool(context: ToolContext, options: McpOptions, name: string): McpTool | undefined {
  const found = fixed.find(({ definition }) => definition.name === name);
  if (found || !options.componentTools) return found;
  return componentTools(context).find(({ definition }) => definition.name === name);
}
