/** Ingests documents, and removes the chunks of replaced ones: durable jobs that any process executes. */
import { JobRunner, type JobRunnerParts } from "../../engine/process/job-runner.ts";
import { isUnavailable } from "../../errors.ts";
import type { KnowledgeBase, KnowledgeBases } from "../../knowledge/bases.ts";
import { IngestionRejected, OriginUnavailable } from "../../knowledge/failures.ts";
import { type IngestParts, ingest } from "../../knowledge/ingest.ts";
import { cleanText } from "../../knowledge/parsing/text-builder.ts";
import type { ClaimedJob } from "../../store/contract/jobs.ts";
import { indexJob, ingestionJob, metadataJob, sweepJob } from "../../store/contract/knowledge.ts";

/** Documents that a process ingests concurrently: their parsing and their requests to models take memory. */
const maxConcurrent = 4;

/** Documents of one user, or shared ones, among them: one slot stays free for other users. */
const maxPerShare = 3;

/** Attempts before an ingestion fails for good: about ten minutes of retries. */
const maxAttempts = 8;
const retryInterval = 2_000;
const maxRetryInterval = 120_000;
const sweepInterval = 30_000;

/** Max characters of the reason of a failure. */
const maxReason = 1_000;

/**
 * Attempts that a job of a removed document has, within half a minute: a vector store may receive vectors of the document after their removal, when a process
 * died while it stored them.
 */
const removals = 4;

/** Documents that one query finds for new embeddings. */
const maxOutdated = 500;

/** The runners of a platform's documents. */
export interface Ingester {
  start(): void;
  /** Ingests what may be due. */
  wake(): void;
  close(): Promise<void>;
}

/** The end of an attempt: the text of its failure; undefined for none, or for an attempt that lost its document. */
type Failure = string | undefined;

/** Parts of the runners. */
export interface IngesterParts extends JobRunnerParts {
  readonly bases: KnowledgeBases;
  readonly ingestion: IngestParts;
}

/** Opens the runners. */
export function openIngester(parts: IngesterParts): Ingester {
  const { jobs, runtime, ingestion, bases } = parts;
  const { store } = ingestion;
  const policy = { maxConcurrent, maxAttempts, retryInterval, maxRetryInterval, sweepInterval };
  const documents = new JobRunner<Failure>(parts, {
    kind: ingestionJob,
    policy: { ...policy, maxPerShare },
    async execute(job, signal) {
      try {
        const end = await ingest(ingestion, job, signal);
        // A complete document has no job any more; the job of a lost one is not this process's.
        return end === "completed" ? undefined : { outcome: "succeeds", result: undefined };
      } catch (error) {
        if (signal.aborted) return undefined;
        if (error instanceof IngestionRejected) return { outcome: "failsForGood", result: error.message };
        if (error instanceof OriginUnavailable) return { outcome: "fails", result: error.message };
        runtime.log.warn({ error, content: job.id }, "An attempt to ingest a document failed.");
        return { outcome: "fails", result: failureText };
      }
    },
    record: (job, end) =>
      end.kind === "failed"
        ? // The reason may quote the document.
          store.fail(
            job,
            Number(job.id),
            cleanText(end.result ?? failureText)
              .slice(0, maxReason)
              .toWellFormed(),
          )
        : jobs.finish(job, end.kind === "retry" ? { kind: "retry", delay: end.delay } : { kind: "done" }),
  });
  // Removals and updates are retried until they succeed.
  const untilDone = { ...policy, maxAttempts: Number.POSITIVE_INFINITY };
  const hasVectorStores = [...bases.values()].some(({ definition }) => definition.vectors !== undefined);
  const sweeps = new JobRunner<undefined>(parts, {
    kind: sweepJob,
    policy: untilDone,
    async execute(job: ClaimedJob, signal) {
      try {
        const key = Number(job.id);
        while (!signal.aborted) {
          if (await store.sweep(key)) continue;
          const isAgain = hasVectorStores && job.attempt + 1 < removals && (await store.read(key)) === undefined;
          return { outcome: isAgain ? "fails" : "succeeds", result: undefined };
        }
        return undefined;
      } catch (error) {
        if (signal.aborted) return undefined;
        runtime.log.warn({ error, content: job.id }, "Cannot remove the chunks of a replaced document; trying again.");
        return { outcome: "fails", result: undefined };
      }
    },
  });

  const metadata = new JobRunner<undefined>(parts, {
    kind: metadataJob,
    policy: untilDone,
    async execute(job: ClaimedJob, signal) {
      try {
        await store.refreshMetadata(Number(job.id));
        return { outcome: "succeeds", result: undefined };
      } catch (error) {
        if (signal.aborted) return undefined;
        runtime.log.warn({ error, content: job.id }, "Cannot update the metadata in a vector store; trying again.");
        return { outcome: "fails", result: undefined };
      }
    },
  });

  const indexes = new JobRunner<undefined>(parts, {
    kind: indexJob,
    policy: { ...untilDone, maxConcurrent: 1 },
    async execute(job: ClaimedJob, signal) {
      try {
        const isBuilt = await store.buildIndex(Number(job.id), signal);
        return { outcome: isBuilt ? "succeeds" : "fails", result: undefined };
      } catch (error) {
        if (signal.aborted) return undefined;
        runtime.log.warn({ error, dimensions: job.id }, "Cannot build the index of embeddings; trying again.");
        return { outcome: "fails", result: undefined };
      }
    },
  });

  const runners = [documents, sweeps, metadata, indexes];
  const ending = new AbortController();
  let refreshing: Promise<void> = Promise.resolve();

  /** Ingests documents again whose chunks have embeddings of another model: their vectors cannot be compared with a query's. */
  async function refresh({ id, embedder }: KnowledgeBase): Promise<void> {
    for (let found = maxOutdated; found === maxOutdated; ) {
      const outdated = await whileUnavailable(() => store.outdated(id, embedder.id, maxOutdated));
      for (const content of outdated) await whileUnavailable(() => store.retry(content));
      found = outdated.length;
      if (found === 0) break;
      runtime.log.info({ knowledge: id, documents: found, embedder: embedder.id }, "Documents get new embeddings.");
      documents.wake();
    }
  }

  async function whileUnavailable<Result>(call: () => Promise<Result>): Promise<Result> {
    for (;;) {
      ending.signal.throwIfAborted();
      try {
        return await call();
      } catch (error) {
        if (!isUnavailable(error)) throw error;
        await runtime.clock.sleep(retryInterval, ending.signal);
      }
    }
  }

  async function refreshAll(): Promise<void> {
    try {
      for (const base of bases.values()) await refresh(base);
    } catch (error) {
      if (!ending.signal.aborted)
        runtime.log.error({ error }, "Cannot find documents with embeddings of another model.");
    }
  }

  return {
    start() {
      for (const runner of runners) runner.start();
      refreshing = refreshAll();
    },
    wake() {
      for (const runner of runners) runner.wake();
    },
    async close() {
      ending.abort();
      await Promise.all([...runners.map((runner) => runner.close()), refreshing]);
    },
  };
}

const failureText =
  "The document could not be ingested: its embedding model or the database failed repeatedly. The server's log has the details.";
