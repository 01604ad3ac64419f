import { IconTable } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readDatasetSearch } from "./search.ts";

export const datasetsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/datasets",
  staticData: { nav: { label: "Datasets", icon: IconTable, needs: ["GET /datasets"] } },
  validateSearch: readDatasetSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));

export const datasetRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/datasets/$dataset",
  validateSearch: readDatasetSearch,
}).lazy(() => import("./one.tsx").then(({ Route }) => Route));
