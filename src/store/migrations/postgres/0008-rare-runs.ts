/** Indexes to find failed and cancelled runs among many completed ones, and to find a user's sessions. */
export const rareRunsPostgres: string = `
alter table runs add column failed_as text collate "C";
update runs set failed_as = h.status from run_heads h
  where h.run_key = runs.key and runs.session_seq is not null and h.status in ('ERROR', 'CANCELLED');
create index runs_failed on runs (kind, component_id, failed_as, created_at, key)
  where session_seq is not null and failed_as is not null;
create index runs_regenerated on runs (kind, component_id, created_at, key)
  where session_seq is not null and replaced_by is not null;
create index sessions_of_user on sessions (user_id, created_at, key) where user_id is not null;
`;
