/** The same indexes as on Postgres. */
export const keyedPlansSqlite: string = `
drop index sessions_of_owner;
create index sessions_of_owner on sessions (owner, created_at, key) where owner <> '';
drop index heads_open;
create index heads_open on run_heads (run_key)
  where status in ('PENDING', 'RUNNING', 'PAUSED') and session_seq is not null and root_key = run_key;
`;
