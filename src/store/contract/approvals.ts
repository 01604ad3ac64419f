/** Stored approvals. */

import type { Principal } from "../../model/principal.ts";
import type { Approval, ApprovalStatus, ApprovalType, Resolution, RunApproval } from "../../model/run/approval.ts";

/** An approval that a root run's pause creates, in the same flush. */
export type ApprovalCreation = Omit<Approval, "status" | "resolutionData" | "resolvedBy" | "resolvedAt" | "updatedAt">;

/** How an answer to a pause resolves an approval, in the same transaction. */
export interface ApprovalAnswer extends Resolution {
  readonly id: string;
}

/** Filters and page of an approval listing. */
export interface ApprovalQuery {
  readonly status?: ApprovalStatus | undefined;
  readonly type?: ApprovalType | undefined;
  /** An unknown source type matches nothing. */
  readonly sourceType?: string | undefined;
  readonly pauseType?: string | undefined;
  readonly agentId?: string | undefined;
  readonly teamId?: string | undefined;
  readonly workflowId?: string | undefined;
  readonly userId?: string | undefined;
  readonly scheduleId?: string | undefined;
  readonly runId?: string | undefined;
  readonly limit: number;
  readonly offset: number;
  /** Max bytes of arguments, requirements and answers on the page. An approval whose texts do not fit is returned without them. */
  readonly maxBytes: number;
}

/** Reads and changes approvals. Approvals that the caller may not see are treated as missing. */
export interface ApprovalStore {
  /** Newest first. */
  list(caller: Principal, query: ApprovalQuery): Promise<{ rows: readonly RunApproval[]; total: number }>;
  /** Counts the pending approvals. */
  countPending(caller: Principal, userId: string | undefined): Promise<number>;
  /** Of a run's required approvals, returns the one that was resolved last. */
  lastResolved(caller: Principal, runId: string): Promise<RunApproval | undefined>;
  find(caller: Principal, id: string): Promise<RunApproval | undefined>;
  /** Resolves a pending approval. Of several concurrent calls for the same approval, only one succeeds. */
  resolve(caller: Principal, id: string, resolution: Resolution): Promise<boolean>;
  delete(caller: Principal, id: string): Promise<boolean>;
}
