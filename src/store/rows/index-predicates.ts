/**
 * Predicates of the partial indexes that queries depend on. A database uses a partial index only if it can prove that the query's condition implies
 * the predicate. SQLite proves that only term by term: a parameter in place of a literal, or other values in a list, and it scans the table. So the
 * queries take the predicate from here, and a test compares it with the migrations.
 */
import { type RawBuilder, type SqlBool, sql } from "kysely";

/** The indexes. */
export type PartialIndex =
  | "heads_unfinished"
  | "heads_ready"
  | "heads_queued"
  | "heads_running"
  | "heads_begun"
  | "heads_cancels"
  | "heads_uncompacted"
  | "heads_uncounted"
  | "heads_members"
  | "heads_open"
  | "heads_over"
  | "heads_kept"
  | "heads_paused"
  | "sessions_common"
  | "schedules_due"
  | "schedule_fires_open"
  | "schedule_fires_waiting"
  | "schedule_fires_running"
  | "schedule_fires_ended"
  | "push_targets_due"
  | "approvals_pending"
  | "jobs_due"
  | "webhook_deliveries_ended"
  | "webhook_deliveries_undelivered";

/** By index: the terms of its predicate. Each begins with its column. */
export const indexPredicates: Readonly<Record<PartialIndex, readonly string[]>> = {
  heads_unfinished: ["status in ('PENDING', 'RUNNING')", "session_seq is not null"],
  heads_ready: ["status = 'PENDING'", "ready = 1", "session_seq is not null"],
  heads_queued: ["status = 'PENDING'", "background = 1", "session_seq is not null"],
  heads_running: ["status = 'RUNNING'", "session_seq is not null"],
  heads_begun: ["status = 'PENDING'", "session_seq is not null", "attempt > 0"],
  heads_cancels: ["status = 'RUNNING'", "cancel_requested = 1"],
  heads_uncompacted: ["status in ('COMPLETED', 'CANCELLED', 'ERROR')", "compacted = 0", "session_seq is not null"],
  heads_uncounted: [
    "status in ('COMPLETED', 'CANCELLED', 'ERROR')",
    "compacted > 0",
    "counted = 0",
    "session_seq is not null",
  ],
  heads_members: ["status in ('PENDING', 'RUNNING', 'PAUSED')", "session_seq is null"],
  heads_open: ["status in ('PENDING', 'RUNNING', 'PAUSED')", "session_seq is not null", "root_key = run_key"],
  heads_over: ["status in ('COMPLETED', 'CANCELLED', 'ERROR')", "session_seq is not null"],
  heads_kept: ["status in ('COMPLETED', 'CANCELLED', 'ERROR')", "compacted = 1", "session_seq is not null"],
  heads_paused: ["status = 'PAUSED'", "session_seq is not null"],
  sessions_common: ["owner = ''", "user_id is not null"],
  schedules_due: ["enabled = 1", "next_run_at is not null"],
  schedule_fires_open: ["is_open = 1"],
  schedule_fires_waiting: ["status = 'waiting'"],
  schedule_fires_running: ["status = 'running'"],
  schedule_fires_ended: ["is_open = 0", "status <> 'paused'"],
  push_targets_due: ["due_at is not null", "owner is null"],
  approvals_pending: ["status = 'pending'"],
  jobs_due: ["owner is null"],
  webhook_deliveries_ended: ["state <> 'pending'"],
  webhook_deliveries_undelivered: ["state <> 'delivered'"],
};

/** The predicate of an index as SQL text, for a table under an alias. */
export function predicateOf(index: PartialIndex, alias?: string): string {
  return indexPredicates[index].map((term) => (alias === undefined ? term : `${alias}.${term}`)).join(" and ");
}

/** The same as a condition of a query. */
export function matchesIndex(index: PartialIndex, alias?: string): RawBuilder<SqlBool> {
  return sql<SqlBool>`${sql.raw(predicateOf(index, alias))}`;
}

/**
 * A column of a joined table, in a form that the database can compare only after it has read `first`, a key of the table that the join begins with.
 * Without statistics the database expects few rows for any comparison, and begins with all rows of the table that has the compared column.
 */
export function comparedAfter(first: string, column: string): RawBuilder<string> {
  return sql<string>`case when ${sql.ref(first)} is null then null else ${sql.ref(column)} end`;
}
