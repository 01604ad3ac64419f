/** Plans which ticks of a due schedule fire. */
import { nextTick, once, ticksBefore } from "../model/schedule/cron.ts";
import type { Schedule } from "../model/schedule/schedule.ts";

/** Limits for planning ticks. */
export interface PlanLimits {
  /** Maximum delay in milliseconds with which a tick counts as on time. */
  readonly lateness: number;
  /** Maximum number of missed ticks that fire. */
  readonly catchUp: number;
  /** Maximum number of unfinished fires; at this number further ticks are skipped. */
  readonly open: number;
}

/** A tick that is recorded. */
export interface PlannedTick {
  readonly tick: number;
  readonly status: "waiting" | "skipped" | "cancelled";
  /** Whether it waits for the end of earlier fires. */
  readonly queues: boolean;
}

/** The plan for a schedule that is due. */
export interface TickPlan {
  readonly ticks: readonly PlannedTick[];
  /** Whether unfinished fires are cancelled. */
  readonly cancelsOpen: boolean;
  readonly nextRunAt: number | null;
  /** Whether some missed ticks are neither fired nor recorded. */
  readonly omitsTicks: boolean;
}

type Planned = Pick<
  Schedule,
  "cronExpr" | "timezone" | "nextRunAt" | "endsAt" | "maxFires" | "fires" | "overlap" | "catchUp"
>;

/** Maximum number of on-time ticks in one plan; the next plan takes the remaining ones. */
const maxOnTimeTicks = 1_000;

/**
 * Plans the ticks of a schedule up to `now`. The next tick is computed from the last tick, not from the time of planning.
 *
 * @param open - number of unfinished fires of the schedule
 */
export function planTicks(schedule: Planned, now: number, open: number, limits: PlanLimits): TickPlan {
  const due = dueTicks(schedule, now, limits);
  const { overlap, maxFires, fires } = schedule;
  let left = maxFires === null ? Number.POSITIVE_INFINITY : maxFires - fires;
  // With `cancelPrevious`, earlier fires do not count, because they are cancelled.
  let unfinished = overlap === "cancelPrevious" ? 0 : open;
  const ticks: PlannedTick[] = [];
  for (const { tick, isCatchUp } of due.ticks) {
    if (left <= 0) break;
    if ((overlap === "skip" && !isCatchUp && unfinished > 0) || unfinished >= limits.open) {
      ticks.push({ tick, status: "skipped", queues: false });
      continue;
    }
    if (overlap === "cancelPrevious") {
      for (const [place, earlier] of ticks.entries()) ticks[place] = { ...earlier, status: "cancelled" };
    }
    ticks.push({ tick, status: "waiting", queues: overlap !== "allow" });
    unfinished += 1;
    left -= 1;
  }
  const next = left > 0 && isWithin(schedule, due.next) ? due.next : null;
  const cancelsOpen = overlap === "cancelPrevious" && open > 0 && ticks.length > 0;
  return { ticks, cancelsOpen, nextRunAt: next, omitsTicks: due.omitsTicks };
}

/** Returns the first tick of a schedule that is created, enabled or changed at `now`; null if there is none. */
export function firstTick(
  schedule: Pick<Schedule, "cronExpr" | "timezone" | "runAt" | "endsAt" | "maxFires" | "fires">,
  now: number,
): number | null {
  const { cronExpr, runAt, maxFires, fires } = schedule;
  if (maxFires !== null && fires >= maxFires) return null;
  if (cronExpr === once) return fires > 0 || runAt === null ? null : runAt;
  const next = nextTick(schedule, now);
  return isWithin(schedule, next) ? next : null;
}

interface DueTick {
  readonly tick: number;
  readonly isCatchUp: boolean;
}

interface DueTicks {
  readonly ticks: readonly DueTick[];
  readonly next: number | null;
  readonly omitsTicks: boolean;
}

function dueTicks(
  schedule: Planned,
  now: number,
  { lateness, catchUp: maxCatchUp }: Omit<PlanLimits, "open">,
): DueTicks {
  const { cronExpr, nextRunAt: first, catchUp } = schedule;
  if (first === null || first > now) return { ticks: [], next: first, omitsTicks: false };
  const since = now - lateness;
  if (cronExpr === once) {
    const isOmitted = first < since && catchUp === "none";
    return { ticks: isOmitted ? [] : [{ tick: first, isCatchUp: first < since }], next: null, omitsTicks: isOmitted };
  }
  const onTime: DueTick[] = [];
  let next = first >= since ? first : nextTick(schedule, since - 1);
  while (next !== null && next <= now && onTime.length < maxOnTimeTicks) {
    onTime.push({ tick: next, isCatchUp: false });
    next = nextTick(schedule, next);
  }
  const ticks = onTime.filter(({ tick }) => isWithin(schedule, tick));
  if (first >= since) return { ticks, next, omitsTicks: false };
  // One more than needed, to detect whether there were more.
  const wanted = catchUp === "all" ? maxCatchUp : catchUp === "last" && ticks.length === 0 ? 1 : 0;
  const before = Math.min(since, (schedule.endsAt ?? since) + 1);
  const missed = ticksBefore(schedule, { since: first, before, count: wanted + 1 });
  const kept = missed.slice(missed.length - Math.min(wanted, missed.length));
  const catchUpTicks = kept.map((tick) => ({ tick, isCatchUp: true }));
  return { ticks: [...catchUpTicks, ...ticks], next, omitsTicks: missed.length > kept.length };
}

function isWithin({ endsAt }: Pick<Schedule, "endsAt">, tick: number | null): boolean {
  return tick !== null && (endsAt === null || tick <= endsAt);
}
