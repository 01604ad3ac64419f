/** For whom a run is, where a request may say so. */
import { TroupeError } from "../../errors.ts";
import { isReservedUserId, type Principal } from "../../model/principal.ts";

/** The user that a request names: who has a credential is who it says, whatever the request says. @throws TroupeError `forbidden` */
export function attributedUser(caller: Principal, claimed: string | undefined): string | undefined {
  if (caller.kind !== "anonymous" || claimed === undefined) return undefined;
  if (isReservedUserId(claimed)) {
    throw new TroupeError("forbidden", "Client-supplied user_id may not claim a reserved principal");
  }
  return claimed;
}
