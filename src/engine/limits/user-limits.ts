/** The limits of the user of a run. */
import { checkLimits, type PlatformLimits } from "../../define/options/limits.ts";
import type { Principal } from "../../model/principal.ts";
import type { Limits } from "../../model/usage/limits.ts";

const none: readonly Limits[] = [];

/**
 * The limits of a run's user: of the credential, and of the platform.
 * @throws ConfigurationError if the platform's function returns something else: its user would have no limits
 */
export function userLimitsOf(
  limits: PlatformLimits | undefined,
  caller: Principal,
  userId: string | null,
): readonly Limits[] {
  if (userId === null || (!limits?.user && !caller.claims?.limits)) return none;
  const { user } = limits ?? {};
  const own = typeof user === "function" ? user({ id: userId, caller }) : user;
  checkLimits("The function limits.user", own);
  return [caller.claims?.limits, own].filter((given) => given !== undefined);
}
