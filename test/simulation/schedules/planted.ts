/** Planted bugs of the scheduler, with the check that must find each. */
import { nextTick } from "../../../src/model/schedule/cron.ts";
import type { DuePlan, ScheduleStore } from "../../../src/store/contract/schedules.ts";
import type { Broken } from "./check.ts";
import type { ScheduleVariant } from "./world.ts";

interface PlantedBug {
  readonly bug: string;
  readonly check: Broken["check"];
  readonly variant: ScheduleVariant;
}

/** A store that changes plans before it stores them. */
function planning(change: (plan: DuePlan, now: number, of: Parameters<typeof nextTick>[0]) => DuePlan) {
  return (store: ScheduleStore): Partial<ScheduleStore> => ({
    plan: (most, make) => store.plan(most, (schedule, now, open) => change(make(schedule, now, open), now, schedule)),
  });
}

export const plantedBugs: readonly PlantedBug[] = [
  {
    ...{ bug: "a run gets a new id at each start instead of the fire's id", check: "twice" },
    variant: { runId: (_, random) => random.uuid() },
  },
  {
    ...{ bug: "a tick may have several rows, and the schedule advances in another transaction", check: "twice" },
    variant: {
      withoutTickIndex: true,
      store: (store) => ({
        async plan(most, make) {
          const moved: [string, number | null][] = [];
          const planned = await store.plan(most, (schedule, now, open) => {
            const plan = make(schedule, now, open);
            moved.push([schedule.id, plan.nextRunAt]);
            return { ...plan, nextRunAt: schedule.nextRunAt };
          });
          for (const [id, nextRunAt] of moved) await store.update(id, { nextRunAt });
          return Math.min(planned, most - 1);
        },
      }),
    },
  },
  {
    ...{ bug: "the next tick is computed from the time of the poll instead of the last tick", check: "lost" },
    variant: {
      store: planning((plan, now, rhythm) => {
        const last = plan.fires.slice(-1);
        return { ...plan, fires: last, nextRunAt: plan.nextRunAt === null ? null : nextTick(rhythm, now) };
      }),
    },
  },
  {
    ...{ bug: "queued fires do not wait for each other", check: "overlap" },
    variant: {
      store: planning((plan) => ({ ...plan, fires: plan.fires.map((fire) => ({ ...fire, queues: false })) })),
    },
  },
  {
    ...{ bug: "no process takes over the fires of a dead process", check: "liveness" },
    variant: { store: (store) => ({ claim: (request) => store.claim({ ...request, orphans: false }) }) },
  },
  {
    ...{ bug: "a fire whose claim lost its response is not found again", check: "liveness" },
    variant: { store: () => ({ heldFires: () => Promise.resolve([]) }) },
  },
  {
    ...{ bug: "a retry starts before its time", check: "early" },
    variant: {
      store: (store) => ({
        endAttempt: (claimed, end) =>
          store.endAttempt(claimed, { ...end, retry: end.retry && { ...end.retry, delay: 0 } }),
      }),
    },
  },
];
