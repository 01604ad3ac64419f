/** Removes old data in small batches. */
import type { RetainedKind } from "../../model/retention.ts";

/** A place in the order of removal: oldest first. */
export interface RetentionPosition {
  readonly at: number;
  readonly key: number | string;
}

/** One batch. */
export interface RetentionRequest {
  /** Milliseconds, by the database's clock, for which this kind of data is kept. */
  readonly age: number;
  /** Only data up to and with this place. Default: all data of that age. */
  readonly until?: RetentionPosition | undefined;
  /** Max runs, sessions, traces, records or keys of the batch. */
  readonly limit: number;
  /** Begins after this place; without one, with the oldest. */
  readonly after?: RetentionPosition | undefined;
}

/** A bound of the stored events of ended runs. */
export interface BoundaryRequest {
  /** Max bytes of events, as they are stored. */
  readonly maxBytes: number;
  /** Called for each page of the walk, to run it when the database is idle. Default: at once. */
  readonly inTurn?: (<T>(page: () => Promise<T>) => Promise<T>) | undefined;
  /** Whether sizes that are not known yet are computed and not stored. Default false. */
  readonly isPreview?: boolean | undefined;
}

/** The rows that a batch has removed, or would remove. */
export interface RetentionBatch {
  /** Runs, sessions, traces, records or keys. */
  readonly items: number;
  /** Events of these runs. */
  readonly events: number;
  /** Uncompressed bytes of these events. */
  readonly bytes: number;
  /** Where the next batch begins; undefined when this batch reached the end of the due data. */
  readonly next: RetentionPosition | undefined;
}

/**
 * Removal of old data. No state is kept: an index finds what is due. Batches of several processes take different rows, because a batch skips rows
 * that another one has locked. Data of unfinished runs is never due, nor are events that a push notification waits for.
 */
export interface RetentionStore {
  /** Removes one batch in one short transaction. */
  remove(kind: RetainedKind, request: RetentionRequest): Promise<RetentionBatch>;
  /** Removes up to `limit` stored answers that have expired, in one short transaction. Returns their number. */
  removeExpired(limit: number): Promise<number>;
  /**
   * Removes the versions of up to `limit` components that were deleted longer ago than `age` milliseconds, in one short transaction. Keeps them while an
   * unfinished run may need them: a run that was created before the deletion. Returns the number of versions.
   */
  removeVersions(request: Pick<RetentionRequest, "age" | "limit">): Promise<number>;
  /**
   * Finds the place until which the oldest events exceed a bound: the newest ended runs whose stored events fit into `maxBytes` together come after it.
   * Undefined if all fit. Places are equal in all processes, so several processes that remove until them remove no more than one.
   */
  boundary(request: BoundaryRequest): Promise<RetentionPosition | undefined>;
  /** Counts the same batch and changes nothing. */
  preview(kind: RetainedKind, request: RetentionRequest): Promise<RetentionBatch>;
  /** The time of the database's clock, in milliseconds. */
  now(): Promise<number>;
  /** Returns a few free pages of the database's file to the file system. Returns whether more are to be returned. */
  returnSpace(): Promise<boolean>;
  /** Rewrites the database's file without its free pages, while no other work is done. Undefined if the database does not need it. */
  rewrite?(): Promise<void>;
}
