/**
 * Indexes that a lookup by key cannot use by mistake. Without statistics of a table, the planner estimates the same cost for several indexes, and
 * each lookup of a session by its name read all sessions without an owner. A partial index is no candidate unless the query has its predicate. Of
 * equal candidates the planner takes the newest index, so the primary key is built again.
 */
export const keyedPlansPostgres: string = `
drop index sessions_of_owner;
create index sessions_of_owner on sessions (owner, created_at, key) where owner <> '';
alter table sessions drop constraint sessions_pkey;
alter table sessions add primary key (key);
drop index heads_open;
create index heads_open on run_heads (run_key)
  where status in ('PENDING', 'RUNNING', 'PAUSED') and session_seq is not null and root_key = run_key;
`;
