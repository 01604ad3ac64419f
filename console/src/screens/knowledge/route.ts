import { IconBooks } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readBaseSearch, readDocumentSearch } from "./search.ts";

export const knowledgeRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/knowledge",
  staticData: { nav: { label: "Knowledge", icon: IconBooks, needs: ["GET /knowledge"] } },
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));

/** The documents of one knowledge base. */
export const knowledgeBaseRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/knowledge/$knowledgeId",
  validateSearch: readBaseSearch,
}).lazy(() => import("./base.tsx").then(({ Route }) => Route));

export const documentRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/knowledge/$knowledgeId/$contentId",
  validateSearch: readDocumentSearch,
}).lazy(() => import("./document.tsx").then(({ Route }) => Route));
