/** Routes of workflows. */

import { kinds } from "../../transport/kinds.ts";
import type { Route } from "../../transport/route.ts";
import { continueRoute } from "../runs/continue.ts";
import { feedbackRoutes } from "../runs/feedback.ts";
import { messageRoute } from "../runs/messages.ts";
import { runRoutes } from "../runs/runs.ts";
import { componentRoutes } from "./components.ts";

export const workflowRoutes: readonly Route[] = [
  ...componentRoutes(kinds.workflow),
  ...runRoutes(kinds.workflow),
  continueRoute(kinds.workflow),
  messageRoute(kinds.workflow),
  ...feedbackRoutes(kinds.workflow),
];
