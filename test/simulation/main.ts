/**
 * Runs simulated histories in this process; `scripts/simulate.ts` starts one of these for each core.
 * Usage: main.ts --from 1 --count 1000     a range of seeds; the results of each thousand are sent to the parent process
 *        main.ts --seed 7 [--only 0,3]     one seed, with its violation
 *        main.ts --seed 7 --hash           the hash of its trace
 */
import { parseArgs } from "node:util";
import { runHistory } from "./history.ts";
import { reportSeed } from "./report.ts";
import { runSeeds } from "./seeds.ts";

const { values } = parseArgs({
  options: {
    from: { type: "string", default: "1" },
    count: { type: "string", default: "1000" },
    seed: { type: "string" },
    only: { type: "string" },
    hash: { type: "boolean" },
  },
});

if (values.seed !== undefined && values.hash) {
  console.log((await runHistory(Number(values.seed))).world.trace.hash());
} else if (values.seed !== undefined) {
  const only = values.only?.split(",").map(Number);
  const report = await reportSeed(Number(values.seed), only);
  console.log(report ?? `Seed ${values.seed} breaks nothing.`);
  process.exitCode = report === undefined ? 0 : 1;
} else {
  const first = Number(values.from);
  const end = first + Number(values.count);
  for (let seed = first; seed < end; seed += 1_000) {
    const tally = await runSeeds(seed, Math.min(1_000, end - seed), 5);
    process.send?.(tally);
  }
  process.disconnect?.();
}
