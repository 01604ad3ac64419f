/** The overview of the platform, and runs of all components, in their wire form. */
import { z } from "zod";
import { wireRunStatuses } from "../../model/run/run.ts";
import type { ListedRun, PlatformOverview } from "../../runs/overview.ts";
import { named } from "../input/named-schemas.ts";
import { wireStatus } from "./run.ts";

const replica = named(
  "Replica",
  z.object({
    id: z.string(),
    started_at: z.iso.datetime(),
    lease_seconds: z.number().describe("Seconds until the lease of the process expires; negative if it has expired."),
    live_runs: z.int(),
  }),
);

const overview = z.object({
  replicas: z.array(replica).describe("Server processes that share the database, oldest first."),
  queue: z.object({
    length: z.int().describe("Background runs that wait for a process."),
    is_longer: z.boolean().describe("Whether more runs wait than were counted."),
    oldest_wait_seconds: z.number(),
  }),
});

export const overviewResponse: z.ZodType = named("OverviewResponse", overview);

export function toOverview({ processes, queue, isQueueLonger }: PlatformOverview): Record<string, unknown> {
  return {
    replicas: processes.map(({ id, startedAt, leaseLeft, runs }) => ({
      id,
      started_at: new Date(startedAt).toISOString(),
      lease_seconds: leaseLeft / 1000,
      live_runs: runs,
    })),
    queue: { length: queue.length, is_longer: isQueueLonger, oldest_wait_seconds: queue.oldestWait / 1000 },
  } satisfies z.input<typeof overview>;
}

const run = z.object({
  run_id: z.string(),
  session_id: z.string(),
  user_id: z.string().nullable(),
  component_type: z.enum(["agent", "team", "workflow"]),
  component_id: z.string(),
  component_name: z.string(),
  status: z.enum(wireRunStatuses),
  created_at: z.iso.datetime(),
  updated_at: z.iso.datetime().describe("When its state last changed."),
  attempt: z.int().describe("How often a process has taken the run."),
  replica_id: z
    .string()
    .nullable()
    .describe("The process that executes it; null if none does, and for callers who see only their own runs."),
  cancel_requested: z.boolean(),
  input_tokens: z.int().nullable().describe("Tokens so far, with those of members; null if they are not known yet."),
  output_tokens: z.int().nullable(),
  error: z.string().nullable().describe("Why it failed."),
});

export const runSummaries: z.ZodType = z.array(named("RunSummary", run));

export function toRunSummary(listed: ListedRun): Record<string, unknown> {
  return {
    run_id: listed.runId,
    session_id: listed.sessionId,
    user_id: listed.userId,
    component_type: listed.kind,
    component_id: listed.componentId,
    component_name: listed.componentName,
    status: wireStatus(listed),
    created_at: new Date(listed.createdAt).toISOString(),
    updated_at: new Date(listed.updatedAt).toISOString(),
    attempt: listed.attempt,
    replica_id: listed.processId,
    cancel_requested: listed.cancelRequested,
    input_tokens: listed.inputTokens,
    output_tokens: listed.outputTokens,
    error: listed.error,
  } satisfies z.input<typeof run>;
}
