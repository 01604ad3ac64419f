import { IconTargetArrow } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readEvalsSearch, readNewEvalSearch } from "./search.ts";

export const evalsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/evals",
  staticData: { nav: { label: "Evals", icon: IconTargetArrow, needs: ["GET /eval-runs"] } },
  validateSearch: readEvalsSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));

export const newEvalRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/evals/new",
  validateSearch: readNewEvalSearch,
}).lazy(() => import("./create.tsx").then(({ Route }) => Route));

export const evalRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/evals/$eval",
}).lazy(() => import("./one.tsx").then(({ Route }) => Route));
