/**
 * Durable jobs: work that any process does once, in the background. A job is a row; it is deleted when it is done. A process claims jobs that are due,
 * and another one claims them again after its lease has expired. So a job may execute more than once: its effect commits with its completion, or
 * is idempotent by the job's id.
 */

/** A job to be added. */
export interface NewJob {
  readonly kind: string;
  /** Unique within the kind: adding a job that is not done yet changes nothing. */
  readonly id: string;
  /** Jobs of one kind and lane execute one at a time, in the order in which they were added. Default: a lane of its own. */
  readonly lane?: string | undefined;
  /** The share of a process's slots that it uses. Default: one share for all such jobs of the kind. */
  readonly share?: string | undefined;
  /** Milliseconds until it is due. Default 0. */
  readonly delay?: number | undefined;
}

/** A job that a process has claimed. */
export interface ClaimedJob {
  readonly key: number;
  readonly kind: string;
  readonly id: string;
  readonly lane: string;
  readonly share: string;
  /** Failed attempts so far. */
  readonly attempt: number;
  /** JSON text of its progress; null at first. */
  readonly state: string | null;
  /** Fencing token: number of claims of the job so far. */
  readonly claim: number;
}

/** Limits and filters of `claim`. */
export interface JobClaimRequest {
  readonly kind: string;
  readonly owner: string;
  readonly limit: number;
  /** Whether to also claim jobs of dead processes. */
  readonly orphans: boolean;
  /** Shares that have no free slot in this process. */
  readonly full: readonly string[];
}

/** The end of an attempt. */
export type JobEnd =
  /** The job is deleted: its work is done, or failed for good. */
  | { readonly kind: "done" }
  /** It is due again after `delay` milliseconds, and so are the later jobs of its lane. */
  | { readonly kind: "retry"; readonly delay: number; readonly state?: string | null | undefined };

/** The jobs of a database. Times are the database's. */
export interface JobStore {
  add(jobs: readonly NewJob[]): Promise<void>;
  /** Claims the jobs that have been due longest. */
  claim(request: JobClaimRequest): Promise<readonly ClaimedJob[]>;
  /** Whether no other process has claimed the job since. */
  isClaimValid(job: ClaimedJob): Promise<boolean>;
  /** Ends an attempt. Returns false when another claim holds the job, or it is gone. */
  finish(job: ClaimedJob, end: JobEnd): Promise<boolean>;
  /** Makes a job due now that waits for its delay; does nothing if a process holds it. */
  makeDue(kind: string, id: string): Promise<void>;
  /** Releases all jobs of a kind that a process holds. */
  release(kind: string, owner: string): Promise<void>;
  /** Milliseconds until the next job is due whose share has a free slot; null for none. Never negative. */
  untilDue(kind: string, full: readonly string[]): Promise<number | null>;
}
