/** Tables of a platform's database, under the names of the interface. */
export const tables: readonly [string, ...string[]] = ["sessions"];
