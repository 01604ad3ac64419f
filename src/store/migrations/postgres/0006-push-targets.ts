/** Push targets of runs on Postgres. The row is the outbox: notifications are built from the events in the run's log after the row's cursor. */
export const pushTargetsPostgres: string = `
create table push_targets (
  run_key bigint not null,
  id text collate "C" not null,
  url text not null,
  config text not null,
  version text collate "C" not null,
  created_at bigint not null,
  cursor integer not null,
  marks integer not null,
  due_at bigint,
  failures integer not null,
  owner text collate "C",
  claims integer not null,
  primary key (run_key, id)
);
create index push_targets_due on push_targets (due_at) where due_at is not null and owner is null;
create index push_targets_owner on push_targets (owner) where owner is not null;

-- Tasks are listed by when they last changed. Of those that are open there is an index already.
create index heads_over on run_heads (updated_at, run_key)
  where status in ('COMPLETED', 'CANCELLED', 'ERROR') and session_seq is not null;
`;
