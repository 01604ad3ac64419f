import { IconHome } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";

export const homeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/",
  staticData: { nav: { label: "Home", icon: IconHome } },
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));
