/** Executes the history of a seed and returns the first violation. */
import { type Broken, checkFires, isSettled } from "./check.ts";
import type { SharedDatabase } from "./database.ts";
import { type ScheduleVariant, ScheduleWorld } from "./world.ts";

/** Virtual milliseconds after the last fault within which all fires must end. */
const longestCalm = 3_600_000;

export async function runScheduleHistory(
  seed: number,
  shared: SharedDatabase,
  variant: ScheduleVariant = {},
): Promise<{ readonly broken: Broken | undefined; readonly world: ScheduleWorld }> {
  const world = new ScheduleWorld(seed, shared, variant);
  const { scheduler, errors } = world;
  const surprise = (error: unknown): void => void errors.push(error);
  process.on("unhandledRejection", surprise);
  try {
    world.open();
    let nextLook = world.calmAt;
    let isOver = false;
    await scheduler.run(() => {
      if (scheduler.time < nextLook) return errors.length > 0;
      nextLook = scheduler.time + 5_000;
      isOver = isSettled(world);
      return isOver || errors.length > 0 || scheduler.time > world.calmAt + longestCalm;
    });
    await new Promise((resolve) => setImmediate(resolve));
    const stuck = { check: "liveness", what: "Fires remain that no process executes." } as const;
    const broken = isOver || errors.length > 0 ? checkFires(world) : stuck;
    return { broken, world };
  } finally {
    process.off("unhandledRejection", surprise);
  }
}
