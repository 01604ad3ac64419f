/** Every screen, in the order of the navigation. */
import { approvalsRoute } from "./approvals/route.ts";
import { homeRoute } from "./home/route.ts";
import { sessionsRoute } from "./sessions/route.ts";
import { traceRoute, tracesRoute } from "./traces/route.ts";

export const screens = [homeRoute, sessionsRoute, approvalsRoute, tracesRoute, traceRoute] as const;
