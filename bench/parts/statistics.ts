/** Medians, percentiles and spreads. */

/** Returns a percentile: the value below which the given share of the values lies. */
export function percentile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: Iterable<number>): number {
  return percentile(values, 0.5);
}

/** Median, minimum and maximum of the values of several passes. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}
