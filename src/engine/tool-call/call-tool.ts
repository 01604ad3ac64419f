/** Executes one tool call: checks its input, bounds its time, converts its result to text. Errors become results for the model. */
import type { z } from "zod";
import type { RunContext, ToolContext } from "../../define/context.ts";
import { RunRejected } from "../../define/rejection.ts";
import type { Tool } from "../../define/tool.ts";
import { abortable } from "../../model/abortable.ts";
import type { ToolCall } from "../../model/run/message.ts";
import type { RunOutput } from "../../model/run/record.ts";
import { RunFailure, RunPaused, type RunScope, RunStopped } from "../loops/contract.ts";
import { faultsOf } from "../model-call/answer-schema.ts";
import { withoutSecrets } from "../redact.ts";

/** The result of a call. */
export interface ToolResult {
  readonly text: string;
  readonly isError: boolean;
  /** The member's run that executed the call. */
  readonly childRunId?: string | undefined;
  /** The output of that run. */
  readonly output?: RunOutput | undefined;
}

/** A callable for the model: a tool of a definition, or delegation to a member. */
export interface Callable {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly input: z.ZodType;
  /** Maximum milliseconds of a call; undefined if the tool sets no limit. */
  readonly timeout: number | undefined;
  /** Whether the run ends with the call's result as its answer. */
  readonly stopAfterCall: boolean;
  /** How to handle a call that an earlier attempt of the run had started. `again` is for callables that resume their own run. */
  readonly ifInterrupted: "again" | "tell-model" | "fail" | "ask";
  /** The requirements that must be met before a call is executed. */
  readonly demands?: Pick<Tool, "confirm" | "userInput" | "external" | "wholeSchema" | "approval"> | undefined;
  run(input: unknown, context: ToolContext): Promise<ToolResult>;
}

class ToolTimeout extends Error {}

/** Converts a definition's tool to a callable. */
export function toCallableTool(
  tool: Tool,
  limits: { readonly toolTimeout: number; readonly maxToolResultCharacters: number },
): Callable {
  return {
    ...tool,
    timeout: tool.timeout ?? limits.toolTimeout,
    ifInterrupted: tool.idempotent ? "again" : tool.onInterrupted,
    demands: tool.confirm || tool.external || tool.userInput.length > 0 ? tool : undefined,
    async run(input, context) {
      const result = await tool.execute(input as never, context);
      return { text: cut(toText(result), limits.maxToolResultCharacters), isError: false };
    },
  };
}

/**
 * Executes the call that the model requested. Errors resolve as results for the model.
 * @throws RunStopped when the run is stopped meanwhile, without waiting for the tool
 */
export async function callTool(
  scope: RunScope,
  context: RunContext,
  callables: ReadonlyMap<string, Callable>,
  call: ToolCall,
): Promise<ToolResult> {
  const callable = callables.get(call.name);
  if (!callable) {
    const names = [...callables.keys()].join(", ");
    return errorAnswer(
      `There is no tool named "${call.name}". ${names ? `There are: ${names}.` : "There are none: answer without."}`,
    );
  }
  if (typeof call.input === "string")
    return errorAnswer(`The arguments of ${call.name} are not valid JSON: call it again with valid JSON.`);
  const deadline = new AbortController();
  const stop = (): void => deadline.abort(scope.signal.reason);
  scope.signal.addEventListener("abort", stop, { once: true });
  const { timeout } = callable;
  const cancelTimer =
    timeout === undefined
      ? undefined
      : scope.runtime.clock.after(timeout, () =>
          deadline.abort(new ToolTimeout(`${call.name} took longer than ${timeout / 1000} s and was stopped.`)),
        );
  try {
    scope.signal.throwIfAborted();
    return await abortable(
      checkAndRun(callable, call, { ...context, ...identityOf(context, call), signal: deadline.signal }),
      deadline.signal,
    );
  } catch (error) {
    if (scope.signal.aborted) throw scope.signal.reason;
    if (error instanceof RunStopped || error instanceof RunPaused || error instanceof RunRejected) throw error;
    return errorAnswer(cut(withoutSecrets(messageOf(error)), scope.settings.maxToolResultCharacters));
  } finally {
    cancelTimer?.();
    scope.signal.removeEventListener("abort", stop);
  }
}

async function checkAndRun(callable: Callable, call: ToolCall, context: ToolContext): Promise<ToolResult> {
  const checked = await callable.input.safeParseAsync(call.input);
  if (checked.success) return callable.run(checked.data, context);
  return errorAnswer(`The arguments of ${call.name} do not fit:\n${faultsOf(checked.error)}`);
}

/**
 * Returns the result of an interrupted call that must not be repeated; undefined if it is repeated.
 * @throws RunFailure if the tool requires it
 */
export function interruptedAnswer(
  callable: Callable | undefined,
  call: ToolCall,
  isRepeatConfirmed: boolean,
): ToolResult | undefined {
  if (!callable || callable.ifInterrupted === "again") return undefined;
  if (callable.ifInterrupted === "ask" && isRepeatConfirmed) return undefined;
  if (callable.ifInterrupted === "fail") {
    throw new RunFailure(
      "tool_interrupted",
      `The server stopped while ${call.name} ran; whether it took effect is not known.`,
    );
  }
  return errorAnswer(
    `The server stopped while ${call.name} ran. Whether it took effect is not known: find out before you call it again.`,
  );
}

function identityOf(context: RunContext, call: ToolCall): Pick<ToolContext, "idempotencyKey" | "toolCallId"> {
  return { toolCallId: call.id, idempotencyKey: `${context.runId}/${call.id}` };
}

/** Returns an error result for the model. */
export function errorAnswer(text: string): ToolResult {
  return { text, isError: true };
}

/** Converts a tool's result to text for the model: a text unchanged, undefined to an empty text, any other value to JSON. */
function toText(result: unknown): string {
  if (typeof result === "string") return result;
  if (result === undefined) return "";
  let text: string | undefined;
  try {
    text = JSON.stringify(result);
  } catch (error) {
    throw new TypeError(`The tool's result cannot be written as JSON: ${messageOf(error).split("\n")[0]}`);
  }
  if (text === undefined) throw new TypeError(`The tool's result cannot be written as JSON: it is a ${typeof result}.`);
  return text;
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).toWellFormed()}\n[cut: these are the first ${limit} of ${text.length} characters]`;
}

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text || "The tool failed without a reason.";
}
