import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { nextTick } from "../../src/model/schedule/cron.ts";
import { catchUps, overlaps } from "../../src/model/schedule/schedule.ts";
import { firstTick, planTicks } from "../../src/schedule/plan.ts";

const limits = { lateness: 10_000, catchUp: 100, open: 1_000 };
const noon = Date.parse("2026-06-01T12:00:00Z");
const minute = 60_000;

const everyMinute: Parameters<typeof planTicks>[0] = {
  ...{ cronExpr: "* * * * *", timezone: "UTC", nextRunAt: noon, endsAt: null, maxFires: null, fires: 0 },
  ...{ overlap: "skip", catchUp: "last" },
};

describe("planTicks at a tick that is not late", () => {
  test("plans the tick to fire, and computes the next run from it", () => {
    expect(planTicks(everyMinute, noon + 9_000, 0, limits)).toEqual({
      ticks: [{ tick: noon, status: "waiting", queues: true }],
      cancelsOpen: false,
      nextRunAt: noon + minute,
      omitsTicks: false,
    });
  });

  test.each([
    ["skip", [{ tick: noon, status: "skipped", queues: false }], false],
    ["queue", [{ tick: noon, status: "waiting", queues: true }], false],
    ["allow", [{ tick: noon, status: "waiting", queues: false }], false],
    ["cancelPrevious", [{ tick: noon, status: "waiting", queues: true }], true],
  ] as const)("with another open fire, under overlap %s", (overlap, ticks, cancelsOpen) => {
    expect(planTicks({ ...everyMinute, overlap }, noon, 1, limits)).toMatchObject({ ticks, cancelsOpen });
  });
});

test.each(["queue", "allow"] as const)(
  "planTicks skips a tick when the maximum of fires is open, under overlap %s",
  (overlap) => {
    const plan = (open: number) => planTicks({ ...everyMinute, overlap }, noon, open, { ...limits, open: 3 }).ticks;
    expect([...plan(2), ...plan(3)].map(({ status }) => status)).toEqual(["waiting", "skipped"]);
  },
);

describe("planTicks after three and a half minutes without a poll", () => {
  const now = noon + 3.5 * minute;
  test.each([
    ["none", [], true],
    ["last", [noon + 3 * minute], true],
    ["all", [0, 1, 2, 3].map((n) => noon + n * minute), false],
  ] as const)("plans missed ticks by the catch-up policy: %s", (catchUp, wanted, omitsTicks) => {
    const plan = planTicks({ ...everyMinute, catchUp }, now, 0, limits);
    expect(plan.ticks.map(({ tick }) => tick)).toEqual(wanted);
    expect(plan.ticks.every(({ status, queues }) => status === "waiting" && queues)).toBe(true);
    expect([plan.nextRunAt, plan.omitsTicks]).toEqual([noon + 4 * minute, omitsTicks]);
  });

  test("keeps the newest ticks when catch-up all exceeds its bound", () => {
    const plan = planTicks({ ...everyMinute, catchUp: "all" }, now, 0, { ...limits, catchUp: 2 });
    expect(plan.ticks.map(({ tick }) => tick)).toEqual([2, 3].map((n) => noon + n * minute));
    expect(plan.omitsTicks).toBe(true);
  });

  test("runs only the newest tick under overlap cancelPrevious, and records the others as cancelled", () => {
    const plan = planTicks({ ...everyMinute, catchUp: "all", overlap: "cancelPrevious" }, now, 0, limits);
    expect(plan.ticks.map(({ status }) => status)).toEqual(["cancelled", "cancelled", "cancelled", "waiting"]);
  });
});

describe("planTicks of a bounded schedule", () => {
  test("fires until endsAt, inclusive", () => {
    const bounded = { ...everyMinute, endsAt: noon + minute };
    expect(planTicks(bounded, noon, 0, limits).nextRunAt).toBe(noon + minute);
    expect(planTicks({ ...bounded, nextRunAt: noon + minute }, noon + minute, 0, limits)).toMatchObject({
      ticks: [{ tick: noon + minute }],
      nextRunAt: null,
    });
  });
  test("fires at most maxFires times", () => {
    const bounded = { ...everyMinute, catchUp: "all", maxFires: 3, fires: 1 } as const;
    const plan = planTicks(bounded, noon + 5 * minute, 0, limits);
    expect([plan.ticks.length, plan.nextRunAt]).toEqual([2, null]);
  });
});

test("a schedule with @once fires once, also late, unless its catch-up is none", () => {
  const single = { ...everyMinute, cronExpr: "@once", runAt: noon };
  expect(firstTick(single, noon - 1)).toBe(noon);
  expect(planTicks(single, noon + 1, 0, limits)).toMatchObject({ ticks: [{ tick: noon }], nextRunAt: null });
  const late = noon + 3_600_000;
  expect(planTicks(single, late, 0, limits).ticks).toHaveLength(1);
  expect(planTicks({ ...single, catchUp: "none" }, late, 0, limits).ticks).toEqual([]);
  expect(firstTick({ ...single, fires: 1 }, noon - 1)).toBeNull();
});

test("for any times of polls, planTicks plans each tick at most once, in order, and with catch-up all plans every tick", () => {
  const looks = fc.array(fc.integer({ min: 1, max: 200_000 }), { minLength: 1, maxLength: 8 });
  const policies = fc.record({ overlap: fc.constantFrom(...overlaps), catchUp: fc.constantFrom(...catchUps) });
  const rhythms = fc.constantFrom("* * * * *", "*/3 * * * *", "* * * * * */15", "30 2 * * *");
  // The range includes the change of the clock in autumn.
  const begin = Date.parse("2026-10-24T23:30:00Z");
  fc.assert(
    fc.property(looks, policies, rhythms, (steps, policy, cronExpr) => {
      const rhythm = { cronExpr, timezone: "Europe/Paris" };
      let schedule = { ...everyMinute, ...rhythm, ...policy, nextRunAt: nextTick(rhythm, begin) };
      let now = begin;
      const planned: number[] = [];
      for (const step of steps) {
        now += step;
        const plan = planTicks(schedule, now, 0, { ...limits, catchUp: 100_000 });
        planned.push(...plan.ticks.map(({ tick }) => tick));
        expect(plan.ticks.every(({ tick }) => tick <= now)).toBe(true);
        expect(plan.nextRunAt).toBeGreaterThan(now);
        schedule = { ...schedule, nextRunAt: plan.nextRunAt };
      }
      const all: number[] = [];
      for (let tick = nextTick(rhythm, begin); tick !== null && tick <= now; tick = nextTick(rhythm, tick))
        all.push(tick);
      if (policy.catchUp === "all") expect(planned).toEqual(all);
      else expect(planned).toEqual(all.filter((tick) => planned.includes(tick)));
    }),
  );
});
