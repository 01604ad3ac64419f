import { IconHierarchy2 } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";

export const workflowsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/workflows",
  staticData: { nav: { label: "Workflows", icon: IconHierarchy2, needs: ["GET /workflows"] } },
}).lazy(() => import("./list.tsx").then(({ Route }) => Route));

export const workflowRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/workflows/$workflow",
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));
