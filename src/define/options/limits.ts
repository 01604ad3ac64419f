/** The limits of a platform, and the validation of limits. */
import { ConfigurationError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import { faultOfLimits, type Limits } from "../../model/usage/limits.ts";

/** The user of a run, for the function that returns the user's limits. */
export interface LimitedUser {
  readonly id: string;
  /** The caller that starts the run, with its scopes. */
  readonly caller: Principal;
}

/** Limits of a platform: on all its runs, and on each of its users. */
export interface PlatformLimits extends Limits {
  /** Limits of each user; a function may return other limits for other users. Runs without a user have no user limits. */
  readonly user?: Limits | ((user: LimitedUser) => Limits | undefined);
}

/** @throws ConfigurationError naming the limit and the fix */
export function checkLimits(title: string, limits: unknown): void {
  if (limits === undefined) return;
  const fault = faultOfLimits(limits);
  if (fault) throw new ConfigurationError(`${title}: limits ${fault}.`);
}

/** @throws ConfigurationError naming the limit and the fix */
export function checkPlatformLimits(title: string, limits: unknown): void {
  const { user, ...own } = (limits ?? {}) as PlatformLimits;
  checkLimits(title, typeof limits === "object" && limits !== null && !Array.isArray(limits) ? own : limits);
  if (typeof user !== "function") checkLimits(`${title}: the user's`, user);
}
