/**
 * Runs, sessions, logs and messages on SQLite. `segments` is a rowid table with an index: appending is twice as fast as to a `without rowid` table.
 */
export const runsSqlite: string = `
create table processes (
  id text not null primary key,
  lease_until integer not null,
  started_at integer not null
) strict, without rowid;

create table sessions (
  key integer not null primary key,
  owner text not null default '',
  session_id text not null,
  kind text not null,
  component_id text not null,
  user_id text,
  name text,
  state text not null,
  next_seq integer not null,
  created_at integer not null,
  updated_at integer not null
) strict;
create unique index sessions_id on sessions (session_id, owner);

create table runs (
  key integer not null primary key,
  run_id text not null,
  root_key integer not null,
  parent_key integer,
  kind text not null,
  component_id text not null,
  component_name text not null,
  session_key integer not null,
  session_seq integer,
  user_id text,
  input text not null,
  options text not null,
  output text,
  definition_hash text,
  model text,
  model_provider text,
  tool_call_id text,
  replaced_by text,
  key_id text,
  created_at integer not null
) strict;
create unique index runs_id on runs (run_id);
create index runs_session on runs (session_key, session_seq) where session_seq is not null;
create index runs_members on runs (root_key, key) where parent_key is not null;
create index runs_component on runs (kind, component_id, key) where session_seq is not null;

create table run_heads (
  run_key integer not null primary key,
  root_key integer not null,
  session_key integer not null,
  session_seq integer,
  policy text not null,
  status text not null,
  attempt integer not null,
  owner text,
  cancel_requested integer not null,
  first_kept integer not null,
  stalled_takeovers integer not null default 0,
  compacted integer not null default 0,
  ready integer not null default 0,
  user_id text not null default '',
  background integer not null default 0,
  watched integer not null default 0,
  updated_at integer not null
) strict;
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
  digest text not null primary key,
  run_id text not null,
  fingerprint text not null,
  created_at integer not null
) strict, without rowid;
create index starts_created on starts (created_at);
create index starts_run on starts (run_id);

create table deleted_runs (
  run_key integer not null primary key,
  deleted_at integer not null
) strict;
create index deleted_runs_at on deleted_runs (deleted_at);

create table segments (
  run_key integer not null,
  last_index integer not null,
  first_index integer not null,
  attempt integer not null,
  encoding integer not null,
  size integer not null,
  frames blob not null
) strict;
create unique index segments_end on segments (run_key, last_index);

-- What flushes brought and segments do not have yet; read after a crash only. Postgres has none: there other processes read live logs.
create table tails (
  id integer not null primary key,
  parts text not null,
  frames blob not null
) strict;

create table messages (
  run_key integer not null,
  position integer not null,
  id text not null,
  created_at integer not null,
  body text not null,
  primary key (run_key, position)
) strict;
`;
