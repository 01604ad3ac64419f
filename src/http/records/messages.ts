/** Messages in the form of run records. The system prompt is not a message of a run, so it is never included. */
import type { Message } from "../../model/run/message.ts";
import type { MessageRow } from "../../store/contract/store.ts";
import { parseStored } from "../transport/json-pieces.ts";
import { presentLists, toMediaLists } from "./media.ts";

/** A stored message in the contract's form; null members are omitted. */
export function toWireMessage({ id, createdAt, body }: MessageRow, withContent: boolean): Record<string, unknown> {
  const message = parseStored(body) as Message;
  const hasContent = message.role !== "assistant" || message.content !== "";
  return {
    id,
    ...(hasContent ? { content: message.content } : {}),
    from_history: false,
    stop_after_tool_call: message.role === "tool" && message.stopAfter === true,
    role: message.role,
    ...ownMembers(message, withContent),
    created_at: Math.floor(createdAt / 1000),
  };
}

function ownMembers(message: Message, withContent: boolean): Record<string, unknown> {
  switch (message.role) {
    case "user":
      return presentLists(toMediaLists(message.media, withContent));
    case "assistant":
      return {
        ...(message.reasoning ? { reasoning_content: message.reasoning } : {}),
        ...(message.citations ? { citations: message.citations } : {}),
        ...(message.toolCalls?.length ? { tool_calls: message.toolCalls.map(toWireCall) } : {}),
        ...(message.providerData ? { provider_data: message.providerData } : {}),
        ...(message.metrics ? { metrics: message.metrics } : {}),
      };
    case "tool":
      return {
        tool_call_id: message.toolCallId,
        tool_name: message.toolName,
        tool_args: message.toolArgs,
        tool_call_error: message.isError,
      };
  }
}

function toWireCall({ id, name, input }: { id: string; name: string; input: unknown }): Record<string, unknown> {
  return { id, type: "function", function: { name, arguments: JSON.stringify(input ?? {}) } };
}
