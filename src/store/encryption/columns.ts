/**
 * The inventory of all stored columns: whether each is encrypted, or why it stays clear. A test compares it with the migrations, so a new column needs
 * a decision.
 */

/** Why a column stays clear. */
type Clear =
  /** Ids and keys: indexes, joins and filters need them. */
  | "id"
  /** States, kinds, flags and positions: statements compare them. */
  | "state"
  | "time"
  /** Sizes and counts, such as tokens. */
  | "count"
  /** Names and definitions that come from the code of the platform, or that filters compare. */
  | "name"
  /** Access of callers: user ids, scopes and grants. */
  | "access"
  /** A digest: it contains no text. */
  | "digest"
  /** It is a key, encrypted with the operator's key. */
  | "wrapped";

/** Names of the columns in results, and of the columns that identify the row. The first of each list that a result has is used. */
interface Sealed {
  /** Number of the column in stored values. Never changes, and is never used for another column. */
  readonly code: number;
  readonly as: readonly string[];
  readonly row: readonly (readonly string[])[];
}

const runRow = [["key", "run_key", "runKey", "$key"]];
const sessionRow = [["sessionKey", "session_key", "key", "$key"]];
const messageRow = [["runKey", "run_key", "$key"], ["position"]];
const idRow = [["id", "key"]];
const contentRow = [["knowledge_id"], ["owner"], ["id"]];
const chunkRow = [["content_key"], ["generation"], ["number"]];
const learningRow = [["learning_id", "learningId"], ["owner"]];
const versionRow = [["component_id"], ["version"]];
const resultRow = [["experiment_id"], ["row_id"], ["side"]];
const pushRow = [["run_key", "$key"], ["id"]];

/** A column that is encrypted as text. */
export type SealedColumn =
  | "sessions.name"
  | "sessions.title"
  | "sessions.state"
  | "sessions.metadata"
  | "sessions.summary"
  | "runs.input"
  | "runs.brief"
  | "runs.options"
  | "runs.output"
  | "messages.body"
  | "messages.brief"
  | "marks.body"
  | "approvals.tool_args"
  | "approvals.requirements"
  | "approvals.resolution_data"
  | "push_targets.url"
  | "push_targets.config"
  | "schedules.description"
  | "schedules.payload"
  | "schedules.definition"
  | "schedule_fires.detail"
  | "traces.spans"
  | "starts.fingerprint"
  | "connections.tokens"
  | "connection_flows.flow"
  | "memories.body"
  | "cached_responses.body"
  | "knowledge_contents.name"
  | "knowledge_contents.description"
  | "knowledge_contents.origin"
  | "knowledge_contents.body"
  | "knowledge_chunks.body"
  | "knowledge_chunks.headings"
  | "learnings.content"
  | "learnings.metadata"
  | "components.description"
  | "components.metadata"
  | "component_versions.label"
  | "component_versions.config"
  | "component_versions.notes"
  | "run_feedback.note"
  | "datasets.body"
  | "dataset_rows.body"
  | "experiments.definition"
  | "experiments.summary"
  | "experiment_results.scores"
  | "experiment_results.body"
  | "eval_runs.name"
  | "eval_runs.request"
  | "eval_runs.result"
  | "eval_iterations.body";

/** Columns that are encrypted as texts. */
export const sealedColumns: Readonly<Record<SealedColumn, Sealed>> = {
  "sessions.name": { code: 1, as: ["name"], row: sessionRow },
  "sessions.title": { code: 2, as: ["title"], row: sessionRow },
  "sessions.state": { code: 3, as: ["state", "sessionState"], row: sessionRow },
  "sessions.metadata": { code: 4, as: ["metadata"], row: sessionRow },
  "sessions.summary": { code: 5, as: ["summary"], row: sessionRow },
  "runs.input": { code: 6, as: ["input"], row: runRow },
  "runs.brief": { code: 7, as: ["brief", "input"], row: runRow },
  "runs.options": { code: 8, as: ["options"], row: runRow },
  "runs.output": { code: 9, as: ["output"], row: runRow },
  "messages.body": { code: 10, as: ["body"], row: messageRow },
  "messages.brief": { code: 11, as: ["brief", "body"], row: messageRow },
  "marks.body": { code: 12, as: ["body"], row: [["runKey", "run_key", "key", "$key"], ["name"]] },
  "approvals.tool_args": { code: 13, as: ["tool_args"], row: idRow },
  "approvals.requirements": { code: 14, as: ["requirements"], row: idRow },
  "approvals.resolution_data": { code: 15, as: ["resolution_data"], row: idRow },
  "push_targets.url": { code: 16, as: ["url"], row: pushRow },
  "push_targets.config": { code: 17, as: ["config"], row: pushRow },
  "schedules.description": { code: 18, as: ["description"], row: idRow },
  "schedules.payload": { code: 19, as: ["payload"], row: idRow },
  "schedules.definition": { code: 20, as: ["definition", "$definition"], row: idRow },
  "schedule_fires.detail": { code: 21, as: ["detail"], row: idRow },
  "traces.spans": { code: 22, as: ["spans"], row: [["run_key", "key", "$key"]] },
  "starts.fingerprint": { code: 23, as: ["fingerprint"], row: [["digest"]] },
  "connections.tokens": { code: 40, as: ["tokens"], row: [["user_id"], ["provider"]] },
  "connection_flows.flow": { code: 41, as: ["flow"], row: [["digest"]] },
  "cached_responses.body": { code: 63, as: ["body"], row: [["digest"]] },
  "memories.body": { code: 42, as: ["body"], row: [["id"]] },
  "knowledge_contents.name": { code: 56, as: ["name"], row: contentRow },
  "knowledge_contents.description": { code: 57, as: ["description"], row: contentRow },
  "knowledge_contents.origin": { code: 58, as: ["origin"], row: contentRow },
  "knowledge_contents.body": { code: 59, as: ["body"], row: contentRow },
  "knowledge_chunks.body": { code: 60, as: ["text", "body"], row: chunkRow },
  "knowledge_chunks.headings": { code: 61, as: ["headings"], row: chunkRow },
  "learnings.content": { code: 50, as: ["content"], row: learningRow },
  "learnings.metadata": { code: 51, as: ["metadata"], row: learningRow },
  "components.description": { code: 70, as: ["description"], row: idRow },
  "components.metadata": { code: 71, as: ["metadata"], row: idRow },
  "component_versions.label": { code: 72, as: ["label"], row: versionRow },
  "component_versions.config": { code: 73, as: ["config"], row: versionRow },
  "component_versions.notes": { code: 74, as: ["notes"], row: versionRow },
  "run_feedback.note": { code: 80, as: ["note"], row: [["run_key"], ["user_id"]] },
  "datasets.body": { code: 81, as: ["body"], row: idRow },
  "dataset_rows.body": { code: 82, as: ["body"], row: idRow },
  "experiments.definition": { code: 83, as: ["definition"], row: idRow },
  "experiments.summary": { code: 84, as: ["summary"], row: idRow },
  "experiment_results.scores": { code: 85, as: ["scores"], row: resultRow },
  "experiment_results.body": { code: 86, as: ["body"], row: resultRow },
  "eval_runs.name": { code: 87, as: ["name"], row: [["id"]] },
  "eval_runs.request": { code: 75, as: ["request"], row: [["id"]] },
  "eval_runs.result": { code: 76, as: ["result"], row: [["id"]] },
  "eval_iterations.body": { code: 77, as: ["body"], row: [["eval_key"], ["number"]] },
};

/** The same by number. */
export const columnByCode: ReadonlyMap<number, SealedColumn> = new Map(
  Object.entries(sealedColumns).map(([column, { code }]) => [code, column as SealedColumn]),
);

/** Names that columns with encrypted texts have in results. No other text of a result is encrypted. */
export const sealedNames: ReadonlySet<string> = new Set(Object.values(sealedColumns).flatMap(({ as }) => as));

/** A column that is encrypted as bytes. */
export type SealedBytes = "segments.frames" | "tails.frames" | "encryption_keys.canary";

/** Columns that are encrypted as bytes, with their numbers. `tails.frames` is the journal of live logs on SQLite. */
export const sealedBytes: Readonly<Record<SealedBytes, number>> = {
  "segments.frames": 64,
  "tails.frames": 65,
  "encryption_keys.canary": 66,
};

/** All other columns of all tables. */
export const clearColumns: Readonly<Record<string, Readonly<Record<string, Clear>>>> = {
  answer_deadlines: { run_key: "id", attempt: "state", due_at: "time" },
  approvals: {
    ...{ id: "id", run_key: "id", status: "state", approval_type: "state", pause_type: "state", source_type: "state" },
    ...{ source_name: "name", agent_id: "id", team_id: "id", workflow_id: "id", tool_name: "name" },
    ...{ resolved_by: "access", resolved_at: "time", created_at: "time", updated_at: "time" },
  },
  cached_responses: { digest: "digest", user_id: "access", created_at: "time", expires_at: "time" },
  component_revision: { id: "id", revision: "state" },
  component_versions: {
    ...{ component_id: "id", version: "id", stage: "state", sets_current: "state", created_by: "access" },
    ...{ created_at: "time", updated_at: "time", deleted_at: "time" },
  },
  components: {
    ...{ id: "id", kind: "state", name: "name", current_version: "state", last_version: "state" },
    ...{ created_by: "access", created_at: "time", updated_at: "time", deleted_at: "time" },
  },
  connection_flows: { digest: "digest", provider: "name", user_id: "access", expires_at: "time" },
  connections: {
    ...{ user_id: "access", provider: "name", scopes: "access", expires_at: "time", version: "state" },
    ...{ refreshing_until: "time", created_at: "time", updated_at: "time" },
  },
  dataset_rows: {
    ...{ key: "id", id: "id", dataset_id: "id", run_id: "id", run_user: "access", created_at: "time" },
  },
  datasets: {
    ...{ key: "id", id: "id", owner: "access", user_id: "access", row_count: "count", created_at: "time" },
    updated_at: "time",
  },
  deleted_runs: { run_key: "id", deleted_at: "time" },
  encryption_keys: {
    id: "id",
    origin: "id",
    operator_key: "id",
    wrapped: "wrapped",
    created_at: "time",
    complete: "state",
  },
  experiment_results: {
    ...{ experiment_id: "id", row_id: "id", side: "state", run_id: "id", status: "state", nanos: "count" },
    ...{ milliseconds: "count", created_at: "time" },
  },
  experiments: {
    ...{ key: "id", id: "id", owner: "access", user_id: "access", dataset_id: "id", kind: "state", component_id: "id" },
    ...{ status: "state", last_row: "id", total: "count", finished: "count", created_at: "time", started_at: "time" },
    ended_at: "time",
  },
  knowledge_chunks: {
    ...{ key: "id", content_key: "id", generation: "state", number: "state", tokens: "count", hash: "digest" },
    ...{ embedder: "name", page: "state", start_offset: "count", end_offset: "count" },
  },
  knowledge_citations: { content_key: "id", run_key: "id", chunks: "state", cited_at: "time" },
  knowledge_contents: {
    ...{ key: "id", id: "id", knowledge_id: "id", owner: "access", metadata: "name", type: "state", size: "count" },
    ...{ options: "name", hash: "digest", embedder: "name", status: "state", status_message: "state" },
    ...{ generation: "state", chunk_count: "count", token_count: "count", stored: "count", total: "count" },
    ...{ embedded: "count", next_embedder: "name", next_hash: "digest", access_count: "count" },
    ...{ created_at: "time", updated_at: "time" },
  },
  // Has no rows where the values are encrypted.
  knowledge_terms: { rowid: "id", terms: "digest" },
  knowledge_vectors: { chunk_key: "id", embedding: "digest" },
  eval_iterations: { eval_key: "id", number: "state", created_at: "time" },
  eval_runs: {
    ...{ key: "id", id: "id", user_id: "access", kind: "state", component_id: "id", component_name: "name" },
    ...{ version: "state", type: "state", model: "name", model_provider: "name", status: "state" },
    ...{ total: "count", done: "count", created_at: "time", updated_at: "time" },
  },
  learnings: {
    ...{ learning_id: "id", owner: "access", learning_type: "name", namespace: "name", agent_id: "id", team_id: "id" },
    ...{ session_id: "id", entity_id: "id", entity_type: "name", created_at: "time", updated_at: "time" },
  },
  marks: { run_key: "id", name: "name", created_at: "time" },
  memories: {
    ...{ key: "id", id: "id", user_id: "access", origin: "state", agent_id: "id", team_id: "id", run_id: "id" },
    ...{ session_id: "id", revision: "state", created_at: "time", updated_at: "time" },
  },
  memory_users: { user_id: "access", memories: "count", updated_at: "time" },
  messages: { run_key: "id", position: "state", id: "id", created_at: "time" },
  migrations: { number: "id", name: "name", hash: "digest", applied_at: "time" },
  processes: { id: "id", lease_until: "time", started_at: "time" },
  push_targets: {
    ...{ run_key: "id", id: "id", version: "state", created_at: "time", cursor: "state", marks: "count" },
    ...{ due_at: "time", failures: "count", owner: "id", claims: "count", user_id: "access" },
  },
  jobs: {
    ...{
      key: "id",
      kind: "name",
      id: "id",
      lane: "id",
      share: "access",
      due_at: "time",
      attempt: "count",
      owner: "id",
    },
    ...{ claims: "count", state: "state", created_at: "time" },
  },
  rate_limits: { bucket: "digest", full_at: "time" },
  run_feedback: { run_key: "id", user_id: "access", rating: "state", created_at: "time", updated_at: "time" },
  run_heads: {
    ...{ run_key: "id", root_key: "id", session_key: "id", session_seq: "state", policy: "state", status: "state" },
    ...{ attempt: "state", owner: "id", cancel_requested: "state", first_kept: "state", stalled_takeovers: "count" },
    ...{
      compacted: "state",
      steered: "count",
      log_bytes: "count",
      counted: "state",
      ready: "state",
      user_id: "access",
      background: "state",
    },
    ...{ watched: "state", updated_at: "time" },
  },
  runs: {
    ...{ key: "id", run_id: "id", root_key: "id", parent_key: "id", kind: "state", component_id: "id" },
    ...{ component_name: "name", session_key: "id", session_seq: "state", user_id: "access" },
    ...{ definition_hash: "digest", model: "name", model_provider: "name", tool_call_id: "id", replaced_by: "id" },
    ...{ key_id: "id", created_at: "time", failed_as: "state" },
  },
  schedule_fires: {
    ...{ id: "id", schedule_id: "id", tick: "time", attempt: "state", status: "state", is_open: "state" },
    ...{ queues: "state", owner: "id", claims: "count", run_id: "id", session_id: "id", cancel_requested: "state" },
    ...{ due_at: "time", triggered_at: "time", completed_at: "time", created_at: "time" },
  },
  schedules: {
    ...{ id: "id", owner: "access", name: "name", method: "state", endpoint: "name", cron_expr: "time" },
    ...{ timezone: "time", timeout_seconds: "time", max_retries: "count", retry_delay_seconds: "time", run_at: "time" },
    ...{ ends_at: "time", max_fires: "count", overlap: "state", catch_up: "state", jitter_seconds: "time" },
    ...{ pause_after: "count", enabled: "state", disabled_reason: "state", next_run_at: "time", fires: "count" },
    ...{ failures: "count", records: "count", platform: "id", standing_grant: "access" },
    ...{ created_at: "time", updated_at: "time" },
  },
  segments: {
    ...{ run_key: "id", last_index: "state", first_index: "state", attempt: "state", encoding: "state" },
    size: "count",
  },
  service_accounts: {
    ...{ id: "id", name: "name", token_hash: "digest", token_prefix: "id", scopes: "access", created_by: "access" },
    ...{ created_at: "time", expires_at: "time", last_used_at: "time", revoked_at: "time", claims: "access" },
  },
  sessions: {
    ...{ key: "id", owner: "access", session_id: "id", kind: "state", component_id: "id", user_id: "access" },
    ...{ next_seq: "state", created_at: "time", updated_at: "time", usage: "count" },
    ...{ summary_seq: "state", summary_by: "id", summary_version: "count" },
  },
  starts: { digest: "digest", run_id: "id", created_at: "time" },
  tails: { id: "id", parts: "state" },
  traces: {
    ...{ run_key: "id", trace_id: "id", session_key: "id", owner: "access", user_id: "access", kind: "state" },
    ...{ component_id: "id", name: "name", status: "state", started_at: "time", ended_at: "time" },
    ...{ span_count: "count", error_count: "count", input_tokens: "count", output_tokens: "count" },
  },
  usage_counters: {
    ...{ period: "time", scope: "state", key: "access", tokens: "count", nanos: "count" },
    ...{ model_requests: "count", tool_calls: "count" },
  },
  usage_day_members: { owner: "digest", day: "time", role: "state", member: "digest" },
  usage_day_models: {
    ...{ owner: "digest", day: "time", model: "name", provider: "name", runs: "count", requests: "count" },
    ...{ input_tokens: "count", output_tokens: "count", reasoning_tokens: "count", cache_read_tokens: "count" },
    ...{ cache_write_tokens: "count", nanos: "count" },
  },
  usage_days: {
    ...{ owner: "digest", day: "time", agent_runs: "count", team_runs: "count", workflow_runs: "count" },
    ...{ agent_sessions: "count", team_sessions: "count", workflow_sessions: "count", users: "count" },
    ...{ created_at: "time", updated_at: "time" },
  },
  usage_pending: {
    ...{ key: "id", started_at: "time", kind: "state", session_key: "id", owner: "access", user_id: "access" },
    usage: "count",
  },
  webhook_deliveries: {
    ...{ key: "id", id: "id", hook_id: "id", event: "state", run_key: "id", event_index: "state", schedule_id: "id" },
    ...{ fire_id: "id", share: "access", state: "state", attempts: "count", status_code: "state", error: "state" },
    ...{ created_at: "time", updated_at: "time" },
  },
};
