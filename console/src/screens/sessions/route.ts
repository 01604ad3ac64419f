import { IconMessages } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readConversationSearch, readSessionSearch } from "./search.ts";

export const sessionsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sessions",
  staticData: { nav: { label: "Sessions", icon: IconMessages, needs: ["GET /sessions"] } },
  validateSearch: readSessionSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));

/** The conversation of one session. */
export const sessionRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/sessions/$sessionId",
  validateSearch: readConversationSearch,
}).lazy(() => import("./conversation.tsx").then(({ Route }) => Route));
