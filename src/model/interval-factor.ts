/** Divides periodic work among the processes that share a database. */

/** Maximum number of intervals between two turns of a process, however many processes there are. */
const maxFactor = 6;

/** Returns the number of intervals between two turns of a process, so that all live processes together do the work as often as one alone. */
export function intervalFactor(processes: number): number {
  return Math.min(Math.max(processes, 1), maxFactor);
}
