/** All data of one user: its removal, and its export. */
import type { RunStatus } from "../../model/run/run.ts";

/** Kinds of rows that an erasure removes. `results`: what a run has recorded apart from its messages, for example a long result of a tool. */
export type RemovedRow =
  | "runs"
  | "memberRuns"
  | "events"
  | "messages"
  | "results"
  | "summaries"
  | "traces"
  | "approvals"
  | "pushTargets"
  | "idempotencyKeys"
  | "sessions"
  | "schedules"
  | "scheduleRecords"
  | "usageCounters"
  | "usageDays"
  | "rateLimits"
  | "connections"
  | "cachedResponses"
  | "memories"
  | "documents"
  | "learnings"
  | "feedback"
  | "datasets"
  | "datasetRows"
  | "experiments"
  | "evals";

/** Kinds of rows that an erasure keeps, without the user. `pendingUsage`: usage that is not added to its day yet. */
export type AnonymizedRow = "sessions" | "approvals" | "serviceAccounts" | "pendingUsage" | "components";

/** Numbers of rows, by kind. */
export interface ErasedRows {
  readonly removed: Readonly<Partial<Record<RemovedRow, number>>>;
  readonly anonymized: Readonly<Partial<Record<AnonymizedRow, number>>>;
}

/** A root run of a user. */
export interface UserRun {
  readonly key: number;
  readonly status: RunStatus;
}

/** One batch of an erasure. */
export interface ErasedBatch extends ErasedRows {
  /** The root runs of the batch that no longer exist. */
  readonly keys: readonly number[];
}

/** One line of an export. */
export interface ExportedRow {
  /** `session`, `run`, `event` and so on. */
  readonly kind: string;
  /** JSON text of one object. */
  readonly json: string;
}

/**
 * The rows of a user. The user's sessions are those that the user began, and all of the user's namespace under user isolation. The user's runs are
 * the runs of the namespace, the runs that are attributed to the user, and the runs without a user in sessions that the user began.
 *
 * No state is kept: a repeated erasure continues where the last one stopped, and several processes may erase the same user.
 */
export interface UserDataStore {
  /** The user's root runs in pages, each once. A page may be empty. */
  runs(userId: string): AsyncIterable<readonly UserRun[]>;
  /**
   * Removes ended root runs with everything that belongs to them, in one bounded transaction: repeat it for the keys that it did not remove. A session
   * that has no runs afterwards is removed, too, unless another user began it.
   */
  eraseRuns(userId: string, keys: readonly number[]): Promise<ErasedBatch>;
  /** Removes the user's sessions without runs, in batches, and takes the user from those that have runs of other users. */
  eraseSessions(userId: string): AsyncIterable<ErasedRows>;
  /** Removes the user's schedules with their records, evals and experiments, so that they start no more runs. */
  eraseStarters(userId: string): AsyncIterable<ErasedRows>;
  /** Removes the user's other rows in batches: connected accounts, memories, learnings, counters, rate limits and usage by day. Takes the user from rows that others need. */
  eraseOthers(userId: string): AsyncIterable<ErasedRows>;
  /** All data of the user, as one row after another. Memory is bounded by the largest row, and by 1 MiB of events. */
  export(userId: string): AsyncIterable<ExportedRow>;
}
