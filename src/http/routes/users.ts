/** The route that removes all data of a user. */
import { z } from "zod";
import type { Erasure } from "../../runs/user-data.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";
import { type Route, route } from "../transport/route.ts";
import { storedErrors } from "../transport/statuses.ts";

const path: Reader<{ userId: string }> = reader(z.object({ user_id: identifier }), ({ user_id }) => ({
  userId: user_id,
}));

const count = z.int().min(0);

/** Kinds of rows, by their names on the wire. */
const removedNames: Readonly<Record<keyof Erasure["removed"], string>> = {
  ...{ runs: "runs", memberRuns: "member_runs", events: "events", messages: "messages", results: "results" },
  ...{ traces: "traces", approvals: "approvals", pushTargets: "push_targets", idempotencyKeys: "idempotency_keys" },
  ...{ sessions: "sessions", summaries: "summaries", schedules: "schedules", scheduleRecords: "schedule_records" },
  ...{ usageCounters: "usage_counters", usageDays: "usage_days", rateLimits: "rate_limits" },
  ...{ connections: "connections", cachedResponses: "cached_responses" },
  ...{ memories: "memories", documents: "documents", learnings: "learnings" },
  ...{ feedback: "feedback", datasets: "datasets", datasetRows: "dataset_rows", experiments: "experiments" },
  evals: "evals",
};

const anonymizedNames: Readonly<Record<keyof Erasure["anonymized"], string>> = {
  ...{ sessions: "sessions", approvals: "approvals" },
  ...{ serviceAccounts: "service_accounts", pendingUsage: "pending_usage", components: "components" },
};

const report = z.object({
  user_id: z.string(),
  /** False: the request stopped at its time limit. The same request continues. */
  complete: z.boolean(),
  removed: countsOf(removedNames),
  anonymized: countsOf(anonymizedNames),
});

export const userRoutes: readonly Route[] = [
  route({
    method: "DELETE",
    path: "/users/{user_id}/data",
    access: { resource: "agent_os", action: "admin" },
    operation: {
      id: "delete_user_data",
      tag: "Users",
      summary: "Remove all data of a user, after cancelling the user's unfinished runs",
      security: "bearer",
      success: {
        200: { description: "The rows that this request removed; repeat it until it is complete", json: report },
      },
      errors: storedErrors,
    },
    pathParams: path,
    async handle({ services, caller, path: { userId } }) {
      return toReport(userId, await services.runs.eraseUser(caller, userId));
    },
  }),
];

function toReport(userId: string, { isComplete, removed, anonymized }: Erasure): z.infer<typeof report> {
  return {
    user_id: userId,
    complete: isComplete,
    removed: withNames(removedNames, removed),
    anonymized: withNames(anonymizedNames, anonymized),
  };
}

function countsOf(names: Readonly<Record<string, string>>) {
  return z.object(Object.fromEntries(Object.values(names).map((name) => [name, count])));
}

/** Returns the counts under the names on the wire; 0 for a kind without rows. */
function withNames<Kind extends string>(
  names: Readonly<Record<Kind, string>>,
  counts: Readonly<Partial<Record<Kind, number>>>,
): Record<string, number> {
  const entries = Object.entries(names) as [Kind, string][];
  return Object.fromEntries(entries.map(([kind, name]) => [name, counts[kind] ?? 0]));
}
