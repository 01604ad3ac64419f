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
  /** Max runs, sessions, traces, records or keys of the batch. */
  readonly limit: number;
  /** Begins after this place; without one, with the oldest. */
  readonly after?: RetentionPosition | undefined;
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
  /** Counts the same batch and changes nothing. */
  preview(kind: RetainedKind, request: RetentionRequest): Promise<RetentionBatch>;
  /** Returns a few free pages of the database's file to the file system. Returns whether more are to be returned. */
  returnSpace(): Promise<boolean>;
  /** Rewrites the database's file without its free pages, while no other work is done. Undefined if the database does not need it. */
  rewrite?(): Promise<void>;
}
