/** One call of a tool: its input checked, its time bounded, its result made text. Whatever goes wrong is the model's to know. */
import type { z } from "zod";
import type { RunContext, ToolContext } from "../../define/context.ts";
import { RunRejected } from "../../define/rejection.ts";
import type { Tool } from "../../define/tool.ts";
import type { ToolCall } from "../../model/message.ts";
import type { RunOutput } from "../../model/record.ts";
import { abortable } from "../abortable.ts";
import { RunFailure, RunPaused, type RunScope, RunStopped } from "../loops/contract.ts";
import { faultsOf } from "../model-call/answer-schema.ts";
import { withoutSecrets } from "../redact.ts";

/** What a call came to. */
export interface ToolAnswer {
  readonly text: string;
  readonly isError: boolean;
  /** The member's run that the call was handed to. */
  readonly childRunId?: string | undefined;
  /** What that run came to. */
  readonly output?: RunOutput | undefined;
}

/** Something a model can call: a tool of a definition, or delegation to a member. */
export interface Callable {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly input: z.ZodType;
  /** Milliseconds a call may take; undefined for no limit of its own. */
  readonly timeout: number | undefined;
  /** Whether the run ends with the call's result as its answer. */
  readonly stopAfterCall: boolean;
  /** What happens to a call that an earlier attempt of the run had begun. `again` is for what takes up its own past. */
  readonly ifInterrupted: "again" | "tell-model" | "fail" | "ask";
  /** What a call waits for before it is made. */
  readonly asks?: Pick<Tool, "confirm" | "userInput" | "external" | "wholeSchema" | "approval"> | undefined;
  run(input: unknown, context: ToolContext): Promise<ToolAnswer>;
}

class ToolTimeout extends Error {}

/** A definition's tool as something to call. */
export function toCallableTool(
  tool: Tool,
  limits: { readonly toolTimeout: number; readonly toolResultLimit: number },
): Callable {
  return {
    ...tool,
    timeout: tool.timeout ?? limits.toolTimeout,
    ifInterrupted: tool.idempotent ? "again" : tool.onInterrupted,
    asks: tool.confirm || tool.external || tool.userInput.length > 0 ? tool : undefined,
    async run(input, context) {
      const result = await tool.execute(input as never, context);
      return { text: cut(toText(result), limits.toolResultLimit), isError: false };
    },
  };
}

/**
 * Calls what the model asked for. Resolves with an error for the model, too.
 * @throws RunStopped when the run is stopped meanwhile, without waiting for the tool
 */
export async function callTool(
  scope: RunScope,
  context: RunContext,
  callables: ReadonlyMap<string, Callable>,
  call: ToolCall,
): Promise<ToolAnswer> {
  const callable = callables.get(call.name);
  if (!callable) {
    const names = [...callables.keys()].join(", ");
    return fault(
      `There is no tool named "${call.name}". ${names ? `There are: ${names}.` : "There are none: answer without."}`,
    );
  }
  if (typeof call.input === "string")
    return fault(`The arguments of ${call.name} are not valid JSON: call it again with valid JSON.`);
  const deadline = new AbortController();
  const stop = (): void => deadline.abort(scope.signal.reason);
  scope.signal.addEventListener("abort", stop, { once: true });
  const { timeout } = callable;
  const cancelTimer =
    timeout === undefined
      ? undefined
      : scope.runtime.clock.after(timeout, () =>
          deadline.abort(new ToolTimeout(`${call.name} took longer than ${timeout / 1000} s and was given up.`)),
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
    return fault(cut(withoutSecrets(messageOf(error)), scope.settings.toolResultLimit));
  } finally {
    cancelTimer?.();
    scope.signal.removeEventListener("abort", stop);
  }
}

async function checkAndRun(callable: Callable, call: ToolCall, context: ToolContext): Promise<ToolAnswer> {
  const checked = await callable.input.safeParseAsync(call.input);
  if (checked.success) return callable.run(checked.data, context);
  return fault(`The arguments of ${call.name} do not fit:\n${faultsOf(checked.error)}`);
}

/**
 * What a call comes to that an earlier attempt of the run had begun, and that must not be made twice; undefined where it is made again.
 * @throws RunFailure where the tool says so
 */
export function interruptedAnswer(
  callable: Callable | undefined,
  call: ToolCall,
  isWantedAgain: boolean,
): ToolAnswer | undefined {
  if (!callable || callable.ifInterrupted === "again") return undefined;
  if (callable.ifInterrupted === "ask" && isWantedAgain) return undefined;
  if (callable.ifInterrupted === "fail") {
    throw new RunFailure(
      "tool_interrupted",
      `The server stopped while ${call.name} ran; whether it took effect is not known.`,
    );
  }
  return fault(
    `The server stopped while ${call.name} ran. Whether it took effect is not known: find out before you call it again.`,
  );
}

function identityOf(context: RunContext, call: ToolCall): Pick<ToolContext, "idempotencyKey" | "toolCallId"> {
  return { toolCallId: call.id, idempotencyKey: `${context.runId}/${call.id}` };
}

/** Tells the model what went wrong. */
export function fault(text: string): ToolAnswer {
  return { text, isError: true };
}

/** What a tool returned, as text for the model: text as it is, nothing as empty, anything else as JSON. */
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
  return text || "The tool failed without saying why.";
}
