/** What a scripted model says: the words of its scripts. */
import type { LanguageModelV4FinishReason, LanguageModelV4Prompt } from "@ai-sdk/provider";

/** A call of a tool by a scripted model. */
export interface ScriptedToolCall {
  readonly name: string;
  /** Arguments; a text is sent as it is, so that arguments that are no JSON can be tried. Default `{}`. */
  readonly input?: unknown;
  /** Default: `call_1`, `call_2`, …, counted by the model. */
  readonly id?: string;
}

/** A failure of a scripted model. With a status it looks like a provider's answer, without one like a bug. */
export interface ScriptedError {
  readonly message: string;
  readonly status?: number;
  /** Headers of the provider's answer, in lower case. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether another try may help. Default: by the status. */
  readonly retryable?: boolean;
  /** Deltas that come before it. Default: none, the call itself fails. */
  readonly afterDeltas?: number;
}

/** One turn of a scripted model. */
export interface ScriptedTurn {
  /** Deltas of reasoning; a text is cut into words. */
  readonly reasoning?: string | readonly string[];
  /** Deltas of text; a text is cut into words. */
  readonly text?: string | readonly string[];
  readonly toolCalls?: readonly ScriptedToolCall[];
  /** Milliseconds before anything comes. */
  readonly wait?: number;
  /** Milliseconds before each delta. */
  readonly delay?: number | (() => number);
  readonly error?: ScriptedError;
  /** Default: `tool-calls` when there are any, else `stop`. */
  readonly finish?: LanguageModelV4FinishReason["unified"];
  /** Tokens. Default: counted roughly; null tells none. */
  readonly usage?: { readonly input: number; readonly output: number; readonly reasoning?: number } | null;
  /** Id of the answer. Default: `scripted-1`, `scripted-2`, …, counted by the model. */
  readonly id?: string;
}

/** What a script is told of the call it answers. */
export interface ScriptedCall {
  /** How many calls the model has had, this one included. */
  readonly number: number;
  readonly prompt: LanguageModelV4Prompt;
  /** Text of the system message. */
  readonly system: string;
  /** Text of the last user's message. */
  readonly message: string;
  /** Results of tools since then, oldest first. */
  readonly results: readonly { readonly tool: string; readonly text: string; readonly isError: boolean }[];
  /** Names of the tools that may be called. */
  readonly tools: readonly string[];
}

/** Turns in their order, or a function that answers each call; a text is a turn that says it. */
export type Script =
  | readonly (ScriptedTurn | string)[]
  | ((call: ScriptedCall) => ScriptedTurn | string | Promise<ScriptedTurn | string>);

/** Cuts a text into words, each with the space before it. */
export function toDeltas(text: string | readonly string[] | undefined): readonly string[] {
  if (text === undefined) return [];
  return typeof text === "string" ? (text.match(/\s*\S+|\s+$/g) ?? []) : text;
}

/** What a script is told of a prompt. */
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
