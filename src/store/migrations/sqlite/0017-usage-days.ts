/**
 * On SQLite: usage by day. `usage_pending` is the queue of runs that are not added to their day yet. The index finds runs whose logs were compacted
 * before their usage was counted. No row names a run, so deleting a run leaves nothing of it.
 */
export const usageDaysSqlite: string = `
alter table run_heads add column counted integer not null default 0;
create table usage_pending (
  key integer not null primary key,
  started_at integer not null,
  kind text not null,
  session_key integer not null,
  owner text not null,
  user_id text,
  usage text not null
) strict;
create table usage_days (
  owner text not null,
  day text not null,
  agent_runs integer not null,
  team_runs integer not null,
  workflow_runs integer not null,
  agent_sessions integer not null,
  team_sessions integer not null,
  workflow_sessions integer not null,
  users integer not null,
  created_at integer not null,
  updated_at integer not null,
  primary key (owner, day)
) strict, without rowid;
create table usage_day_models (
  owner text not null,
  day text not null,
  model text not null,
  provider text not null,
  runs integer not null,
  requests integer not null,
  input_tokens integer not null,
  output_tokens integer not null,
  reasoning_tokens integer not null,
  cache_read_tokens integer not null,
  cache_write_tokens integer not null,
  nanos integer,
  primary key (owner, day, model, provider)
) strict, without rowid;
create table usage_day_members (
  owner text not null,
  day text not null,
  role text not null,
  member text not null,
  primary key (owner, day, role, member)
) strict, without rowid;
create index heads_uncounted on run_heads (run_key)
  where status in ('COMPLETED', 'CANCELLED', 'ERROR') and compacted > 0 and counted = 0 and session_seq is not null;
`;
