/** UI messages of stored runs: the chunks of a run's log, applied to a message in the same way as `readUIMessageStream` of the package `ai` does. */
import type { Chunk } from "./stream/chunks.ts";

/** A part of a message. */
export type Part = { type: string } & Record<string, unknown>;

/** A message in the form of the package `ai`. */
export interface UiMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly metadata?: unknown;
  readonly parts: readonly Part[];
}

/** Collects the chunks of one message. */
export class MessageBuilder {
  readonly #id: string;
  #metadata: Record<string, unknown> = {};
  readonly #parts: Part[] = [];
  readonly #open = new Map<string, Part>();

  constructor(id: string) {
    this.#id = id;
  }

  get message(): UiMessage {
    return { id: this.#id, role: "assistant", metadata: this.#metadata, parts: this.#parts };
  }

  add(chunk: Chunk): void {
    switch (chunk.type) {
      case "start":
      case "finish":
      case "message-metadata":
        this.#metadata = { ...this.#metadata, ...(chunk.messageMetadata as Record<string, unknown> | undefined) };
        return;
      case "start-step":
        this.#parts.push({ type: "step-start" });
        return;
      case "reset-step":
        this.#open.clear();
        this.#parts.splice(this.#parts.findLastIndex(({ type }) => type === "step-start") + 1);
        return;
      case "text-start":
      case "reasoning-start": {
        const type = chunk.type === "text-start" ? "text" : "reasoning";
        const part: Part = { type, ...(type === "reasoning" && { id: chunk.id }), text: "", state: "streaming" };
        this.#open.set(chunk.id, part);
        this.#parts.push(part);
        return;
      }
      case "text-delta":
      case "reasoning-delta": {
        const part = this.#open.get(chunk.id);
        if (part) part.text = `${part.text}${chunk.delta}`;
        return;
      }
      case "text-end":
      case "reasoning-end": {
        const part = this.#open.get(chunk.id);
        if (part) part.state = "done";
        this.#open.delete(chunk.id);
        return;
      }
      case "file":
      case "source-url":
      case "source-document":
      case "steering-message":
        this.#parts.push({ ...chunk });
        return;
      case "finish-step":
      case "error":
      case "abort":
        return;
      default:
        if (isData(chunk)) this.#addData(chunk);
        else this.#addCall(chunk);
    }
  }

  #addData({ transient, ...part }: Extract<Chunk, { readonly type: `data-${string}` }>): void {
    if (transient) return;
    const earlier = this.#parts.find(({ type, id }) => part.id !== undefined && type === part.type && id === part.id);
    if (earlier) earlier.data = part.data;
    else this.#parts.push({ ...part });
  }

  #addCall(chunk: Exclude<Chunk, { readonly type: `data-${string}` }>): void {
    if (chunk.type === "tool-input-available") {
      const { type: _, toolName, dynamic, ...call } = chunk;
      const part = this.#callPart(call.toolCallId);
      if (part) Object.assign(part, { state: "input-available", input: call.input });
      else {
        const type = dynamic ? { type: "dynamic-tool", toolName } : { type: `tool-${toolName}` };
        this.#parts.push({ ...type, ...call, state: "input-available" });
      }
      return;
    }
    if (chunk.type === "tool-approval-request") {
      const { approvalId: id, approvalDescriptor: descriptor, reason: requestReason } = chunk;
      const approval = {
        id,
        ...(descriptor !== undefined && { descriptor }),
        ...(requestReason !== undefined && { requestReason }),
      };
      Object.assign(this.#callPart(chunk.toolCallId) ?? {}, { state: "approval-requested", approval });
    } else if (chunk.type === "tool-approval-response") {
      const { approvalId, approved } = chunk;
      const part = this.#parts.findLast(({ approval }) => (approval as { id?: string } | undefined)?.id === approvalId);
      if (part)
        Object.assign(part, { state: "approval-responded", approval: { ...(part.approval as object), approved } });
    } else if (chunk.type === "tool-output-available") {
      Object.assign(this.#callPart(chunk.toolCallId) ?? {}, { state: "output-available", output: chunk.output });
    } else if (chunk.type === "tool-output-error") {
      Object.assign(this.#callPart(chunk.toolCallId) ?? {}, { state: "output-error", errorText: chunk.errorText });
    } else if (chunk.type === "tool-output-denied") {
      Object.assign(this.#callPart(chunk.toolCallId) ?? {}, { state: "output-denied" });
    }
  }

  /** The call of the current step, or the last one with this id in an earlier step. */
  #callPart(toolCallId: string): Part | undefined {
    return this.#parts.findLast((part) => part.toolCallId === toolCallId);
  }
}

function isData(chunk: Chunk): chunk is Extract<Chunk, { readonly type: `data-${string}` }> {
  return chunk.type.startsWith("data-");
}
