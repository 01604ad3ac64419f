import { IconBrain } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readMemoriesSearch } from "./search.ts";

export const memoriesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/memories",
  staticData: { nav: { label: "Memories", icon: IconBrain, needs: ["GET /memories"] } },
  validateSearch: readMemoriesSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));
