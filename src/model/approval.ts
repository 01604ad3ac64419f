/** Approvals: what somebody who may must say yes to before a call is made, and what is kept of it. */
import type { ComponentKind, WireRunStatus } from "./run.ts";

/** What a tool says of its calls: approval is `required`, or it is only written down (`audit`) who let them go on. */
export type ApprovalType = "required" | "audit";

/** Where an approval stands. `expired` is one whose run ended without it, `cancelled` one whose run was cancelled. */
export type ApprovalStatus = "pending" | "approved" | "rejected" | "expired" | "cancelled";

/** Every status, in the contract's order. */
export const approvalStatuses: readonly ApprovalStatus[] = ["pending", "approved", "rejected", "expired", "cancelled"];

/** What the call waits for. */
export type PauseType = "confirmation" | "user_input" | "external_execution";

/** An approval as the pause of its call makes it. */
export interface CallApproval {
  readonly id: string;
  readonly type: ApprovalType;
  readonly pauseType: PauseType;
  /** Whose tool it is. */
  readonly source: { readonly kind: ComponentKind; readonly id: string; readonly name: string };
  /** Of the call's requirement. */
  readonly requirementId: string;
}

/** What was said of an approval. */
export interface Resolution {
  readonly status: "approved" | "rejected";
  readonly resolvedBy: string | null;
  /** What was said beside yes or no: `values` that the call waits for, its `result`, a `note`. */
  readonly data: Readonly<Record<string, unknown>> | null;
  readonly at: number;
}

/** An approval as it is kept. Times in milliseconds. */
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
  /** Of the schedule that started the run, and its record of that. */
  readonly scheduleId: string | null;
  readonly scheduleRunId: string | null;
}
