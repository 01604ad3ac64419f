/** On Postgres: feedback about runs, datasets, and experiments that compare two versions of a component. */
export const trialsPostgres: string = `
create table run_feedback (
  run_key bigint not null,
  user_id text collate "C" not null,
  rating integer not null,
  note text collate "C",
  created_at bigint not null,
  updated_at bigint not null,
  primary key (run_key, user_id)
);
create index run_feedback_updated on run_feedback (updated_at);
create index run_feedback_user on run_feedback (user_id, updated_at);
create table datasets (
  key bigint generated always as identity primary key,
  id text collate "C" not null,
  owner text collate "C" not null,
  user_id text collate "C",
  body text collate "C" not null,
  row_count integer not null,
  created_at bigint not null,
  updated_at bigint not null
);
create unique index datasets_id on datasets (id);
create index datasets_owner on datasets (owner, key);
create index datasets_user on datasets (user_id, key) where user_id is not null;
create table dataset_rows (
  key bigint generated always as identity primary key,
  id text collate "C" not null,
  dataset_id text collate "C" not null,
  body text collate "C" not null,
  run_id text collate "C",
  run_user text collate "C",
  created_at bigint not null
);
create unique index dataset_rows_id on dataset_rows (id);
create index dataset_rows_dataset on dataset_rows (dataset_id, key);
create index dataset_rows_user on dataset_rows (run_user, key) where run_user is not null;
create table experiments (
  key bigint generated always as identity primary key,
  id text collate "C" not null,
  owner text collate "C" not null,
  user_id text collate "C",
  dataset_id text collate "C" not null,
  kind text collate "C" not null,
  component_id text collate "C" not null,
  definition text collate "C" not null,
  status text collate "C" not null,
  last_row bigint not null,
  total integer not null,
  finished integer not null,
  summary text collate "C",
  created_at bigint not null,
  started_at bigint,
  ended_at bigint
);
create unique index experiments_id on experiments (id);
create index experiments_owner on experiments (owner, key);
create index experiments_dataset on experiments (dataset_id, key);
create index experiments_component on experiments (component_id, key);
create index experiments_user on experiments (user_id, key) where user_id is not null;
create table experiment_results (
  experiment_id text collate "C" not null,
  row_id text collate "C" not null,
  side text collate "C" not null,
  run_id text collate "C" not null,
  status text collate "C" not null,
  scores text collate "C" not null,
  body text collate "C" not null,
  nanos bigint,
  milliseconds bigint,
  created_at bigint not null,
  primary key (experiment_id, row_id, side)
);
create index experiment_results_row on experiment_results (row_id);
`;
