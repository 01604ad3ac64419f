/** An agent's run: one model with its tools. */
import { toCallable } from "../call-tool.ts";
import type { Loop } from "../scope.ts";
import { runTurns } from "./turns.ts";

/** Runs an agent up to its answer. */
export const agentLoop: Loop = (scope) =>
  runTurns(scope, { callables: () => scope.component.tools.map((tool) => toCallable(tool, scope.settings)) });
