import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readRunSearch } from "./search.ts";

export const runRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/runs/$kind/$component/$run",
  validateSearch: readRunSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));
