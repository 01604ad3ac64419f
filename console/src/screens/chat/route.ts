import { IconMessageCircle } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readChatSearch } from "./search.ts";

/** The choice of a component. */
export const chatsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/chat",
  staticData: {
    nav: { label: "Chat", icon: IconMessageCircle, needs: ["GET /agents", "GET /teams", "GET /workflows"] },
  },
}).lazy(() => import("./choice.tsx").then(({ Route }) => Route));

export const chatRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/chat/$kind/$id",
  validateSearch: readChatSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));
