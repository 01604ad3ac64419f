/** The summary of an experiment: means of scores, costs and durations of each side. */
import { type ExperimentSummary, type Side, type SideSummary, sides } from "../../model/trial.ts";
import type { ScoredResult } from "../../store/contract/experiments.ts";

/** Sums up results. @param error why the experiment failed */
export function summaryOf(results: readonly ScoredResult[], error?: string): ExperimentSummary {
  const of = (side: Side): SideSummary => sideOf(results.filter((result) => result.side === side));
  const [a, b] = sides;
  return { sides: { a: of(a), b: of(b) }, ...(error !== undefined && { error }) };
}

function sideOf(results: readonly ScoredResult[]): SideSummary {
  const completed = results.filter(({ status }) => status === "COMPLETED");
  const costs = results.flatMap(({ nanos }) => (nanos === null ? [] : [nanos]));
  const durations = completed.flatMap(({ milliseconds }) => (milliseconds === null ? [] : [milliseconds]));
  const byScorer = Map.groupBy(
    results.flatMap(({ scores }) => scores),
    ({ scorer }) => scorer,
  );
  return {
    finished: results.length,
    failures: results.length - completed.length,
    scores: [...byScorer].map(([scorer, scores]) => {
      const given = scores.flatMap(({ score }) => (score === null ? [] : [score]));
      return { scorer, mean: given.length === 0 ? null : sumOf(given) / given.length, count: given.length };
    }),
    nanos: costs.length === 0 ? null : sumOf(costs),
    latency: durations.length === 0 ? null : { p50: percentile(durations, 0.5), p95: percentile(durations, 0.95) },
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** The smallest value that is not exceeded by this part of the values (nearest rank). */
function percentile(values: readonly number[], part: number): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.max(0, Math.ceil(part * sorted.length) - 1)] ?? 0;
}
