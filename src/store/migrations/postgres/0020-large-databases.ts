/**
 * Indexes on Postgres for databases with very many sessions and runs. `sessions_common` finds sessions to give to their users when isolation between
 * callers is on; it is empty while isolation stays on. `runs_failed_of_user` finds a user's few failed runs among those of all users.
 */
export const largeDatabasesPostgres: string = `
create index sessions_common on sessions (key) where owner = '' and user_id is not null;
create index runs_failed_of_user on runs (user_id, kind, component_id, failed_as, created_at, key)
  where session_seq is not null and failed_as is not null and user_id is not null;
`;
