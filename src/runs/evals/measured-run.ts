/** One run of a measured component: started once, whichever process asks for it, and awaited. */
import { createHash } from "node:crypto";
import type { AccessControl } from "../../auth/access-control.ts";
import { RunFailure } from "../../engine/loops/contract.ts";
import { TroupeError } from "../../errors.ts";
import type { LogItem } from "../../events/run-logs.ts";
import type { EvaluatedCall } from "../../model/eval.ts";
import type { Principal } from "../../model/principal.ts";
import type { RunOutput, ToolExecution } from "../../model/run/record.ts";
import type { ComponentKind, RunStatus } from "../../model/run/run.ts";
import type { StandingGrant } from "../../model/schedule/schedule.ts";
import type { ClaimedJob, JobStore } from "../../store/contract/jobs.ts";
import type { RunRef, Store } from "../../store/contract/store.ts";
import type { RunName } from "../find.ts";
import type { AcceptedRun, GivenStart } from "../start.ts";

type EndOfLog = Exclude<LogItem, { readonly kind: "frames" | "gap" }>;

/** Dependencies of measured runs. */
export interface MeasuredRunParts {
  /** Calls of the service layer. */
  readonly runs: {
    start(caller: Principal, given: GivenStart): Promise<AcceptedRun>;
    waitForEnd(run: Pick<RunRef, "key">, signal: AbortSignal): Promise<EndOfLog | undefined>;
    cancel(caller: Principal, name: RunName): Promise<unknown>;
  };
  readonly store: Pick<Store, "findRun" | "memberRuns">;
  readonly jobs: JobStore;
  readonly gate: Pick<AccessControl, "actingFor">;
}

/** A run to measure. */
export interface MeasuredRun extends Pick<GivenStart, "kind" | "componentId" | "message" | "options" | "version"> {
  readonly caller: Principal;
  /** The caller's permission to start runs. */
  readonly grant: StandingGrant;
  /** The job to which the run belongs. */
  readonly job: ClaimedJob;
  /** See `runIdOf`. */
  readonly runId: string;
}

/** The end of a measured run. */
export interface RunMeasurement {
  readonly runId: string;
  readonly sessionId?: string | undefined;
  readonly status: RunStatus;
  /** Set if the run has no answer. */
  readonly error: string | undefined;
  /** The answer; JSON text for an object. */
  readonly output: string;
  /** Tool calls of the run and of its members. */
  readonly calls: readonly EvaluatedCall[];
  /** Seconds; undefined for a run that has not completed. */
  readonly duration: number | undefined;
  /** US dollars; undefined if it is unknown. */
  readonly cost: number | undefined;
  readonly inputTokens: number;
  readonly outputTokens: number;
}

/** The run cannot start now. A later attempt may succeed. */
export class RunNotAccepted extends Error {
  override readonly name = "RunNotAccepted";
}

/** The caller may not start runs any more, for example because its service account was revoked. */
export class GrantWithdrawn extends Error {
  override readonly name = "GrantWithdrawn";
}

/** Retries of a job whose runs cannot start: about ten minutes. */
export const startRetries = { maxAttempts: 16, retryInterval: 500, maxRetryInterval: 60_000 } as const;

/** The id of a run that is derived from what it measures, so that it starts once: a UUID of version 8 (RFC 9562 section 5.8). */
export function runIdOf(...names: readonly (string | number)[]): string {
  const bytes = createHash("sha256").update(JSON.stringify(names)).digest().subarray(0, 16);
  bytes.writeUInt8((bytes.readUInt8(6) & 0x0f) | 0x80, 6);
  bytes.writeUInt8((bytes.readUInt8(8) & 0x3f) | 0x80, 8);
  const hex = bytes.toString("hex");
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join("-");
}

/**
 * Starts the run, or finds it if it was started before, and waits for its end. A run that pauses is cancelled, because it gets no answer. An abort
 * leaves the run as it is.
 * @returns undefined if the signal aborts, this process stops, or the job was deleted or claimed by another process
 * @throws RunNotAccepted, GrantWithdrawn, TroupeError if the run is rejected
 */
export async function measureRun(
  parts: MeasuredRunParts,
  { caller, grant, job, runId, ...start }: MeasuredRun,
  signal: AbortSignal,
): Promise<RunMeasurement | undefined> {
  const { runs, store } = parts;
  await checkGrant(parts, grant);
  // The erasure of a user deletes the job, and afterwards no run of the user starts.
  if (!(await parts.jobs.isClaimValid(job))) return undefined;
  const options = { ...start.options, isMeasured: true as const };
  const run = await accepted(() => runs.start(caller, { ...start, options, runId }));
  const end = await runs.waitForEnd(run, signal);
  if (signal.aborted || end === undefined || end.kind === "interrupted") return undefined;
  if (end.kind === "unreadable") return failed(run, "ERROR", "The run's log cannot be read.");
  const row = end.kind === "deleted" ? undefined : await store.findRun(caller, runId);
  if (!row) return failed(run, "CANCELLED", "The run was deleted.");
  if (row.status === "PAUSED")
    await runs.cancel(caller, { kind: start.kind, componentId: start.componentId, runId, sessionId: row.sessionId });
  const output: RunOutput | null = row.output === null ? null : (JSON.parse(row.output) as RunOutput);
  const members = await store.memberRuns([run.key]);
  const calls = [output, ...members.map((one) => (one.output === null ? null : (JSON.parse(one.output) as RunOutput)))];
  const { duration, cost, input_tokens = 0, output_tokens = 0 } = output?.metrics ?? {};
  return {
    ...{ runId, sessionId: row.sessionId, status: row.status, error: errorOf(start.kind, row.status, output) },
    output: textOf(output?.content),
    calls: calls.flatMap(callsOf).map(({ tool_name, tool_args }) => ({ name: tool_name, arguments: tool_args })),
    ...{ duration, cost, inputTokens: input_tokens, outputTokens: output_tokens },
  };
}

/** The tool calls of a run. Those of a paused run that wait are in its pause. */
function callsOf(output: RunOutput | null): readonly Pick<ToolExecution, "tool_name" | "tool_args">[] {
  const waiting = output?.pause?.requirements?.map((one) => one.tool_execution) ?? [];
  const made = output?.tools ?? [];
  const known = new Set(made.map((one) => one.tool_call_id));
  return [...made, ...waiting.filter((one) => !known.has(one.tool_call_id))];
}

/** @throws GrantWithdrawn, RunNotAccepted if the grant cannot be checked now */
async function checkGrant({ gate }: Pick<MeasuredRunParts, "gate">, grant: StandingGrant): Promise<void> {
  try {
    await gate.actingFor(grant);
  } catch (error) {
    if (!(error instanceof TroupeError)) throw error;
    if (error.code === "forbidden")
      throw new GrantWithdrawn(`The caller may not start runs any more. ${error.message}`);
    throw new RunNotAccepted(error.message, { cause: error });
  }
}

async function accepted<Result>(start: () => Promise<Result>): Promise<Result> {
  try {
    return await start();
  } catch (error) {
    const isBusy = error instanceof TroupeError && (error.code === "unavailable" || error.code === "tooManyRequests");
    throw isBusy ? new RunNotAccepted(error.message, { cause: error }) : error;
  }
}

function errorOf(kind: ComponentKind, status: RunStatus, output: RunOutput | null): string | undefined {
  if (status === "COMPLETED") return undefined;
  if (status === "PAUSED") return `The run of the ${kind} paused, and a measured run gets no answers.`;
  if (status === "CANCELLED") return "The run was cancelled.";
  return output?.error?.message ?? "The run failed.";
}

function failed({ runId, sessionId }: AcceptedRun, status: RunStatus, error: string): RunMeasurement {
  const nothing = { calls: [], duration: undefined, cost: undefined, inputTokens: 0, outputTokens: 0 };
  return { runId, sessionId, status, error, output: "", ...nothing };
}

function textOf(content: unknown): string {
  if (content === undefined) return "";
  return typeof content === "string" ? content : JSON.stringify(content);
}

/** The text of a failure that a caller may see; undefined for an error of the server. */
export function shownFailure(error: unknown): string | undefined {
  if (error instanceof RunFailure) return error.message;
  return error instanceof TroupeError && error.code !== "internal" ? error.message : undefined;
}
