import { IconWebhook } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readWebhooksSearch } from "./search.ts";

export const webhooksRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/webhooks",
  staticData: { nav: { label: "Webhooks", icon: IconWebhook, needs: ["GET /webhooks/deliveries"] } },
  validateSearch: readWebhooksSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));
