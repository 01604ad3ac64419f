/** Rows of approvals; free-form values are stored as JSON. */
import type { Approval } from "../../model/run/approval.ts";
import type { ApprovalCreation } from "../contract/approvals.ts";
import { type Encryption, sealText } from "../encryption/encryption.ts";
import type { ApprovalsTable } from "./tables.ts";

/** The row of a new approval. */
export function toApprovalRow(runKey: number, approval: ApprovalCreation): ApprovalsTable {
  return {
    id: approval.id,
    run_key: runKey,
    status: "pending",
    approval_type: approval.type,
    pause_type: approval.pauseType,
    source_type: approval.sourceType,
    source_name: approval.sourceName,
    agent_id: approval.agentId,
    team_id: approval.teamId,
    workflow_id: approval.workflowId,
    tool_name: approval.toolName,
    tool_args: JSON.stringify(approval.toolArgs ?? null),
    requirements: JSON.stringify(approval.requirements),
    resolution_data: null,
    resolved_by: null,
    resolved_at: null,
    created_at: approval.createdAt,
    updated_at: approval.createdAt,
  };
}

/** The approval of a row. */
export function toApproval(row: ApprovalsTable): Approval {
  return {
    id: row.id,
    status: row.status,
    type: row.approval_type,
    pauseType: row.pause_type,
    sourceType: row.source_type,
    sourceName: row.source_name,
    agentId: row.agent_id,
    teamId: row.team_id,
    workflowId: row.workflow_id,
    toolName: row.tool_name,
    toolArgs: JSON.parse(row.tool_args),
    requirements: JSON.parse(row.requirements) as Approval["requirements"],
    resolutionData: row.resolution_data === null ? null : (JSON.parse(row.resolution_data) as Record<string, unknown>),
    resolvedBy: row.resolved_by === null ? null : (JSON.parse(row.resolved_by) as string),
    resolvedAt: row.resolved_at,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  };
}

interface Resolution {
  readonly status: "approved" | "rejected";
  readonly resolvedBy: string | null;
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly at: number;
}

/** The columns that a resolution changes. */
export function resolvedRow(
  id: string,
  { status, resolvedBy, data, at }: Resolution,
  encryption?: Encryption,
): Pick<ApprovalsTable, "status" | "resolved_by" | "resolution_data" | "resolved_at" | "updated_at"> {
  const resolution = data === null ? null : JSON.stringify(data);
  return {
    status,
    resolved_by: resolvedBy === null ? null : JSON.stringify(resolvedBy),
    resolution_data: sealText(encryption, "approvals.resolution_data", [id], resolution),
    resolved_at: at,
    updated_at: at,
  };
}
