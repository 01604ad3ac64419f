import { IconArrowsDiff } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readExperimentsSearch, readNewSearch } from "./search.ts";

export const experimentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/experiments",
  staticData: { nav: { label: "Experiments", icon: IconArrowsDiff, needs: ["GET /experiments"] } },
  validateSearch: readExperimentsSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));

export const newExperimentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/experiments/new",
  validateSearch: readNewSearch,
}).lazy(() => import("./create.tsx").then(({ Route }) => Route));

export const experimentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/experiments/$experiment",
}).lazy(() => import("./one.tsx").then(({ Route }) => Route));
