/** What is said in a run: one row a model turn, a user's input or a tool's result. */

/** A picture, sound, video or document given to or made by a run. `data` is base64. */
export interface Media {
  readonly kind: "image" | "audio" | "video" | "file";
  /** In lower case; where nobody said it, its first segment alone: `image`, `audio`, `video`, or `application` for a document. */
  readonly mediaType: string;
  readonly filename?: string;
  readonly data?: string;
  readonly url?: string;
  readonly details?: MediaDetails;
}

/** What may be told of media beside, by the names of the interface. It says nothing of where the bytes are. */
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

/** What else was told of a picture, sound, video or document, as the interface names it: `id`, `format`, `transcript` and others. */
export type MediaDetails = {
  readonly [Name in keyof typeof mediaDetails]?: (typeof mediaDetails)[Name] extends "string" ? string : number;
};

/** The kind of what has a media type; of no known family it is a document. */
export function mediaKind(mediaType: string): Media["kind"] {
  const family = mediaType.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
}

/** What stands for the type of media of a kind where nobody said it. */
export function unsaidType(kind: Media["kind"]): string {
  return kind === "file" ? "application" : kind;
}

/** The media type that was said; `application/octet-stream` and `image/*` say none. */
export function saidType({ mediaType }: Media): string | undefined {
  return /^[^/]+\/[^*]/.test(mediaType) && mediaType !== "application/octet-stream" ? mediaType : undefined;
}

/** What the file is called. */
export function fileName({ filename, details }: Media): string | undefined {
  return filename ?? details?.name;
}

/** A model's wish to call a tool. `input` is the parsed arguments. */
export interface ToolCall {
  readonly id: string;
  readonly name: string;
  readonly input: unknown;
  /** The provider's own data that must go back with the call (for instance a thought signature). */
  readonly providerOptions?: Record<string, unknown>;
}

/** Counters of one model turn; absent where the provider gave none. Times in seconds. */
export interface TurnMetrics {
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly total_tokens?: number;
  readonly reasoning_tokens?: number;
  readonly cache_read_tokens?: number;
  readonly cache_write_tokens?: number;
  readonly time_to_first_token?: number;
  readonly duration?: number;
}

/** One model's part of a run's usage. */
export interface ModelUsage {
  readonly id: string;
  readonly provider: string;
  readonly input_tokens: number;
  readonly output_tokens: number;
  readonly total_tokens: number;
}

/** Counters of several turns. */
export interface ModelMetrics extends TurnMetrics {
  readonly details?: { readonly model: readonly ModelUsage[] };
}

/** What a user, a caller or a team's leader put in. */
export interface UserMessage {
  readonly role: "user";
  readonly content: string;
  readonly media?: readonly Media[];
  /** Set where the engine asks the model to mend its answer. */
  readonly isCorrection?: true;
}

/** One turn of a model. */
export interface AssistantMessage {
  readonly role: "assistant";
  readonly content: string;
  readonly reasoning?: string;
  readonly toolCalls?: readonly ToolCall[];
  readonly metrics?: TurnMetrics;
  /** What the provider said about its answer (`model_provider_data` on the wire). */
  readonly providerData?: Record<string, unknown>;
  /** Reasoning parts as the provider must get them back. */
  readonly providerOptions?: Record<string, unknown>;
}

/** A tool's answer. */
export interface ToolMessage {
  readonly role: "tool";
  readonly toolCallId: string;
  readonly toolName: string;
  readonly toolArgs: unknown;
  readonly content: string;
  readonly isError: boolean;
  readonly stopAfter?: boolean;
}

/** A message as stored: the body is one JSON text, the position its place in its run, from 0. */
export type Message = UserMessage | AssistantMessage | ToolMessage;

/** A message with its place and identity. */
export interface PlacedMessage {
  readonly id: string;
  readonly position: number;
  /** Milliseconds since the epoch. */
  readonly createdAt: number;
  readonly message: Message;
}
