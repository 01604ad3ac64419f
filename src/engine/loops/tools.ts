/** The calls of one model turn: announced durably, made in parallel, their results told as they come. */
import type { RunContext } from "../../define/context.ts";
import type { ToolCall } from "../../model/message.ts";
import type { ToolExecution } from "../../model/record.ts";
import type { RunScope } from "../loop-seam.ts";
import { type Callable, callTool, interruptedAnswer, type ToolAnswer } from "../tool-call/call-tool.ts";
import { completionText, startedExecution } from "../tool-call/tool-execution.ts";
import type { Progress } from "./progress.ts";

/** What the calls are made with. */
interface ToolWork {
  readonly scope: RunScope;
  readonly progress: Progress;
  readonly context: RunContext;
  readonly callables: ReadonlyMap<string, Callable>;
}

/**
 * Makes the calls. Nobody's tool begins before the log says durably that it will; the next model turn sees only durable results.
 * @throws RunStopped
 */
export async function runTools(work: ToolWork, calls: readonly ToolCall[]): Promise<void> {
  const { scope } = work;
  const started = calls.map((call) => startedExecution(call, scope.runtime.clock.now()));
  for (const tool of started) scope.emit("ToolCallStarted", { tool });
  await scope.commit();
  await Promise.all(calls.map((call, place) => runTool(work, call, started[place] as ToolExecution)));
  await scope.commit();
}

async function runTool(work: ToolWork, call: ToolCall, started: ToolExecution): Promise<void> {
  const { scope, context, callables, progress } = work;
  const { clock } = scope.runtime;
  const startTime = clock.now() / 1000;
  const begun = clock.monotonic();
  const callable = callables.get(call.name);
  const interrupted = scope.interrupted.has(call.id) ? interruptedAnswer(callable, call) : undefined;
  const answer = interrupted ?? (await callTool(scope, context, callables, call));
  const duration = progress.secondsSince(begun);
  const stops = !answer.isError && callable?.stopAfterCall === true;
  const tool: ToolExecution = {
    ...started,
    tool_call_error: answer.isError,
    result: answer.text,
    metrics: { start_time: startTime, end_time: startTime + duration, duration },
    child_run_id: answer.childRunId ?? null,
    stop_after_tool_call: stops,
  };
  tell(scope, call, tool, answer);
  progress.executions.push(tool);
  if (stops && answer.output) {
    progress.answer = { content: answer.output.content, contentType: answer.output.contentType };
  }
}

function tell(scope: RunScope, call: ToolCall, tool: ToolExecution, { text, isError }: ToolAnswer): void {
  scope.say({
    role: "tool",
    toolCallId: call.id,
    toolName: call.name,
    toolArgs: tool.tool_args,
    content: text,
    isError,
    ...(tool.stop_after_tool_call && { stopAfter: true }),
  });
  scope.emit("ToolCallCompleted", { content: completionText(tool), tool });
  if (isError) scope.emit("ToolCallError", { error: text, tool });
}
