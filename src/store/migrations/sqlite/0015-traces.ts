/** Traces on SQLite: one row for each root run whose log is compacted. The spans are last, because SQLite reads a row from the front. */
export const tracesSqlite: string = `
create table traces (
  run_key integer not null primary key,
  trace_id text not null,
  session_key integer not null,
  owner text not null,
  user_id text,
  kind text not null,
  component_id text not null,
  name text not null,
  status text not null,
  started_at integer not null,
  ended_at integer not null,
  span_count integer not null,
  error_count integer not null,
  input_tokens integer not null,
  output_tokens integer not null,
  spans text not null
) strict;
create index traces_started on traces (started_at, run_key);
create index traces_id on traces (trace_id);
create index traces_of_session on traces (session_key, started_at, run_key);
create index traces_of_owner on traces (owner, started_at, run_key) where owner <> '';
create index traces_of_user on traces (user_id, started_at, run_key) where user_id is not null;
create index traces_of_component on traces (kind, component_id, started_at, run_key);
create index traces_failed on traces (started_at, run_key) where status = 'ERROR';
`;
