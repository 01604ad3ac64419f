/**
 * Records which documents completed runs cite. The flush that completes a run stores a job; the job's rows and its end commit together, so that each run
 * counts once.
 */
import { type Attempt, JobRunner, type JobRunnerParts } from "../../engine/process/job-runner.ts";
import { system } from "../../model/principal.ts";
import type { RunOutput } from "../../model/run/record.ts";
import {
  type CitedContent,
  citationJob,
  type KnowledgeStore,
  type RunCitations,
} from "../../store/contract/knowledge.ts";
import type { Store } from "../../store/contract/store.ts";

/** Parts of the runner. */
export interface CitationParts extends JobRunnerParts {
  readonly store: Pick<Store, "findRun" | "memberRuns">;
  readonly knowledge: Pick<KnowledgeStore, "recordCitations">;
}

const policy = {
  ...{ maxConcurrent: 4, maxAttempts: 20, retryInterval: 2_000, maxRetryInterval: 600_000, sweepInterval: 30_000 },
} as const;

/** Max documents of a run that are recorded. */
const maxContents = 500;

type Result = RunCitations | undefined;

/** Opens the runner of a platform. */
export function openCitations(parts: CitationParts): JobRunner<Result> {
  const { store, knowledge, runtime } = parts;
  const nothing: Attempt<Result> = { outcome: "succeeds", result: undefined };
  return new JobRunner<Result>(parts, {
    kind: citationJob,
    policy,
    async execute({ id }, signal) {
      try {
        const row = await store.findRun(system, id);
        // It was deleted.
        if (!row) return nothing;
        const members = row.kind === "agent" ? [] : await store.memberRuns([row.key]);
        const contents = citedBy([row, ...members].map(({ output }) => output));
        const users = [...new Set([row.owner, row.userId ?? ""])].filter((user) => user !== "");
        return { outcome: "succeeds", result: { runKey: row.key, users, contents } };
      } catch (error) {
        if (signal.aborted) return undefined;
        runtime.log.warn({ error, runId: id }, "Cannot record which documents a run cites; trying again.");
        return { outcome: "fails", result: undefined };
      }
    },
    record: (job, end) =>
      knowledge.recordCitations(
        job,
        end.kind === "retry" ? { kind: "retry", delay: end.delay } : { kind: "done" },
        end.kind === "done" ? end.result : undefined,
      ),
  });
}

/** The documents that outputs cite, each once, with the numbers of their chunks. */
function citedBy(outputs: readonly (string | null)[]): readonly CitedContent[] {
  const found = new Map<string, { knowledgeId: string; contentId: string; chunks: Set<number> }>();
  for (const output of outputs) {
    if (output === null) continue;
    const { citations } = JSON.parse(output) as RunOutput;
    for (const { knowledge_id: knowledgeId, content_id: contentId, chunk } of citations?.documents ?? []) {
      if (knowledgeId === undefined || contentId === undefined) continue;
      const key = JSON.stringify([knowledgeId, contentId]);
      const one = found.get(key) ?? { knowledgeId, contentId, chunks: new Set<number>() };
      if (chunk !== undefined) one.chunks.add(chunk);
      found.set(key, one);
    }
  }
  return [...found.values()]
    .slice(0, maxContents)
    .map(({ chunks, ...one }) => ({ ...one, chunks: [...chunks].sort((a, b) => a - b) }));
}
