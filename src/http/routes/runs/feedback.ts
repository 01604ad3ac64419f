/** Routes of feedback about the runs of a component kind. */
import { feedbackRecord, feedbackRecords, toFeedbackRecord } from "../../records/feedback.ts";
import { feedbackAuthor, givenFeedback } from "../../requests/feedback.ts";
import { optionalSessionQuery, runPath } from "../../requests/queries.ts";
import type { Kind } from "../../transport/kinds.ts";
import { operationsOf, type Route, route } from "../../transport/route.ts";
import { bodyErrors } from "../../transport/statuses.ts";

/** `POST`, `GET` and `DELETE …/runs/{run_id}/feedback` for a component kind. */
export function feedbackRoutes({ name, plural, idParam, tag }: Kind): readonly Route[] {
  const path = `/${plural}/{${idParam}}/runs/{run_id}/feedback`;
  const operation = operationsOf(tag);
  return [
    route({
      method: "POST",
      path,
      access: { resource: plural, action: "run", idParam },
      operation: operation(
        `rate_${name}_run`,
        "Give feedback about a run; it replaces the caller's earlier feedback",
        { 200: { description: "The feedback", json: feedbackRecord } },
        bodyErrors,
      ),
      pathParams: runPath(idParam),
      body: givenFeedback,
      async handle({ services: { runs }, caller, path, body }) {
        const { run, feedback } = await runs.feedback.give(caller, { ...path, kind: name }, body);
        return toFeedbackRecord(run.runId, feedback);
      },
    }),
    route({
      method: "GET",
      path,
      access: { resource: plural, action: "read", idParam },
      operation: operation(`get_${name}_run_feedback`, "List the feedback about a run, last changed first", {
        200: { description: "At most 100 of them", json: feedbackRecords },
      }),
      pathParams: runPath(idParam),
      query: optionalSessionQuery,
      async handle({ services: { runs }, caller, path, query }) {
        const { run, all } = await runs.feedback.ofRun(caller, { ...path, ...query, kind: name });
        return all.map((one) => toFeedbackRecord(run.runId, one));
      },
    }),
    route({
      method: "DELETE",
      path,
      access: { resource: plural, action: "run", idParam },
      operation: operation(`delete_${name}_run_feedback`, "Remove the caller's feedback about a run", {
        204: { description: "Removed" },
      }),
      pathParams: runPath(idParam),
      query: feedbackAuthor,
      async handle({ services: { runs }, caller, path, query, reply }) {
        await runs.feedback.remove(caller, { ...path, kind: name }, query.userId);
        return reply.code(204).send();
      },
    }),
  ];
}
