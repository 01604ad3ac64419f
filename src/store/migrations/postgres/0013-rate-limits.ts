/**
 * Rate limits that replicas share. The table is not logged: a count that a crash of the database loses needs no recovery, and its commits wait for
 * no disk.
 */
export const rateLimitsPostgres: string = `
create unlogged table rate_limits (
  bucket text collate "C" not null primary key,
  full_at bigint not null
) with (fillfactor = 50);
`;
