/**
 * Executes durable jobs of one kind: claims those that are due, up to a bound, and records how each attempt ended. Another process claims the jobs
 * of a process that died.
 */
import type { Runtime } from "../../model/runtime.ts";
import type { ClaimedJob, JobClaimRequest, JobEnd, JobStore } from "../../store/contract/jobs.ts";
import { DueLoop } from "./due-loop.ts";
import type { Lease } from "./lease.ts";

/** Bound and retries of the jobs of a kind. Times in milliseconds. */
export interface JobPolicy {
  /** Max jobs that one process executes concurrently. */
  readonly maxConcurrent: number;
  /**
   * Max jobs of one share that one process executes concurrently, if several: a free slot is then first given to a share that has none. Default: a quarter of
   * `maxConcurrent`.
   */
  readonly maxPerShare?: number;
  /** Failed attempts after which a job is given up. */
  readonly maxAttempts: number;
  /** Delay after the first failed attempt. It doubles with each further failure, up to `maxRetryInterval`. */
  readonly retryInterval: number;
  readonly maxRetryInterval: number;
  /** Interval at which a process looks for jobs of other processes. */
  readonly sweepInterval: number;
}

/** The end of an attempt, as the runner decides it: `failed` is a job that is given up. */
export type AttemptEnd<Result> =
  | { readonly kind: "done"; readonly result: Result }
  | { readonly kind: "retry"; readonly result: Result; readonly delay: number }
  | { readonly kind: "failed"; readonly result: Result };

/** The outcome of an attempt. `fails`: the job may be tried again; `failsForGood`: it may not. */
export interface Attempt<Result> {
  readonly outcome: "succeeds" | "fails" | "failsForGood";
  readonly result: Result;
}

/** A kind of jobs. */
export interface JobKind<Result> {
  readonly kind: string;
  readonly policy: JobPolicy;
  /** Executes a job. Undefined: this process stops, or another process has claimed the job. Must not reject. */
  readonly execute: (job: ClaimedJob, signal: AbortSignal) => Promise<Attempt<Result> | undefined>;
  /** Records the end of an attempt. Default: it deletes the job, or makes it due again. The runner repeats it until it succeeds. */
  readonly record?: (job: ClaimedJob, end: AttemptEnd<Result>) => Promise<unknown>;
}

/** Dependencies of a runner. */
export interface JobRunnerParts {
  readonly jobs: JobStore;
  readonly runtime: Runtime;
  readonly lease: Pick<Lease, "mayTakeOver">;
  readonly processId: string;
}

/** Minimum pause between two polls, in milliseconds. */
const minPollInterval = 20;

/** A share holds at most this part of the slots, so that slow work of one share leaves slots to others. */
const sharePart = 0.25;

export class JobRunner<Result> {
  readonly #parts: JobRunnerParts;
  readonly #kind: JobKind<Result>;
  readonly #running = new Map<Promise<void>, ClaimedJob>();
  readonly #stop = new AbortController();
  readonly #loop: DueLoop;
  /** Whether a claim failed whose transaction may have been committed: this process may hold jobs that it does not execute. */
  #isClaimUncertain = false;

  constructor(parts: JobRunnerParts, kind: JobKind<Result>) {
    this.#parts = parts;
    this.#kind = kind;
    this.#loop = new DueLoop({ clock: parts.runtime.clock, poll: () => this.#poll(), gap: minPollInterval });
  }

  start(): void {
    this.#loop.start();
  }

  /** Looks for jobs at once, because one may be due. */
  wake(): void {
    this.#loop.wake();
  }

  /** Stops, and leaves unfinished jobs to other processes. */
  async close(): Promise<void> {
    if (!this.#loop.isRunning) return;
    const stopped = this.#loop.stop();
    this.#stop.abort();
    await stopped;
    await Promise.allSettled(this.#running.keys());
    const { jobs, processId, runtime } = this.#parts;
    const { kind } = this.#kind;
    await jobs.release(kind, processId).catch((error: unknown) => {
      runtime.log.warn(
        { error, kind },
        "Cannot release jobs; other processes claim them after this process's lease expires.",
      );
    });
  }

  /** Claims and starts due jobs; returns the milliseconds until the next poll. */
  async #poll(): Promise<number> {
    const { jobs, runtime, lease, processId } = this.#parts;
    const { kind, policy } = this.#kind;
    let pause = policy.sweepInterval;
    try {
      if (this.#isClaimUncertain) {
        // Another poll follows when the last job ends.
        if (this.#running.size > 0) return pause;
        await jobs.release(kind, processId);
        this.#isClaimUncertain = false;
      }
      const limit = policy.maxConcurrent - this.#running.size;
      if (limit <= 0) return pause;
      const request = { kind, owner: processId, limit: Math.min(limit, this.#maxShare), orphans: lease.mayTakeOver };
      for (const job of await this.#claimFairly(request)) this.#begin(job);
      if (this.#running.size >= policy.maxConcurrent) return pause;
      const left = await jobs.untilDue(kind, this.#fullShares());
      pause = Math.min(pause, Math.max(left ?? pause, minPollInterval));
    } catch (error) {
      if (this.#loop.isRunning) runtime.log.warn({ error, kind }, "Cannot claim jobs that are due; trying again.");
    }
    return pause;
  }

  /** With `maxPerShare`, claims one job at a time, and first one of a share that this process executes no job of. */
  async #claimFairly(request: Omit<JobClaimRequest, "full">): Promise<readonly ClaimedJob[]> {
    if (this.#kind.policy.maxPerShare === undefined) return await this.#claim({ ...request, full: this.#fullShares() });
    const one = { ...request, limit: 1 };
    const others = await this.#claim({ ...one, full: this.#sharesWith(1) });
    if (others.length > 0 || this.#running.size === 0) return others;
    return await this.#claim({ ...one, full: this.#fullShares() });
  }

  async #claim(request: Parameters<JobStore["claim"]>[0]): Promise<readonly ClaimedJob[]> {
    try {
      return await this.#parts.jobs.claim(request);
    } catch (error) {
      this.#isClaimUncertain = true;
      throw error;
    }
  }

  get #maxShare(): number {
    const { maxPerShare } = this.#kind.policy;
    return maxPerShare ?? Math.max(1, Math.ceil(this.#kind.policy.maxConcurrent * sharePart));
  }

  /** Shares that hold as many slots as one share may. */
  #fullShares(): readonly string[] {
    return this.#sharesWith(this.#maxShare);
  }

  /** Shares that hold this many slots or more. */
  #sharesWith(slots: number): readonly string[] {
    const counts = new Map<string, number>();
    for (const { share } of this.#running.values()) counts.set(share, (counts.get(share) ?? 0) + 1);
    return [...counts].filter(([, count]) => count >= slots).map(([share]) => share);
  }

  #begin(job: ClaimedJob): void {
    const over = this.#run(job).finally(() => {
      this.#running.delete(over);
      this.#loop.wake();
    });
    this.#running.set(over, job);
  }

  async #run(job: ClaimedJob): Promise<void> {
    const attempt = await this.#kind.execute(job, this.#stop.signal);
    if (!attempt) return;
    const end = this.#endOf(job, attempt);
    const { jobs, runtime } = this.#parts;
    const { kind, record } = this.#kind;
    while (!this.#stop.signal.aborted) {
      try {
        await (record ? record(job, end) : jobs.finish(job, toJobEnd(end)));
        return;
      } catch (error) {
        runtime.log.warn({ error, kind, job: job.id }, "Cannot record the end of a job's attempt; trying again.");
        await runtime.clock.sleep(1_000, this.#stop.signal);
      }
    }
  }

  #endOf(job: ClaimedJob, { outcome, result }: Attempt<Result>): AttemptEnd<Result> {
    const { maxAttempts } = this.#kind.policy;
    if (outcome === "succeeds") return { kind: "done", result };
    if (outcome === "failsForGood" || job.attempt + 1 >= maxAttempts) return { kind: "failed", result };
    return { kind: "retry", result, delay: this.#delayAfter(job.attempt + 1) };
  }

  /** Exponential back-off with jitter, so that jobs are not all repeated at the same moment. */
  #delayAfter(failures: number): number {
    const { retryInterval, maxRetryInterval } = this.#kind.policy;
    const delay = Math.min(retryInterval * 2 ** (failures - 1), maxRetryInterval);
    return delay * (0.75 + 0.25 * this.#parts.runtime.randomness.fraction());
  }
}

/**
 * Executes work of a job whose end is far away. Its signal aborts when this process stops, and when this process holds the job no more, because it was cancelled,
 * deleted, or claimed by another one. `interval`: milliseconds between two looks.
 */
export async function whileClaimed<Result>(
  { jobs, runtime }: Pick<JobRunnerParts, "jobs" | "runtime">,
  job: ClaimedJob,
  { stopped, interval }: { readonly stopped: AbortSignal; readonly interval: number },
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const lost = new AbortController();
  const signal = AbortSignal.any([stopped, lost.signal]);
  const watch = async (): Promise<void> => {
    while (!signal.aborted) {
      await runtime.clock.sleep(interval, signal);
      // An error of the database shows elsewhere.
      const isValid = signal.aborted || (await jobs.isClaimValid(job).catch(() => true));
      if (!isValid) lost.abort();
    }
  };
  const watching = watch();
  try {
    return await work(signal);
  } finally {
    lost.abort();
    await watching;
  }
}

/** A job that is given up is deleted, too: a kind that keeps a record of failures does so in `record`. */
function toJobEnd(end: AttemptEnd<unknown>): JobEnd {
  return end.kind === "retry" ? { kind: "retry", delay: end.delay } : { kind: "done" };
}
