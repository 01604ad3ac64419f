/** Fixed results within runs: outcomes of workflow steps, decisions, answers to pauses. */
export const marksPostgres: string = `
create table marks (
  run_key bigint not null,
  name text collate "C" not null,
  created_at bigint not null,
  body text not null,
  primary key (run_key, name)
);
`;
