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

const report = z.object({
  user_id: z.string(),
  /** False: the request stopped at its time limit. The same request continues. */
  complete: z.boolean(),
  removed: z.object({
    ...{ runs: count, member_runs: count, events: count, messages: count, traces: count, approvals: count },
    ...{ push_targets: count, idempotency_keys: count, sessions: count, schedules: count, schedule_records: count },
    ...{ usage_counters: count, usage_days: count, rate_limits: count, connections: count, learnings: count },
  }),
  anonymized: z.object({ sessions: count, approvals: count, service_accounts: count, pending_usage: count }),
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
    removed: {
      runs: removed.runs ?? 0,
      member_runs: removed.memberRuns ?? 0,
      events: removed.events ?? 0,
      messages: removed.messages ?? 0,
      traces: removed.traces ?? 0,
      approvals: removed.approvals ?? 0,
      push_targets: removed.pushTargets ?? 0,
      idempotency_keys: removed.idempotencyKeys ?? 0,
      sessions: removed.sessions ?? 0,
      schedules: removed.schedules ?? 0,
      schedule_records: removed.scheduleRecords ?? 0,
      usage_counters: removed.usageCounters ?? 0,
      usage_days: removed.usageDays ?? 0,
      rate_limits: removed.rateLimits ?? 0,
      connections: removed.connections ?? 0,
      learnings: removed.learnings ?? 0,
    },
    anonymized: {
      sessions: anonymized.sessions ?? 0,
      approvals: anonymized.approvals ?? 0,
      service_accounts: anonymized.serviceAccounts ?? 0,
      pending_usage: anonymized.pendingUsage ?? 0,
    },
  };
}
