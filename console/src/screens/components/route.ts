import { IconVersions } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readComponentSearch, readComponentsSearch } from "./search.ts";

export const componentsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/components",
  staticData: { nav: { label: "Components", icon: IconVersions, needs: ["GET /components"] } },
  validateSearch: readComponentsSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));

export const componentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/components/$kind/$id",
  validateSearch: readComponentSearch,
}).lazy(() => import("./one.tsx").then(({ Route }) => Route));
