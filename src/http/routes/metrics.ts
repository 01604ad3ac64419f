/** Routes for usage by day. */
import { z } from "zod";
import { metricsTables } from "../records/database.ts";
import { dayMetrics, metricsResponse, toDayMetrics, toMetrics } from "../records/metrics.ts";
import { metricsChoice, metricsList } from "../requests/metrics.ts";
import { type Route, route } from "../transport/route.ts";
import { storedErrors } from "../transport/statuses.ts";
import { checkDatabase } from "./database-choice.ts";

export const metricsRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/metrics",
    access: { resource: "metrics", action: "read" },
    operation: {
      id: "get_metrics",
      tag: "Metrics",
      summary: "Show runs, sessions, users, tokens and costs by UTC day",
      security: "bearer",
      success: { 200: { description: "Days with usage", json: metricsResponse } },
      errors: storedErrors,
    },
    query: metricsList,
    isHeavy: true,
    async handle({ services, caller, query }) {
      checkDatabase(services, query, metricsTables);
      return toMetrics(await services.runs.metrics.list(caller, query.range));
    },
  }),
  route({
    method: "POST",
    path: "/metrics/refresh",
    access: { resource: "metrics", action: "write" },
    operation: {
      id: "refresh_metrics",
      tag: "Metrics",
      summary: "Count the runs that have ended, and show today and the days that changed",
      security: "bearer",
      success: { 200: { description: "Days with usage", json: z.array(dayMetrics) } },
      errors: storedErrors,
    },
    query: metricsChoice,
    async handle({ services, caller, query }) {
      checkDatabase(services, query, metricsTables);
      return (await services.runs.metrics.refresh(caller)).map(toDayMetrics);
    },
  }),
];
