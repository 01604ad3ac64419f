/** Fixed results within runs: outcomes of workflow steps, decisions, answers to pauses. */
export const marksSqlite: string = `
create table marks (
  run_key integer not null,
  name text not null,
  created_at integer not null,
  body text not null,
  primary key (run_key, name)
) strict;
`;
