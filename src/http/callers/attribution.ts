/** Attributes a run to a user that the request names, where that is allowed. */
import { TroupeError } from "../../errors.ts";
import { isReservedUserId, type Principal } from "../../model/principal.ts";

/**
 * The user that a request names. A caller with a credential is always the credential's user, so the claim is ignored.
 *
 * @throws TroupeError `forbidden`
 */
export function attributedUser(caller: Principal, claimed: string | undefined): string | undefined {
  if (caller.kind !== "anonymous" || claimed === undefined) return undefined;
  if (isReservedUserId(claimed)) {
    throw new TroupeError("forbidden", "Client-supplied user_id may not claim a reserved principal");
  }
  return claimed;
}
