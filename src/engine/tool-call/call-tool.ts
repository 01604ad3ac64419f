/** Executes one tool call: checks its input, bounds its time, converts its result to text. Errors become results for the model. */
import type { RunContext, ToolContext } from "../../define/context.ts";
import { RunRejected } from "../../define/rejection.ts";
import type { Tool } from "../../define/tool.ts";
import { abortable } from "../../model/abortable.ts";
import type { ToolCall } from "../../model/run/message.ts";
import { accessTokenFor, type Connections } from "../connections/connections.ts";
import { RunFailure, RunPaused, type RunScope, RunStopped } from "../loops/contract.ts";
import { faultsOf } from "../model-call/answer-schema.ts";
import { withoutSecrets } from "../redact.ts";
import { type Callable, cut, errorAnswer, type ToolResult } from "./callable.ts";

class ToolTimeout extends Error {}

/** Converts a definition's tool to a callable. */
export function toCallableTool(
  tool: Tool,
  limits: { readonly toolTimeout: number; readonly maxToolResultCharacters: number },
  connections: Connections | undefined,
): Callable {
  return {
    ...tool,
    timeout: tool.timeout ?? limits.toolTimeout,
    ifInterrupted: tool.idempotent ? "again" : tool.onInterrupted,
    demands: tool.confirm || tool.external || tool.userInput.length > 0 ? tool : undefined,
    async run(input, context) {
      const accessToken = tool.oauth && (await accessTokenFor(connections, tool.oauth, context));
      const result = await tool.execute(
        input as never,
        accessToken === undefined ? context : { ...context, accessToken },
      );
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

function messageOf(error: unknown): string {
  const text = error instanceof Error ? error.message || error.name : String(error);
  return text || "The tool failed without a reason.";
}
