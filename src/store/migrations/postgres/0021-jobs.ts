/**
 * Durable jobs on Postgres: work that is done once, in the background, by any process. And the deliveries of webhooks, which are jobs: a flush inserts both
 * rows with the event that they report.
 */
export const jobsPostgres: string = `
create table jobs (
  key bigint generated always as identity primary key,
  kind text collate "C" not null,
  id text collate "C" not null,
  lane text collate "C" not null,
  share text collate "C" not null,
  due_at bigint not null,
  attempt integer not null,
  owner text collate "C",
  claims integer not null,
  state text,
  created_at bigint not null
);
create unique index jobs_id on jobs (kind, id);
create index jobs_lane on jobs (kind, lane, key);
create index jobs_due on jobs (kind, due_at, key) where owner is null;
create index jobs_owner on jobs (owner) where owner is not null;

create table webhook_deliveries (
  key bigint generated always as identity primary key,
  id text collate "C" not null,
  hook_id text collate "C" not null,
  event text collate "C" not null,
  run_key bigint,
  event_index integer,
  schedule_id text collate "C",
  fire_id text collate "C",
  share text collate "C" not null,
  state text collate "C" not null,
  attempts integer not null,
  status_code integer,
  error text,
  created_at bigint not null,
  updated_at bigint not null
);
create unique index webhook_deliveries_id on webhook_deliveries (id);
create index webhook_deliveries_run on webhook_deliveries (run_key, key) where run_key is not null;
create index webhook_deliveries_schedule on webhook_deliveries (schedule_id, key) where schedule_id is not null;
create index webhook_deliveries_ended on webhook_deliveries (created_at, key) where state <> 'pending';
create index webhook_deliveries_undelivered on webhook_deliveries (key) where state <> 'delivered';
`;
