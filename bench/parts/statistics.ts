/** Medians, percentiles and spreads. */

/** The value below which the share lies. */
export function percentile(values: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export function median(values: Iterable<number>): number {
  return percentile(values, 0.5);
}

/**
 * Times of what one process does again and again, one after the other. What takes longer than the interval in which it is to be done puts off
 * those that would have begun meanwhile: they are added, each with what it would have taken. Otherwise a halt of the machine is one long time in
 * a process that does everything, and one in each of several that share it ("coordinated omission"; HdrHistogram corrects it like this).
 */
export function withPutOff(times: readonly number[], interval: number): number[] {
  const all = [...times];
  for (const time of times) for (let left = time - interval; left >= interval; left -= interval) all.push(left);
  return all;
}

/** Of the values of several passes: the one in the middle, and the outermost. */
export interface Spread {
  readonly median: number;
  readonly least: number;
  readonly most: number;
}

export function spreadOf(values: readonly number[]): Spread {
  return { median: median(values), least: Math.min(...values), most: Math.max(...values) };
}
