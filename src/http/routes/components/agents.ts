/** Routes of agents. */

import { kinds } from "../../transport/kinds.ts";
import type { Route } from "../../transport/route.ts";
import { checkpointRoutes } from "../runs/checkpoints.ts";
import { continueRoute } from "../runs/continue.ts";
import { feedbackRoutes } from "../runs/feedback.ts";
import { forkRoute } from "../runs/fork.ts";
import { messageRoute } from "../runs/messages.ts";
import { runRoutes } from "../runs/runs.ts";
import { componentRoutes } from "./components.ts";

export const agentRoutes: readonly Route[] = [
  ...componentRoutes(kinds.agent),
  ...runRoutes(kinds.agent),
  continueRoute(kinds.agent),
  messageRoute(kinds.agent),
  ...feedbackRoutes(kinds.agent),
  ...checkpointRoutes(kinds.agent),
  forkRoute(kinds.agent),
];
