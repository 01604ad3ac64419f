/**
 * Translates the events of a run's log to chunks of UI messages. The chunks of an event depend on the stored events up to it alone, so any process can
 * make them again.
 */

import { isStoredArtifact } from "../../../model/run/artifact.ts";
import { baseName } from "../../../model/run/event-name.ts";
import { type Media, specifiedMediaType } from "../../../model/run/message.ts";
import type { ToolRequirement } from "../../../model/run/record.ts";
import { Calls } from "./calls.ts";
import type { Chunk, FinishReason } from "./chunks.ts";
import { isEnd, type LogEvent } from "./log-event.ts";
import { memberChunks } from "./members.ts";
import { sourcesOf } from "./sources.ts";
import { stepChunks } from "./steps.ts";

/** The run of a message. */
export interface TranslatedRun {
  readonly runId: string;
  readonly sessionId: string;
}

export class Translator {
  readonly #run: TranslatedRun;
  #hasBegun = false;
  /** Whether the message has been finished by a pause: the next event continues it. */
  #isPaused = false;
  /** Index of the event that began the current step; undefined outside of steps. */
  #step: number | undefined;
  /** The text or reasoning part that is open. */
  #part: { readonly kind: "text" | "reasoning"; readonly id: string } | undefined;
  #hasText = false;
  readonly #calls: Calls;

  constructor(run: TranslatedRun) {
    this.#run = run;
    this.#calls = new Calls(run.runId);
  }

  /** The chunks of an event. `data` is its JSON text; `files` are the files that the run has made, if the event completes it. */
  translate(index: number, name: string, data: string, files: readonly Media[] = []): readonly Chunk[] {
    // The record of a paused workflow, which follows the pause.
    if (name === "WorkflowRunOutput") return [];
    const event = JSON.parse(data) as LogEvent;
    const base = baseName(name);
    const chunks = [...this.#begin(), ...this.#calls.answerSteps(base, event)];
    const isOwn = event.run_id === this.#run.runId;
    chunks.push(...this.#common(base, event));
    chunks.push(...(isOwn ? this.#own(index, base, event, files) : memberChunks(base, event)));
    return chunks;
  }

  /** The id of the text part that is open; undefined if there is none. A further chunk of the answer then is one `text-delta` with this id. */
  get openText(): string | undefined {
    return this.#part?.kind === "text" ? this.#part.id : undefined;
  }

  #begin(): Chunk[] {
    if (this.#hasBegun && !this.#isPaused) return [];
    const { runId, sessionId } = this.#run;
    const metadata = this.#hasBegun ? {} : { messageMetadata: { runId, sessionId } };
    this.#hasBegun = true;
    this.#isPaused = false;
    return [{ type: "start", messageId: runId, ...metadata }];
  }

  /** Events with the same meaning for the run and for members: tool calls, steps and artifacts. */
  #common(base: string, event: LogEvent): readonly Chunk[] {
    const { tool, artifact } = event;
    if (base === "ToolCallStarted" && tool) {
      const ended = event.run_id === this.#run.runId ? this.#endPart() : [];
      return [...ended, ...this.#calls.start(event, tool)];
    }
    if ((base === "ToolCallCompleted" || base === "ToolCallError") && tool) return this.#calls.end(event, tool);
    // A rejected call has no events of its own: the model is asked next.
    if (base === "ModelRequestStarted") return this.#calls.reject(event.run_id);
    if (isEnd(base)) return this.#calls.reject(event.run_id === this.#run.runId ? undefined : event.run_id);
    if (base === "CustomEvent" && isStoredArtifact(artifact)) {
      return [{ type: "data-artifact", id: artifact.name, data: artifact }];
    }
    return stepChunks(base, event);
  }

  #own(index: number, base: string, event: LogEvent, files: readonly Media[]): readonly Chunk[] {
    switch (base) {
      case "ModelRequestStarted": {
        // A request that is not a turn shows no text.
        if (event.purpose !== undefined) return [];
        const ended = this.#endStep();
        this.#step = index;
        return [...ended, { type: "start-step" }];
      }
      case "RunContent":
        return this.#content(index, event);
      case "ReasoningContentDelta":
      case "ReasoningStep":
        return this.#content(index, { ...event, content: undefined });
      case "ModelRequestCompleted":
      case "ReasoningCompleted":
      case "RunContentCompleted":
        return this.#endPart();
      case "RunMessage": {
        const { message_id: id = String(index), content } = event;
        return [{ type: "steering-message", id, parts: [{ type: "text", text: String(content) }] }];
      }
      case "FollowupsCompleted":
        return [{ type: "data-followups", id: "followups", data: { followups: event.followups ?? [] } }];
      case "RunRecovered":
        return this.#recover(event.discard_from_index ?? 0);
      case "RunPaused":
        return this.#pause(index, event);
      case "RunCompleted":
        return this.#complete(index, event, files);
      case "RunCancelled": {
        const { reason } = event;
        const abort: Chunk = { type: "abort", ...(reason !== undefined && { reason }) };
        return [...this.#endStep(), abort, this.#finish(index, "interrupted", "CANCELLED")];
      }
      case "RunError": {
        const { error, content, error_type: errorType, error_id: errorId } = event;
        const text = error ?? content;
        const messageMetadata = { status: "ERROR", errorType, errorId, cursor: index };
        const errorText = typeof text === "string" ? text : "The run failed.";
        return [...this.#endStep(), { type: "message-metadata", messageMetadata }, { type: "error", errorText }];
      }
      default:
        return [];
    }
  }

  /** The engine writes text, reasoning and sources in events of their own. An event relayed from another server may have all of them. */
  #content(index: number, { content, reasoning_content: reasoning, citations }: LogEvent): readonly Chunk[] {
    const chunks: Chunk[] = [];
    if (typeof reasoning === "string" && reasoning !== "") {
      chunks.push(...this.#openPart("reasoning", index));
      chunks.push({ type: "reasoning-delta", id: this.#part?.id ?? "", delta: reasoning });
    }
    if (content !== undefined && content !== null && content !== "") {
      if (typeof content !== "string") chunks.push(...this.#endPart(), { type: "data-output", data: content });
      else chunks.push(...this.#text(index, content));
      this.#hasText = true;
    }
    if (citations) chunks.push(...sourcesOf(citations, index));
    return chunks;
  }

  #text(index: number, content: string): readonly Chunk[] {
    const begin = this.#openPart("text", index);
    // The engine separates the texts of two turns by an empty line; here they are two parts.
    const delta = begin.length > 0 && this.#hasText ? content.replace(/^\n\n/, "") : content;
    return delta === "" ? begin : [...begin, { type: "text-delta", id: this.#part?.id ?? "", delta }];
  }

  #openPart(kind: "text" | "reasoning", index: number): readonly Chunk[] {
    if (this.#part?.kind === kind) return [];
    const ended = this.#endPart();
    const id = String(index);
    this.#part = { kind, id };
    return [...ended, { type: `${kind}-start`, id }];
  }

  #endPart(): readonly Chunk[] {
    const part = this.#part;
    this.#part = undefined;
    return part ? [{ type: `${part.kind}-end`, id: part.id }] : [];
  }

  #endStep(): readonly Chunk[] {
    const ended = this.#endPart();
    if (this.#step === undefined) return ended;
    this.#step = undefined;
    return [...ended, { type: "finish-step" }];
  }

  /** The events from an index on are void. A turn is stored as a whole, so either the whole step is void or nothing that is shown. */
  #recover(discardFrom: number): readonly Chunk[] {
    if (this.#step === undefined || discardFrom > this.#step + 1) return this.#endPart();
    this.#part = undefined;
    this.#calls.discardRunning();
    return [{ type: "reset-step" }];
  }

  #complete(index: number, { content, metrics }: LogEvent, files: readonly Media[]): readonly Chunk[] {
    const all: Chunk[] = [...this.#endPart()];
    if (!this.#hasText && content !== undefined && content !== null && content !== "") {
      all.push(...this.#content(index, { run_id: "", content }), ...this.#endPart());
    }
    for (const { url, data, ...media } of files) {
      const mediaType = specifiedMediaType(media) ?? "application/octet-stream";
      all.push({ type: "file", url: url ?? `data:${mediaType};base64,${data ?? ""}`, mediaType });
    }
    return [...all, ...this.#endStep(), this.#finish(index, "stop", "COMPLETED", metrics)];
  }

  #finish(index: number, finishReason: FinishReason, status: string, metrics?: unknown): Chunk {
    const messageMetadata = { status, cursor: index, ...(metrics !== undefined && { usage: usageOf(metrics) }) };
    return { type: "finish", finishReason, messageMetadata };
  }

  #pause(index: number, { requirements = [], step_requirements: steps = [], content }: LogEvent): readonly Chunk[] {
    const reason = typeof content === "string" ? content : undefined;
    const calls = [
      ...requirements,
      ...steps.flatMap((step) => (step.executor_requirements ?? []) as readonly ToolRequirement[]),
    ];
    const asked = [
      ...calls.flatMap((requirement) => this.#calls.ask(requirement, reason)),
      ...steps.filter((step) => !step.executor_requirements).flatMap((step) => this.#calls.askStep(step)),
    ];
    // Clients send the answers once every call of the last step is answered or complete. A call that waits for a member's run is neither.
    const apart: readonly Chunk[] = this.#calls.areRunning
      ? [...this.#endStep(), { type: "start-step" }]
      : this.#endPart();
    if (this.#calls.areRunning) this.#step = index;
    this.#isPaused = true;
    return [...apart, ...asked, ...this.#endStep(), this.#finish(index, "tool-calls", "PAUSED")];
  }
}

/** Token counts of a run's metrics, with the names of the AI SDK. */
function usageOf(metrics: unknown): Readonly<Record<string, unknown>> {
  const { input_tokens, output_tokens, total_tokens, reasoning_tokens, cost, duration } = Object(metrics) as Record<
    string,
    unknown
  >;
  return {
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    totalTokens: total_tokens,
    reasoningTokens: reasoning_tokens,
    cost,
    duration,
  };
}
