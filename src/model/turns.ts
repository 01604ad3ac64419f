/** How processes that share a database share what each of them does now and then. */

/** However many processes there are, none waits for its turn longer than so many intervals. */
const mostTurns = 6;

/** Intervals of one process while so many live: all together do it as often as one alone. */
export function turnsOf(living: number): number {
  return Math.min(Math.max(living, 1), mostTurns);
}
