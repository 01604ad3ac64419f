import { IconChartBar } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readUsageSearch } from "./search.ts";

export const usageRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/usage",
  staticData: {
    nav: { label: "Usage", icon: IconChartBar, needs: ["GET /metrics", "GET /traces/stats", "GET /usage"] },
  },
  validateSearch: readUsageSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));
