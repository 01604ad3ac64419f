import { IconMessages } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readSessionSearch } from "./search.ts";

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sessions",
  staticData: { nav: { label: "Sessions", icon: IconMessages, needs: ["GET /sessions"] } },
  validateSearch: readSessionSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));
