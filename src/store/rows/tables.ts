/** The tables in both databases. JSON is text, times are integer milliseconds, flags are 0 or 1. */

import type { Generated } from "kysely";
import type { PushVersion } from "../../model/push.ts";
import type { ApprovalStatus, ApprovalType, PauseType } from "../../model/run/approval.ts";
import type { ComponentKind, RunStatus, SessionPolicy } from "../../model/run/run.ts";
import type { CatchUp, FireStatus, Overlap, ScheduleMethod } from "../../model/schedule/schedule.ts";
import type { ComponentRevisionTable, ComponentsTable, ComponentVersionsTable } from "./component-tables.ts";
import type { ConnectionFlowsTable, ConnectionsTable } from "./connection-tables.ts";
import type { EvalIterationsTable, EvalRunsTable } from "./eval-tables.ts";
import type { JobsTable, WebhookDeliveriesTable } from "./job-tables.ts";
import type {
  KnowledgeChunksTable,
  KnowledgeCitationsTable,
  KnowledgeContentsTable,
  KnowledgeTermsTable,
  KnowledgeVectorsTable,
} from "./knowledge-tables.ts";
import type { LearningsTable } from "./learning-tables.ts";
import type { MemoriesTable, MemoryUsersTable } from "./memory-tables.ts";
import type {
  DatasetRowsTable,
  DatasetsTable,
  ExperimentResultsTable,
  ExperimentsTable,
  RunFeedbackTable,
} from "./trial-tables.ts";
import type {
  UsageCountersTable,
  UsageDayMembersTable,
  UsageDayModelsTable,
  UsageDaysTable,
  UsagePendingTable,
} from "./usage-tables.ts";

/** A process and the end of its lease, by the database's clock. */
export interface ProcessesTable {
  id: string;
  lease_until: number;
  started_at: number;
}

/** A conversation; its wire id is unique within its owner's namespace. */
export interface SessionsTable {
  key: Generated<number>;
  owner: string;
  session_id: string;
  kind: ComponentKind;
  component_id: string;
  user_id: string | null;
  /** Set by a user; null until then. */
  name: string | null;
  /** Derived from the input of its first run and shortened; shown while the session has no name. */
  title: string | null;
  state: string;
  metadata: string | null;
  summary: string | null;
  /** Position of the last run that the summary contains; null for a summary that a caller has set. */
  summary_seq: number | null;
  /** The component whose runs made the summary: `agent/id`. */
  summary_by: string | null;
  /** Number of changes of the summary. */
  summary_version: Generated<number>;
  /** Tokens of its finished runs, by model. */
  usage: string | null;
  /** Position of the session's next root run. */
  next_seq: number;
  created_at: number;
  updated_at: number;
}

/** The constant data of a run: written when it is created, and once more when it ends. */
export interface RunsTable {
  key: number;
  run_id: string;
  /** Key of the root run; for a root run, its own key. */
  root_key: number;
  parent_key: number | null;
  kind: ComponentKind;
  component_id: string;
  component_name: string;
  session_key: number;
  /** Position in the session; null for a member run. */
  session_seq: number | null;
  user_id: string | null;
  /** The input without its media bytes, for listings; null if the input is short or contains none. See `briefOfInput`. */
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
  /** `ERROR` or `CANCELLED` for a root run with that final status; null for all others, including the many completed runs. */
  failed_as: string | null;
}

/** The state of a run: a narrow row, because it changes often. A member's head carries only its status. */
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
  /** 1 once the log is compacted, 2 once retention has removed its events. */
  compacted: number;
  /** 1 once the usage of the root run is queued for its day. Never 1 while `compacted` is 0. */
  counted: number;
  /** Whether a PENDING run's turn may have come. Maintained so that a claim does not scan the runs in long queues. */
  ready: number;
  /** The user for sharing slots among users; empty for none. */
  user_id: string;
  background: number;
  /** Whether a process other than the log's writer has asked for signals about it. */
  watched: number;
  updated_at: number;
  /** Stored bytes of the frames of a compacted log; null if unknown. */
  log_bytes: number | null;
  /** Number of messages that callers put into it: see `model/run/steering.ts`. */
  steered: number;
}

/** A run's log: one row per flush, or many frames per row after compaction. */
export interface SegmentsTable {
  run_key: number;
  last_index: number;
  first_index: number;
  attempt: number;
  /** Encoding of `frames`: 0 is uncompressed, 1 is zstd; 2 and 3 are the same, encrypted. */
  encoding: number;
  /** Uncompressed bytes of the frames. */
  size: number;
  frames: Buffer;
}

/** A caller's rate limit, on Postgres only. */
export interface RateLimitsTable {
  bucket: string;
  /** When it is full again: microseconds since the epoch, by the database's clock. */
  full_at: number;
}

/** A message of a run. */
export interface MessagesTable {
  run_key: number;
  position: number;
  id: string;
  created_at: number;
  /** The body without its media bytes. See `briefOfMessage`. */
  brief: string | null;
  body: string;
}

/** A fixed result within a run, which the run does not compute again. */
export interface MarksTable {
  run_key: number;
  name: string;
  created_at: number;
  body: string;
}

/** A service account, used by a program. Only the hash of its token is stored. */
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

/** Applied migrations. */
export interface MigrationsTable {
  number: number;
  name: string;
  hash: string;
  applied_at: number;
}

/** Idempotency keys of starts. */
export interface StartsTable {
  digest: string;
  run_id: string;
  fingerprint: string;
  created_at: number;
}

/** Recently deleted root runs: a creation with unknown outcome must not create them again. */
export interface DeletedRunsTable {
  run_key: number;
  deleted_at: number;
}

/** A schedule. Free texts are stored as JSON. */
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
  /** Number of its rows among the fires. */
  records: number;
  platform: string | null;
  /** Canonical text of its definition in code; empty for a schedule that was created by a request. */
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
  /** The process that holds it. */
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

/** A push notification target of a run, and its delivery state. */
export interface PushTargetsTable {
  run_key: number;
  id: string;
  url: string;
  /** JSON text. */
  config: string;
  version: PushVersion;
  created_at: number;
  /** Index of the last event whose notifications were delivered. */
  cursor: number;
  /** Number of status changes of the run so far. */
  marks: number;
  /** When its next notification is due; null for none. */
  due_at: number | null;
  failures: number;
  /** The process that holds it. */
  owner: string | null;
  claims: number;
  /** User of the run; '' for no user. */
  user_id: string;
}

/** An approval that a call waits for. */
export interface ApprovalsTable {
  id: string;
  /** The root run, even if the run of a member makes the call. */
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

/** Deadline for answering a paused run. The row is only for finding overdue pauses: it is meaningless once the run continues. */
export interface AnswerDeadlinesTable {
  run_key: number;
  /** The attempt that paused. */
  attempt: number;
  due_at: number;
}

/** The trace of a root run whose log is compacted. Times are milliseconds since the epoch. */
export interface TracesTable {
  run_key: number;
  trace_id: string;
  session_key: number;
  /** Namespace of the session. */
  owner: string;
  user_id: string | null;
  kind: ComponentKind;
  component_id: string;
  name: string;
  status: "OK" | "ERROR";
  started_at: number;
  ended_at: number;
  span_count: number;
  error_count: number;
  input_tokens: number;
  output_tokens: number;
  /** JSON text; see `toStoredSpans`. */
  spans: string;
}

/** A data key, which encrypts values. */
export interface EncryptionKeysTable {
  id: number;
  /** The operator's key for which it was made. */
  origin: string;
  /** The operator's key that wraps it. */
  operator_key: string;
  /** Base64. */
  wrapped: string;
  /** A known text, encrypted with it; base64. */
  canary: string;
  created_at: number;
  /** 1 once all values that were stored before are encrypted with it. */
  complete: number;
}

/** An answer of a model. Times are milliseconds since the epoch. */
export interface CachedResponsesTable {
  digest: string;
  user_id: string | null;
  /** JSON text. */
  body: string;
  created_at: number;
  expires_at: number;
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
  rate_limits: RateLimitsTable;
  usage_counters: UsageCountersTable;
  traces: TracesTable;
  usage_pending: UsagePendingTable;
  usage_days: UsageDaysTable;
  usage_day_models: UsageDayModelsTable;
  usage_day_members: UsageDayMembersTable;
  encryption_keys: EncryptionKeysTable;
  jobs: JobsTable;
  webhook_deliveries: WebhookDeliveriesTable;
  connections: ConnectionsTable;
  connection_flows: ConnectionFlowsTable;
  memories: MemoriesTable;
  cached_responses: CachedResponsesTable;
  memory_users: MemoryUsersTable;
  knowledge_contents: KnowledgeContentsTable;
  knowledge_chunks: KnowledgeChunksTable;
  knowledge_citations: KnowledgeCitationsTable;
  knowledge_vectors: KnowledgeVectorsTable;
  knowledge_terms: KnowledgeTermsTable;
  learnings: LearningsTable;
  components: ComponentsTable;
  component_versions: ComponentVersionsTable;
  component_revision: ComponentRevisionTable;
  run_feedback: RunFeedbackTable;
  datasets: DatasetsTable;
  dataset_rows: DatasetRowsTable;
  experiments: ExperimentsTable;
  experiment_results: ExperimentResultsTable;
  eval_runs: EvalRunsTable;
  eval_iterations: EvalIterationsTable;
  migrations: MigrationsTable;
}
