/** Routes about the whole platform: its processes and queue, and the runs of all components. */
import { overviewResponse, runSummaries, toOverview, toRunSummary } from "../records/overview.ts";
import { allRunsQuery, toCursor } from "../requests/overview.ts";
import { type Route, route } from "../transport/route.ts";
import { storedErrors } from "../transport/statuses.ts";

export const overviewRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/overview",
    access: { resource: "config", action: "read" },
    operation: {
      id: "get_overview",
      tag: "Core",
      summary: "Show the server processes with their leases, and the queue of background runs",
      security: "bearer",
      success: { 200: { description: "The overview", json: overviewResponse } },
      errors: storedErrors,
    },
    handle: async ({ services }) => toOverview(await services.runs.overview()),
  }),
  route({
    method: "GET",
    path: "/runs",
    access: { resource: "sessions", action: "read" },
    operation: {
      id: "get_runs",
      tag: "Sessions",
      summary: "List the runs of all components, latest change first",
      security: "bearer",
      success: { 200: { description: "Runs. The Link header leads to the next page.", json: runSummaries } },
      errors: storedErrors,
    },
    query: allRunsQuery,
    isHeavy: true,
    async handle({ services, caller, query, request, reply }) {
      const { runs, next } = await services.runs.listAll(caller, query);
      if (next) {
        const [path = "", text = ""] = request.url.split("?", 2);
        const parameters = new URLSearchParams(text);
        parameters.set("cursor", toCursor(next));
        reply.header("link", `<${path}?${parameters}>; rel="next"`);
      }
      return runs.map(toRunSummary);
    },
  }),
];
