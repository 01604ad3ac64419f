/** Approvals as they are kept. */
import type { Approval, ApprovalStatus, ApprovalType, Resolution, RunApproval } from "../../model/approval.ts";
import type { Principal } from "../../model/principal.ts";

/** An approval that the pause of a root run makes, in the same flush. */
export type ApprovalCreation = Omit<Approval, "status" | "resolutionData" | "resolvedBy" | "resolvedAt" | "updatedAt">;

/** What becomes of an approval with the answer to a pause, in the same transaction. */
export interface ApprovalAnswer extends Resolution {
  readonly id: string;
}

/** Which approvals. */
export interface ApprovalQuery {
  readonly status?: ApprovalStatus | undefined;
  readonly type?: ApprovalType | undefined;
  /** A word that there is not finds nothing. */
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
  /** Bytes of arguments, requirements and answers that the page has at most. An approval whose do not fit has none of them. */
  readonly maxBytes: number;
}

/** Approvals beside the runs that make them. What the caller may not see is not there. */
export interface ApprovalStore {
  /** Newest first. */
  list(caller: Principal, query: ApprovalQuery): Promise<{ rows: readonly RunApproval[]; total: number }>;
  /** Those that are pending. */
  countPending(caller: Principal, userId: string | undefined): Promise<number>;
  find(caller: Principal, id: string): Promise<RunApproval | undefined>;
  /** Resolves one that is pending: of several that do so at once, one succeeds. */
  resolve(caller: Principal, id: string, resolution: Resolution): Promise<boolean>;
  delete(caller: Principal, id: string): Promise<boolean>;
}
