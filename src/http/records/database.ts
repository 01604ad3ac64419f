/** Tables of a platform's database, under the names of the interface. */
export const tables: readonly [string, ...string[]] = ["sessions"];

/** The same for usage by day. */
export const metricsTables: readonly [string, ...string[]] = ["metrics"];

/** The same for learnings. */
export const learningsTables: readonly [string, ...string[]] = ["learnings"];
