/** Schedules and their fires on Postgres. Each attempt of a schedule's tick has one row: the first insert wins, so there is never a second one. */
export const schedulesPostgres: string = `
create table schedules (
  id text collate "C" not null primary key,
  owner text collate "C" not null,
  name text collate "C" not null,
  description text,
  method text collate "C" not null,
  endpoint text collate "C" not null,
  payload text,
  cron_expr text collate "C" not null,
  timezone text collate "C" not null,
  timeout_seconds integer not null,
  max_retries integer not null,
  retry_delay_seconds integer not null,
  run_at bigint,
  ends_at bigint,
  max_fires integer,
  overlap text collate "C" not null,
  catch_up text collate "C" not null,
  jitter_seconds integer not null,
  pause_after integer,
  enabled integer not null,
  disabled_reason text,
  next_run_at bigint,
  fires integer not null,
  failures integer not null,
  records integer not null,
  platform text collate "C",
  definition text collate "C" not null,
  standing_grant text not null,
  created_at bigint not null,
  updated_at bigint
);
create unique index schedules_name on schedules (owner, name);
create index schedules_age on schedules (created_at, id);
create index schedules_due on schedules (next_run_at) where enabled = 1 and next_run_at is not null;
create index schedules_platform on schedules (platform) where platform is not null;

create table schedule_fires (
  id text collate "C" not null primary key,
  schedule_id text collate "C" not null,
  tick bigint,
  attempt integer not null,
  status text collate "C" not null,
  is_open integer not null,
  queues integer not null,
  owner text collate "C",
  claims integer not null,
  run_id text collate "C" not null,
  session_id text collate "C",
  cancel_requested integer not null,
  detail text,
  due_at bigint not null,
  triggered_at bigint,
  completed_at bigint,
  created_at bigint not null
);
create unique index schedule_fires_tick on schedule_fires (schedule_id, tick, attempt);
create index schedule_fires_age on schedule_fires (schedule_id, created_at, id);
create index schedule_fires_open on schedule_fires (schedule_id, tick) where is_open = 1;
create index schedule_fires_waiting on schedule_fires (due_at) where status = 'waiting';
create index schedule_fires_running on schedule_fires (owner) where status = 'running';
`;
