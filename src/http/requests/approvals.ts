/** Queries and bodies of approval routes. */
import { z } from "zod";
import { approvalStatuses } from "../../model/run/approval.ts";
import type { ApprovalDecision, ApprovalQuery } from "../../runs/approvals.ts";
import type { BodySpec } from "../input/body.ts";
import { type Reader, reader } from "../input/decode.ts";
import { identifier } from "../input/identifiers.ts";

/** A page of approvals. */
export interface ApprovalList {
  readonly query: Omit<ApprovalQuery, "maxBytes">;
  readonly page: number;
}

const id = identifier.nullish();

/** The query of `GET /approvals`. */
export const approvalList: Reader<ApprovalList> = reader(
  z.object({
    status: z.literal(approvalStatuses).nullish(),
    source_type: z.string().nullish(),
    approval_type: z.literal(["required", "audit"]).nullish(),
    pause_type: z.string().nullish(),
    agent_id: id,
    team_id: id,
    workflow_id: id,
    user_id: id,
    schedule_id: id,
    run_id: id,
    limit: z.int().min(1).max(1_000).default(100),
    page: z.int().min(1).default(1),
  }),
  (fields) => ({
    page: fields.page,
    query: {
      status: fields.status ?? undefined,
      sourceType: fields.source_type ?? undefined,
      type: fields.approval_type ?? undefined,
      pauseType: fields.pause_type ?? undefined,
      agentId: fields.agent_id ?? undefined,
      teamId: fields.team_id ?? undefined,
      workflowId: fields.workflow_id ?? undefined,
      userId: fields.user_id ?? undefined,
      scheduleId: fields.schedule_id ?? undefined,
      runId: fields.run_id ?? undefined,
      limit: fields.limit,
      offset: Math.min((fields.page - 1) * fields.limit, Number.MAX_SAFE_INTEGER),
    },
  }),
);

/** The query of `GET /approvals/count`. */
export const countQuery: Reader<{ userId: string | undefined }> = reader(z.object({ user_id: id }), (fields) => ({
  userId: fields.user_id ?? undefined,
}));

/** The path of one approval. */
export const approvalPath: Reader<{ approvalId: string }> = reader(z.object({ approval_id: identifier }), (fields) => ({
  approvalId: fields.approval_id,
}));

/** The body of `POST /approvals/{approval_id}/resolve`. */
export const resolution: BodySpec<ApprovalDecision> = {
  name: "ApprovalResolve",
  reader: reader(
    z.object({
      status: z.string().regex(/^(approved|rejected)$/),
      resolved_by: z.string().max(255).nullish(),
      resolution_data: z.record(z.string(), z.unknown()).nullish(),
    }),
    (fields) => ({
      status: fields.status as ApprovalDecision["status"],
      resolvedBy: fields.resolved_by ?? undefined,
      data: fields.resolution_data ?? undefined,
    }),
  ),
  types: ["json"],
  required: true,
};
