/** Routes of teams. */

import { kinds } from "../transport/kinds.ts";
import type { Route } from "../transport/route.ts";
import { checkpointRoutes } from "./checkpoints.ts";
import { componentRoutes } from "./components.ts";
import { continueRoute } from "./continue.ts";
import { forkRoute } from "./fork.ts";
import { runRoutes } from "./runs.ts";

export const teamRoutes: readonly Route[] = [
  ...componentRoutes(kinds.team),
  ...runRoutes(kinds.team),
  continueRoute(kinds.team),
  ...checkpointRoutes(kinds.team),
  forkRoute(kinds.team),
];
