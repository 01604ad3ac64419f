/** The route that lists feedback about the runs of all components. */
import { linkNextPage } from "../listing/paging.ts";
import { listedFeedback, toListedFeedback } from "../records/feedback.ts";
import { feedbackList, toFeedbackCursor } from "../requests/feedback.ts";
import { type Route, route } from "../transport/route.ts";
import { storedErrors } from "../transport/statuses.ts";

export const feedbackRoutes: readonly Route[] = [
  route({
    method: "GET",
    path: "/feedback",
    access: { resource: "sessions", action: "read" },
    operation: {
      id: "get_feedback",
      tag: "Sessions",
      summary: "List the feedback about the runs of all components, last changed first",
      security: "bearer",
      success: { 200: { description: "Feedback. The Link header leads to the next page.", json: listedFeedback } },
      errors: storedErrors,
    },
    query: feedbackList,
    isHeavy: true,
    async handle({ services, caller, query, request, reply }) {
      const { feedback, next } = await services.runs.feedback.list(caller, query);
      if (next) linkNextPage(toFeedbackCursor(next), { request, reply });
      return feedback.map(toListedFeedback);
    },
  }),
];
