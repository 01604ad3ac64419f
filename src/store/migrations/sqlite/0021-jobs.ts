/**
 * Durable jobs on SQLite: work that is done once, in the background, by any process. And the deliveries of webhooks, which are jobs: a flush inserts both
 * rows with the event that they report.
 */
export const jobsSqlite: string = `
create table jobs (
  key integer not null primary key,
  kind text not null,
  id text not null,
  lane text not null,
  share text not null,
  due_at integer not null,
  attempt integer not null,
  owner text,
  claims integer not null,
  state text,
  created_at integer not null
) strict;
create unique index jobs_id on jobs (kind, id);
create index jobs_lane on jobs (kind, lane, key);
create index jobs_due on jobs (kind, due_at, key) where owner is null;
create index jobs_owner on jobs (owner) where owner is not null;

create table webhook_deliveries (
  key integer not null primary key,
  id text not null,
  hook_id text not null,
  event text not null,
  run_key integer,
  event_index integer,
  schedule_id text,
  fire_id text,
  share text not null,
  state text not null,
  attempts integer not null,
  status_code integer,
  error text,
  created_at integer not null,
  updated_at integer not null
) strict;
create unique index webhook_deliveries_id on webhook_deliveries (id);
create index webhook_deliveries_run on webhook_deliveries (run_key, key) where run_key is not null;
create index webhook_deliveries_schedule on webhook_deliveries (schedule_id, key) where schedule_id is not null;
create index webhook_deliveries_ended on webhook_deliveries (created_at, key) where state <> 'pending';
create index webhook_deliveries_undelivered on webhook_deliveries (key) where state <> 'delivered';
`;
