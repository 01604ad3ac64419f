/** Tables of a platform's database, under the names of the interface. */
export const tables: readonly [string, ...string[]] = ["sessions"];

/** The same for usage by day. */
export const metricsTables: readonly [string, ...string[]] = ["metrics"];

/** The same for memories. */
export const memoriesTables: readonly [string, ...string[]] = ["memories"];

/** The same for documents of knowledge bases. */
export const knowledgeTables: readonly [string, ...string[]] = ["knowledge"];

/** The same for learnings. */
export const learningsTables: readonly [string, ...string[]] = ["learnings"];

/** The same for evals. */
export const evalsTables: readonly [string, ...string[]] = ["eval_runs"];
