/** Converts message rows to a provider's prompt. */
import type {
  LanguageModelV4FilePart,
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ReasoningPart,
  LanguageModelV4TextPart,
  LanguageModelV4ToolCallPart,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from "@ai-sdk/provider";
import { toFileSection } from "../../model/prompt-text.ts";
import { isTextual } from "../../model/run/media-item.ts";
import {
  type AssistantMessage,
  fileName,
  type Media,
  type Message,
  type ToolCall,
  type ToolMessage,
} from "../../model/run/message.ts";
import { RunFailure } from "../loops/contract.ts";
import { argumentsOf } from "../tool-call/tool-execution.ts";
import { outlineOf, type PartOutline, separator } from "./answer-parts.ts";
import { typeForModel } from "./media-type.ts";

type AssistantPart = LanguageModelV4TextPart | LanguageModelV4ReasoningPart | LanguageModelV4ToolCallPart;

/** The parts of a prompt. */
export interface PromptParts {
  /** The system message; empty if there is none. */
  readonly system: string;
  /** Messages of earlier runs of the session. */
  readonly history: readonly Message[];
  /** Messages of this run. */
  readonly messages: readonly Message[];
}

/** Returns the whole prompt: system message, earlier runs, this run. */
export function toPrompt({ system, history, messages }: PromptParts): LanguageModelV4Prompt {
  const prompt: LanguageModelV4Prompt = system === "" ? [] : [{ role: "system", content: system }];
  addMessages(prompt, history, false);
  addMessages(prompt, messages, true);
  return prompt;
}

/** @param own messages of this run: only these include reasoning and provider data, which in earlier runs may come from another model */
function addMessages(prompt: LanguageModelV4Prompt, messages: readonly Message[], own: boolean): void {
  for (let place = 0; place < messages.length; place++) {
    const message = messages[place] as Message;
    if (message.role === "user") prompt.push(toUser(message.content, message.media));
    if (message.role !== "assistant" || isDraft(messages, place)) continue;
    const content = own ? ownParts(message) : plainParts(message, false);
    if (content.length > 0) prompt.push({ role: "assistant", content });
    if (message.toolCalls?.length) prompt.push(toResults(message.toolCalls, answersAfter(messages, place)));
  }
}

/** Whether the output model has written the answer that this message drafted. */
function isDraft(messages: readonly Message[], place: number): boolean {
  const next = messages[place + 1];
  return next?.role === "assistant" && next.purpose === "output_model";
}

function toUser(text: string, media: readonly Media[] = []): LanguageModelV4Message {
  return { role: "user", content: [{ type: "text", text }, ...media.map(toPart)] };
}

function toPart(media: Media): LanguageModelV4TextPart | LanguageModelV4FilePart {
  const { data, url } = media;
  const mediaType = typeForModel(media);
  const filename = fileName(media);
  // Few providers accept documents other than PDF as files.
  if (data !== undefined && isTextual(mediaType)) {
    const text = Buffer.from(data, "base64").toString("utf8");
    return { type: "text", text: toFileSection(filename ?? "file", text) };
  }
  const about = { mediaType, ...(filename === undefined ? {} : { filename }), ...detailOf(media) };
  if (data !== undefined) return { type: "file", ...about, data: { type: "data", data } };
  const address = URL.parse(url ?? "");
  if (!address)
    throw new RunFailure("invalid_media", `The ${media.kind} of the input has neither data nor a valid address.`);
  return { type: "file", ...about, data: { type: "url", url: address } };
}

/** The requested level of detail of a picture. */
function detailOf({ kind, details }: Media): { readonly providerOptions?: SharedV4ProviderOptions } {
  const detail = details?.detail;
  const isKnown = detail === "low" || detail === "high" || detail === "auto";
  return kind === "image" && isKnown ? { providerOptions: { openai: { imageDetail: detail } } } : {};
}

function plainParts(message: AssistantMessage, withReasoning: boolean): AssistantPart[] {
  const parts: AssistantPart[] = [];
  if (withReasoning && message.reasoning) parts.push({ type: "reasoning", text: message.reasoning });
  if (message.content !== "") parts.push({ type: "text", text: message.content });
  for (const call of message.toolCalls ?? []) parts.push(toCallPart(call, withReasoning));
  return parts;
}

function ownParts(message: AssistantMessage): AssistantPart[] {
  const outline = outlineOf(message);
  if (!outline) return plainParts(message, true);
  const calls = new Map(message.toolCalls?.map((call) => [call.id, call]));
  const parts: AssistantPart[] = [];
  const at = { text: 0, reasoning: 0 };
  const cut = ({ type, length }: Exclude<PartOutline, { type: "tool-call" }>): string => {
    const start = at[type];
    if (length > 0) at[type] += length + (type === "reasoning" ? separator.length : 0);
    return ((type === "text" ? message.content : message.reasoning) ?? "").slice(start, start + length);
  };
  for (const part of outline) {
    if (part.type === "tool-call") {
      const call = calls.get(part.id);
      if (call) parts.push(toCallPart(call, true));
      calls.delete(part.id);
    } else {
      parts.push({ type: part.type, text: cut(part), ...optionsOf(part.providerOptions) });
    }
  }
  for (const call of calls.values()) parts.push(toCallPart(call, true));
  return parts;
}

function toCallPart(call: ToolCall, own: boolean): LanguageModelV4ToolCallPart {
  return {
    type: "tool-call",
    toolCallId: call.id,
    toolName: call.name,
    input: argumentsOf(call.input),
    ...(own && optionsOf(call.providerOptions)),
  };
}

/** Results in the order of the calls. A call without a result gets a note, because providers reject a call without an answer. */
function toResults(calls: readonly ToolCall[], answers: readonly ToolMessage[]): LanguageModelV4Message {
  const content = calls.map((call): LanguageModelV4ToolResultPart => {
    const answer = answers.find(({ toolCallId }) => toolCallId === call.id);
    return { type: "tool-result", toolCallId: call.id, toolName: call.name, output: toOutput(answer) };
  });
  return { role: "tool", content };
}

function toOutput(answer: ToolMessage | undefined): LanguageModelV4ToolResultPart["output"] {
  const value = answer?.content ?? "No result was recorded.";
  if (!answer || answer.isError) return { type: "error-text", value };
  if (!answer.media?.length) return { type: "text", value };
  return { type: "content", value: [{ type: "text", text: value }, ...answer.media.map(toPart)] };
}

function answersAfter(messages: readonly Message[], place: number): ToolMessage[] {
  const answers: ToolMessage[] = [];
  for (let next = place + 1; messages[next]?.role === "tool"; next++) answers.push(messages[next] as ToolMessage);
  return answers;
}

function optionsOf(options: Readonly<Record<string, unknown>> | undefined): {
  providerOptions?: SharedV4ProviderOptions;
} {
  return options ? { providerOptions: options as SharedV4ProviderOptions } : {};
}
