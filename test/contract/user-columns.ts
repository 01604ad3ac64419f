/** Every column of every table: whether it can name a user or hold a user's content, and what an erasure of the user does with it. */
import type { Tables } from "../../src/store/rows/tables.ts";

/**
 * - `none`: cannot hold anything of a user
 * - `removed`: the row is removed with the user's run or session, or as a row of the user
 * - `cleared`: the value is removed from rows that others need
 * - `digest`: holds a digest that names a user; the row is removed
 * - `kept`: may hold a user's content in a row of another user, of an operator or of the platform. docs/security.md lists it with the reason
 */
type Handling = "none" | "removed" | "cleared" | "digest" | "kept";

/** The columns of a table. A column that is missing here does not compile. */
type Columns<Table> = Readonly<Record<keyof Table, Handling>>;

function all<Name extends string>(handling: Handling, ...names: readonly Name[]): Readonly<Record<Name, Handling>> {
  return Object.fromEntries(names.map((name) => [name, handling])) as Record<Name, Handling>;
}

/** By table and column. `tails` is the write buffer of SQLite, whose rows are removed when their runs leave RUNNING. */
export const userColumns: { readonly [Table in keyof Tables]: Columns<Tables[Table]> } & {
  readonly tails: Readonly<Record<string, Handling>>;
} = {
  sessions: {
    ...all("none", "key", "kind", "component_id", "next_seq", "created_at", "updated_at", "usage"),
    ...all("none", "summary_seq", "summary_by", "summary_version"),
    ...all("removed", "owner", "session_id"),
    ...all("cleared", "user_id", "name", "title", "metadata", "summary"),
    state: "kept",
  },
  runs: {
    ...all("none", "key", "run_id", "root_key", "parent_key", "kind", "component_id", "component_name", "session_key"),
    ...all("none", "session_seq", "definition_hash", "model", "model_provider", "tool_call_id", "replaced_by"),
    ...all("none", "key_id", "created_at", "failed_as"),
    ...all("removed", "user_id", "brief", "input", "options", "output"),
  },
  run_heads: {
    ...all("none", "run_key", "root_key", "session_key", "session_seq", "policy", "status", "attempt", "owner"),
    ...all("none", "cancel_requested", "first_kept", "stalled_takeovers", "compacted", "counted", "ready"),
    ...all("none", "background", "watched", "updated_at", "log_bytes", "steered"),
    user_id: "removed",
  },
  segments: {
    ...all("none", "run_key", "last_index", "first_index", "attempt", "encoding", "size"),
    frames: "removed",
  },
  tails: { id: "none", parts: "none", frames: "removed" },
  messages: { ...all("none", "run_key", "position", "id", "created_at"), ...all("removed", "brief", "body") },
  marks: { ...all("none", "run_key", "created_at"), ...all("removed", "name", "body") },
  traces: {
    ...all("none", "run_key", "trace_id", "session_key", "kind", "component_id", "name", "status", "started_at"),
    ...all("none", "ended_at", "span_count", "error_count", "input_tokens", "output_tokens"),
    ...all("removed", "owner", "user_id", "spans"),
  },
  approvals: {
    ...all("none", "id", "run_key", "status", "approval_type", "pause_type", "source_type", "source_name", "agent_id"),
    ...all("none", "team_id", "workflow_id", "tool_name", "resolved_at", "created_at", "updated_at"),
    ...all("removed", "tool_args", "requirements"),
    resolved_by: "cleared",
    resolution_data: "kept",
  },
  answer_deadlines: all("none", "run_key", "attempt", "due_at"),
  push_targets: {
    ...all("none", "run_key", "version", "created_at", "cursor", "marks", "due_at", "failures", "owner", "claims"),
    ...all("removed", "id", "url", "config", "user_id"),
  },
  starts: { ...all("none", "run_id", "fingerprint", "created_at"), digest: "removed" },
  deleted_runs: all("none", "run_key", "deleted_at"),
  encryption_keys: {
    ...all("none", "id", "origin", "operator_key", "wrapped", "canary", "created_at", "complete"),
  },
  processes: all("none", "id", "lease_until", "started_at"),
  service_accounts: {
    ...all("none", "id", "token_hash", "token_prefix", "scopes", "created_at", "expires_at", "last_used_at"),
    ...all("none", "revoked_at"),
    ...all("cleared", "created_by", "claims"),
    name: "kept",
  },
  schedules: {
    ...all("none", "id", "method", "cron_expr", "timezone", "timeout_seconds", "max_retries", "retry_delay_seconds"),
    ...all("none", "run_at", "ends_at", "max_fires", "overlap", "catch_up", "jitter_seconds", "pause_after"),
    ...all("none", "enabled", "disabled_reason", "next_run_at", "fires", "failures", "records", "platform"),
    ...all("none", "definition", "created_at", "updated_at"),
    ...all("removed", "owner", "standing_grant", "name", "description", "endpoint", "payload"),
  },
  schedule_fires: {
    ...all("none", "id", "schedule_id", "tick", "attempt", "status", "is_open", "queues", "owner", "claims", "run_id"),
    ...all("none", "cancel_requested", "due_at", "triggered_at", "completed_at", "created_at"),
    ...all("removed", "session_id", "detail"),
  },
  rate_limits: { bucket: "removed", full_at: "none" },
  usage_counters: {
    ...all("none", "period", "scope", "tokens", "nanos", "model_requests", "tool_calls"),
    key: "removed",
  },
  usage_pending: {
    ...all("none", "key", "started_at", "kind", "session_key", "usage"),
    ...all("cleared", "owner", "user_id"),
  },
  usage_days: {
    ...all("none", "day", "agent_runs", "team_runs", "workflow_runs", "agent_sessions", "team_sessions"),
    ...all("none", "workflow_sessions", "users", "created_at", "updated_at"),
    owner: "digest",
  },
  usage_day_models: {
    ...all("none", "day", "model", "provider", "runs", "requests", "input_tokens", "output_tokens"),
    ...all("none", "reasoning_tokens", "cache_read_tokens", "cache_write_tokens", "nanos"),
    owner: "digest",
  },
  usage_day_members: { ...all("none", "day", "role"), ...all("digest", "owner", "member") },
  jobs: {
    ...all("none", "key", "kind", "id", "due_at", "attempt", "owner", "claims", "state", "created_at", "share"),
    // Of the jobs that extract memories.
    lane: "digest",
  },
  webhook_deliveries: {
    ...all(
      "none",
      "key",
      "id",
      "hook_id",
      "event",
      "run_key",
      "event_index",
      "schedule_id",
      "fire_id",
      "state",
      "attempts",
    ),
    ...all("none", "status_code", "error", "created_at", "updated_at"),
    share: "none",
  },
  connections: {
    ...all("none", "expires_at", "version", "refreshing_until", "created_at", "updated_at"),
    ...all("removed", "user_id", "provider", "tokens", "scopes"),
  },
  connection_flows: {
    ...all("none", "digest", "provider", "expires_at"),
    ...all("removed", "user_id", "flow"),
  },
  cached_responses: {
    ...all("none", "digest", "created_at", "expires_at"),
    ...all("removed", "user_id", "body"),
  },
  memories: {
    ...all("none", "key", "id", "origin", "agent_id", "team_id", "run_id", "revision", "created_at", "updated_at"),
    ...all("removed", "user_id", "body", "session_id"),
  },
  memory_users: { ...all("none", "memories", "updated_at"), user_id: "removed" },
  knowledge_contents: {
    ...all("none", "key", "knowledge_id", "hash", "embedder", "status", "status_message", "generation", "chunk_count"),
    ...all("none", "token_count", "stored", "total", "embedded", "next_embedder", "next_hash", "access_count"),
    ...all("none", "created_at", "updated_at"),
    ...all("removed", "id", "owner", "name", "description", "metadata", "type", "size", "origin", "options", "body"),
  },
  knowledge_chunks: {
    ...all("none", "key", "content_key", "generation", "number", "tokens", "embedder", "page"),
    ...all("removed", "body", "hash", "start_offset", "end_offset", "headings"),
  },
  knowledge_citations: { ...all("none", "content_key", "cited_at"), ...all("removed", "run_key", "chunks") },
  knowledge_vectors: { chunk_key: "none", embedding: "removed" },
  knowledge_terms: { rowid: "none", terms: "removed" },
  learnings: {
    ...all("none", "created_at", "updated_at", "agent_id", "team_id"),
    ...all("removed", "learning_id", "owner", "learning_type", "namespace", "session_id"),
    ...all("kept", "entity_id", "entity_type", "content", "metadata"),
  },
  components: {
    ...all("none", "id", "kind", "current_version", "last_version", "created_at", "updated_at", "deleted_at"),
    ...all("kept", "name", "description", "metadata"),
    created_by: "cleared",
  },
  component_versions: {
    ...all("none", "component_id", "version", "stage", "sets_current", "created_at", "updated_at", "deleted_at"),
    ...all("kept", "label", "config", "notes"),
    created_by: "cleared",
  },
  component_revision: all("none", "id", "revision"),
  run_feedback: {
    ...all("none", "run_key", "created_at", "updated_at"),
    ...all("removed", "user_id", "rating", "note"),
  },
  datasets: {
    ...all("none", "key", "id", "row_count", "created_at", "updated_at"),
    ...all("removed", "owner", "user_id"),
    body: "kept",
  },
  dataset_rows: {
    ...all("none", "key", "id", "dataset_id", "run_id", "created_at"),
    run_user: "removed",
    body: "kept",
  },
  experiments: {
    ...all("none", "key", "id", "dataset_id", "kind", "component_id", "status", "last_row", "total", "finished"),
    ...all("none", "created_at", "started_at", "ended_at"),
    ...all("removed", "owner", "user_id", "definition", "summary"),
  },
  experiment_results: {
    ...all("none", "experiment_id", "row_id", "side", "run_id", "status", "nanos", "milliseconds", "created_at"),
    ...all("kept", "scores", "body"),
  },
  eval_runs: {
    ...all("none", "key", "id", "kind", "component_id", "component_name", "version", "type", "model", "model_provider"),
    ...all("none", "status", "total", "done", "created_at", "updated_at"),
    ...all("removed", "user_id", "name", "request", "result"),
  },
  eval_iterations: { ...all("none", "eval_key", "number", "created_at"), body: "removed" },
  migrations: all("none", "number", "name", "hash", "applied_at"),
};
