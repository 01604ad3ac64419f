/** Routes of teams. */

import { kinds } from "../../transport/kinds.ts";
import type { Route } from "../../transport/route.ts";
import { checkpointRoutes } from "../runs/checkpoints.ts";
import { continueRoute } from "../runs/continue.ts";
import { feedbackRoutes } from "../runs/feedback.ts";
import { forkRoute } from "../runs/fork.ts";
import { messageRoute } from "../runs/messages.ts";
import { runRoutes } from "../runs/runs.ts";
import { componentRoutes } from "./components.ts";

export const teamRoutes: readonly Route[] = [
  ...componentRoutes(kinds.team),
  ...runRoutes(kinds.team),
  continueRoute(kinds.team),
  messageRoute(kinds.team),
  ...feedbackRoutes(kinds.team),
  ...checkpointRoutes(kinds.team),
  forkRoute(kinds.team),
];
