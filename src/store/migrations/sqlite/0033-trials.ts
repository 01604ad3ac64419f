/** On SQLite: feedback about runs, datasets, and experiments that compare two versions of a component. */
export const trialsSqlite: string = `
create table run_feedback (
  run_key integer not null,
  user_id text not null,
  rating integer not null,
  note text,
  created_at integer not null,
  updated_at integer not null,
  primary key (run_key, user_id)
) strict;
create index run_feedback_updated on run_feedback (updated_at);
create index run_feedback_user on run_feedback (user_id, updated_at);
create table datasets (
  key integer not null primary key,
  id text not null,
  owner text not null,
  user_id text,
  body text not null,
  row_count integer not null,
  created_at integer not null,
  updated_at integer not null
) strict;
create unique index datasets_id on datasets (id);
create index datasets_owner on datasets (owner, key);
create index datasets_user on datasets (user_id, key) where user_id is not null;
create table dataset_rows (
  key integer not null primary key,
  id text not null,
  dataset_id text not null,
  body text not null,
  run_id text,
  run_user text,
  created_at integer not null
) strict;
create unique index dataset_rows_id on dataset_rows (id);
create index dataset_rows_dataset on dataset_rows (dataset_id, key);
create index dataset_rows_user on dataset_rows (run_user, key) where run_user is not null;
create table experiments (
  key integer not null primary key,
  id text not null,
  owner text not null,
  user_id text,
  dataset_id text not null,
  kind text not null,
  component_id text not null,
  definition text not null,
  status text not null,
  last_row integer not null,
  total integer not null,
  finished integer not null,
  summary text,
  created_at integer not null,
  started_at integer,
  ended_at integer
) strict;
create unique index experiments_id on experiments (id);
create index experiments_owner on experiments (owner, key);
create index experiments_dataset on experiments (dataset_id, key);
create index experiments_component on experiments (component_id, key);
create index experiments_user on experiments (user_id, key) where user_id is not null;
create table experiment_results (
  experiment_id text not null,
  row_id text not null,
  side text not null,
  run_id text not null,
  status text not null,
  scores text not null,
  body text not null,
  nanos integer,
  milliseconds integer,
  created_at integer not null,
  primary key (experiment_id, row_id, side)
) strict;
create index experiment_results_row on experiment_results (row_id);
`;
