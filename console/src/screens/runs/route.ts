import { IconPlayerPlay } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readRunsSearch } from "./search.ts";

export const runsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs",
  staticData: { nav: { label: "Runs", icon: IconPlayerPlay, needs: ["GET /runs"] } },
  validateSearch: readRunsSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));
