/** Evals on Postgres, and the results of their iterations. */
export const evalsPostgres: string = `
create table eval_runs (
  key bigint generated always as identity primary key,
  id text collate "C" not null,
  user_id text collate "C",
  kind text collate "C" not null,
  component_id text collate "C" not null,
  component_name text collate "C" not null,
  version integer,
  type text collate "C" not null,
  name text collate "C",
  model text collate "C",
  model_provider text collate "C",
  status text collate "C" not null,
  total integer not null,
  done integer not null,
  request text collate "C" not null,
  result text collate "C",
  created_at bigint not null,
  updated_at bigint not null
);
create unique index eval_runs_id on eval_runs (id);
create index eval_runs_user on eval_runs (user_id, key);

create table eval_iterations (
  eval_key bigint not null,
  number integer not null,
  body text collate "C" not null,
  created_at bigint not null,
  primary key (eval_key, number)
);
`;
