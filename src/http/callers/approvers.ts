/** Who may approve. */
import { TroupeError } from "../../errors.ts";
import type { RunApproval } from "../../model/approval.ts";
import { type Principal, visibleOwner } from "../../model/principal.ts";
import type { Services } from "../transport/services.ts";
import type { Access } from "./access.ts";
import { attributedUser } from "./attribution.ts";

/** What the route that resolves approvals is for. */
export const approves: Exclude<Access, string> = { resource: "approvals", action: "write" };

/** Its path. */
export const resolvePath = "/approvals/{approval_id}/resolve";

/** What the routes that read approvals are for. */
export const readsApprovals: Exclude<Access, string> = { resource: "approvals", action: "read" };

/** Whether the caller may approve what others wait for: the same that may resolve an approval. Among isolated users only an admin does. */
function mayApprove({ gate }: Pick<Services, "gate">, caller: Principal): boolean {
  return visibleOwner(caller) === null && passes(gate, caller, { ...approves, method: "POST", path: resolvePath });
}

/** The approval of the run that was resolved last, for who may read approvals; undefined where there is none. */
export async function approvalOf(
  { gate, approvals }: Pick<Services, "gate" | "approvals">,
  caller: Principal,
  runId: string,
): Promise<RunApproval | undefined> {
  if (!passes(gate, caller, { ...readsApprovals, method: "GET", path: "/approvals" })) return undefined;
  const page = { limit: mostApprovals, offset: 0, maxBytes: 0 };
  const { rows } = await approvals.list(caller, { runId, type: "required", ...page });
  const resolved = rows.filter(({ resolvedAt }) => resolvedAt !== null);
  const [last] = resolved.sort((one, other) => (other.resolvedAt ?? 0) - (one.resolvedAt ?? 0));
  return last && (await approvals.find(caller, last.id));
}

/** Approvals of a run that are looked at for the last one. */
const mostApprovals = 100;

function passes(
  gate: Services["gate"],
  caller: Principal,
  route: Parameters<Services["gate"]["demandOf"]>[0],
): boolean {
  try {
    gate.check(caller, gate.demandOf(route));
    return true;
  } catch (error) {
    if (error instanceof TroupeError) return false;
    throw error;
  }
}

/** Who answers a pause: in whose name approvals are resolved by it. */
export function answererOf(
  services: Pick<Services, "gate">,
  caller: Principal,
  claimed: string | undefined,
): { readonly userId: string | null; readonly mayApprove: boolean } {
  const userId = caller.userId ?? attributedUser(caller, claimed) ?? null;
  return { userId, mayApprove: mayApprove(services, caller) };
}
