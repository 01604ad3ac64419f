/** Runs, sessions, logs and messages on Postgres. Text columns that are compared use binary collation, as on SQLite. */
export const runsPostgres: string = `
create sequence run_keys as bigint increment 64;

create table processes (
  id text collate "C" not null primary key,
  lease_until bigint not null,
  started_at bigint not null
) with (fillfactor = 50);

-- A session that a run makes has that run's key.
create table sessions (
  key bigint not null primary key default nextval('run_keys'),
  owner text collate "C" not null default '',
  session_id text collate "C" not null,
  kind text collate "C" not null,
  component_id text collate "C" not null,
  user_id text collate "C",
  name text collate "C",
  state text not null,
  next_seq integer not null,
  created_at bigint not null,
  updated_at bigint not null
) with (fillfactor = 80);
create unique index sessions_id on sessions (session_id, owner);

create table runs (
  key bigint not null primary key,
  run_id text collate "C" not null,
  root_key bigint not null,
  parent_key bigint,
  kind text collate "C" not null,
  component_id text collate "C" not null,
  component_name text collate "C" not null,
  session_key bigint not null,
  session_seq integer,
  user_id text collate "C",
  input text not null,
  options text not null,
  output text,
  definition_hash text collate "C",
  model text collate "C",
  model_provider text collate "C",
  tool_call_id text collate "C",
  replaced_by text collate "C",
  key_id text collate "C",
  created_at bigint not null
) with (fillfactor = 80);
create unique index runs_id on runs (run_id);
create index runs_session on runs (session_key, session_seq) where session_seq is not null;
create index runs_members on runs (root_key, key) where parent_key is not null;
create index runs_component on runs (kind, component_id, key) where session_seq is not null;

create table run_heads (
  run_key bigint not null primary key,
  root_key bigint not null,
  session_key bigint not null,
  session_seq integer,
  policy text collate "C" not null,
  status text collate "C" not null,
  attempt integer not null,
  owner text collate "C",
  cancel_requested smallint not null,
  first_kept integer not null,
  stalled_takeovers integer not null default 0,
  compacted smallint not null default 0,
  ready smallint not null default 0,
  user_id text collate "C" not null default '',
  background smallint not null default 0,
  watched smallint not null default 0,
  updated_at bigint not null
) with (fillfactor = 60, autovacuum_vacuum_scale_factor = 0.05);
create index heads_unfinished on run_heads (session_key, session_seq)
  where status in ('PENDING', 'RUNNING') and session_seq is not null;
create index heads_ready on run_heads (background, user_id, run_key)
  where status = 'PENDING' and ready = 1 and session_seq is not null;
create index heads_queued on run_heads (run_key) where status = 'PENDING' and background = 1 and session_seq is not null;
create index heads_running on run_heads (owner, run_key) where status = 'RUNNING' and session_seq is not null;
create index heads_begun on run_heads (run_key) where status = 'PENDING' and session_seq is not null and attempt > 0;
create index heads_cancels on run_heads (owner) where status = 'RUNNING' and cancel_requested = 1;
create index heads_uncompacted on run_heads (run_key)
  where status in ('COMPLETED', 'CANCELLED', 'ERROR') and compacted = 0 and session_seq is not null;
create index heads_members on run_heads (root_key)
  where status in ('PENDING', 'RUNNING', 'PAUSED') and session_seq is null;

create table starts (
  digest text collate "C" not null primary key,
  run_id text collate "C" not null,
  fingerprint text collate "C" not null,
  created_at bigint not null
);
create index starts_created on starts (created_at);
create index starts_run on starts (run_id);

create table deleted_runs (
  run_key bigint not null primary key,
  deleted_at bigint not null
);
create index deleted_runs_at on deleted_runs (deleted_at);

-- Volatile: it sees what was committed until it is called, not until the statement that calls it began.
create function run_is_deleted(key bigint) returns boolean language plpgsql volatile as $$
begin
  return exists (select 1 from deleted_runs d where d.run_key = key);
end $$;

create table segments (
  run_key bigint not null,
  last_index integer not null,
  first_index integer not null,
  attempt integer not null,
  encoding smallint not null,
  size integer not null,
  frames bytea not null,
  primary key (run_key, last_index)
) with (autovacuum_vacuum_scale_factor = 0.05);

-- A server that was built without lz4 keeps its default compression.
do $$ begin
  alter table segments alter column frames set compression lz4;
exception when feature_not_supported then null;
end $$;

create table messages (
  run_key bigint not null,
  position integer not null,
  id text collate "C" not null,
  created_at bigint not null,
  body text not null,
  primary key (run_key, position)
);
`;
