/** Builds a task in the specification's form from its stored run. */

import { failureFields } from "../../../model/run/failure.ts";
import { openCalls, pauseText } from "../../../model/run/pause.ts";
import { cancelText } from "../../../model/run/run.ts";
import { inputOf, optionsOf, outputOf } from "../../../model/run/stored-run.ts";
import type { RunRow } from "../../../runs/find.ts";
import type { Artifact, Message, Metadata, Task, TaskStatus } from "../protocol.ts";
import type { PauseFields } from "../stream/facts.ts";
import { addedArtifacts, answerArtifact, fileArtifacts } from "./artifacts.ts";
import { cutHistory, endedTask } from "./ended.ts";
import { endMessage } from "./messages.ts";
import { fromInput, toParts } from "./parts.ts";
import { stateOf } from "./states.ts";

/** Selects the parts of a task that are shown. */
export interface TaskSelection {
  readonly historyLength?: number | undefined;
  readonly withArtifacts?: boolean | undefined;
  /** Questions and answers after the first message, in the form of `exchangeOf`: JSON texts, in order. */
  readonly exchanges?: readonly string[] | undefined;
  /** Artifacts that the definition added: JSON texts, in order. */
  readonly added?: readonly string[] | undefined;
  /** False omits files that are included as bytes. Default: true. */
  readonly withBytes?: boolean | undefined;
}

/** The task of a run: its answer and its files are artifacts; its history is the first message, followed by questions and their answers. */
export function taskOf(run: RunRow, selection: TaskSelection = {}): Task {
  const { historyLength, withArtifacts = true, withBytes = true, exchanges = [], added = [] } = selection;
  const { metadata } = optionsOf(run);
  const artifacts = withArtifacts ? [...artifactsOf(run, withBytes), ...addedArtifacts(added, withBytes)] : [];
  const later = exchanges.flatMap((exchange) => JSON.parse(exchange) as readonly Message[]);
  const messages = [firstMessage(run), ...later];
  const history = cutHistory(withBytes ? messages : messages.map(withoutBytes), historyLength);
  return {
    kind: "task",
    id: run.runId,
    contextId: run.sessionId,
    status: statusOf(run),
    ...(history.length > 0 && { history }),
    ...(artifacts.length > 0 && { artifacts }),
    ...(metadata && { metadata }),
  };
}

/** The task of a run in the form of the platform's own endpoints: its history is the answer, with its metrics. */
export function recordedTaskOf(run: RunRow, selection: TaskSelection = {}): Task {
  const { metrics } = outputOf(run);
  return answeredTask(run, selection, metrics && run.status === "COMPLETED" ? { metrics } : undefined);
}

/** The same form for a sender that waited for the task: as recorded, it has the user's id, if any, instead of metrics. */
export function sentTaskOf(run: RunRow, selection: TaskSelection): Task {
  return answeredTask(run, selection, run.userId === null ? undefined : { userId: run.userId });
}

function answeredTask(run: RunRow, { historyLength }: TaskSelection, metadata: Metadata | undefined): Task {
  const output = outputOf(run);
  const { media = [] } = output;
  const name = { taskId: run.runId, contextId: run.sessionId };
  const task = { ...name, historyLength, accepted: optionsOf(run).a2a?.acceptedOutputModes };
  const state = stateOf(run.status, output);
  return endedTask(task, { state, content: contentOf(run), ...endReasonOf(run) }, media, metadata);
}

/** The content of the run's final event; undefined for a run that has not ended. */
function contentOf(run: RunRow): unknown {
  const { content } = outputOf(run);
  switch (run.status) {
    case "CANCELLED":
      return content === cancelText(run.runId) ? undefined : content;
    case "COMPLETED":
      return content;
    default:
      return undefined;
  }
}

function statusOf(run: RunRow): TaskStatus {
  const name = { taskId: run.runId, contextId: run.sessionId };
  const state = stateOf(run.status, outputOf(run));
  const message = endMessage(name, endReasonOf(run));
  return { state, ...(message && { message }) };
}

/** The question of a paused run and the message that answers it; the store keeps them for the task's history. */
export function exchangeOf(run: RunRow, reply: Omit<Message, "kind" | "role">): readonly Message[] {
  const { message: question } = statusOf(run);
  const name = { taskId: run.runId, contextId: run.sessionId };
  return [...(question ? [question] : []), { kind: "message", role: "user", ...reply, ...name }];
}

/** The requirements of a paused run, or the failure of a failed one. */
function endReasonOf(run: RunRow): Parameters<typeof endMessage>[1] {
  if (run.status === "PAUSED") return { pause: pauseFieldsOf(run) };
  if (run.status !== "ERROR") return {};
  const { error } = outputOf(run);
  return { failure: { ...failureFields(error), reason: error?.message } };
}

/** The requirements of a paused run, in the form of its pause event. */
function pauseFieldsOf(run: RunRow): PauseFields {
  const { pause } = outputOf(run);
  if (!pause) return {};
  if (run.kind === "workflow") return { step_requirements: pause.stepRequirements ?? [] };
  const { requirements = [] } = pause;
  return { content: pauseText(pause), tools: openCalls(pause), requirements };
}

/** The artifacts of a run. If the run has no final answer, the partial answer that was streamed takes its place. */
function artifactsOf(run: RunRow, withBytes: boolean): readonly Artifact[] {
  const { content, media: files = [] } = outputOf(run);
  const media = withBytes ? files : files.filter(({ data }) => data === undefined);
  const { a2a } = optionsOf(run);
  const parts = toParts(run.status === "COMPLETED" ? content : partialContent(run), a2a?.acceptedOutputModes);
  return [
    ...(parts.length > 0 ? [answerArtifact(parts)] : []),
    ...(run.status === "COMPLETED" ? fileArtifacts(media) : []),
  ];
}

function partialContent(run: RunRow): unknown {
  const { content, partial } = outputOf(run);
  if (run.status === "ERROR") return partial;
  if (run.status === "CANCELLED") return contentOf(run);
  // A workflow's answer is streamed only when it is complete.
  return run.status === "PAUSED" && run.kind !== "workflow" ? content : undefined;
}

function withoutBytes(message: Message): Message {
  return { ...message, parts: message.parts.filter((part) => part.kind !== "file" || !("bytes" in part.file)) };
}

/** The message that began the task, through any interface. */
function firstMessage(run: RunRow): Message {
  const { message, media = [] } = inputOf(run);
  const {
    messageId = `${run.runId}/message`,
    parts,
    metadata,
    extensions,
    referenceTaskIds,
  } = optionsOf(run).a2a ?? {};
  return {
    kind: "message",
    messageId,
    role: "user",
    parts: fromInput({ message, media }, parts),
    contextId: run.sessionId,
    taskId: run.runId,
    ...(metadata && { metadata }),
    ...(extensions && { extensions }),
    ...(referenceTaskIds && { referenceTaskIds }),
  };
}
