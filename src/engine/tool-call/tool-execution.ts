/** Tool calls in the wire format: every key is always present (contract, `tool_object`). */
import type { ToolCall, ToolMessage } from "../../model/run/message.ts";
import type { ToolExecution } from "../../model/run/record.ts";

/** Maximum length of an argument in the sentence about a call. */
const maxArgumentLength = 100;

/** Returns the call's state at its start. @param at milliseconds since the epoch */
export function startedExecution(call: ToolCall, at: number): ToolExecution {
  return {
    tool_call_id: call.id,
    tool_name: call.name,
    tool_args: argumentsOf(call.input),
    tool_call_error: null,
    result: null,
    metrics: null,
    child_run_id: null,
    stop_after_tool_call: false,
    created_at: Math.floor(at / 1000),
    requires_confirmation: null,
    confirmed: null,
    confirmation_note: null,
    requires_user_input: null,
    user_input_schema: null,
    user_feedback_schema: null,
    answered: null,
    external_execution_required: null,
    external_execution_silent: null,
    approval_type: null,
    approval_id: null,
  };
}

/** Restores a call of an earlier attempt from its message. @param wasRefused whether a person rejected it */
export function restoredExecution(message: ToolMessage, at: number, wasRefused: boolean): ToolExecution {
  const call = { id: message.toolCallId, name: message.toolName, input: message.toolArgs };
  return {
    ...startedExecution(call, at),
    tool_call_error: message.isError || wasRefused,
    result: wasRefused ? null : message.content,
    stop_after_tool_call: message.stopAfter ?? false,
  };
}

/** The content of `ToolCallCompleted`. */
export function completionText({ tool_name, tool_args, metrics }: ToolExecution): string {
  const shown = Object.entries(tool_args as Record<string, unknown>).map(([key, value]) => {
    const text = typeof value === "string" ? value : (JSON.stringify(value) ?? "null");
    return `${key}=${text.length > maxArgumentLength ? "..." : text}`;
  });
  return `${tool_name}(${shown.join(", ")}) completed in ${(metrics?.duration ?? 0).toFixed(4)}s. `;
}

/** Returns the arguments as an object, even if the model sent something else. */
export function argumentsOf(input: unknown): unknown {
  if (typeof input === "object" && input !== null && !Array.isArray(input)) return input;
  return { unreadable_arguments: input };
}
