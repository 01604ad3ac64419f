import { IconSchool } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readLearningsSearch } from "./search.ts";

export const learningsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/learnings",
  staticData: { nav: { label: "Learnings", icon: IconSchool, needs: ["GET /learnings"] } },
  validateSearch: readLearningsSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));
