/** The events of a run's log, as far as this protocol shows them. */
import { toJsonLine } from "../../../model/frame.ts";
import type { Citations } from "../../../model/run/citations.ts";
import type { FailureFields } from "../../../model/run/failure.ts";
import type { PauseFields } from "../questions.ts";

/** The members of events that are used here. */
export interface LogEvent extends FailureFields, PauseFields {
  readonly created_at: number;
  readonly content?: unknown;
  /** Set if a workflow failed. */
  readonly error?: unknown;
  readonly reasoning_content?: string;
  readonly citations?: Citations;
  readonly tool?: {
    readonly tool_name: string;
    readonly tool_call_id: string;
    readonly tool_args: unknown;
    readonly tool_call_error: boolean | null;
    readonly result: string | null;
  };
  readonly discard_from_index?: number;
}

/** The sources of an answer that have addresses. Models name sources without their places in the text, so the places are 0. */
export function urlCitations({ citations }: LogEvent): readonly UrlCitation[] {
  const documents = (citations?.documents ?? []).flatMap(({ url, document_title: title }) =>
    url ? { url, title } : [],
  );
  const urls = [...(citations?.urls ?? []), ...documents];
  return urls.map(({ url, title = "" }) => ({ url, title, start_index: 0, end_index: 0 }));
}

export interface UrlCitation {
  readonly url: string;
  readonly title: string;
  readonly start_index: number;
  readonly end_index: number;
}

/** The text of an answer or of a part of it. An answer with a schema is JSON. */
export function textOf(content: unknown): string {
  if (content === undefined || content === null) return "";
  return typeof content === "string" ? content : JSON.stringify(content);
}

/** A text as a JSON literal without its quotes, on one line. */
export function literalOf(text: string): string {
  return toJsonLine(text).slice(1, -1);
}

/** Types of failures whose texts may come from a model's provider, from another server or from a step's own error. */
const hiddenTypes: ReadonlySet<string> = new Set([
  "model_provider_error",
  "model_rate_limit_error",
  "remote_error",
  "remote_unavailable",
  "factory_error",
  "step_failed",
  "internal_error",
]);

/** Why a run failed, without internal details: the log has them under the error's id. */
export function failureText({ content, error, error_type: type = "", error_id: id }: LogEvent): string {
  if (!hiddenTypes.has(type)) return textOf(error) || textOf(content) || "The run failed.";
  const what = type.startsWith("model_") ? "The model's provider failed" : "The run failed";
  return id === undefined ? `${what}.` : `${what} (error ${id}).`;
}

/** Tokens of all model requests of a run, of its members and of its steps. */
export class Usage {
  #input = 0;
  #output = 0;
  #reasoning = 0;
  #cached = 0;
  #written = 0;

  /** Adds a model request. `data` is the JSON text of its event. */
  add(data: string): void {
    const event = JSON.parse(data) as Readonly<Record<string, unknown>>;
    const count = (name: string): number => (typeof event[name] === "number" ? event[name] : 0);
    this.#input += count("input_tokens");
    this.#output += count("output_tokens");
    this.#reasoning += count("reasoning_tokens");
    this.#cached += count("cache_read_tokens");
    this.#written += count("cache_write_tokens");
  }

  /** As a chat completion shows it. */
  ofCompletion(): Record<string, unknown> {
    return {
      prompt_tokens: this.#input,
      completion_tokens: this.#output,
      total_tokens: this.#input + this.#output,
      prompt_tokens_details: { cached_tokens: this.#cached, audio_tokens: 0 },
      completion_tokens_details: { reasoning_tokens: this.#reasoning, audio_tokens: 0 },
    };
  }

  /** As a response shows it. */
  ofResponse(): Record<string, unknown> {
    return {
      input_tokens: this.#input,
      input_tokens_details: { cached_tokens: this.#cached, cache_write_tokens: this.#written },
      output_tokens: this.#output,
      output_tokens_details: { reasoning_tokens: this.#reasoning },
      total_tokens: this.#input + this.#output,
    };
  }
}

/** Whether an event reports the tokens of a model request. */
export function isModelRequest(name: string): boolean {
  return name === "ModelRequestCompleted" || name === "TeamModelRequestCompleted";
}
