/**
 * Executes the calls of one model turn: announces them durably, runs them in parallel and emits each result as it arrives. Calls that wait for a
 * person pause the run.
 */
import type { RunContext } from "../../define/context.ts";
import type { MeasuredOutcome } from "../../model/measurements.ts";
import type { ToolCall } from "../../model/run/message.ts";
import type { ToolExecution } from "../../model/run/record.ts";
import { connectionWaits, rejectionOf } from "../connections/requirements.ts";
import { shortenResult } from "../context/tool-results.ts";
import type { CallDecision, RunHooks } from "../hooks/run-hooks.ts";
import {
  answerTo,
  type CallAnswer,
  demandsOf,
  hookWait,
  joined,
  pauseFor,
  rejectionText,
  repeatAnswer,
  waitOf,
} from "../pause/waiting-calls.ts";
import { toolSpan } from "../run/run-spans.ts";
import { callTool, interruptedAnswer } from "../tool-call/call-tool.ts";
import type { Callable, ToolResult } from "../tool-call/callable.ts";
import { completionText, startedExecution } from "../tool-call/tool-execution.ts";
import { RunPaused, type RunScope } from "./contract.ts";
import type { Progress } from "./progress.ts";

/** The context of a turn's calls. */
interface ToolWork {
  readonly scope: RunScope;
  readonly progress: Progress;
  readonly context: RunContext;
  readonly callables: ReadonlyMap<string, Callable>;
  readonly hooks: RunHooks | undefined;
  /** The decisions of hooks, by the ids of the calls. */
  readonly decisions?: ReadonlyMap<string, CallDecision>;
}

/**
 * Executes the calls. A tool starts only after its start event is durable; the next model turn sees only durable results.
 * @throws RunStopped
 * @throws RunPaused when calls wait for a person, after all other calls have been executed
 */
export async function runTools(given: ToolWork, requested: readonly ToolCall[]): Promise<void> {
  const { work, calls } = given.hooks?.has("beforeTool")
    ? await decided(given, given.hooks, requested)
    : { work: given, calls: requested };
  const { scope, callables } = work;
  const connecting = await connectionWaits(scope, callables, calls);
  const waiting = calls.flatMap(
    (call) =>
      hookWait(scope, callables.get(call.name), call, work.decisions?.get(call.id)) ??
      waitOf(scope, callables.get(call.name), call) ??
      connecting.get(call.id) ??
      [],
  );
  const isWaiting = (call: ToolCall): boolean =>
    waiting.some(({ requirement }) => requirement.tool_execution.tool_call_id === call.id);
  const ready = calls.filter((call) => !isWaiting(call)).filter((call) => !addRejection(work, call));
  const started = ready.map((call) => startOf(work, call));
  for (const [place, tool] of started.entries()) {
    if (resumesMember(work, ready[place])) continue;
    scope.spans.begin(toolSpan(tool.tool_call_id));
    scope.emit("ToolCallStarted", { tool });
  }
  await scope.commit();
  const ends = await Promise.allSettled(
    ready.map((call, place) => runTool(work, call, started[place] as ToolExecution)),
  );
  const thrown = ends.flatMap((end) => (end.status === "rejected" ? [end.reason as unknown] : []));
  const firstError = thrown.find((error) => !(error instanceof RunPaused));
  if (firstError !== undefined) throw firstError;
  await scope.commit();
  const pauses = thrown.flatMap((error) => (error instanceof RunPaused ? [error.pause] : []));
  if (waiting.length + pauses.length === 0) return;
  const pause = joined([pauseFor(scope, waiting), ...pauses]);
  if (pauses.length === 0) throw new RunPaused(pause);
  const delegating = ends.flatMap((end, place) =>
    end.status === "rejected"
      ? [{ ...(started[place] as ToolExecution), child_run_id: (end.reason as RunPaused).pause.executorRunId ?? null }]
      : [],
  );
  const own = waiting.map(({ requirement }) => requirement.tool_execution);
  throw new RunPaused({ ...pause, tools: [...own, ...delegating] });
}

/** Runs the hooks before the calls. @throws RunFailure */
async function decided(
  work: ToolWork,
  hooks: RunHooks,
  calls: readonly ToolCall[],
): Promise<{ work: ToolWork; calls: readonly ToolCall[] }> {
  const all = await hooks.beforeTools(calls);
  const decisions = new Map(all.map((decision) => [decision.call.id, decision]));
  return { work: { ...work, decisions }, calls: all.map(({ call }) => call) };
}

/** Whether a call was announced before the pause and its member resumes its own run. */
function resumesMember({ scope, callables }: ToolWork, call: ToolCall | undefined): boolean {
  if (!call || !scope.isContinued || !scope.interrupted.has(call.id)) return false;
  return callables.get(call.name)?.ifInterrupted === "again" && answerTo(scope, call) === undefined;
}

function startOf({ scope, callables }: ToolWork, call: ToolCall): ToolExecution {
  const answer = answerTo(scope, call);
  const made = withValues(call, answer);
  const started = startedExecution(made, scope.runtime.clock.now());
  if (!answer) return started;
  const { confirmed, note, values, approvalId } = answer;
  return {
    ...started,
    ...demandsOf(callables.get(call.name), made),
    ...(approvalId !== undefined && { approval_id: approvalId }),
    ...(confirmed !== undefined && { confirmed, confirmation_note: note ?? null }),
    ...(values && { answered: true }),
  };
}

function withValues(call: ToolCall, answer: CallAnswer | undefined): ToolCall {
  return answer?.values ? { ...call, input: { ...Object(call.input), ...answer.values } } : call;
}

/** Adds the result of a call that a person rejected; returns false for every other call. */
function addRejection({ scope, progress, callables }: ToolWork, call: ToolCall): boolean {
  const answer = rejectionOf(scope, call);
  if (!answer) return false;
  const text = rejectionText(answer);
  const started = startedExecution(call, scope.runtime.clock.now());
  const demands = demandsOf(callables.get(call.name), call);
  const decision = { confirmed: false, confirmation_note: answer.note ?? null, approval_id: answer.approvalId ?? null };
  progress.executions.push({ ...started, ...demands, ...decision, tool_call_error: true });
  const { tool_args: toolArgs } = started;
  scope.appendMessage({
    role: "tool",
    toolCallId: call.id,
    toolName: call.name,
    toolArgs,
    content: text,
    isError: true,
  });
  return true;
}

async function runTool(work: ToolWork, given: ToolCall, started: ToolExecution): Promise<void> {
  const { scope, callables, progress } = work;
  const { clock } = scope.runtime;
  const startTime = clock.now() / 1000;
  const begun = clock.monotonic();
  const callable = callables.get(given.name);
  const personAnswer = answerTo(scope, given);
  const call = withValues(given, personAnswer);
  const interrupted = scope.interrupted.has(call.id)
    ? interruptedAnswer(callable, call, repeatAnswer(scope, call)?.confirmed === true)
    : undefined;
  const entered = personAnswer?.result === undefined ? interrupted : { text: personAnswer.result, isError: false };
  const known = work.decisions?.get(call.id)?.result ?? entered;
  const made: ToolResult = known ?? (await measuredCall(work, call));
  const whole = work.hooks ? await work.hooks.afterTool(call, made) : made;
  const duration = progress.secondsSince(begun);
  await scope.waitForRoom();
  const stops = !whole.isError && callable?.stopAfterCall === true;
  // A result that ends the run is its answer, and no model reads it.
  const answer = stops ? whole : shortenResult(scope, call.name, whole);
  const tool: ToolExecution = {
    ...started,
    tool_call_error: answer.isError,
    result: answer.text,
    metrics: { start_time: startTime, end_time: startTime + duration, duration },
    child_run_id: answer.childRunId ?? null,
    stop_after_tool_call: stops,
  };
  reportResult(scope, call, tool, answer);
  progress.executions.push(tool);
}

/** Executes the call and records its outcome. A call that pauses its run has no outcome yet. */
async function measuredCall({ scope, context, callables }: ToolWork, call: ToolCall): Promise<ToolResult> {
  const { clock, measurements } = scope.runtime;
  const begun = clock.monotonic();
  const measure = (outcome: MeasuredOutcome): void =>
    measurements.toolCall({ tool: call.name, outcome, seconds: (clock.monotonic() - begun) / 1000 });
  try {
    const result = await scope.spans.inSpan(toolSpan(call.id), () => callTool(scope, context, callables, call));
    measure(result.isError ? "error" : "ok");
    return result;
  } catch (error) {
    if (!(error instanceof RunPaused)) measure(scope.signal.aborted ? "stopped" : "error");
    throw error;
  }
}

function reportResult(scope: RunScope, call: ToolCall, tool: ToolExecution, result: ToolResult): void {
  const { text, isError, media, output } = result;
  const isStructured = tool.stop_after_tool_call && output !== undefined && output.contentType !== "str";
  scope.appendMessage({
    role: "tool",
    toolCallId: call.id,
    toolName: call.name,
    toolArgs: tool.tool_args,
    content: text,
    ...(media && { media }),
    isError,
    ...(tool.stop_after_tool_call && { stopAfter: true }),
    ...(isStructured && { answer: { content: output.content, contentType: output.contentType } }),
  });
  scope.emit("ToolCallCompleted", { content: completionText(tool), tool });
  if (isError) scope.emit("ToolCallError", { error: text, tool });
}
