/** Removes the data of users. */
import { TroupeError } from "../errors.ts";
import type { Erasure } from "../events/user-erasure.ts";
import { type Principal, visibleSession } from "../model/principal.ts";
import type { RunParts } from "./parts.ts";

export type { Erasure } from "../events/user-erasure.ts";

/**
 * Removes all data of a user. The user's unfinished runs are cancelled first. Stops after 20 seconds; a repeated call continues.
 *
 * @throws TroupeError `forbidden` unless the caller is an admin whose credential is for all sessions; the user itself is not enough
 */
export async function eraseUser(
  { erasures, engine, runtime }: Pick<RunParts, "erasures" | "engine" | "runtime">,
  caller: Principal,
  userId: string,
): Promise<Erasure> {
  if (!caller.isAdmin || visibleSession(caller) !== null)
    throw new TroupeError("forbidden", "Only an admin whose token is for all sessions can remove the data of a user.");
  const erasure = await erasures.erase(userId, (key) => engine.cancel({ key }));
  runtime.log.info({ ...erasure }, "The data of a user was removed.");
  return erasure;
}
