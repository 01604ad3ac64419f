/** The limits that apply to a run, one by one, and the counters that they need. */
import type { PlatformLimits } from "../../define/options/limits.ts";
import type { Hosted } from "../../define/platform.ts";
import type { ComponentKind } from "../../model/run/run.ts";
import { toNanos } from "../../model/usage/cost.ts";
import {
  type LimitPeriod,
  type LimitScope,
  type Limits,
  type Metric,
  metricNames,
  type RunLimits,
  type ShownLimit,
  shownAmount,
} from "../../model/usage/limits.ts";
import { sessionPeriod, type UsageCounter, type UsageSums } from "../../store/contract/usage.ts";

/** One limit. */
export interface Bound {
  /** Unique among the limits of a run, and the same in every attempt. */
  readonly id: string;
  readonly scope: LimitScope;
  /** Id of the component or the user; empty for other scopes. */
  readonly key: string;
  readonly period: LimitPeriod;
  readonly metric: Metric;
  /** Costs in nanodollars. */
  readonly allowed: number;
  readonly onLimit: "fail" | "pause";
}

/** Returns the limits of an owner, one by one. */
export function boundsOf(scope: LimitScope, key: string, limits: Limits | undefined): readonly Bound[] {
  if (!limits) return [];
  const { perSession, perDay, onLimit = "fail", ...perRun } = limits;
  const of = (period: LimitPeriod, amounts: RunLimits = {}): readonly Bound[] =>
    (Object.entries(amounts) as [Metric, number | undefined][]).flatMap(([metric, amount]) => {
      if (amount === undefined) return [];
      const id = JSON.stringify([scope, key, period, metric]);
      const allowed = metric === "cost" ? toNanos(amount) : amount;
      return [{ id, scope, key, period, metric, allowed, onLimit }];
    });
  return [...of("run", perRun), ...of("session", perSession), ...of("day", perDay)];
}

/** The limits of a root run: of the platform, its component, its user, and its start. */
export function rootBounds(
  platform: PlatformLimits | undefined,
  component: Hosted | undefined,
  run: {
    readonly userId: string | null;
    readonly userLimits: readonly Limits[] | undefined;
    readonly limits?: RunLimits | undefined;
  },
): readonly Bound[] {
  const { userId, userLimits = [], limits } = run;
  if (!platform && !component?.limits && !limits && userLimits.length === 0) return [];
  const { user: _, ...own } = platform ?? {};
  return lowestOf([
    ...boundsOf("platform", "", platform && own),
    ...(component ? boundsOf(...ownerOf(component), component.limits) : []),
    ...(userId === null ? [] : userLimits.flatMap((given) => boundsOf("user", userId, given))),
    ...boundsOf("run", "", limits),
  ]);
}

/** The lowest of the limits with the same id: a user may have the same limit from a claim and from the platform. */
export function lowestOf(bounds: readonly Bound[]): readonly Bound[] {
  const lowest = new Map<string, Bound>();
  for (const bound of bounds) {
    const known = lowest.get(bound.id);
    if (!known || bound.allowed < known.allowed) lowest.set(bound.id, bound);
  }
  return [...lowest.values()];
}

/** The UTC date of a time. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10);
}

/** The end of a time's UTC day, in milliseconds. */
export function endOfDay(now: number): number {
  const day = 24 * 3_600_000;
  return (Math.floor(now / day) + 1) * day;
}

/** Whether a limit is counted by a counter that other runs share. */
export function isShared({ period }: Bound): boolean {
  return period !== "run";
}

/** The counter of a shared limit. All usage of a session has one counter for all owners of limits; a component's usage in the session has another one. */
export function counterOf({ scope, key, period }: Bound, sessionKey: number, now: number): UsageCounter {
  if (period === "day") return { period: dayOf(now), scope, key };
  const isComponent = scope === "agent" || scope === "team" || scope === "workflow";
  return { period: sessionPeriod(sessionKey), scope: isComponent ? scope : "session", key: isComponent ? key : "" };
}

/** The part of sums that a limit bounds; undefined for the duration, which sums do not contain. */
export function usedOf(metric: Metric, sums: UsageSums): number | undefined {
  if (metric === "duration") return undefined;
  return metric === "cost" ? sums.nanos : sums[metric];
}

/** A limit with its use, as sent on the wire. */
export function toShownLimit({ scope, key, period, metric, allowed }: Bound, used: number, now: number): ShownLimit {
  return {
    scope,
    id: key === "" ? null : key,
    period,
    metric: metricNames[metric],
    used: shownAmount(metric, used),
    allowed: shownAmount(metric, allowed),
    reset_at: period === "day" ? new Date(endOfDay(now)).toISOString() : null,
  };
}

const units: Readonly<Record<Metric, string>> = {
  tokens: "tokens",
  cost: "US dollars",
  modelRequests: "model requests",
  toolCalls: "tool calls",
  duration: "milliseconds",
};

const periods: Readonly<Record<LimitPeriod, string>> = { run: "one run", session: "one session", day: "one day" };

/** Describes a limit for people: `The limit of the agent "researcher" is 0.01 US dollars in one run`. */
export function describeBound({ scope, key, period, metric, allowed }: Bound): string {
  const owner = scope === "run" ? "this run" : `the ${scope}${key === "" ? "" : ` ${JSON.stringify(key)}`}`;
  return `The limit of ${owner} is ${shownAmount(metric, allowed)} ${units[metric]} in ${periods[period]}`;
}

/** The owner of a component's limits. */
export function ownerOf({ kind, id }: { readonly kind: ComponentKind; readonly id: string }): [LimitScope, string] {
  return [kind, id];
}
