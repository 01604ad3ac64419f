/** How processes that share a database share what each of them does now and then. */

/** However many processes there are, none waits for its turn longer than so many intervals. */
const mostTurns = 6;

/** Intervals of one process while so many live: all together do it a little less often than one alone, because each time costs the database more then. */
export function turnsOf(living: number): number {
  return living <= 1 ? 1 : Math.min(living * 1.5, mostTurns);
}
