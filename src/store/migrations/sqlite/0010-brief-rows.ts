/**
 * Lets listings read rows without their large values, on SQLite. SQLite reads a row from the front: to reach a column behind a large value, it walks
 * all pages of that value. Large columns are therefore last here. `brief` is an input or a message without its media bytes.
 */
export const briefRowsSqlite: string = `
create table sessions_new (
  key integer not null primary key,
  owner text not null default '',
  session_id text not null,
  kind text not null,
  component_id text not null,
  user_id text,
  name text,
  next_seq integer not null,
  created_at integer not null,
  updated_at integer not null,
  title text,
  usage text,
  state text not null,
  metadata text,
  summary text
) strict;
insert into sessions_new (
  key, owner, session_id, kind, component_id, user_id, name, next_seq, created_at, updated_at, title, usage, state, metadata, summary
) select
  key, owner, session_id, kind, component_id, user_id, name, next_seq, created_at, updated_at, title, usage, state, metadata, summary
  from sessions;
drop table sessions;
alter table sessions_new rename to sessions;
CREATE UNIQUE INDEX sessions_id on sessions (session_id, owner);
CREATE INDEX sessions_created on sessions (created_at, key);
CREATE INDEX sessions_of_owner on sessions (owner, created_at, key);
CREATE INDEX sessions_of_component on sessions (kind, component_id, created_at, key);
CREATE INDEX sessions_of_user on sessions (user_id, created_at, key) where user_id is not null;

create table runs_new (
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
  definition_hash text,
  model text,
  model_provider text,
  tool_call_id text,
  replaced_by text,
  key_id text,
  created_at integer not null,
  failed_as text,
  brief text,
  options text not null,
  output text,
  input text not null
) strict;
insert into runs_new (
  key, run_id, root_key, parent_key, kind, component_id, component_name, session_key, session_seq, user_id, definition_hash, model,
  model_provider, tool_call_id, replaced_by, key_id, created_at, failed_as, brief, options, output, input
) select
  key, run_id, root_key, parent_key, kind, component_id, component_name, session_key, session_seq, user_id, definition_hash, model,
  model_provider, tool_call_id, replaced_by, key_id, created_at, failed_as,
  case when octet_length(input) > 16384 and json_type(input, '$.media') = 'array' then json_set(input, '$.media',
    json((select json_group_array(json(json_replace(value, '$.data', ''))) from json_each(input, '$.media')))) end,
  options, output, input
  from runs;
drop table runs;
alter table runs_new rename to runs;
CREATE UNIQUE INDEX runs_id on runs (run_id);
CREATE INDEX runs_session on runs (session_key, session_seq) where session_seq is not null;
CREATE INDEX runs_members on runs (root_key, key) where parent_key is not null;
CREATE INDEX runs_listed on runs (kind, component_id, created_at, key) where session_seq is not null;
CREATE INDEX runs_of_user on runs (user_id, kind, component_id, created_at, key) where session_seq is not null and user_id is not null;
CREATE INDEX runs_replaced on runs (replaced_by) where replaced_by is not null;
CREATE INDEX runs_failed on runs (kind, component_id, failed_as, created_at, key) where session_seq is not null and failed_as is not null;
CREATE INDEX runs_regenerated on runs (kind, component_id, created_at, key) where session_seq is not null and replaced_by is not null;

create table messages_new (
  run_key integer not null,
  position integer not null,
  id text not null,
  created_at integer not null,
  brief text,
  body text not null,
  primary key (run_key, position)
) strict;
insert into messages_new (
  run_key, position, id, created_at, brief, body
) select
  run_key, position, id, created_at,
  case when octet_length(body) > 16384 and json_extract(body, '$.role') = 'user' and json_type(body, '$.media') = 'array' then json_set(body, '$.media',
    json((select json_group_array(json(json_replace(value, '$.data', ''))) from json_each(body, '$.media')))) end,
  body
  from messages;
drop table messages;
alter table messages_new rename to messages;

create table schedules_new (
  id text not null primary key,
  owner text not null,
  name text not null,
  description text,
  method text not null,
  endpoint text not null,
  cron_expr text not null,
  timezone text not null,
  timeout_seconds integer not null,
  max_retries integer not null,
  retry_delay_seconds integer not null,
  run_at integer,
  ends_at integer,
  max_fires integer,
  overlap text not null,
  catch_up text not null,
  jitter_seconds integer not null,
  pause_after integer,
  enabled integer not null,
  disabled_reason text,
  next_run_at integer,
  fires integer not null,
  failures integer not null,
  records integer not null,
  platform text,
  created_at integer not null,
  updated_at integer,
  definition text not null,
  standing_grant text not null,
  payload text
) strict;
insert into schedules_new (
  id, owner, name, description, method, endpoint, cron_expr, timezone, timeout_seconds, max_retries, retry_delay_seconds, run_at, ends_at,
  max_fires, overlap, catch_up, jitter_seconds, pause_after, enabled, disabled_reason, next_run_at, fires, failures, records, platform,
  created_at, updated_at, definition, standing_grant, payload
) select
  id, owner, name, description, method, endpoint, cron_expr, timezone, timeout_seconds, max_retries, retry_delay_seconds, run_at, ends_at,
  max_fires, overlap, catch_up, jitter_seconds, pause_after, enabled, disabled_reason, next_run_at, fires, failures, records, platform,
  created_at, updated_at, definition, standing_grant, payload
  from schedules;
drop table schedules;
alter table schedules_new rename to schedules;
CREATE UNIQUE INDEX schedules_name on schedules (owner, name);
CREATE INDEX schedules_age on schedules (created_at, id);
CREATE INDEX schedules_due on schedules (next_run_at) where enabled = 1 and next_run_at is not null;
CREATE INDEX schedules_platform on schedules (platform) where platform is not null;

create table schedule_fires_new (
  id text not null primary key,
  schedule_id text not null,
  tick integer,
  attempt integer not null,
  status text not null,
  is_open integer not null,
  queues integer not null,
  owner text,
  claims integer not null,
  run_id text not null,
  session_id text,
  cancel_requested integer not null,
  due_at integer not null,
  triggered_at integer,
  completed_at integer,
  created_at integer not null,
  detail text
) strict;
insert into schedule_fires_new (
  id, schedule_id, tick, attempt, status, is_open, queues, owner, claims, run_id, session_id, cancel_requested, due_at, triggered_at,
  completed_at, created_at, detail
) select
  id, schedule_id, tick, attempt, status, is_open, queues, owner, claims, run_id, session_id, cancel_requested, due_at, triggered_at,
  completed_at, created_at, detail
  from schedule_fires;
drop table schedule_fires;
alter table schedule_fires_new rename to schedule_fires;
CREATE UNIQUE INDEX schedule_fires_tick on schedule_fires (schedule_id, tick, attempt);
CREATE INDEX schedule_fires_age on schedule_fires (schedule_id, created_at, id);
CREATE INDEX schedule_fires_open on schedule_fires (schedule_id, tick) where is_open = 1;
CREATE INDEX schedule_fires_waiting on schedule_fires (due_at) where status = 'waiting';
CREATE INDEX schedule_fires_running on schedule_fires (owner) where status = 'running';
CREATE INDEX schedule_fires_run on schedule_fires (run_id);

create table approvals_new (
  id text not null primary key,
  run_key integer not null,
  status text not null,
  approval_type text not null,
  pause_type text not null,
  source_type text not null,
  source_name text not null,
  agent_id text,
  team_id text,
  workflow_id text,
  tool_name text not null,
  resolved_by text,
  resolved_at integer,
  created_at integer not null,
  updated_at integer not null,
  resolution_data text,
  tool_args text not null,
  requirements text not null
) strict;
insert into approvals_new (
  id, run_key, status, approval_type, pause_type, source_type, source_name, agent_id, team_id, workflow_id, tool_name, resolved_by,
  resolved_at, created_at, updated_at, resolution_data, tool_args, requirements
) select
  id, run_key, status, approval_type, pause_type, source_type, source_name, agent_id, team_id, workflow_id, tool_name, resolved_by,
  resolved_at, created_at, updated_at, resolution_data, tool_args, requirements
  from approvals;
drop table approvals;
alter table approvals_new rename to approvals;
CREATE INDEX approvals_run on approvals (run_key);
CREATE INDEX approvals_age on approvals (created_at, id);
CREATE INDEX approvals_pending on approvals (created_at, id) where status = 'pending';
`;
