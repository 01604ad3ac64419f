/** Schedules and their fires on SQLite. Each attempt of a schedule's tick has one row: the first insert wins, so there is never a second one. */
export const schedulesSqlite: string = `
create table schedules (
  id text not null primary key,
  owner text not null,
  name text not null,
  description text,
  method text not null,
  endpoint text not null,
  payload text,
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
  definition text not null,
  standing_grant text not null,
  created_at integer not null,
  updated_at integer
) strict;
create unique index schedules_name on schedules (owner, name);
create index schedules_age on schedules (created_at, id);
create index schedules_due on schedules (next_run_at) where enabled = 1 and next_run_at is not null;
create index schedules_platform on schedules (platform) where platform is not null;

create table schedule_fires (
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
  detail text,
  due_at integer not null,
  triggered_at integer,
  completed_at integer,
  created_at integer not null
) strict;
create unique index schedule_fires_tick on schedule_fires (schedule_id, tick, attempt);
create index schedule_fires_age on schedule_fires (schedule_id, created_at, id);
create index schedule_fires_open on schedule_fires (schedule_id, tick) where is_open = 1;
create index schedule_fires_waiting on schedule_fires (due_at) where status = 'waiting';
create index schedule_fires_running on schedule_fires (owner) where status = 'running';
`;
