/** Who may approve. */
import { TroupeError } from "../errors.ts";
import { type Principal, visibleOwner } from "../model/principal.ts";
import type { Access } from "./access.ts";
import { attributedUser } from "./attribution.ts";
import type { Services } from "./services.ts";

/** What the route that resolves approvals is for. */
export const approves: Exclude<Access, string> = { resource: "approvals", action: "write" };

/** Its path. */
export const resolvePath = "/approvals/{approval_id}/resolve";

/** Whether the caller may approve what others wait for: the same that may resolve an approval. Among isolated users only an admin does. */
function mayApprove({ gate }: Pick<Services, "gate">, caller: Principal): boolean {
  if (visibleOwner(caller) !== null) return false;
  try {
    gate.check(caller, gate.demandOf({ ...approves, method: "POST", path: resolvePath }));
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
