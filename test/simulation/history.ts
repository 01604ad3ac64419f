/** Executes a plan and returns the first violation. */
import { checkBounds } from "./bounds.ts";
import { checkEnd } from "./end.ts";
import { planOf } from "./generate.ts";
import type { Violation } from "./guarantees.ts";
import type { Plan } from "./plan.ts";
import type { Variant } from "./variant.ts";
import { World } from "./world.ts";

/** The result of a history. */
export interface HistoryResult {
  readonly seed: number;
  readonly violation: Violation | undefined;
  readonly steps: number;
  /** Virtual milliseconds. */
  readonly time: number;
  readonly world: World;
}

/** Virtual milliseconds after the last fault within which all runs must end. */
const longestCalm = 120_000;

/** Executes the history of a seed or of a plan. */
export async function runHistory(given: number | Plan, variant: Variant = {}): Promise<HistoryResult> {
  const plan = typeof given === "number" ? planOf(given) : given;
  const world = new World(plan, variant);
  const { scheduler, guarantees } = world;
  const surprises = (error: unknown): void =>
    guarantees.fail("error", `Unhandled error: ${(error as Error)?.stack ?? error}`);
  process.on("unhandledRejection", surprises);
  try {
    world.open();
    const calmAt = world.calmAt;
    scheduler.after(calmAt, undefined, () => world.calm());
    const until = (isOver: () => boolean): Promise<void> =>
      scheduler.run(() => {
        checkBounds(world);
        return guarantees.violation !== undefined || isOver() || scheduler.time > calmAt + longestCalm;
      });
    await until(() => world.isSettled);
    if (!guarantees.violation && !world.isSettled) guarantees.fail("liveness", unfinishedBusiness(world));
    if (!guarantees.violation) {
      world.calm();
      for (const root of guarantees.roots.values()) world.follow(root, "last", { slow: 0, reads: true });
      await until(() => world.isSettled);
      if (!world.isSettled)
        guarantees.fail("liveness", `A finished log could not be read. ${unfinishedBusiness(world)}`);
    }
    if (!guarantees.violation) checkEnd(world);
    await new Promise((resolve) => setImmediate(resolve));
  } catch (error) {
    surprises(error);
  } finally {
    process.off("unhandledRejection", surprises);
    for (const done of world.atEnd) done();
    world.finishCounts();
  }
  return { seed: plan.seed, violation: guarantees.violation, steps: scheduler.steps, time: scheduler.time, world };
}

function unfinishedBusiness({ guarantees, busy, scheduler }: World): string {
  const runs = [...guarantees.roots.values()].filter(({ status, deleted }) => !deleted && !isOver(status));
  const told = runs.map(({ key, status, owner, attempt }) => `run ${key} is ${status} (${owner}, attempt ${attempt})`);
  return `After ${Math.round(scheduler.time)} ms ${told.join(", ") || "all runs have ended"}, and ${busy} client actions are unfinished.`;
}

function isOver(status: string): boolean {
  return status === "COMPLETED" || status === "CANCELLED" || status === "ERROR";
}
