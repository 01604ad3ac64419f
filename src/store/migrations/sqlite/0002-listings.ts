/** For listings: runs ordered by time, an index of unfinished runs, and the session columns that listings show. */
export const listingsSqlite: string = `
alter table sessions add column title text;
alter table sessions add column metadata text;
alter table sessions add column summary text;
alter table sessions add column usage text;
create index sessions_created on sessions (created_at, key);
create index sessions_of_owner on sessions (owner, created_at, key);
create index sessions_of_component on sessions (kind, component_id, created_at, key);

drop index runs_component;
create index runs_listed on runs (kind, component_id, created_at, key) where session_seq is not null;
create index runs_of_user on runs (user_id, kind, component_id, created_at, key)
  where session_seq is not null and user_id is not null;
create index heads_open on run_heads (run_key) where status in ('PENDING', 'RUNNING', 'PAUSED') and session_seq is not null;
`;
