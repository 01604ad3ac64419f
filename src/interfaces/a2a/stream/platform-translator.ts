/**
 * Translator of the platform's own streaming endpoint, as recorded: output comes as one message per chunk, and the task itself comes last. Output of
 * members has its own message ids and category.
 */
import type { Media } from "../../../model/run/message.ts";
import type { A2aEvent, Message, Metadata, Part, StatusUpdate, TaskName, TaskState } from "../protocol.ts";
import { inChunks, toArtifact } from "../task/artifacts.ts";
import { endedTask } from "../task/ended.ts";
import { answerId, endMessage, reasoningId } from "../task/messages.ts";
import { toParts } from "../task/parts.ts";
import { type Fact, memberMetadata } from "./facts.ts";
import type { TranslatedTask, Translator } from "./translator.ts";

/** It keeps no state, so the translation may begin at any event. */
export function platformTranslator(task: TranslatedTask): Translator {
  const name = { taskId: task.taskId, contextId: task.contextId };
  return {
    remembers: false,
    countChunk: () => "more",
    chunkEvent: (_, text) => agentMessage(name, answerId(name.taskId), [{ kind: "text", text }], "content"),
    translate: (fact, files) => eventsOf(task, name, fact, files),
  };
}

function eventsOf(task: TranslatedTask, name: TaskName, fact: Fact, files: readonly Media[]): readonly A2aEvent[] {
  const own = answerId(name.taskId);
  switch (fact.kind) {
    case "working":
    case "recovered":
    case "member-end":
      return [update(name, "working", fact.progress)];
    case "artifact":
      return inChunks(name, toArtifact(fact.artifact));
    case "content":
      return [agentMessage(name, own, toParts(fact.value, task.accepted), "content")];
    case "reasoning": {
      const { member, text } = fact;
      const id = reasoningId(member?.runId ?? name.taskId);
      return [agentMessage(name, id, [{ kind: "text", text }], "reasoning", member && memberMetadata(member))];
    }
    case "member-text": {
      const { member, text } = fact;
      const parts: readonly Part[] = [{ kind: "text", text }];
      return [agentMessage(name, answerId(member.runId), parts, "member_content", memberMetadata(member))];
    }
    case "end": {
      const { metrics } = fact;
      return [endUpdate(name, fact), endedTask(task, fact, files, metrics === undefined ? undefined : { metrics })];
    }
  }
}

/**
 * The last status update. Its message contains the reason for a failure or the question of a pause, unless statuses
 * are sent as bare names; the task that follows always contains it.
 */
function endUpdate(name: TaskName, fact: Extract<Fact, { kind: "end" }>): StatusUpdate {
  const { state } = fact;
  const message = endMessage(name, fact);
  return { ...update(name, state), status: { state, ...(message && { message }) }, final: true };
}

function update(name: TaskName, state: TaskState, metadata?: Metadata): StatusUpdate {
  return { kind: "status-update", ...name, status: { state }, final: false, ...(metadata && { metadata }) };
}

function agentMessage(
  name: TaskName,
  messageId: string,
  parts: readonly Part[],
  category: string,
  more?: Metadata,
): Message {
  const metadata = { agno_content_category: category, ...more };
  return { kind: "message", messageId, role: "agent", parts, metadata, ...name };
}
