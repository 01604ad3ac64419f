/** Traces on Postgres: one row for each root run whose log is compacted. */
export const tracesPostgres: string = `
create table traces (
  run_key bigint not null primary key,
  trace_id text collate "C" not null,
  session_key bigint not null,
  owner text collate "C" not null,
  user_id text collate "C",
  kind text collate "C" not null,
  component_id text collate "C" not null,
  name text collate "C" not null,
  status text collate "C" not null,
  started_at bigint not null,
  ended_at bigint not null,
  span_count integer not null,
  error_count integer not null,
  input_tokens bigint not null,
  output_tokens bigint not null,
  spans text not null
);
create index traces_started on traces (started_at, run_key);
create index traces_id on traces (trace_id);
create index traces_of_session on traces (session_key, started_at, run_key);
create index traces_of_owner on traces (owner, started_at, run_key) where owner <> '';
create index traces_of_user on traces (user_id, started_at, run_key) where user_id is not null;
create index traces_of_component on traces (kind, component_id, started_at, run_key);
create index traces_failed on traces (started_at, run_key) where status = 'ERROR';

-- A server that was built without lz4 keeps its default compression.
do $$ begin
  alter table traces alter column spans set compression lz4;
exception when feature_not_supported then null;
end $$;
`;
