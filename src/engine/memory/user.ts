/** The user whose memories a run uses. */
import { defaultMemoryUser } from "../../model/memory.ts";
import { type Principal, schedulerId } from "../../model/principal.ts";

/**
 * Returns the user of a run's memories; undefined if the run has none. A run without a user has memories only on a server without authorization: all its
 * callers may access everything.
 */
export function memoryUserOf({
  userId,
  principal,
}: {
  readonly userId: string | null;
  readonly principal: Pick<Principal, "kind">;
}): string | undefined {
  if (userId === schedulerId) return undefined;
  if (userId !== null) return userId;
  return principal.kind === "open" || principal.kind === "system" ? defaultMemoryUser : undefined;
}
