/** What is said in a run: one row a model turn, a user's input or a tool's result. */

/** A picture, sound, video or document given to or made by a run. `data` is base64. */
export interface Media {
  readonly kind: "image" | "audio" | "video" | "file";
  readonly mediaType: string;
  readonly filename?: string;
  readonly data?: string;
  readonly url?: string;
}

/** The kind of what has a media type; of no known family it is a document. */
export function mediaKind(mediaType: string): Media["kind"] {
  const family = mediaType.split("/", 1)[0];
  return family === "image" || family === "audio" || family === "video" ? family : "file";
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
