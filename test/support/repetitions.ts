/** How much of a test's full number of repetitions the fast set does. */
const fastShare = 0.2;

/**
 * How often a property test or a stress test repeats its work: `full` times in the long set, a fifth of that in the fast set.
 * A file that uses it belongs to both sets (vitest.config.ts).
 */
export function repetitions(full: number): number {
  return process.env.TEST_SET === "long" ? full : Math.ceil(full * fastShare);
}
