/** Evals on SQLite, and the results of their iterations. */
export const evalsSqlite: string = `
create table eval_runs (
  key integer not null primary key autoincrement,
  id text not null,
  user_id text,
  kind text not null,
  component_id text not null,
  component_name text not null,
  version integer,
  type text not null,
  name text,
  model text,
  model_provider text,
  status text not null,
  total integer not null,
  done integer not null,
  request text not null,
  result text,
  created_at integer not null,
  updated_at integer not null
) strict;
create unique index eval_runs_id on eval_runs (id);
create index eval_runs_user on eval_runs (user_id, key);

create table eval_iterations (
  eval_key integer not null,
  number integer not null,
  body text not null,
  created_at integer not null,
  primary key (eval_key, number)
) strict;
`;
