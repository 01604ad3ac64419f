/** Under all faults of processes and of the database, a tick fires at most once, and catch-up `all` loses no tick. */
import { expect, test } from "vitest";
import { SharedDatabase } from "./schedules/database.ts";
import { runScheduleHistory } from "./schedules/history.ts";
import { plantedBugs } from "./schedules/planted.ts";

/** Number of seeds in the tests; `npm run simulate -- --schedules` runs more. */
const seeds = 24;

test("in simulated histories a tick has at most one successful fire, and catch-up `all` loses no tick", async () => {
  const shared = await SharedDatabase.open();
  const seen = { crashes: 0, stops: 0, drains: 0, outages: 0 };
  for (let seed = 1; seed <= seeds; seed++) {
    const { broken, world } = await runScheduleHistory(seed, shared);
    expect(broken, `seed ${seed}`).toBeUndefined();
    for (const name of Object.keys(seen) as (keyof typeof seen)[]) seen[name] += world.counts[name];
  }
  expect(Object.values(seen).every((count) => count > seeds / 4)).toBe(true);
});

test.each(plantedBugs)("the simulated histories find a planted bug: $bug", async ({ check, variant, bug }) => {
  const shared = await SharedDatabase.open();
  for (let seed = 1; seed <= 100; seed++) {
    const { broken } = await runScheduleHistory(seed, shared, variant);
    if (broken?.check !== check) continue;
    console.log(`"${bug}" is found by seed ${seed}: ${broken.what}`);
    return;
  }
  expect.unreachable(`"${bug}" is not found`);
});

test("a seed produces the same history each time", async () => {
  const shared = await SharedDatabase.open();
  const [one, other] = [await runScheduleHistory(7, shared), await runScheduleHistory(7, shared)];
  expect(other.world.scheduler.steps).toBe(one.world.scheduler.steps);
  expect([...other.world.runs.all.values()]).toEqual([...one.world.runs.all.values()]);
});
