/** Durable work of interfaces: `InterfaceServices.jobs`. */
import { JobRunner, type JobRunnerParts } from "../engine/process/job-runner.ts";
import type { InterfaceJobs, JobOutcome } from "../http/transport/services.ts";
import type { Settings } from "../model/settings.ts";
import type { ClaimedJob } from "../store/contract/jobs.ts";

/** Maximum number of jobs of a name that a process executes concurrently. Most of them wait for events of a run. */
const maxConcurrent = 200;

/** Milliseconds before an attempt that rejected is repeated. */
const retryInterval = 5_000;

/** Makes the service. */
export function interfaceJobs(
  parts: JobRunnerParts & { readonly settings: Pick<Settings, "pushSweepInterval"> },
): InterfaceJobs {
  const { jobs, runtime, settings } = parts;
  return {
    open(name, execute) {
      const kind = `interface:${name}`;
      const attempt = async (job: ClaimedJob, signal: AbortSignal): Promise<JobOutcome | undefined> => {
        const state: unknown = job.state === null ? undefined : JSON.parse(job.state);
        try {
          return await execute({ id: job.id, state }, signal);
        } catch (error) {
          if (signal.aborted) return undefined;
          runtime.log.error({ error, kind, job: job.id }, "A job of an interface failed; trying again.");
          return { kind: "again", delay: retryInterval, state };
        }
      };
      const runner = new JobRunner<JobOutcome>(parts, {
        kind,
        policy: {
          maxConcurrent,
          maxAttempts: Number.POSITIVE_INFINITY,
          retryInterval,
          maxRetryInterval: retryInterval,
          sweepInterval: settings.pushSweepInterval,
        },
        async execute(job, signal) {
          const result = await attempt(job, signal);
          return result && { outcome: "succeeds", result };
        },
        record: (job, { result }) =>
          jobs.finish(
            job,
            result.kind === "done"
              ? { kind: "done" }
              : { kind: "retry", delay: result.delay, state: JSON.stringify(result.state) ?? null },
          ),
      });
      runner.start();
      return {
        async add(id, share) {
          await jobs.add([{ kind, id, share }]);
          runner.wake();
        },
        async makeDue(id) {
          await jobs.makeDue(kind, id);
          runner.wake();
        },
        close: () => runner.close(),
      };
    },
  };
}
