/** Routes of workflows. */

import { kinds } from "../transport/kinds.ts";
import type { Route } from "../transport/route.ts";
import { componentRoutes } from "./components.ts";
import { continueRoute } from "./continue.ts";
import { runRoutes } from "./runs.ts";

export const workflowRoutes: readonly Route[] = [
  ...componentRoutes(kinds.workflow),
  ...runRoutes(kinds.workflow),
  continueRoute(kinds.workflow),
];
