import { IconKey } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readAccessSearch } from "./search.ts";

export const accessRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/access",
  staticData: { nav: { label: "Access", icon: IconKey } },
  validateSearch: readAccessSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));
