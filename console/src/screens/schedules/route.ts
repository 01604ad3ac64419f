import { IconCalendarClock } from "@tabler/icons-react";
import { createRoute } from "@tanstack/react-router";
import { rootRoute } from "../../routing/root.ts";
import { readOneScheduleSearch, readScheduleSearch } from "./search.ts";

export const schedulesRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/schedules",
  staticData: { nav: { label: "Schedules", icon: IconCalendarClock, needs: ["GET /schedules"] } },
  validateSearch: readScheduleSearch,
}).lazy(() => import("./page.tsx").then(({ Route }) => Route));

export const scheduleRoute = createRoute({
  getParentRoute: () => rootRoute,
  path: "/schedules/$scheduleId",
  validateSearch: readOneScheduleSearch,
}).lazy(() => import("./one.tsx").then(({ Route }) => Route));
