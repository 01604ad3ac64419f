/** Stores the schedules that the platform's code defines. They act as the scheduler, not as a user. */
import { ConfigurationError, TroupeError } from "../errors.ts";
import { schedulerId } from "../model/principal.ts";
import type { Runtime } from "../model/runtime.ts";
import { secondsLast } from "../model/schedule/cron.ts";
import type { Schedule, SchedulePlan } from "../model/schedule/schedule.ts";
import type { ScheduleStore } from "../store/contract/schedules.ts";
import type { FoundRoute, InternalRoutes } from "./internal-routes.ts";
import { firstTick } from "./plan.ts";

type FindRoute = (...call: Parameters<InternalRoutes["find"]>) => Pick<FoundRoute, "check"> | undefined;

/** Rejects schedules whose fires would all fail. @throws ConfigurationError */
export function checkDefined(plans: readonly SchedulePlan[], find: FindRoute): void {
  for (const { name, method, endpoint, payload } of plans) {
    const call = `Schedule "${name}" calls ${method} ${endpoint}`;
    const route = find(method, endpoint);
    if (!route) throw new ConfigurationError(`${call}, which this platform does not serve.`);
    try {
      route.check(payload);
    } catch (error) {
      if (!(error instanceof TroupeError)) throw error;
      const faults = error.faults?.map(
        ({ loc, msg }) => `${loc.slice(1).join(".")}: ${msg.replace("Value error, ", "")}`,
      );
      throw new ConfigurationError(`${call}, which would fail each time (${faults?.join("; ") ?? error.message}).`);
    }
  }
}

/** Returns warnings about valid schedules that are probably mistakes. */
export function warningsAbout(plans: readonly SchedulePlan[]): readonly string[] {
  return plans.flatMap(({ name, cronExpr }) => {
    const corrected = secondsLast(cronExpr);
    if (corrected === undefined) return [];
    const isDue = `is due in every second of the minutes that "${cronExpr}" names, because the seconds come last`;
    return [`Schedule "${name}" ${isDue}: if its first field is meant as the seconds, write "${corrected}".`];
  });
}

/** Stores the schedules by name; several processes may do it concurrently. @throws ConfigurationError for a schedule that would always fail */
export async function storeDefined(
  platform: string,
  plans: readonly SchedulePlan[],
  { schedules, routes, runtime }: { schedules: ScheduleStore; routes: InternalRoutes; runtime: Runtime },
): Promise<void> {
  checkDefined(plans, routes.find);
  for (const warning of warningsAbout(plans)) runtime.log.warn({}, warning);
  const now = await schedules.now();
  const defined = plans.map(
    (plan): Schedule => ({
      ...plan,
      ...{ id: runtime.randomness.uuid(), owner: "", enabled: true, disabledReason: null, fires: 0, failures: 0 },
      ...{ nextRunAt: firstTick({ ...plan, fires: 0 }, now), platform, createdAt: now, updatedAt: null },
      grant: { kind: "scheduler", userId: schedulerId, scopes: [], mapping: 0, account: null },
    }),
  );
  await schedules.define(platform, defined);
}
