/** An agent's run: one model with its tools. */

import { ownTools } from "../../define/mcp-server.ts";
import { toCallableTool } from "../tool-call/call-tool.ts";
import type { Loop } from "./contract.ts";
import { runTurns } from "./turns.ts";

/** Runs an agent until it has an answer. */
export const agentLoop: Loop = (scope) =>
  runTurns(scope, {
    callables: () => ownTools(scope.component).map((tool) => toCallableTool(tool, scope.settings, scope.connections)),
  });
