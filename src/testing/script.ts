/** Types of the scripts of a scripted model. */
import type { LanguageModelV4FinishReason, LanguageModelV4Prompt } from "@ai-sdk/provider";

/** A tool call by a scripted model. */
export interface ScriptedToolCall {
  readonly name: string;
  /** Arguments. A string is sent unchanged, so that tests can send invalid JSON. Default `{}`. */
  readonly input?: unknown;
  /** Id of the call. Default: `call_1`, `call_2`, …, counted per model. */
  readonly id?: string;
}

/** A source that a scripted model names: an address or a document. */
export type ScriptedSource =
  | { readonly url: string; readonly title?: string }
  | { readonly title: string; readonly mediaType: string; readonly filename?: string };

/** A failure of a scripted model. With a status it looks like a provider error, without one like a bug. */
export interface ScriptedError {
  readonly message: string;
  readonly status?: number;
  /** Headers of the provider's response, with lower-case names. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether the call can be retried. Default: derived from the status. */
  readonly retryable?: boolean;
  /** Number of deltas before the error. Default: none, the call itself fails. */
  readonly afterDeltas?: number;
}

/** One turn of a scripted model. */
export interface ScriptedTurn {
  /** Reasoning deltas; a string is split into words. */
  readonly reasoning?: string | readonly string[];
  /** Text deltas; a string is split into words. */
  readonly text?: string | readonly string[];
  /** Sources, after the text. */
  readonly sources?: readonly ScriptedSource[];
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Milliseconds before the first part. */
  readonly wait?: number;
  /** Milliseconds before each delta. */
  readonly delay?: number | (() => number);
  readonly error?: ScriptedError;
  /** Finish reason. Default: `tool-calls` if there are tool calls, otherwise `stop`. */
  readonly finish?: LanguageModelV4FinishReason["unified"];
  /** Token usage. Default: an estimate; null reports no usage. */
  readonly usage?: { readonly input: number; readonly output: number; readonly reasoning?: number } | null;
  /** Id of the response. Default: `scripted-1`, `scripted-2`, …, counted per model. */
  readonly id?: string;
}

/** The call that a script function answers. */
export interface ScriptedCall {
  /** Number of calls so far, including this one. */
  readonly number: number;
  readonly prompt: LanguageModelV4Prompt;
  /** Text of the system message. */
  readonly system: string;
  /** Text of the last user message. */
  readonly message: string;
  /** Tool results since that message, oldest first. */
  readonly results: readonly { readonly tool: string; readonly text: string; readonly isError: boolean }[];
  /** Names of the available tools. */
  readonly tools: readonly string[];
}

/** A list of turns in order, or a function that returns the turn for each call. A string is a turn with that text. */
export type Script =
  | readonly (ScriptedTurn | string)[]
  | ((call: ScriptedCall) => ScriptedTurn | string | Promise<ScriptedTurn | string>);

/** Splits a text into words, each with the space before it. */
export function toDeltas(text: string | readonly string[] | undefined): readonly string[] {
  if (text === undefined) return [];
  return typeof text === "string" ? (text.match(/\s*\S+|\s+$/g) ?? []) : text;
}

/** Converts a prompt for a script function. */
export function toScriptedCall(number: number, prompt: LanguageModelV4Prompt, tools: readonly string[]): ScriptedCall {
  const place = prompt.findLastIndex(({ role }) => role === "user");
  const user = prompt[place];
  const system = prompt[0];
  const results = prompt.slice(place + 1).flatMap((message) =>
    message.role !== "tool"
      ? []
      : message.content.flatMap((part) => {
          if (part.type !== "tool-result") return [];
          const { output } = part;
          const text = output.type === "text" || output.type === "error-text" ? output.value : JSON.stringify(output);
          return [{ tool: part.toolName, text, isError: output.type === "error-text" }];
        }),
  );
  const message =
    user?.role === "user" ? user.content.map((part) => (part.type === "text" ? part.text : "")).join("") : "";
  return { number, prompt, system: system?.role === "system" ? system.content : "", message, results, tools };
}
