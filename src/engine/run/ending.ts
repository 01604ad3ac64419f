/** The one terminal event of a root run, written in the flush that ends it. */
import type { Component } from "../../define/platform.ts";
import { DamagedValue } from "../../errors.ts";
import type { CommitOutcome, Ending } from "../../events/run-writer.ts";
import { failureFields, inputRefusedType, outputRefusedType } from "../../model/run/failure.ts";
import type { Pause, RunOptions, RunOutput } from "../../model/run/record.ts";
import { cancelText, type RunStatus } from "../../model/run/run.ts";
import { type PauseMark, pauseName, rejectedType } from "../../model/run/run-marks.ts";
import type { Runtime } from "../../model/runtime.ts";
import { type RunWebhook, runDeliveries } from "../../model/webhook.ts";
import type { ClaimedRun } from "../../store/contract/store.ts";
import { citationJobs } from "../knowledge/jobs.ts";
import { completedFields, describeFailure, pausedFields } from "../loops/completed.ts";
import { RunFailure, RunStopped, type StopReason } from "../loops/contract.ts";
import { partialOutputOf } from "../loops/partial-output.ts";
import { memoryJobs } from "../memory/jobs.ts";
import type { EngineParts } from "../parts.ts";
import { approvalsFor } from "../pause/approvals.ts";
import { overdueAt } from "../pause/step-answers.ts";
import { EventForm } from "./event-form.ts";
import type { RootRun } from "./root-run.ts";
import { runOutputEvent } from "./run-output.ts";
import type { Scope } from "./run-scope.ts";

/** The state after an execution. */
export interface ExecutionResult {
  /** Whether another run of the session waits, and its turn may have come. */
  readonly sessionWaits: boolean;
  /** Undefined if this process has not ended or paused the run. */
  readonly status?: RunStatus | undefined;
  /** For a pause: the earliest deadline of its questions, in milliseconds of the wall clock. */
  readonly answerBy?: number | undefined;
}

/**
 * Ends the run with its answer, or as CANCELLED if a cancellation was committed before. Undefined: a caller has put a message into the run, and the
 * run goes on.
 */
export async function complete(root: RootRun, scope: Scope, output: RunOutput): Promise<ExecutionResult | undefined> {
  await root.waitForRoom();
  root.check();
  const rest = finalValues(root, scope, output);
  const fault = root.sizeFailure(rest.output);
  if (fault) return await fail(root, scope, fault);
  const event = scope.event("RunCompleted", completedFields(output, scope.isContinued));
  const { isMeasured } = scope.options;
  const remembered = isMeasured ? undefined : memoryJobs(scope.component, scope.context, root.runId);
  const cited = isMeasured ? undefined : citationJobs(scope.component, output, root.runId);
  const jobs = remembered || cited ? [...(remembered ?? []), ...(cited ?? [])] : undefined;
  const outcome = await root.end({ to: "COMPLETED", event, ...rest, jobs });
  if (outcome.kind === "committed") {
    if (remembered) root.parts.memories.wake();
    if (cited) root.parts.wakeCitations();
  }
  if (outcome.kind === "state" && outcome.isSteered && !outcome.cancelRequested) return undefined;
  if (outcome.kind === "failed") {
    return await fail(
      root,
      scope,
      new RunFailure("storage_error", "The run's answer could not be stored.", outcome.error),
    );
  }
  return await resultAfter(root, scope, outcome, "COMPLETED");
}

/** Ends the run according to its stop reason or error; writes nothing when this process no longer owns the run. */
export async function fail(root: RootRun, scope: Scope, error: unknown): Promise<ExecutionResult> {
  const reason = stopReason(root, error);
  if (reason?.kind === "lost") return { sessionWaits: false };
  if (reason?.kind === "cancelled") return await cancelled(root, scope);
  const { randomness, log } = scope.runtime;
  const failure = describeFailure(reason ? failureOfStop(reason) : error, randomness.uuid());
  const ids = { runId: root.runId, errorId: failure.id };
  if (isRefused(failure)) log.warn({ ...ids, ...failure.details }, `The run was refused: ${failure.message}`);
  else log.warn({ error, ...ids }, `The run failed: ${failure.message}`);
  const minimal = { content: failure.message, contentType: "str", error: failure };
  const partialOutput = partialOutputOf(scope);
  const partial = scope.text === "" ? undefined : (partialOutput.content ?? scope.text);
  const textField = scope.component.kind === "workflow" ? "error" : "content";
  const event = scope.event("RunError", { [textField]: failure.message, ...failureFields(failure) });
  const end = (output: RunOutput): Promise<CommitOutcome> => {
    root.endMembersWithUsage("ERROR");
    return root.end({ to: "ERROR", event, ...finalValues(root, scope, output) });
  };
  if (failure.type === rejectedType) {
    root.addMark({ runKey: root.writer.key, name: rejectedType, createdAt: scope.runtime.clock.now(), body: "true" });
  }
  const full = { ...partialOutput, ...minimal, ...(partial !== undefined && { partial }) };
  let outcome = await end(root.isTooLarge(full) ? minimal : full);
  // The output itself may be the value that cannot be stored.
  if (outcome.kind === "failed") outcome = await end(minimal);
  if (outcome.kind === "failed") failLog(scope.runtime, root, outcome.error);
  return await resultAfter(root, scope, outcome, "ERROR");
}

/** Leaves the run paused until a caller answers its questions or cancels it. */
export async function pause(root: RootRun, scope: Scope, waitsFor: Pause): Promise<ExecutionResult> {
  const output: RunOutput = { contentType: "str", ...partialOutputOf(scope), pause: waitsFor };
  const rest = finalValues(root, scope, output);
  const fault = root.sizeFailure(rest.output);
  if (fault) return await fail(root, scope, fault);
  const event = scope.event("RunPaused", pausedFields(output, waitsFor));
  const approvals = approvalsFor(scope, waitsFor);
  const after = runOutputEvent(root, scope, output, waitsFor);
  const answerBy = overdueAt(waitsFor);
  const ending = { to: "PAUSED", event, after, ...rest, approvals, answerBy } as const;
  markPause(root, waitsFor, ending.at);
  const outcome = await root.end(ending);
  if (outcome.kind === "failed")
    return await fail(root, scope, new RunFailure("storage_error", "The pause could not be stored.", outcome.error));
  return { ...(await resultAfter(root, scope, outcome, "PAUSED")), answerBy };
}

/** Records the pause's event index, its time in milliseconds, and whether it waits for an approval or an answer. */
function markPause(root: RootRun, { approvals = [] }: Pause, at: number): void {
  const { key, attempt, nextIndex } = root.writer;
  const body: PauseMark = { index: nextIndex };
  const name = pauseName(attempt, approvals.some(({ type }) => type === "required") ? "approval" : "answer");
  root.addMark({ runKey: key, name, createdAt: at, body: JSON.stringify(body) });
}

async function cancelled(root: RootRun, scope: Scope): Promise<ExecutionResult> {
  const reason = cancelText(root.runId);
  const content = scope.text === "" ? undefined : scope.text;
  const event = scope.event("RunCancelled", { content, reason });
  const end = (output: RunOutput): Promise<CommitOutcome> => {
    root.endMembersWithUsage("CANCELLED");
    return root.end({ to: "CANCELLED", event, ...finalValues(root, scope, output) });
  };
  const answer = { content: content ?? reason, contentType: "str" };
  let outcome = await end({ ...partialOutputOf(scope), ...answer });
  if (outcome.kind === "failed") outcome = await end({ content: reason, contentType: "str" });
  if (outcome.kind === "failed") failLog(scope.runtime, root, outcome.error);
  return resultOf(outcome, "CANCELLED");
}

/**
 * Ends a run that could not be opened, using only its head; otherwise it would stay RUNNING until this process ends. If the head cannot be
 * read either, another process recovers the run later.
 */
export async function endUnopened(parts: EngineParts, claimed: ClaimedRun, thrown: unknown): Promise<ExecutionResult> {
  const { store, journal, runtime } = parts;
  // Opening parses stored texts, and the message of a SyntaxError quotes the text.
  const error = thrown instanceof SyntaxError ? new DamagedValue() : thrown;
  const failure = describeFailure(error, runtime.randomness.uuid());
  runtime.log.error({ error, runId: claimed.runId, errorId: failure.id }, "A run could not be executed.");
  try {
    const head = await store.head(claimed.key);
    if (head?.attempt !== claimed.attempt || head.status !== "RUNNING") return { sessionWaits: false };
    const component = { kind: claimed.kind, id: claimed.componentId, name: claimed.componentId } as Component;
    const form = new EventForm(runtime.clock, { ...claimed, component, parentRunId: undefined });
    const fields = { content: failure.message, ...failureFields(failure) };
    const ended = head.cancelRequested
      ? { to: "CANCELLED" as const, event: form.make("RunCancelled", { reason: cancelText(claimed.runId) }) }
      : { to: "ERROR" as const, event: form.make("RunError", fields) };
    const output = JSON.stringify({ content: failure.message, contentType: "str", error: failure });
    const writer = journal.open({ ...claimed, nextIndex: head.nextIndex, firstKept: head.firstKept });
    const moved = { to: ended.to, eventIndex: writer.nextIndex };
    const deliveries = runDeliveries(parts.webhooks?.platform ?? [], webhooksIn(claimed), claimed, moved);
    const ending = { ...ended, output, at: runtime.clock.now(), endsApprovals: true, deliveries };
    const outcome = await writer.commit({}, ending);
    if (deliveries && outcome.kind === "committed") parts.webhooks?.wake();
    if (outcome.kind === "failed") journal.failLog(writer);
    return resultOf(outcome, ended.to);
  } catch (reason) {
    runtime.log.error(
      { error: reason, runId: claimed.runId },
      "A run's end could not be stored; another process takes over the run.",
    );
    return { sessionWaits: false };
  }
}

/** The run's own webhooks, if its options can be read. */
function webhooksIn({ options }: ClaimedRun): readonly RunWebhook[] {
  if (!options.includes('"webhooks"')) return [];
  try {
    return (JSON.parse(options) as RunOptions).webhooks ?? [];
  } catch {
    return [];
  }
}

/** Handles a run whose end cannot be stored: its readers get an error instead of the end. */
function failLog({ log }: Pick<Runtime, "log">, { parts, runId, writer }: RootRun, error: Error): void {
  log.error(
    { error, runId },
    "The end of a run could not be stored; the run is taken over when this process has ended.",
  );
  parts.journal.failLog(writer);
}

/** A cancellation that was committed first wins; a run that another process owns is not changed. */
async function resultAfter(
  root: RootRun,
  scope: Scope,
  outcome: CommitOutcome,
  status: RunStatus,
): Promise<ExecutionResult> {
  if (outcome.kind === "state" && outcome.cancelRequested) return await cancelled(root, scope);
  return resultOf(outcome, status);
}

function resultOf(outcome: CommitOutcome, status: RunStatus): ExecutionResult {
  return outcome.kind === "committed" ? { sessionWaits: outcome.waiting, status } : { sessionWaits: false };
}

function stopReason(root: RootRun, error: unknown): StopReason | undefined {
  if (root.signal.reason instanceof RunStopped) return root.signal.reason.reason;
  return error instanceof RunStopped ? error.reason : undefined;
}

function failureOfStop(reason: Exclude<StopReason, { readonly kind: "lost" | "cancelled" }>): RunFailure {
  if (reason.kind === "failed") return reason.failure;
  const { milliseconds } = reason;
  return new RunFailure("run_timeout", `The run took longer than ${milliseconds / 1000} s and was stopped.`);
}

/** Returns the values that the run's last flush stores. */
function finalValues(
  root: RootRun,
  scope: Scope,
  { executorRuns: _, ...given }: RunOutput,
): Omit<Ending, "to" | "event" | "after"> & { readonly output: string } {
  const metrics = given.metrics ?? root.requestMetrics;
  const output = { ...given, ...(metrics && { metrics }) };
  return {
    output: JSON.stringify(scope.withAnswered(output)),
    at: scope.runtime.clock.now(),
    usage: root.usageWith(output),
    // Only a recovered run can have paused before.
    endsApprovals: root.recovery !== undefined,
  };
}

/** Whether a hook or a guardrail refused the run. The end is expected, so the log needs no stack. */
function isRefused({ type }: NonNullable<RunOutput["error"]>): boolean {
  return type === inputRefusedType || type === outputRefusedType;
}
