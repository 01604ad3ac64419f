/** The tables, as both databases have them. JSON is text, times are integer milliseconds, flags are 0 or 1. */

import type { Generated } from "kysely";
import type { ApprovalStatus, ApprovalType, PauseType } from "../../model/approval.ts";
import type { PushVersion } from "../../model/push.ts";
import type { ComponentKind, RunStatus, SessionPolicy } from "../../model/run.ts";
import type { CatchUp, FireStatus, Overlap, ScheduleMethod } from "../../model/schedule/schedule.ts";

/** A process and how long its lease lasts, by the database's clock. */
export interface ProcessesTable {
  id: string;
  lease_until: number;
  started_at: number;
}

/** A conversation; its wire id is unique within its owner's name space. */
export interface SessionsTable {
  key: Generated<number>;
  owner: string;
  session_id: string;
  kind: ComponentKind;
  component_id: string;
  user_id: string | null;
  /** As somebody called it; null for nobody has. */
  name: string | null;
  /** What its first run was asked, cut: its name as long as it has no other. */
  title: string | null;
  state: string;
  metadata: string | null;
  summary: string | null;
  /** Tokens of its finished runs, by model. */
  usage: string | null;
  /** Place that the session's next root run gets. */
  next_seq: number;
  created_at: number;
  updated_at: number;
}

/** What a run is: written when it is made, once more when it ends. */
export interface RunsTable {
  key: number;
  run_id: string;
  /** Its own key, for a root run. */
  root_key: number;
  parent_key: number | null;
  kind: ComponentKind;
  component_id: string;
  component_name: string;
  session_key: number;
  /** Place in the session; null for a member run. */
  session_seq: number | null;
  user_id: string | null;
  /** The input without the bytes of its media, for listings; null where the input is short or has none. See `briefOfInput`. */
  brief: string | null;
  input: string;
  options: string;
  output: string | null;
  definition_hash: string | null;
  model: string | null;
  model_provider: string | null;
  tool_call_id: string | null;
  replaced_by: string | null;
  key_id: string | null;
  created_at: number;
  /** `ERROR` or `CANCELLED` of a root run that ended so; null for all others, also for those that ended well, which are most. */
  failed_as: string | null;
}

/** Where a run stands: narrow, because it changes often. A member's head carries only its status. */
export interface RunHeadsTable {
  run_key: number;
  root_key: number;
  session_key: number;
  session_seq: number | null;
  policy: SessionPolicy;
  status: RunStatus;
  attempt: number;
  owner: string | null;
  cancel_requested: number;
  first_kept: number;
  stalled_takeovers: number;
  compacted: number;
  /** Whether a PENDING run's turn may have come. Set in time, so that a claim need not look at those that wait in long queues. */
  ready: number;
  /** Whose run it is, as far as slots are shared among users; empty for nobody's. */
  user_id: string;
  background: number;
  /** Whether another process than the one that writes its log has asked to be told of it. */
  watched: number;
  updated_at: number;
}

/** A run's log, one row a flush, or many frames a row once it is compacted. */
export interface SegmentsTable {
  run_key: number;
  last_index: number;
  first_index: number;
  attempt: number;
  /** How `frames` is stored: 0 as it is, 1 with zstd. */
  encoding: number;
  /** Bytes of the frames before any compression. */
  size: number;
  frames: Buffer;
}

/** What was said in a run. */
export interface MessagesTable {
  run_key: number;
  position: number;
  id: string;
  created_at: number;
  /** The body without the bytes of its media. See `briefOfMessage`. */
  brief: string | null;
  body: string;
}

/** What a run has settled and will not do again. */
export interface MarksTable {
  run_key: number;
  name: string;
  created_at: number;
  body: string;
}

/** An account of a program. Of its token only the hash is kept. */
export interface ServiceAccountsTable {
  id: string;
  name: string;
  token_hash: string;
  token_prefix: string;
  scopes: string;
  created_by: string | null;
  created_at: number;
  expires_at: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  claims: string | null;
}

/** Migrations that were applied. */
export interface MigrationsTable {
  number: number;
  name: string;
  hash: string;
  applied_at: number;
}

/** Starts that may come again. */
export interface StartsTable {
  digest: string;
  run_id: string;
  fingerprint: string;
  created_at: number;
}

/** Root runs that were deleted not long ago: a creation whose outcome was unknown must not make them again. */
export interface DeletedRunsTable {
  run_key: number;
  deleted_at: number;
}

/** A schedule. Texts that are free stand as JSON. */
export interface SchedulesTable {
  id: string;
  owner: string;
  name: string;
  description: string | null;
  method: ScheduleMethod;
  endpoint: string;
  payload: string | null;
  cron_expr: string;
  timezone: string;
  timeout_seconds: number;
  max_retries: number;
  retry_delay_seconds: number;
  run_at: number | null;
  ends_at: number | null;
  max_fires: number | null;
  overlap: Overlap;
  catch_up: CatchUp;
  jitter_seconds: number;
  pause_after: number | null;
  enabled: number;
  disabled_reason: string | null;
  next_run_at: number | null;
  fires: number;
  failures: number;
  /** Its rows among the fires. */
  records: number;
  platform: string | null;
  /** Digest of its definition in code; empty for one that was made by a request. */
  definition: string;
  standing_grant: string;
  created_at: number;
  updated_at: number | null;
}

/** An attempt at a fire. */
export interface ScheduleFiresTable {
  id: string;
  schedule_id: string;
  tick: number | null;
  attempt: number;
  status: FireStatus;
  is_open: number;
  queues: number;
  /** The process that has it in hand. */
  owner: string | null;
  claims: number;
  run_id: string;
  session_id: string | null;
  cancel_requested: number;
  detail: string | null;
  due_at: number;
  triggered_at: number | null;
  completed_at: number | null;
  created_at: number;
}

/** Who is told of a run's changes, and what it was told. */
export interface PushTargetsTable {
  run_key: number;
  id: string;
  url: string;
  /** JSON text. */
  config: string;
  version: PushVersion;
  created_at: number;
  /** The last event that it was told of. */
  cursor: number;
  /** Changes of the run's status so far. */
  marks: number;
  /** When there is something to tell; null for nothing. */
  due_at: number | null;
  failures: number;
  /** The process that has it in hand. */
  owner: string | null;
  claims: number;
  /** User of the run; '' for no user. */
  user_id: string;
}

/** An approval of a call that waits. */
export interface ApprovalsTable {
  id: string;
  /** The root run, whatever run under it makes the call. */
  run_key: number;
  status: ApprovalStatus;
  approval_type: ApprovalType;
  pause_type: PauseType;
  source_type: ComponentKind;
  source_name: string;
  agent_id: string | null;
  team_id: string | null;
  workflow_id: string | null;
  tool_name: string;
  /** JSON texts. */
  tool_args: string;
  requirements: string;
  resolution_data: string | null;
  resolved_by: string | null;
  resolved_at: number | null;
  created_at: number;
  updated_at: number;
}

/** Until when what a pause asks is to be answered: there to be found, and of no meaning once the run goes on. */
export interface AnswerDeadlinesTable {
  run_key: number;
  /** The one that paused. */
  attempt: number;
  due_at: number;
}

/** All tables. */
export interface Tables {
  starts: StartsTable;
  deleted_runs: DeletedRunsTable;
  processes: ProcessesTable;
  sessions: SessionsTable;
  runs: RunsTable;
  run_heads: RunHeadsTable;
  segments: SegmentsTable;
  messages: MessagesTable;
  marks: MarksTable;
  service_accounts: ServiceAccountsTable;
  schedules: SchedulesTable;
  schedule_fires: ScheduleFiresTable;
  push_targets: PushTargetsTable;
  approvals: ApprovalsTable;
  answer_deadlines: AnswerDeadlinesTable;
  migrations: MigrationsTable;
}
