/** Attributes a run to a user that the request names, where that is allowed. */
import { TroupeError } from "../../errors.ts";
import { isReservedUserId, mayClaimUser, type Principal } from "../../model/principal.ts";

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
