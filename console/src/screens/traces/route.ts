import { IconListTree } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readTraceChoice, readTraceSearch } from "./search.ts";

export const tracesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/traces",
  staticData: { nav: { label: "Traces", icon: IconListTree, needs: ["POST /traces/search"] } },
  validateSearch: readTraceSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));

export const traceRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/traces/$traceId",
  validateSearch: readTraceChoice,
}).lazy(() => import("./trace.tsx").then(({ Route }) => Route));
