/** On SQLite: approvals, answer deadlines, links from a run to the schedule that started it and to the run that it replaced. */
export const approvalsSqlite: string = `
create table approvals (
  id text not null primary key,
  run_key integer not null,
  status text not null,
  approval_type text not null,
  pause_type text not null,
  source_type text not null,
  source_name text not null,
  agent_id text,
  team_id text,
  workflow_id text,
  tool_name text not null,
  tool_args text not null,
  requirements text not null,
  resolution_data text,
  resolved_by text,
  resolved_at integer,
  created_at integer not null,
  updated_at integer not null
) strict;
create table answer_deadlines (
  run_key integer not null primary key,
  attempt integer not null,
  due_at integer not null
) strict;
create index answer_deadlines_due on answer_deadlines (due_at);
create index approvals_run on approvals (run_key);
create index approvals_age on approvals (created_at, id);
create index approvals_pending on approvals (created_at, id) where status = 'pending';
create index schedule_fires_run on schedule_fires (run_id);
create index runs_replaced on runs (replaced_by) where replaced_by is not null;
`;
