/** Approvals in their wire form. Times are in seconds. */
import { z } from "zod";
import type { RunApproval } from "../../model/run/approval.ts";
import { type WireRunStatus, wireRunStatuses } from "../../model/run/run.ts";
import { named } from "../input/named-schemas.ts";
import { pageInfo } from "./pages.ts";

const object = z.record(z.string(), z.unknown());
const text = z.string().nullish();
const time = z.int().nullish();

const approval = named(
  "ApprovalResponse",
  z.object({
    id: z.string(),
    run_id: z.string(),
    session_id: z.string(),
    status: z.string(),
    source_type: z.string(),
    approval_type: text,
    pause_type: text,
    tool_name: text,
    tool_args: object.nullish(),
    expires_at: time,
    agent_id: text,
    team_id: text,
    workflow_id: text,
    user_id: text,
    schedule_id: text,
    schedule_run_id: text,
    source_name: text,
    requirements: z.array(object).nullish(),
    context: object.nullish(),
    resolution_data: object.nullish(),
    resolved_by: text,
    resolved_at: time,
    created_at: time,
    updated_at: time,
    run_status: named("RunStatus", z.enum(wireRunStatuses as [WireRunStatus, ...WireRunStatus[]])).nullish(),
  }),
);

const status = named(
  "ApprovalStatusResponse",
  z.object({
    approval_id: z.string(),
    status: z.string(),
    run_id: z.string(),
    resolved_at: time,
    resolved_by: text,
  }),
);

/** Schemas of the answers. */
export const approvalSchemas: Readonly<Record<"one" | "page" | "status" | "count", z.ZodType>> = {
  one: approval,
  page: named("PaginatedResponse_ApprovalResponse_", z.object({ data: z.array(approval), meta: pageInfo })),
  status,
  count: named("ApprovalCountResponse", z.object({ count: z.int() })),
};

/** The wire form of an approval. */
export function toApprovalRecord(stored: RunApproval): Record<string, unknown> {
  const { toolName, sourceName } = stored;
  return {
    id: stored.id,
    run_id: stored.runId,
    session_id: stored.sessionId,
    status: stored.status,
    source_type: stored.sourceType,
    approval_type: stored.type,
    pause_type: stored.pauseType,
    tool_name: toolName,
    tool_args: stored.toolArgs as Record<string, unknown> | null,
    // An approval does not expire before its run.
    expires_at: null,
    agent_id: stored.agentId,
    team_id: stored.teamId,
    workflow_id: stored.workflowId,
    user_id: stored.userId,
    schedule_id: stored.scheduleId,
    schedule_run_id: stored.scheduleRunId,
    source_name: sourceName,
    requirements: stored.requirements.map((requirement) => ({ ...requirement })),
    context: { tool_names: [toolName], source_name: sourceName },
    resolution_data: stored.resolutionData && { ...stored.resolutionData },
    resolved_by: stored.resolvedBy,
    resolved_at: seconds(stored.resolvedAt),
    created_at: seconds(stored.createdAt),
    updated_at: seconds(stored.updatedAt),
    run_status: stored.runStatus,
  } satisfies z.input<typeof approval>;
}

/** The short form of an approval's status. */
export function toStatusRecord({
  id,
  status: at,
  runId,
  resolvedAt,
  resolvedBy,
}: RunApproval): Record<string, unknown> {
  const record: z.input<typeof status> = {
    approval_id: id,
    status: at,
    run_id: runId,
    resolved_at: seconds(resolvedAt),
    resolved_by: resolvedBy,
  };
  return record;
}

function seconds(milliseconds: number | null): number | null {
  return milliseconds === null ? null : Math.floor(milliseconds / 1000);
}
