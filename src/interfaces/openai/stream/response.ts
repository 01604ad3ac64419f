/** Translates the log of a run to the events of a response. Event n depends on the stored events up to its own, so every process makes the same frames. */

import { type FrameHandler, FrameScanner } from "../../../http/streams/frame-scanner.ts";
import { toJsonLine } from "../../../model/frame.ts";
import { baseName } from "../../../model/run/event-name.ts";
import type { ComponentName } from "../../../runs/find.ts";
import { framesPerEvent, modelOf, type Part, responseId, sequenceNumber } from "../names.ts";
import { questionsOf } from "../questions.ts";
import { failureText, isModelRequest, type LogEvent, literalOf, textOf, Usage, urlCitations } from "./events.ts";
import { type CallItem, type Item, itemJson, partJson, questionItem, type TextItem } from "./items.ts";

/** The facts of a run that its response shows. They never change after the run's start. */
export interface ResponseFacts extends Part, ComponentName {
  readonly sessionId: string;
  /** In seconds, for a response without an event. */
  readonly createdAt: number;
  readonly background: boolean;
  readonly instructions: string | undefined;
  readonly metadata: Readonly<Record<string, unknown>> | undefined;
  readonly userId: string | null;
  readonly previousResponseId: string | undefined;
}

export type ResponseStatus = "queued" | "in_progress" | "completed" | "failed" | "incomplete" | "cancelled";

interface End {
  readonly status: ResponseStatus;
  readonly at?: number;
  readonly error?: { readonly code: string; readonly message: string };
  readonly reason?: string;
}

/** Max questions of one pause, or sources of one answer, that have frames of their own at once: the numbers of an event's frames are bounded. The last frame has all of them. */
const maxAnnounced = framesPerEvent / 5;

/** Translates one part of a run. */
export class ResponseTranslator implements FrameHandler {
  readonly #facts: ResponseFacts;
  readonly #scanner: FrameScanner;
  /** Frames up to this sequence number are not written; undefined writes no frames at all. */
  readonly #after: number | undefined;
  readonly #usage = new Usage();
  #items: Item[] = [];
  /** Number of items that frames have announced. */
  #announced = 0;
  #open: TextItem | undefined;
  /** Sources that the next text of the answer receives, as JSON texts. */
  #citations: string[] = [];
  #delta = { before: "", behind: "" };
  #createdAt: number;
  #hasBegun = false;
  #hasText = false;
  #end: End | undefined;
  #index = 0;
  #frame = 0;

  constructor(facts: ResponseFacts, after?: number) {
    this.#facts = facts;
    this.#after = after;
    this.#createdAt = facts.createdAt;
    this.#scanner = new FrameScanner(facts.runId);
  }

  /** Whether the part of the run is over: it ended, or waits for answers. */
  get isOver(): boolean {
    return this.#end !== undefined;
  }

  /** The number of the last frame so far, or of the client's last frame if that is later. */
  get sequenceNumber(): number {
    return Math.max(sequenceNumber(this.#index, this.#frame) - 1, this.#after ?? -1);
  }

  /** Translates whole frames, which must follow the previous ones. */
  write(bytes: Buffer): string {
    return this.#scanner.scan(bytes, this);
  }

  chunk(index: number, literal: string): string {
    if (this.isOver || index < this.#facts.first) return "";
    this.#at(index);
    return this.#say("message", literal);
  }

  nested(index: number, name: string, data: string): string {
    if (!this.isOver && index >= this.#facts.first && isModelRequest(name)) this.#usage.add(data);
    return "";
  }

  own(index: number, name: string, data: string): string {
    const base = baseName(name);
    if (this.isOver) {
      // The run was cancelled instead of answered.
      if (base === "RunCancelled" && this.#end?.status === "completed")
        this.#end = { ...this.#end, status: "cancelled" };
      return "";
    }
    if (index < this.#facts.first) return "";
    this.#at(index);
    const begun = this.#begin(data);
    if (isModelRequest(name)) {
      this.#usage.add(data);
      return begun + this.#close("completed");
    }
    if (!translated.has(base)) return begun;
    return begun + this.#translate(base, JSON.parse(data) as LogEvent);
  }

  #at(index: number): void {
    if (index === this.#index) return;
    this.#index = index;
    this.#frame = 0;
  }

  #begin(data: string): string {
    if (this.#hasBegun) return "";
    this.#hasBegun = true;
    this.#createdAt = (JSON.parse(data) as LogEvent).created_at;
    const response = `"response":${this.#response({ status: "in_progress" })}`;
    return this.#write("response.created", response) + this.#write("response.in_progress", response);
  }

  #translate(base: string, event: LogEvent): string {
    switch (base) {
      case "ReasoningContentDelta":
      case "ReasoningStep":
        return event.reasoning_content ? this.#say("reasoning", literalOf(event.reasoning_content)) : "";
      case "RunContent": {
        const { reasoning_content: reasoning } = event;
        const thought = reasoning ? this.#say("reasoning", literalOf(reasoning)) : "";
        const text = textOf(event.content);
        const said = text === "" ? "" : this.#say("message", literalOf(text));
        return thought + said + (event.citations ? this.#cite(event) : "");
      }
      case "ToolCallStarted":
        return this.#close("completed") + this.#call(event).written;
      case "ToolCallCompleted":
        return this.#callEnd(event);
      case "RunRecovered":
        return this.#recover(event);
      case "RunPaused":
        return this.#ask(event);
      case "RunCompleted":
        return this.#complete(event);
      case "RunCancelled":
        return this.#finish({ status: "cancelled" });
      default:
        return this.#fail(event);
    }
  }

  /** Adds text to the open item, or to a new one. */
  #say(kind: TextItem["kind"], literal: string): string {
    let written = "";
    let open = this.#open;
    if (open?.kind !== kind) {
      written += this.#close("completed");
      open = this.#openText(kind);
      written += this.#announce(open);
      written += this.#write("response.content_part.added", `${this.#ofPart(open)},"part":${partJson(open)}`);
      if (kind === "message") written += this.#annotate(open);
    }
    open.text += literal;
    if (kind === "message") this.#hasText = true;
    const number = sequenceNumber(this.#index, this.#frame++);
    if (this.#after === undefined || number <= this.#after) return written;
    return `${written}${this.#delta.before}${literal}${this.#delta.behind}${number}}\n\n`;
  }

  /** Adds sources to the open text of the answer, or to the next one. */
  #cite(event: LogEvent): string {
    this.#citations.push(...urlCitations(event).map((one) => toJsonLine({ type: "url_citation", ...one })));
    return this.#open?.kind === "message" ? this.#annotate(this.#open) : "";
  }

  #annotate(item: TextItem): string {
    let written = "";
    for (const [count, annotation] of this.#citations.entries()) {
      const place = item.annotations.push(annotation) - 1;
      if (count >= maxAnnounced) continue;
      const members = `${this.#ofPart(item)},"annotation_index":${place},"annotation":${annotation}`;
      written += this.#write("response.output_text.annotation.added", members);
    }
    this.#citations = [];
    return written;
  }

  #openText(kind: TextItem["kind"]): TextItem {
    const item: TextItem = {
      ...this.#placed(kind === "message" ? "msg" : "rs"),
      kind,
      text: "",
      annotations: [],
    };
    const type = kind === "message" ? "response.output_text.delta" : "response.reasoning_text.delta";
    const before = `event: ${type}\ndata: {"type":"${type}",${this.#ofPart(item)},"delta":"`;
    this.#delta = {
      before,
      behind: kind === "message" ? '","logprobs":[],"sequence_number":' : '","sequence_number":',
    };
    this.#open = item;
    return item;
  }

  #placed(prefix: string): { id: string; place: number; begun: number; status: "in_progress" } {
    const id = `${prefix}_${this.#facts.runId}.${sequenceNumber(this.#index, this.#frame)}`;
    return { id, place: this.#announced, begun: this.#index, status: "in_progress" };
  }

  /** Ends the open text. */
  #close(status: "completed" | "incomplete"): string {
    const open = this.#open;
    if (!open) return "";
    this.#open = undefined;
    open.status = status;
    const [type, members] =
      open.kind === "message"
        ? ["response.output_text.done", `"text":"${open.text}","logprobs":[]`]
        : ["response.reasoning_text.done", `"text":"${open.text}"`];
    return (
      this.#write(type, `${this.#ofPart(open)},${members}`) +
      this.#write("response.content_part.done", `${this.#ofPart(open)},"part":${partJson(open)}`) +
      this.#done(open)
    );
  }

  #call({ tool }: LogEvent): { readonly item: CallItem | undefined; readonly written: string } {
    if (!tool) return { item: undefined, written: "" };
    const known = this.#items.find(
      (one): one is CallItem => one.kind === "call" && one.callId === tool.tool_call_id && one.status === "in_progress",
    );
    if (known) return { item: known, written: "" };
    const item: CallItem = {
      ...this.#placed("mcp"),
      kind: "call",
      callId: tool.tool_call_id,
      name: tool.tool_name,
      label: this.#facts.componentId,
      arguments: JSON.stringify(tool.tool_args ?? {}),
      output: null,
      error: null,
    };
    const written =
      this.#announce(item) +
      this.#write("response.mcp_call.in_progress", this.#ofItem(item)) +
      this.#write(
        "response.mcp_call_arguments.done",
        `${this.#ofItem(item)},"arguments":${toJsonLine(item.arguments)}`,
      );
    return { item, written };
  }

  #callEnd(event: LogEvent): string {
    const { item, written } = this.#call(event);
    if (!item || !event.tool) return "";
    const { tool_call_error: isError, result } = event.tool;
    item.status = isError ? "failed" : "completed";
    item.output = isError ? null : (result ?? "");
    item.error = isError ? (result ?? "The call failed.") : null;
    const type = isError ? "response.mcp_call.failed" : "response.mcp_call.completed";
    return written + this.#write(type, this.#ofItem(item)) + this.#done(item);
  }

  /** Another process generates a part of the run again: its items end as incomplete, and the response no longer has them. */
  #recover({ discard_from_index: from = 0 }: LogEvent): string {
    const written = this.#close("incomplete");
    this.#citations = [];
    const kept: Item[] = [];
    let ended = "";
    for (const item of this.#items) {
      if (item.begun < from) kept.push(item);
      else if (item.status === "in_progress") {
        item.status = "incomplete";
        ended += this.#done(item);
      }
    }
    this.#items = kept;
    this.#hasText = kept.some(({ kind }) => kind === "message");
    return written + ended;
  }

  #ask(event: LogEvent): string {
    let written = this.#endItems();
    for (const [count, question] of questionsOf(event).entries()) {
      const placed = { place: this.#announced, begun: this.#index, label: this.#facts.componentId };
      const item = questionItem(question, this.#facts, placed);
      if (count >= maxAnnounced) {
        this.#items.push(item);
        continue;
      }
      written += this.#announce(item);
      if (item.kind === "function") {
        const args = toJsonLine(item.arguments);
        const members = `${this.#ofItem(item)},"name":${toJsonLine(item.name)},"arguments":${args}`;
        written += this.#write("response.function_call_arguments.delta", `${this.#ofItem(item)},"delta":${args}`);
        written += this.#write("response.function_call_arguments.done", members);
      }
      written += this.#done(item);
    }
    return written + this.#finish({ status: "completed", at: event.created_at });
  }

  #complete(event: LogEvent): string {
    const text = this.#hasText ? "" : textOf(event.content);
    const said = text === "" ? "" : this.#say("message", literalOf(text));
    return said + this.#finish({ status: "completed", at: event.created_at });
  }

  #fail(event: LogEvent): string {
    if (event.error_type === "content_filter") return this.#finish({ status: "incomplete", reason: "content_filter" });
    const code = event.error_code === "LIMIT_EXCEEDED" ? "rate_limit_exceeded" : "server_error";
    return this.#finish({ status: "failed", error: { code, message: failureText(event) } });
  }

  /** Ends the items that are still open. */
  #endItems(): string {
    let written = this.#close(this.#end ? "incomplete" : "completed");
    for (const item of this.#items) {
      if (item.status !== "in_progress") continue;
      item.status = "incomplete";
      written += this.#done(item);
    }
    return written;
  }

  #finish(end: End): string {
    const isComplete = end.status === "completed";
    const closed = this.#close(isComplete ? "completed" : "incomplete") + this.#endItems();
    this.#end = end;
    const type = isComplete ? "completed" : end.status === "failed" ? "failed" : "incomplete";
    return closed + this.#write(`response.${type}`, `"response":${this.#response(end)}`);
  }

  #announce(item: Item): string {
    this.#items.push(item);
    this.#announced++;
    return this.#write("response.output_item.added", `"output_index":${item.place},"item":${itemJson(item, true)}`);
  }

  #done(item: Item): string {
    return this.#write("response.output_item.done", `"output_index":${item.place},"item":${itemJson(item)}`);
  }

  #ofItem({ id, place }: Item): string {
    return `"item_id":${toJsonLine(id)},"output_index":${place}`;
  }

  #ofPart(item: Item): string {
    return `${this.#ofItem(item)},"content_index":0`;
  }

  /** A frame. It counts even if it is not written. */
  #write(type: string, members: string): string {
    const number = sequenceNumber(this.#index, this.#frame++);
    if (this.#after === undefined || number <= this.#after) return "";
    return `event: ${type}\ndata: {"type":"${type}",${members},"sequence_number":${number}}\n\n`;
  }

  /** Sets the answer of a run whose events are no longer kept. */
  restore(text: string): void {
    if (text !== "") this.#say("message", literalOf(text));
    this.#close("completed");
  }

  /** The response as it is now, as JSON. @param status for a part that has no end yet */
  response(status: ResponseStatus = "in_progress"): string {
    return this.#response(this.#end ?? { status });
  }

  #response({ status, at, error, reason }: End): string {
    const { background, sessionId, instructions, previousResponseId, userId, metadata } = this.#facts;
    const isOver = status !== "queued" && status !== "in_progress";
    const before = toJsonLine({
      id: responseId(this.#facts),
      object: "response",
      created_at: this.#createdAt,
      status,
      background,
      completed_at: at ?? null,
      error: error ?? null,
      incomplete_details: reason === undefined ? null : { reason },
      instructions: instructions ?? null,
      max_output_tokens: null,
      model: modelOf(this.#facts),
    });
    const after = toJsonLine({
      parallel_tool_calls: true,
      previous_response_id: previousResponseId ?? null,
      conversation: { id: sessionId },
      reasoning: { effort: null, summary: null },
      store: true,
      temperature: null,
      text: { format: { type: "text" } },
      tool_choice: "auto",
      tools: [],
      top_p: null,
      truncation: "disabled",
      usage: isOver ? this.#usage.ofResponse() : null,
      user: userId,
      metadata: metadata ?? {},
    });
    const output = this.#items.map((item) => itemJson(item)).join(",");
    return `${before.slice(0, -1)},"output":[${output}],${after.slice(1)}`;
  }
}

/** Events that have frames. */
const translated: ReadonlySet<string> = new Set([
  "RunContent",
  "ReasoningContentDelta",
  "ReasoningStep",
  "ToolCallStarted",
  "ToolCallCompleted",
  "RunRecovered",
  "RunPaused",
  "RunCompleted",
  "RunCancelled",
  "RunError",
]);
