/** Histories of many seeds, one after the other. */
import { addCounts, type Counts, noCounts } from "./counts.ts";
import { runHistory } from "./history.ts";
import { reportSeed } from "./report.ts";

/** A seed that breaks a guarantee. */
export interface Failure {
  readonly seed: number;
  readonly check: string;
  readonly report: string;
}

/** The results of many histories. */
export interface Tally {
  readonly counts: Counts;
  readonly failures: readonly Failure[];
}

/** Executes `count` seeds from `first` on; stops after `mostFailures` failures. */
export async function runSeeds(first: number, count: number, mostFailures = 1): Promise<Tally> {
  const counts = noCounts();
  const failures: Failure[] = [];
  for (let seed = first; seed < first + count && failures.length < mostFailures; seed++) {
    const { violation, world } = await runHistory(seed);
    addCounts(counts, world.counts);
    if (!violation) continue;
    const { check } = violation;
    const report = (await reportSeed(seed, undefined)) ?? `Seed ${seed} broke ${check} once, and not again.`;
    failures.push({ seed, check, report });
  }
  return { counts, failures };
}
