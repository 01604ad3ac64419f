/** Ingests documents, and removes the chunks of replaced ones: durable jobs that any process executes. */
import { JobRunner, type JobRunnerParts } from "../../engine/process/job-runner.ts";
import { IngestionRejected, type IngestParts, ingest } from "../../knowledge/ingest.ts";
import type { ClaimedJob } from "../../store/contract/jobs.ts";
import { ingestionJob, sweepJob } from "../../store/contract/knowledge.ts";

/** Documents that a process ingests concurrently: their parsing and their requests to models take memory. */
const maxConcurrent = 4;

/** Attempts before an ingestion fails for good: about ten minutes of retries. */
const maxAttempts = 8;
const retryInterval = 2_000;
const maxRetryInterval = 120_000;
const sweepInterval = 30_000;

/** The runners of a platform's documents. */
export interface Ingester {
  start(): void;
  /** Ingests what may be due. */
  wake(): void;
  close(): Promise<void>;
}

/** The end of an attempt: the text of its failure; undefined for none, or for an attempt that lost its document. */
type Failure = string | undefined;

/** Opens the runners. */
export function openIngester(parts: JobRunnerParts & { readonly ingestion: IngestParts }): Ingester {
  const { jobs, runtime, ingestion } = parts;
  const { store } = ingestion;
  const policy = { maxConcurrent, maxAttempts, retryInterval, maxRetryInterval, sweepInterval };
  const documents = new JobRunner<Failure>(parts, {
    kind: ingestionJob,
    policy,
    async execute(job, signal) {
      try {
        const end = await ingest(ingestion, job, signal);
        // A complete document has no job any more; the job of a lost one is not this process's.
        return end === "completed" ? undefined : { outcome: "succeeds", result: undefined };
      } catch (error) {
        if (signal.aborted) return undefined;
        if (error instanceof IngestionRejected) return { outcome: "failsForGood", result: error.message };
        runtime.log.warn({ error, content: job.id }, "An attempt to ingest a document failed.");
        return { outcome: "fails", result: failureText };
      }
    },
    record: (job, end) =>
      end.kind === "failed"
        ? store.fail(job, Number(job.id), end.result ?? failureText)
        : jobs.finish(job, end.kind === "retry" ? { kind: "retry", delay: end.delay } : { kind: "done" }),
  });
  const sweeps = new JobRunner<undefined>(parts, {
    kind: sweepJob,
    policy,
    async execute(job: ClaimedJob, signal) {
      try {
        while (!signal.aborted)
          if (!(await store.sweep(Number(job.id)))) return { outcome: "succeeds", result: undefined };
        return undefined;
      } catch (error) {
        if (signal.aborted) return undefined;
        runtime.log.warn({ error, content: job.id }, "Cannot remove the chunks of a replaced document; trying again.");
        return { outcome: "fails", result: undefined };
      }
    },
  });
  return {
    start() {
      documents.start();
      sweeps.start();
    },
    wake() {
      documents.wake();
      sweeps.wake();
    },
    async close() {
      await Promise.all([documents.close(), sweeps.close()]);
    },
  };
}

const failureText =
  "The document could not be ingested: its embedding model or the database failed repeatedly. The server's log has the details.";
