/** Usage by day: runs, sessions, users, tokens and costs of ended root runs. The day of a run is the UTC day of its start. */
import { TroupeError } from "../errors.ts";
import { type Principal, visibleSession } from "../model/principal.ts";
import type { DayRange, UsageDay } from "../store/contract/usage-days.ts";
import type { RunParts } from "./parts.ts";

export type { DayRange, ModelDay, UsageDay } from "../store/contract/usage-days.ts";

/** Max days of one answer. */
export const maxDays = 366;

/** Max runs whose logs one refresh compacts, and max transactions that count usage in one call. A later call or the background continues. */
const [maxRuns, maxCounts] = [500, 10];

const dayLength = 24 * 3_600_000;

type Parts = Pick<RunParts, "compactor" | "usageDays" | "runtime">;

/** Reads and refreshes usage by day. */
export interface MetricsCalls {
  /**
   * The days of a range that have usage, in order. Default of `to`: today. Default of `from`: `maxDays` days up to `to`. Callers with user isolation
   * see the usage of their own sessions. A run counts a few seconds after its end.
   *
   * @throws TroupeError `validation` for a range of more than `maxDays` days or with its end before its start, `forbidden` for a credential that is
   * limited to one session
   */
  list(caller: Principal, range: Partial<DayRange>): Promise<readonly UsageDay[]>;
  /**
   * Counts the runs that have ended, and returns today and the other days that changed, as far as they have usage.
   *
   * @throws TroupeError `forbidden` for a credential that is limited to one session
   */
  refresh(caller: Principal): Promise<readonly UsageDay[]>;
}

/** Binds the calls to their parts. */
export function metricsCalls(parts: Parts): MetricsCalls {
  const { usageDays, runtime } = parts;
  let refreshing: Promise<ReadonlySet<string>> | undefined;
  const today = (): string => toDay(runtime.clock.now());
  return {
    async list(caller, { from, to = today() }) {
      checkCaller(caller);
      const range = { from: from ?? addDays(to, 1 - maxDays), to };
      checkRange(range);
      await countQueued(parts);
      return await usageDays.listDays(caller, range);
    },

    async refresh(caller) {
      checkCaller(caller);
      // Requests at the same time wait for the same work.
      refreshing ??= countEnded(parts).finally(() => {
        refreshing = undefined;
      });
      const changed = new Set([...(await refreshing), today()]);
      const days = [...changed].sort().slice(-maxDays);
      const listed = await usageDays.listDays(caller, { from: days[0] as string, to: days.at(-1) as string });
      return listed.filter(({ day }) => changed.has(day));
    },
  };
}

/** Counts all runs that have ended, up to a bound; returns the days that changed. */
async function countEnded(parts: Parts): Promise<ReadonlySet<string>> {
  await parts.compactor.compactOldest(maxRuns);
  return await countQueued(parts);
}

async function countQueued({ usageDays }: Pick<Parts, "usageDays">): Promise<ReadonlySet<string>> {
  const changed = new Set<string>();
  for (let count = 0; count < maxCounts; count++) {
    const days = await usageDays.countQueued();
    if (days.length === 0) break;
    for (const day of days) changed.add(day);
  }
  return changed;
}

/** Usage by day is not kept by session. */
function checkCaller(caller: Principal): void {
  if (visibleSession(caller) !== null)
    throw new TroupeError(
      "forbidden",
      "The credential is limited to one session, and usage by day covers all sessions.",
    );
}

function checkRange({ from, to }: DayRange): void {
  if (from > to) throw new TroupeError("validation", "starting_date is after ending_date, which is today by default");
  if (from < addDays(to, 1 - maxDays))
    throw new TroupeError("validation", `starting_date and ending_date may include at most ${maxDays} days`);
}

function addDays(day: string, days: number): string {
  return toDay(Date.parse(day) + days * dayLength);
}

function toDay(milliseconds: number): string {
  return new Date(milliseconds).toISOString().slice(0, 10);
}
