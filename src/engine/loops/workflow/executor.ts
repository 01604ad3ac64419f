/** The executors of steps: functions, and agents, teams and workflows as runs under the workflow's run. */
import type { Hosted } from "../../../define/platform.ts";
import { RunRejected } from "../../../define/rejection.ts";
import { isStepReturn } from "../../../define/workflow/steps.ts";
import type { LeafNode, StepContext, StepFunction } from "../../../define/workflow/types.ts";
import { abortable } from "../../../model/abortable.ts";
import { failureFields } from "../../../model/run/failure.ts";
import type { RunInput, RunOutput } from "../../../model/run/record.ts";
import { rejectedType } from "../../../model/run/run-marks.ts";
import type { StepOutcome, StepRecord } from "../../../model/workflow.ts";
import { faultsOf } from "../../model-call/answer-schema.ts";
import { withoutSecrets } from "../../redact.ts";
import { toHosted } from "../../remote/placeholder.ts";
import { completedFields, describeFailure } from "../completed.ts";
import { type LoopOf, type MemberScope, RunFailure, RunPaused, RunStopped, type WorkflowScope } from "../contract.ts";
import { withDeadline } from "../deadline.ts";
import { partialOutputOf } from "../partial-output.ts";
import { pauseMember } from "../pause-member.ts";
import { recordOf, toText } from "./containers.ts";
import { type Flow, type HumanInput, type LeafAttempt, StepFailure } from "./effects.ts";
import type { Place } from "./places.ts";

/** The context of a workflow's executors. */
export interface WorkflowExecution {
  readonly scope: WorkflowScope;
  /** The start's message, parsed with the workflow's `input`. */
  readonly input: unknown;
  readonly loopOf: LoopOf;
}

/** Executes a step once. @throws StepFailure @throws RunRejected */
export async function executeStep(
  execution: WorkflowExecution,
  place: Place,
  flow: Flow,
  attempt: LeafAttempt,
): Promise<StepOutcome> {
  const { agent, team, workflow } = place.node as LeafNode;
  const executor = agent ?? team ?? workflow;
  if (executor) return await runComponent(execution, toHosted(executor), place, flow, attempt);
  return await runFunction(execution, place, flow, attempt);
}

/** Calls a function of the definition; an error that it throws fails the step. @throws StepFailure */
export async function callFunction<Result>(
  execution: WorkflowExecution,
  place: Place,
  flow: Flow,
  human: HumanInput,
  of: StepFunction<Result>,
  timeout?: number,
): Promise<Result> {
  const { scope } = execution;
  const deadline = new AbortController();
  const stop = (): void => deadline.abort(scope.signal.reason);
  scope.signal.throwIfAborted();
  scope.signal.addEventListener("abort", stop, { once: true });
  const late = (): void =>
    deadline.abort(new StepFailure(`It took longer than ${(timeout ?? 0) / 1000} s.`, "timeout"));
  const cancelTimer = timeout === undefined ? undefined : scope.runtime.clock.after(timeout, late);
  try {
    const context = contextOf(execution, place, flow, human, deadline.signal);
    return await abortable(
      Promise.resolve().then(() => of(context)),
      deadline.signal,
    );
  } catch (error) {
    if (scope.signal.aborted) throw scope.signal.reason;
    if (error instanceof StepFailure || error instanceof RunStopped || error instanceof RunRejected) throw error;
    throw new StepFailure(withoutSecrets(messageOf(error)), "step_failed", error);
  } finally {
    cancelTimer?.();
    scope.signal.removeEventListener("abort", stop);
  }
}

function contextOf(
  { scope, input }: WorkflowExecution,
  place: Place,
  { input: started, previous, outputs }: Flow,
  { userInput, feedback }: HumanInput,
  signal: AbortSignal,
): StepContext {
  return {
    ...scope.context,
    input,
    message: scope.input.message,
    media: previous?.media ?? scope.input.media ?? [],
    previous: previous ? previous.content : started,
    output: (name) => outputs.get(name),
    userInput,
    feedback,
    signal,
    idempotencyKey: `${scope.context.runId}/${place.path}`,
  };
}

async function runFunction(
  execution: WorkflowExecution,
  place: Place,
  flow: Flow,
  attempt: LeafAttempt,
): Promise<StepOutcome> {
  const { run, output, timeout } = place.node as Extract<LeafNode, { run: StepFunction<unknown> }>;
  const { scope } = execution;
  const returned = await callFunction(execution, place, flow, attempt, run, timeout);
  const { content, media, stop } = isStepReturn(returned)
    ? returned
    : { content: returned, media: undefined, stop: false };
  const checked = output ? await output.safeParseAsync(content) : { success: true as const, data: content };
  if (!checked.success)
    throw new StepFailure(`Its output does not fit:\n${faultsOf(checked.error)}`, "output_mismatch");
  const json = toJson(checked.data);
  scope.count(json.length + (media ? JSON.stringify(media).length : 0));
  const written = JSON.parse(json) as unknown;
  const own = { content: written, executor_type: "function", executor_name: run.name || place.name, stop } as const;
  return { record: recordOf(place, own), content: written, ...(media?.length && { media }) };
}

/** The content as JSON, as its row stores it. */
function toJson(content: unknown): string {
  try {
    return JSON.stringify(content) ?? "null";
  } catch (error) {
    throw new StepFailure(`Its output cannot be written as JSON: ${messageOf(error).split("\n")[0]}`, "invalid_output");
  }
}

async function runComponent(
  execution: WorkflowExecution,
  component: Hosted,
  place: Place,
  flow: Flow,
  attempt: LeafAttempt,
): Promise<StepOutcome> {
  const { scope } = execution;
  const earlier = scope.earlierExecutor(component, place, attempt.id);
  if (earlier?.earlierEnd) return ended(place, component, earlier.context.runId, earlier.earlierEnd);
  earlier?.emitRecovery();
  const member =
    earlier ?? (await scope.executor(component, await inputFor(execution, place, flow, attempt), place, attempt.id));
  const limited = withDeadline(member, (place.node as LeafNode).timeout ?? component.timeout);
  try {
    const output = await execution.loopOf(component)(limited.scope);
    limited.scope.signal.throwIfAborted();
    // Runs of its members have their own rows.
    const { executorRuns: _, ...kept } = output;
    member.end("COMPLETED", kept);
    member.emit("RunCompleted", completedFields(output, true));
    return ended(place, component, member.context.runId, { status: "COMPLETED", output });
  } catch (error) {
    if (scope.signal.aborted) throw scope.signal.reason;
    if (error instanceof RunPaused) throw pauseMember(member, limited.scope, error.pause);
    if (error instanceof RunStopped && error.reason.kind !== "timeout") throw error;
    throw failed(execution, member, partialOutputOf(limited.scope), error);
  } finally {
    limited.cancel();
  }
}

/** Emits and records the end of an executor that failed. */
function failed(
  { scope }: WorkflowExecution,
  member: MemberScope<Hosted>,
  partialOutput: Partial<RunOutput>,
  error: unknown,
): StepFailure | RunRejected {
  const isLate = error instanceof RunStopped && error.reason.kind === "timeout";
  const known = isLate
    ? new RunFailure("run_timeout", `It took longer than ${error.reason.milliseconds / 1000} s and was stopped.`)
    : error;
  const failure = describeFailure(known, scope.runtime.randomness.uuid());
  const { runId } = member.context;
  scope.runtime.log.warn({ error, runId, errorId: failure.id }, `The run of a step failed: ${failure.message}`);
  const { executorRuns: _, ...kept } = partialOutput;
  member.end("ERROR", { ...kept, content: failure.message, contentType: "str", error: failure });
  const isWorkflow = member.component.kind === "workflow";
  member.emit("RunError", { [isWorkflow ? "error" : "content"]: failure.message, ...failureFields(failure) });
  return failureAs(failure, error);
}

/** A rejection ends the whole run: the step is not retried, and no later step runs. */
function failureAs(
  { message, type }: { readonly message: string; readonly type: string | undefined },
  cause?: unknown,
): StepFailure | RunRejected {
  return type === rejectedType ? new RunRejected(message) : new StepFailure(message, type, cause);
}

function ended(
  place: Place,
  component: Hosted,
  runId: string,
  { status, output }: NonNullable<MemberScope["earlierEnd"]>,
): StepOutcome {
  if (status !== "COMPLETED") throw failureAs({ message: toText(output.content), type: output.error?.type });
  const { content, metrics, media } = output;
  const { steps: _, ...counters } = metrics ?? {};
  const own: Partial<StepRecord> = {
    content: content ?? null,
    executor_type: component.kind,
    executor_name: component.name,
    step_run_id: runId,
    metrics: counters,
  };
  return { record: recordOf(place, own), content: content ?? null, ...(media?.length && { media }) };
}

/** The executor's input: the result of the step's own input function, or the content of the step before. */
async function inputFor(
  execution: WorkflowExecution,
  place: Place,
  flow: Flow,
  attempt: LeafAttempt,
): Promise<RunInput> {
  const { scope } = execution;
  const node = place.node as LeafNode;
  const message = node.input
    ? await callFunction(execution, place, flow, attempt, node.input)
    : flow.previous
      ? toText(flow.previous.content)
      : scope.input.message;
  const media = flow.previous?.media ?? scope.input.media;
  const more = [
    ...Object.entries(attempt.userInput).map(([name, value]) => `${name}: ${toText(value)}`),
    ...(attempt.feedback === undefined ? [] : [`Your last answer was sent back: ${attempt.feedback}`]),
  ];
  return { message: [message, ...more].join("\n\n"), ...(media?.length && { media }) };
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text || "The step failed without a reason.";
}
