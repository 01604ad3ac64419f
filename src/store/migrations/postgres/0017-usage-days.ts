/**
 * On Postgres: usage by day. `usage_pending` is the queue of runs that are not added to their day yet. The index finds runs whose logs were compacted
 * before their usage was counted. No row names a run, so deleting a run leaves nothing of it.
 */
export const usageDaysPostgres: string = `
alter table run_heads add column counted smallint not null default 0;
create table usage_pending (
  key bigint generated always as identity primary key,
  started_at bigint not null,
  kind text collate "C" not null,
  session_key bigint not null,
  owner text collate "C" not null,
  user_id text collate "C",
  usage text not null
);
create table usage_days (
  owner text collate "C" not null,
  day text collate "C" not null,
  agent_runs bigint not null,
  team_runs bigint not null,
  workflow_runs bigint not null,
  agent_sessions bigint not null,
  team_sessions bigint not null,
  workflow_sessions bigint not null,
  users bigint not null,
  created_at bigint not null,
  updated_at bigint not null,
  primary key (owner, day)
);
create table usage_day_models (
  owner text collate "C" not null,
  day text collate "C" not null,
  model text collate "C" not null,
  provider text collate "C" not null,
  runs bigint not null,
  requests bigint not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  reasoning_tokens bigint not null,
  cache_read_tokens bigint not null,
  cache_write_tokens bigint not null,
  nanos bigint,
  primary key (owner, day, model, provider)
);
create table usage_day_members (
  owner text collate "C" not null,
  day text collate "C" not null,
  role text collate "C" not null,
  member text collate "C" not null,
  primary key (owner, day, role, member)
);
create index heads_uncounted on run_heads (run_key)
  where status in ('COMPLETED', 'CANCELLED', 'ERROR') and compacted > 0 and counted = 0 and session_seq is not null;
`;
