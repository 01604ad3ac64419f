/** Routes of agents. */

import { kinds } from "../transport/kinds.ts";
import type { Route } from "../transport/route.ts";
import { checkpointRoutes } from "./checkpoints.ts";
import { componentRoutes } from "./components.ts";
import { continueRoute } from "./continue.ts";
import { forkRoute } from "./fork.ts";
import { runRoutes } from "./runs.ts";

export const agentRoutes: readonly Route[] = [
  ...componentRoutes(kinds.agent),
  ...runRoutes(kinds.agent),
  continueRoute(kinds.agent),
  ...checkpointRoutes(kinds.agent),
  forkRoute(kinds.agent),
];
