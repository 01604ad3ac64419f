/** Translates the log of a run to the chunks of a chat completion. The protocol has no resume, so a stream begins with the first event of its part of the run. */

import { type FrameHandler, FrameScanner, textOfLiteral } from "../../../http/streams/frame-scanner.ts";
import { toJsonLine } from "../../../model/frame.ts";
import { baseName } from "../../../model/run/event-name.ts";
import type { ComponentName } from "../../../runs/find.ts";
import { completionId, modelOf, type Part, questionName, responseId } from "../names.ts";
import { type Question, questionsOf } from "../questions.ts";
import { failureText, isModelRequest, type LogEvent, literalOf, textOf, Usage, urlCitations } from "./events.ts";

/** The facts of a run that its chat completion shows. */
export interface CompletionFacts extends Part, ComponentName {
  /** Whether a chunk has the usage, after the last one of the answer. */
  readonly includesUsage: boolean;
}

/** How a run ended, if not with an answer or a question. */
export interface CompletionFailure {
  readonly message: string;
  readonly code: string;
}

type FinishReason = "stop" | "tool_calls" | "content_filter";

/** Translates one part of a run. */
export class CompletionTranslator implements FrameHandler {
  readonly #facts: CompletionFacts;
  readonly #scanner: FrameScanner;
  readonly #usage = new Usage();
  readonly #questions: Question[] = [];
  /** Whether it makes chunks. Otherwise it collects the answer. */
  readonly #isStream: boolean;
  #text = "";
  #reasoning = "";
  #created = 0;
  #hasBegun = false;
  #hasText = false;
  /** Index of the last chunk of text. */
  #lastText = -1;
  /** The ends of model requests: index, and length of the text so far. */
  readonly #turns: [index: number, length: number][] = [];
  /** The sources of a whole completion, with the indexes of their events. */
  #annotations: readonly { readonly index: number; readonly annotations: readonly object[] }[] = [];
  #before = "";
  #finishReason: FinishReason | undefined;
  /** Set if the run failed or was cancelled. */
  failure: CompletionFailure | undefined;

  constructor(facts: CompletionFacts, isStream: boolean) {
    this.#facts = facts;
    this.#isStream = isStream;
    this.#scanner = new FrameScanner(facts.runId);
  }

  /** Whether the part of the run is over. Later frames change nothing. */
  get isOver(): boolean {
    return this.#finishReason !== undefined || this.failure !== undefined;
  }

  /** Translates whole frames, which must follow the previous ones. */
  write(bytes: Buffer): string {
    return this.isOver ? "" : this.#scanner.scan(bytes, this);
  }

  chunk(index: number, literal: string): string {
    if (this.isOver || index < this.#facts.first) return "";
    this.#hasText = true;
    this.#lastText = index;
    if (!this.#isStream) {
      this.#text += literal;
      return "";
    }
    return `${this.#before}${literal}"},"logprobs":null,"finish_reason":null}]${this.#nullUsage}}\n\n`;
  }

  nested(index: number, name: string, data: string): string {
    if (!this.isOver && index >= this.#facts.first && isModelRequest(name)) this.#usage.add(data);
    return "";
  }

  own(index: number, name: string, data: string): string {
    if (this.isOver || index < this.#facts.first) return "";
    if (isModelRequest(name)) {
      this.#usage.add(data);
      this.#turns.push([index, this.#text.length]);
      return "";
    }
    const base = baseName(name);
    if (this.#hasBegun && !base.startsWith("Run")) return "";
    const event = JSON.parse(data) as LogEvent;
    return this.#begin(event) + this.#translate(index, base, event);
  }

  #begin({ created_at: created }: LogEvent): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    this.#created = created;
    this.#before = `${this.#head}{"index":0,"delta":{"content":"`;
    return this.#delta({ role: "assistant", content: "", refusal: null });
  }

  #translate(index: number, base: string, event: LogEvent): string {
    switch (base) {
      case "ReasoningContentDelta":
      case "ReasoningStep":
        return event.reasoning_content ? this.#reason(event.reasoning_content) : "";
      case "RunContent": {
        const thought = event.reasoning_content ? this.#reason(event.reasoning_content) : "";
        const text = textOf(event.content);
        const cited = event.citations ? this.#cite(index, event) : "";
        return thought + (text === "" ? "" : this.chunk(index, literalOf(text))) + cited;
      }
      case "RunRecovered":
        return this.#recover(event);
      case "RunPaused":
        return this.#ask(event);
      case "RunCompleted": {
        const text = this.#hasText ? "" : textOf(event.content);
        return (text === "" ? "" : this.chunk(index, literalOf(text))) + this.#finish("stop");
      }
      case "RunCancelled":
        return this.#fail({ message: "The run was cancelled.", code: "run_cancelled" });
      case "RunError":
        if (event.error_type === "content_filter") return this.#finish("content_filter");
        return this.#fail({ message: failureText(event), code: event.error_type ?? "run_failed" });
      default:
        return "";
    }
  }

  #reason(text: string): string {
    this.#reasoning += this.#isStream ? "" : text;
    return this.#delta({ reasoning_content: text });
  }

  #cite(index: number, event: LogEvent): string {
    const annotations = urlCitations(event).map((citation) => ({ type: "url_citation", url_citation: citation }));
    if (annotations.length === 0) return "";
    if (!this.#isStream) this.#annotations = [...this.#annotations, { index, annotations }];
    return this.#delta({ annotations });
  }

  /** Another process generates a part of the answer again. Text that the client has cannot be taken back. */
  #recover({ discard_from_index: from = 0 }: LogEvent): string {
    this.#annotations = this.#annotations.filter(({ index }) => index < from);
    if (from > this.#lastText) return "";
    if (!this.#isStream) {
      const [, length] = this.#turns.findLast(([index]) => index < from) ?? [from, 0];
      this.#text = this.#text.slice(0, length);
      this.#hasText = length > 0;
      return "";
    }
    const where = `GET /v1/responses/${responseId(this.#facts)} has the whole answer.`;
    const message = `A process failed while it wrote this answer, and a part of it is written again. ${where}`;
    return this.#fail({ message, code: "answer_restarted" });
  }

  #ask(event: LogEvent): string {
    this.#questions.push(...questionsOf(event));
    const text = this.#hasText || this.#questions.length > 0 ? "" : textOf(event.content);
    const calls = this.#calls().map((call, index) => ({ index, ...call }));
    const asked = calls.length > 0 ? this.#delta({ tool_calls: calls }) : "";
    return (
      (text === "" ? "" : this.chunk(0, literalOf(text))) +
      asked +
      this.#finish(calls.length > 0 ? "tool_calls" : "stop")
    );
  }

  #calls(): readonly Record<string, unknown>[] {
    const { runId } = this.#facts;
    return this.#questions.map(({ id, name, arguments: args }) => ({
      id: questionName("call", { runId, questionId: id }),
      type: "function",
      function: { name, arguments: args },
    }));
  }

  #finish(reason: FinishReason): string {
    this.#finishReason = reason;
    if (!this.#isStream) return "";
    const last = `${this.#head}{"index":0,"delta":{},"logprobs":null,"finish_reason":"${reason}"}]${this.#nullUsage}}\n\n`;
    const usage = JSON.stringify(this.#usage.ofCompletion());
    const counted = this.#facts.includesUsage ? `${this.#head}],"usage":${usage}}\n\n` : "";
    return `${last}${counted}data: [DONE]\n\n`;
  }

  #fail(failure: CompletionFailure): string {
    this.failure = failure;
    return this.#isStream ? errorChunk(failure) : "";
  }

  #delta(delta: Readonly<Record<string, unknown>>): string {
    if (!this.#isStream) return "";
    const choice = `{"index":0,"delta":${toJsonLine(delta)},"logprobs":null,"finish_reason":null}`;
    return `${this.#head}${choice}]${this.#nullUsage}}\n\n`;
  }

  get #nullUsage(): string {
    return this.#facts.includesUsage ? ',"usage":null' : "";
  }

  get #head(): string {
    const id = JSON.stringify(completionId(this.#facts));
    const model = toJsonLine(modelOf(this.#facts));
    return `data: {"id":${id},"object":"chat.completion.chunk","created":${this.#created},"model":${model},"choices":[`;
  }

  /** The whole completion. */
  get completion(): Record<string, unknown> {
    const calls = this.#calls();
    return {
      id: completionId(this.#facts),
      object: "chat.completion",
      created: this.#created,
      model: modelOf(this.#facts),
      choices: [
        {
          index: 0,
          message: {
            role: "assistant",
            content: this.#text === "" && calls.length > 0 ? null : textOfLiteral(this.#text),
            refusal: null,
            ...(this.#reasoning !== "" && { reasoning_content: this.#reasoning }),
            ...(this.#annotations.length > 0 && {
              annotations: this.#annotations.flatMap(({ annotations }) => annotations),
            }),
            ...(calls.length > 0 && { tool_calls: calls }),
          },
          logprobs: null,
          finish_reason: this.#finishReason ?? "stop",
        },
      ],
      usage: this.#usage.ofCompletion(),
    };
  }
}

/** The last frame of a stream that has no whole answer: the client throws it. */
export function errorChunk({ message, code }: CompletionFailure): string {
  return `data: ${toJsonLine({ error: { message, type: "server_error", param: null, code } })}\n\n`;
}
