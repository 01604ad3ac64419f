/** Schedules that the platform's code defines, as they are kept. They act as the scheduler, for nobody. */
import { ConfigurationError } from "../errors.ts";
import { schedulerId } from "../model/principal.ts";
import type { Runtime } from "../model/runtime.ts";
import type { Schedule, SchedulePlan } from "../model/schedule.ts";
import type { ScheduleStore } from "../store/schedule-seam.ts";
import type { FrontDoor } from "./front-door.ts";
import { firstTick } from "./plan.ts";

/** Writes them down by their names: any number of processes may do that. @throws ConfigurationError for an endpoint that is none */
export async function keepDefined(
  platform: string,
  plans: readonly SchedulePlan[],
  { schedules, door, runtime }: { schedules: ScheduleStore; door: FrontDoor; runtime: Runtime },
): Promise<void> {
  const now = await schedules.now();
  const defined = plans.map((plan): Schedule => {
    const { name, method, endpoint } = plan;
    if (!door.find(method, endpoint)) {
      throw new ConfigurationError(
        `Schedule "${name}" calls ${method} ${endpoint}, which this platform does not serve.`,
      );
    }
    return {
      ...plan,
      ...{ id: runtime.randomness.uuid(), owner: "", enabled: true, disabledReason: null, fires: 0, failures: 0 },
      ...{ nextRunAt: firstTick({ ...plan, fires: 0 }, now), platform, createdAt: now, updatedAt: null },
      grant: { kind: "scheduler", userId: schedulerId, scopes: [], mapping: 0, account: null },
    };
  });
  await schedules.define(platform, defined);
}
