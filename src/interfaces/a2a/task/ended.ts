/** The last task on the platform's own stream, as recorded: its only message is the answer. */
import type { Media } from "../../../model/run/message.ts";
import type { Artifact, Message, Metadata, Task } from "../protocol.ts";
import type { Fact } from "../stream/facts.ts";
import type { TranslatedTask } from "../stream/translator.ts";
import { answerArtifact, fileArtifacts } from "./artifacts.ts";
import { answerId, endMessage } from "./messages.ts";
import { toParts } from "./parts.ts";

type End = Pick<Extract<Fact, { kind: "end" }>, "state" | "content" | "pause" | "failure">;

/** The task of a run that ended or paused. `metadata` belongs to the answer. */
export function endedTask(task: TranslatedTask, end: End, files: readonly Media[], metadata?: Metadata): Task {
  const { taskId, contextId, historyLength, accepted } = task;
  const { state, content } = end;
  const name = { taskId, contextId };
  const message: Message = endMessage(name, end) ?? {
    kind: "message",
    messageId: answerId(taskId),
    role: "agent",
    parts: toParts(content, accepted),
    ...(metadata && { metadata }),
    ...name,
  };
  const artifacts = artifactsOf(content, files, accepted);
  return {
    kind: "task",
    id: taskId,
    contextId,
    status: { state },
    history: cutHistory([message], historyLength),
    ...(state === "completed" && artifacts.length > 0 && { artifacts }),
  };
}

/** A structured answer, and files. A text answer is in the message instead. */
function artifactsOf(
  content: unknown,
  files: readonly Media[],
  accepted: readonly string[] | undefined,
): readonly Artifact[] {
  const structured =
    typeof content === "object" && content !== null ? [answerArtifact(toParts(content, accepted))] : [];
  return [...structured, ...fileArtifacts(files)];
}

/** The last `length` messages; all of them if it is undefined. */
export function cutHistory(history: readonly Message[], length: number | undefined): readonly Message[] {
  if (length === undefined) return history;
  return length <= 0 ? [] : history.slice(-length);
}
