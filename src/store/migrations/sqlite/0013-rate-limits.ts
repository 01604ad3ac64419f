/** Rate limits are in the memory of the only process. */
export const rateLimitsSqlite: string = "select 1;";
