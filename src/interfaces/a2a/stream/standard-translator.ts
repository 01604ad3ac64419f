/**
 * Translator for the specification's streams: output comes as artifacts in chunks, other events as status updates. The current task, which the caller
 * sends, precedes them.
 */
import type { Media } from "../../../model/run/message.ts";
import type { A2aEvent, ArtifactUpdate, Message, Metadata, Part, StatusUpdate, TaskName } from "../protocol.ts";
import { answerArtifact, fileArtifacts, inChunks, toArtifact } from "../task/artifacts.ts";
import { answerId, endMessage, reasoningId } from "../task/messages.ts";
import { toParts } from "../task/parts.ts";
import { type Fact, memberMetadata } from "./facts.ts";
import type { TranslatedTask, Translator } from "./translator.ts";

/** It must translate the log from the first event on: it counts the characters of the answer that were streamed. */
export function standardTranslator(task: TranslatedTask): Translator {
  return new StandardTranslator(task);
}

class StandardTranslator implements Translator {
  readonly remembers = true;
  readonly #name: TaskName;
  readonly #accepted: readonly string[] | undefined;
  /** Characters of the answer that were streamed; undefined before the first ones. */
  #streamed: number | undefined;
  /** Whether the streamed text differs from the final answer: after a crash, a part of it is void. */
  #isVoid = false;
  #isWhole = false;

  constructor({ taskId, contextId, accepted }: TranslatedTask) {
    this.#name = { taskId, contextId };
    this.#accepted = accepted;
  }

  countChunk(length: number): "first" | "more" {
    const form = this.#streamed === undefined ? "first" : "more";
    this.#streamed = (this.#streamed ?? 0) + length;
    this.#isWhole = false;
    return form;
  }

  chunkEvent(form: "first" | "more", text: string): ArtifactUpdate {
    const artifact = answerArtifact([{ kind: "text", text }]);
    return { kind: "artifact-update", ...this.#name, artifact, append: form === "more", lastChunk: false };
  }

  translate(fact: Fact, files: readonly Media[]): readonly A2aEvent[] {
    switch (fact.kind) {
      case "working":
        return [this.#working(undefined, fact.progress)];
      case "artifact":
        return inChunks(this.#name, toArtifact(fact.artifact));
      case "content":
        this.#isWhole = true;
        return this.#wholeAnswer(fact.value);
      case "reasoning": {
        const { member, text } = fact;
        const more = member && memberMetadata(member);
        const id = reasoningId(member?.runId ?? this.#name.taskId);
        return [this.#working(this.#outputMessage(id, [{ kind: "text", text }], "reasoning", more), more)];
      }
      // A member's output is sent once, when the member has finished.
      case "member-text":
        return [];
      case "member-end": {
        const { member, content, progress } = fact;
        const parts = toParts(content, this.#accepted);
        const message = this.#outputMessage(answerId(member.runId), parts, "member_content", memberMetadata(member));
        return [this.#working(parts.length > 0 ? message : undefined, progress)];
      }
      case "recovered":
        return [...this.#void(), this.#working(undefined, fact.progress)];
      case "end":
        return this.#end(fact, files);
    }
  }

  /** Clears the streamed answer: its valid parts are sent again, at the latest with the complete answer. */
  #void(): readonly A2aEvent[] {
    if (this.#streamed === undefined) return [];
    this.#isVoid = true;
    const artifact = answerArtifact([{ kind: "text", text: "" }]);
    return [{ kind: "artifact-update", ...this.#name, artifact, append: false, lastChunk: false }];
  }

  #end(fact: Extract<Fact, { kind: "end" }>, files: readonly Media[]): readonly A2aEvent[] {
    const { state, content } = fact;
    const message = endMessage(this.#name, fact);
    const status = { state, timestamp: new Date(fact.at).toISOString(), ...(message && { message }) };
    const update: StatusUpdate = { kind: "status-update", ...this.#name, status, final: true };
    if (state !== "completed") return [update];
    const updates = fileArtifacts(files).flatMap((artifact) => inChunks(this.#name, artifact));
    return [...this.#endOfAnswer(content), ...updates, update];
  }

  /** Closes the artifact if the streamed text is the answer; otherwise sends the complete answer. */
  #endOfAnswer(content: unknown): readonly A2aEvent[] {
    if (this.#isWhole) return [];
    const isStreamed = typeof content === "string" && this.#streamed === content.length && !this.#isVoid;
    if (!isStreamed) return this.#wholeAnswer(content);
    const artifact = answerArtifact([{ kind: "text", text: "" }]);
    return [{ kind: "artifact-update", ...this.#name, artifact, append: true, lastChunk: true }];
  }

  #wholeAnswer(content: unknown): readonly A2aEvent[] {
    const parts = toParts(content, this.#accepted);
    return parts.length === 0 ? [] : inChunks(this.#name, answerArtifact(parts));
  }

  #working(message: Message | undefined, metadata: Metadata | undefined): StatusUpdate {
    const status = { state: "working", ...(message && { message }) } as const;
    return { kind: "status-update", ...this.#name, status, final: false, ...(metadata && { metadata }) };
  }

  #outputMessage(messageId: string, parts: readonly Part[], category: string, more?: Metadata): Message {
    return { ...this.#agentMessage(messageId, parts), metadata: { agno_content_category: category, ...more } };
  }

  #agentMessage(messageId: string, parts: readonly Part[]): Message {
    return { kind: "message", messageId, role: "agent", parts, ...this.#name };
  }
}
