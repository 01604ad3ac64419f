/** Messages of a run: one row for each model turn, user input or tool result. */

import type { Citations } from "./citations.ts";

/** An image, audio, video or document that a run received or made. `data` is base64. */
export interface Media {
  readonly kind: "image" | "audio" | "video" | "file";
  /** In lower case. If the sender specified no type, only the first segment: `image`, `audio`, `video`, or `application` for a document. */
  readonly mediaType: string;
  readonly filename?: string;
  readonly data?: string;
  readonly url?: string;
  readonly details?: MediaDetails;
}

/** Names and types of media details on the wire. None of them contains the bytes or their address. */
export const mediaDetails = {
  id: "string",
  format: "string",
  name: "string",
  detail: "string",
  alt_text: "string",
  original_prompt: "string",
  revised_prompt: "string",
  transcript: "string",
  expires_at: "number",
  duration: "number",
  sample_rate: "number",
  channels: "number",
  width: "number",
  height: "number",
  fps: "number",
  eta: "string",
  file_type: "string",
  size: "number",
} as const;

/** Details of a medium, by their names on the wire: `id`, `format`, `transcript` and others. */
export type MediaDetails = {
  readonly [Name in keyof typeof mediaDetails]?: (typeof mediaDetails)[Name] extends "string" ? string : number;
};

/** The kind of medium for a media type. Any type other than image, audio or video is a document. */
export function mediaKind(mediaType: string): Media["kind"] {
  const family = mediaType.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}

/** The placeholder for the media type if the sender specified none. */
export function unspecifiedMediaType(kind: Media["kind"]): string {
  return kind === "file" ? "application" : kind;
}

/** The media type that the sender specified. `application/octet-stream` and `image/*` count as unspecified. */
export function specifiedMediaType({ mediaType }: Media): string | undefined {
  return /^[^/]+\/[^*]/.test(mediaType) && mediaType !== "application/octet-stream" ? mediaType : undefined;
}

/** The name of the file. */
export function fileName({ filename, details }: Media): string | undefined {
  return filename ?? details?.name;
}

/** The MCP server that executes a call, and the name of the tool there. */
export interface ToolOrigin {
  readonly server: string;
  readonly tool: string;
}

/** A tool call that a model requests. `input` holds the parsed arguments. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** Undefined for a tool of the definition itself. */
  readonly origin?: ToolOrigin;
  /** Provider data that must be sent back with the call, for instance a thought signature. */
  readonly providerOptions?: Record<string, unknown>;
}

/** Metrics of one model turn; a metric that the provider does not report is absent. Times in seconds. */
export interface TurnMetrics {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly total_tokens?: number;
  readonly reasoning_tokens?: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: number;
  /** US dollars; absent if the model's price is unknown. */
  readonly cost?: number;
  readonly time_to_first_token?: number;
  readonly duration?: number;
  /** Set if the answer was stored for an equal request before. */
  readonly cached?: true;
}

/** Usage of one model in a run. */
export interface ModelUsage {
  readonly id: string;
  readonly provider: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
  /** US dollars; absent if the model's price is unknown. */
  readonly cost?: number;
}

/** Metrics summed over several turns. */
export interface ModelMetrics extends TurnMetrics {
  /** Usage by model: `model` for the turns of the run, and one list for each purpose of its other requests. */
  readonly details?: Readonly<Partial<Record<"model" | RequestPurpose, readonly ModelUsage[]>>>;
}

/** The purpose of a model request that is not a turn of the run, as metrics and events show it. */
export type RequestPurpose =
  | "parser_model"
  | "output_model"
  | "reasoning_model"
  | "followup_model"
  | "session_summary_model"
  | "compression_model"
  | "guardrail_model"
  | "embedding_model"
  | "reranker_model";

/** The names of the model that answered a request. */
export interface AnsweringModel {
  readonly id: string;
  /** Provider and kind of API: `OpenAI Chat`. */
  readonly provider: string;
}

/** Input from a user, a caller or the leader of a team. */
export interface UserMessage {
  readonly role: "user";
  readonly content: string;
  readonly media?: readonly Media[];
  /** Set if the engine asks the model to correct its answer. */
  readonly isCorrection?: true;
  /** Set if the engine asks the leader of a team to continue with its tasks: the number of the iteration that begins. */
  readonly iteration?: number;
  /** Set for a message that a caller put into the live run: its number among these messages, from 1. */
  readonly steering?: number;
}

/** One turn of a model. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly metrics?: TurnMetrics;
  /** The sources that the model named. */
  readonly citations?: Citations;
  /** The model that answered, if it is not the component's first model. */
  readonly model?: AnsweringModel;
  /** Set for the final answer by the output model: the text of the turns before it is not part of the answer. */
  readonly purpose?: "output_model";
  /** Set if this is the result of tools that was the run's answer before a caller's message came: the text before it is not part of the answer. */
  readonly isToolAnswer?: true;
  /** Metadata of the provider about its answer (`model_provider_data` on the wire). */
  readonly providerData?: Record<string, unknown>;
  /** Reasoning parts in the form in which they must be sent back to the provider. */
  readonly providerOptions?: Record<string, unknown>;
}

/** The result of a tool call. */
export interface ToolMessage {
  readonly role: "tool";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly toolArgs: unknown;
  readonly content: string;
  /** Pictures, sounds and files of the result. */
  readonly media?: readonly Media[];
  readonly isError: boolean;
  readonly stopAfter?: boolean;
  /** The structured answer that ends the run, and its type. `content` is its text. */
  readonly answer?: { readonly content: unknown; readonly contentType: string };
}

/** A message as stored: the body is one JSON text; the position is its index in the run, from 0. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

/** A message with its id and position. */
export interface PlacedMessage {
  readonly id: string;
  readonly position: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly message: Message;
}
