/** The tables of usage: counters for limits, and sums by day. */
import type { Generated } from "kysely";
import type { ComponentKind } from "../../model/run/run.ts";

/** Usage that several runs share. `period`, `scope` and `key` are its name: see `UsageCounter`. */
export interface UsageCountersTable {
  period: string;
  scope: string;
  key: string;
  tokens: number;
  /** Nanodollars. */
  nanos: number;
  model_requests: number;
  tool_calls: number;
}

/** The usage of an ended root run that is not added to its day yet. */
export interface UsagePendingTable {
  key: Generated<number>;
  started_at: number;
  kind: ComponentKind;
  session_key: number;
  /** Namespace of the session. */
  owner: string;
  user_id: string | null;
  /** JSON text: a list of `LoggedUsage`. */
  usage: string;
}

/** Counts of a UTC day. The owner is empty for the counts of all runs, and otherwise the digest of the namespace of the runs' sessions. */
export interface UsageDaysTable {
  owner: string;
  day: string;
  agent_runs: number;
  team_runs: number;
  workflow_runs: number;
  agent_sessions: number;
  team_sessions: number;
  workflow_sessions: number;
  users: number;
  created_at: number;
  updated_at: number;
}

/** Usage of a model on a day. */
export interface UsageDayModelsTable {
  owner: string;
  day: string;
  model: string;
  provider: string;
  runs: number;
  requests: number;
  input_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  cache_read_tokens: number;
  cache_write_tokens: number;
  /** Null if no request has a known price. */
  nanos: number | null;
}

/** A user or a session that a day counts, so that it counts once. */
export interface UsageDayMembersTable {
  owner: string;
  day: string;
  /** `user`, or the kind of a session's runs. */
  role: ComponentKind | "user";
  /** Digest of the user's id, or key of the session. */
  member: string;
}
