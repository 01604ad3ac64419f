/** Approvals: what paused runs wait for, and who may decide it. Approvals that a caller may not see are treated as missing. */
import { TroupeError } from "../errors.ts";
import { type Principal, visibleOwner } from "../model/principal.ts";
import type { RunApproval } from "../model/run/approval.ts";
import type { ApprovalQuery } from "../store/contract/approvals.ts";
import { holds } from "./callers.ts";
import type { RunParts } from "./parts.ts";

export type { RunApproval } from "../model/run/approval.ts";
export type { ApprovalQuery } from "../store/contract/approvals.ts";

/** A decision about an approval. */
export interface ApprovalDecision {
  readonly status: "approved" | "rejected";
  /** The name of the person who decides; ignored for callers with a user id. */
  readonly resolvedBy: string | undefined;
  readonly data: Readonly<Record<string, unknown>> | undefined;
}

type Parts = Pick<RunParts, "approvals">;

/** A page of approvals, newest first. */
export async function listApprovals(
  { approvals, platform }: RunParts,
  caller: Principal,
  query: Omit<ApprovalQuery, "maxBytes">,
): Promise<{ readonly rows: readonly RunApproval[]; readonly total: number }> {
  const userId = visibleUser(caller, query.userId);
  return await approvals.list(caller, { ...query, userId, maxBytes: platform.settings.maxListingBytes });
}

/** Number of pending approvals. */
export async function countApprovals(
  { approvals }: Parts,
  caller: Principal,
  userId: string | undefined,
): Promise<number> {
  return await approvals.countPending(caller, visibleUser(caller, userId));
}

/** @throws TroupeError `notFound` */
export async function findApproval({ approvals }: Parts, caller: Principal, id: string): Promise<RunApproval> {
  const approval = await approvals.find(caller, id);
  if (!approval) throw unknownApproval();
  return approval;
}

/**
 * Resolves a pending approval.
 *
 * @throws TroupeError `notFound` (also for an isolated caller), `badRequest` (data that does not fit the question), `conflict` (it is resolved)
 */
export async function resolveApproval(
  parts: RunParts,
  caller: Principal,
  id: string,
  { status, resolvedBy = undefined, data = undefined }: ApprovalDecision,
): Promise<RunApproval> {
  refuseIsolated(caller);
  const { approvals, runtime, engine } = parts;
  const asked = await findApproval(parts, caller, id);
  if (asked.status === "pending") await engine.checkResolution(caller, asked, { status, resolutionData: data ?? null });
  const resolution = {
    status,
    resolvedBy: caller.userId ?? resolvedBy ?? null,
    data: data ?? null,
    at: runtime.clock.now(),
  };
  const isResolved = await approvals.resolve(caller, id, resolution);
  const approval = await findApproval(parts, caller, id);
  if (isResolved) return approval;
  throw new TroupeError("conflict", `Approval is already '${approval.status}' and cannot be resolved`);
}

/** @throws TroupeError `notFound`, also for an isolated caller */
export async function deleteApproval({ approvals }: Parts, caller: Principal, id: string): Promise<void> {
  refuseIsolated(caller);
  if (!(await approvals.delete(caller, id))) throw unknownApproval();
}

/** The run's approval that was resolved last; undefined if there is none or the caller may not read approvals. */
export async function approvalOf(
  parts: Pick<RunParts, "gate" | "approvals">,
  caller: Principal,
  runId: string,
): Promise<RunApproval | undefined> {
  if (!holds(parts, caller, "read")) return undefined;
  return await parts.approvals.lastResolved(caller, runId);
}

/** A caller with user isolation sees only its own approvals, whatever user it names. */
function visibleUser(caller: Principal, userId: string | undefined): string | undefined {
  return visibleOwner(caller) === null ? userId : undefined;
}

/** With user isolation, only admins may resolve or delete approvals: a user must not approve its own runs. */
function refuseIsolated(caller: Principal): void {
  if (visibleOwner(caller) !== null) throw unknownApproval();
}

function unknownApproval(): TroupeError {
  return new TroupeError("notFound", "Approval not found");
}
