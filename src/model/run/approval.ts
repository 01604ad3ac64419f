/** Approvals: a permitted principal must approve a call before it is executed, and the decision is recorded. */
import type { ComponentKind, WireRunStatus } from "./run.ts";

/** How a tool uses approvals: `required` before each call, or `audit`, which only records who answered a paused call. */
export type ApprovalType = "required" | "audit";

/** State of an approval. `expired`: its run ended without a decision; `cancelled`: its run was cancelled. */
export type ApprovalStatus = "pending" | "approved" | "rejected" | "expired" | "cancelled";

/** Every state, in the order of the contract. */
export const approvalStatuses: readonly ApprovalStatus[] = ["pending", "approved", "rejected", "expired", "cancelled"];

/** The kind of answer that the call waits for. */
export type PauseType = "confirmation" | "user_input" | "external_execution";

/** An approval as created by the pause of its call. */
export interface CallApproval {
  readonly id: string;
  readonly type: ApprovalType;
  readonly pauseType: PauseType;
  /** The component that owns the tool. */
  readonly source: { readonly kind: ComponentKind; readonly id: string; readonly name: string };
  /** Id of the call's requirement. */
  readonly requirementId: string;
}

/** A decision on an approval. */
export interface Resolution {
  readonly status: "approved" | "rejected";
  readonly resolvedBy: string | null;
  /** Details of the decision: `values` for the call, its `result`, a `note`. */
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly at: number;
}

/** An approval as stored. Times in milliseconds. */
export interface Approval {
  readonly id: string;
  readonly status: ApprovalStatus;
  readonly type: ApprovalType;
  readonly pauseType: PauseType;
  readonly sourceType: ComponentKind;
  readonly sourceName: string;
  readonly agentId: string | null;
  readonly teamId: string | null;
  readonly workflowId: string | null;
  readonly toolName: string;
  readonly toolArgs: unknown;
  readonly requirements: readonly Readonly<Record<string, unknown>>[];
  readonly resolutionData: Readonly<Record<string, unknown>> | null;
  readonly resolvedBy: string | null;
  readonly resolvedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** An approval with the run that waits for it. */
export interface RunApproval extends Approval {
  readonly runId: string;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly runStatus: WireRunStatus;
  /** The schedule that started the run, and the record of that fire. */
  readonly scheduleId: string | null;
  readonly scheduleRunId: string | null;
}
