/** Rejects starts while a limit per day is reached. */
import type { Hosted } from "../../define/platform.ts";
import { TroupeError } from "../../errors.ts";
import type { Principal } from "../../model/principal.ts";
import { counterName } from "../../store/contract/usage.ts";
import type { StartRequest } from "../contract.ts";
import type { EngineParts } from "../parts.ts";
import { userOf } from "../run/creation.ts";
import { type Bound, counterOf, describeBound, endOfDay, rootBounds, toShownLimit, usedOf } from "./bounds.ts";
import { userLimitsOf } from "./user-limits.ts";

/**
 * Checks the limits per day of a start; undefined if there are none. The number of tool calls does not reject it: a run may need none.
 * @throws TroupeError `limitExceeded` with the limit and the time of its reset
 */
export function checkDailyLimits(
  { limits, store, runtime }: Pick<EngineParts, "limits" | "store" | "runtime">,
  caller: Principal,
  request: StartRequest,
  component: Hosted,
): Promise<void> | undefined {
  const userId = userOf(caller, request);
  const userLimits = userLimitsOf(limits, caller, userId);
  const bounds = dailyBounds(limits, component, { userId, userLimits }).filter(isChecked);
  return bounds.length === 0 ? undefined : checkDailyBounds({ store, runtime }, bounds);
}

/** The limits per day of a component, its user and the platform. */
export function dailyBounds(...given: Parameters<typeof rootBounds>): readonly Bound[] {
  return rootBounds(...given).filter(({ period }) => period === "day");
}

/** Checks limits per day. @throws TroupeError `limitExceeded` with the limit and the time of its reset */
export async function checkDailyBounds(
  { store, runtime }: Pick<EngineParts, "store" | "runtime">,
  all: readonly Bound[],
): Promise<void> {
  const bounds = all.filter(isChecked);
  if (bounds.length === 0) return;
  const now = runtime.clock.now();
  const counters = new Map(
    bounds.map((bound) => counterOf(bound, 0, now)).map((counter) => [counterName(counter), counter]),
  );
  const totals = new Map((await store.readUsage([...counters.values()])).map((total) => [counterName(total), total]));
  for (const bound of bounds) {
    const total = totals.get(counterName(counterOf(bound, 0, now)));
    const used = total ? (usedOf(bound.metric, total) ?? 0) : 0;
    if (used >= bound.allowed) throw exceeded(bound, used, now);
  }
}

function isChecked({ metric }: Bound): boolean {
  return metric !== "toolCalls";
}

function exceeded(bound: Bound, used: number, now: number): TroupeError {
  const limit = toShownLimit(bound, used, now);
  const message = `${describeBound(bound)}, and ${limit.used} are used. It begins again at ${limit.reset_at}.`;
  const retryAfter = Math.max(1, Math.ceil((endOfDay(now) - now) / 1000));
  return new TroupeError("limitExceeded", message, { retryAfter, details: { limit } });
}
