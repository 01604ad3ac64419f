/** Rules about the callers of the service layer: for whom they act, whose tokens are forwarded, and who may approve. */
import { TroupeError } from "../errors.ts";
import { isReservedUserId, mayClaimUser, type Principal, visibleOwner } from "../model/principal.ts";
import type { RunParts } from "./parts.ts";

/** The routes whose permission decides about approvals on every interface: the operator's scope mappings name these routes. */
export const approvalRoutes = {
  resolve: { method: "POST", path: "/approvals/{approval_id}/resolve", resource: "approvals", action: "write" },
  read: { method: "GET", path: "/approvals", resource: "approvals", action: "read" },
} as const;

/**
 * The user that a request names. The claim of a caller whose credential determines its user is ignored.
 *
 * @throws TroupeError `forbidden`
 */
export function attributedUser(caller: Principal, claimed: string | undefined): string | undefined {
  if (!mayClaimUser(caller) || claimed === undefined) return undefined;
  if (isReservedUserId(claimed)) {
    throw new TroupeError("forbidden", "Client-supplied user_id may not claim a reserved principal");
  }
  return claimed;
}

/**
 * The caller's token, if another server may see it. Tokens that only this server accepts (security key, service accounts, scheduler) never leave it.
 */
export function forwardable(
  { gate }: Pick<RunParts, "gate">,
  { kind }: Principal,
  token: string | undefined,
): string | undefined {
  if (gate.mode === "none") return kind === "open" ? token || undefined : undefined;
  return gate.mode === "jwt" && kind === "user" ? token : undefined;
}

/** The caller that answers a pause: the user id recorded with approvals that the answer resolves, and whether the caller may approve. */
export function answererOf(
  parts: Pick<RunParts, "gate">,
  caller: Principal,
  claimed: string | undefined,
): { readonly userId: string | null; readonly mayApprove: boolean } {
  const userId = caller.userId ?? attributedUser(caller, claimed) ?? null;
  // With user isolation on, only an admin may approve for others.
  const mayApprove = visibleOwner(caller) === null && holds(parts, caller, "resolve");
  return { userId, mayApprove };
}

/** Whether the caller has the permission of a route about approvals. */
export function holds(
  { gate }: Pick<RunParts, "gate">,
  caller: Principal,
  route: keyof typeof approvalRoutes,
): boolean {
  try {
    gate.check(caller, gate.requiredScopesOf(approvalRoutes[route]));
    return true;
  } catch (error) {
    if (error instanceof TroupeError) return false;
    throw error;
  }
}
