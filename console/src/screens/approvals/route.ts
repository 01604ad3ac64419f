import { IconChecklist } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { WaitingCount } from "./count.tsx";
import { readApprovalSearch } from "./search.ts";

export const approvalsRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/approvals",
  staticData: {
    nav: { label: "Approvals", icon: IconChecklist, needs: ["GET /runs", "GET /approvals"], badge: WaitingCount },
  },
  validateSearch: readApprovalSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));
