/** Histories of many seeds, one after the other. */
import { runHistory } from "./history.ts";
import { reportSeed } from "./report.ts";

/** What became of many histories. */
export interface Tally {
  readonly histories: number;
  readonly steps: number;
  /** Virtual seconds. */
  readonly seconds: number;
  readonly runs: number;
  readonly takeovers: number;
  readonly failures: readonly { readonly seed: number; readonly report: string }[];
}

/** Runs the seeds from `first` on; stops after `mostFailures`. */
export async function runSeeds(first: number, count: number, mostFailures = 1): Promise<Tally> {
  const tally = { histories: 0, steps: 0, seconds: 0, runs: 0, takeovers: 0 };
  const failures: { seed: number; report: string }[] = [];
  for (let seed = first; seed < first + count && failures.length < mostFailures; seed++) {
    const { violation, steps, time, world } = await runHistory(seed);
    tally.histories++;
    tally.steps += steps;
    tally.seconds += time / 1000;
    for (const { attempt } of world.guarantees.roots.values()) {
      tally.runs++;
      tally.takeovers += Math.max(attempt - 1, 0);
    }
    if (!violation) continue;
    const report = (await reportSeed(seed, undefined)) ?? `Seed ${seed} broke ${violation.check} once, and not again.`;
    failures.push({ seed, report });
  }
  return { ...tally, failures };
}
