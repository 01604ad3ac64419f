/** Rules about which callers may approve. */
import { TroupeError } from "../../errors.ts";
import type { RunApproval } from "../../model/approval.ts";
import { type Principal, visibleOwner } from "../../model/principal.ts";
import type { Services } from "../transport/services.ts";
import { attributedUser } from "./attribution.ts";
import type { RouteAccess } from "./route-access.ts";

/** The scope of the route that resolves approvals. */
export const approves: Exclude<RouteAccess, string> = { resource: "approvals", action: "write" };

/** The path of the route that resolves approvals. */
export const resolvePath = "/approvals/{approval_id}/resolve";

/** The scope of the routes that read approvals. */
export const readsApprovals: Exclude<RouteAccess, string> = { resource: "approvals", action: "read" };

/** Whether the caller may resolve approvals for others: it needs the scope of the resolve route. With user isolation on, only an admin may. */
function mayApprove({ gate }: Pick<Services, "gate">, caller: Principal): boolean {
  return visibleOwner(caller) === null && passes(gate, caller, { ...approves, method: "POST", path: resolvePath });
}

/** The run's approval that was resolved last; undefined if there is none or the caller may not read approvals. */
export async function approvalOf(
  { gate, approvals }: Pick<Services, "gate" | "approvals">,
  caller: Principal,
  runId: string,
): Promise<RunApproval | undefined> {
  if (!passes(gate, caller, { ...readsApprovals, method: "GET", path: "/approvals" })) return undefined;
  return await approvals.lastResolved(caller, runId);
}

function passes(
  gate: Services["gate"],
  caller: Principal,
  route: Parameters<Services["gate"]["requiredScopesOf"]>[0],
): boolean {
  try {
    gate.check(caller, gate.requiredScopesOf(route));
    return true;
  } catch (error) {
    if (error instanceof TroupeError) return false;
    throw error;
  }
}

/** The caller that answers a pause: the user id recorded with approvals that the answer resolves, and whether the caller may approve. */
export function answererOf(
  services: Pick<Services, "gate">,
  caller: Principal,
  claimed: string | undefined,
): { readonly userId: string | null; readonly mayApprove: boolean } {
  const userId = caller.userId ?? attributedUser(caller, claimed) ?? null;
  return { userId, mayApprove: mayApprove(services, caller) };
}
