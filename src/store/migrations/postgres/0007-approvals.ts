/** On Postgres: approvals, answer deadlines, links from a run to the schedule that started it and to the run that it replaced. */
export const approvalsPostgres: string = `
create table approvals (
  id text collate "C" not null primary key,
  run_key bigint not null,
  status text collate "C" not null,
  approval_type text collate "C" not null,
  pause_type text collate "C" not null,
  source_type text collate "C" not null,
  source_name text not null,
  agent_id text collate "C",
  team_id text collate "C",
  workflow_id text collate "C",
  tool_name text collate "C" not null,
  tool_args text not null,
  requirements text not null,
  resolution_data text,
  resolved_by text,
  resolved_at bigint,
  created_at bigint not null,
  updated_at bigint not null
);
create table answer_deadlines (
  run_key bigint not null primary key,
  attempt integer not null,
  due_at bigint not null
);
create index answer_deadlines_due on answer_deadlines (due_at);
create index approvals_run on approvals (run_key);
create index approvals_age on approvals (created_at, id);
create index approvals_pending on approvals (created_at, id) where status = 'pending';
create index schedule_fires_run on schedule_fires (run_id);
create index runs_replaced on runs (replaced_by) where replaced_by is not null;
`;
