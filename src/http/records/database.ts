/** Tables of the one database of a platform, as the interface names them. */
export const tables: readonly [string, ...string[]] = ["sessions"];
