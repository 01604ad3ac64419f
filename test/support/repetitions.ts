/** The fast set's share of a test's full number of repetitions. */
const fastShare = 0.2;

/**
 * Returns the number of repetitions of a property or stress test: `full` in the long set, a fifth of it in the fast set.
 * A file that uses it belongs to both sets (vitest.config.ts).
 */
export function repetitions(full: number): number {
  return process.env.TEST_SET === "long" ? full : Math.ceil(full * fastShare);
}
