/** How processes that share a database share what each of them does now and then. */

/** However many processes there are, none waits for its turn longer than so many intervals. */
const mostTurns = 4;

/** Intervals of one process while so many live: all together do it as often as one alone, or up to `living / 4` times as often. */
export function turnsOf(living: number): number {
  return Math.min(living, mostTurns);
}
