/** Rules about the callers of memories. */
import { TroupeError } from "../../errors.ts";
import { isReservedUserId, type Principal, visibleOwner, visibleSession } from "../../model/principal.ts";

/** @throws TroupeError `forbidden` */
export function admit(caller: Principal): void {
  if (visibleSession(caller) !== null)
    throw new TroupeError(
      "forbidden",
      "The credential is for one session only: it does not permit to access memories.",
    );
}

/**
 * The user whose memories a caller changes: with user isolation the caller itself, otherwise the user that it names.
 * @throws TroupeError `forbidden` for a reserved user, `badRequest` without one
 */
export function userOf(caller: Principal, claimed: string | undefined): string {
  admit(caller);
  const owner = visibleOwner(caller);
  if (owner !== null) return owner;
  if (claimed !== undefined && claimed !== caller.userId && isReservedUserId(claimed))
    throw new TroupeError("forbidden", "Client-supplied user_id may not claim a reserved principal");
  const userId = claimed ?? caller.userId;
  if (userId === null) throw new TroupeError("badRequest", "User ID is required");
  return userId;
}
