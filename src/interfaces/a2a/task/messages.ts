/** Messages of a task. Their ids derive from the run's id, so they are the same in every process and at every time. */

import type { Message, Part, TaskName } from "../protocol.ts";
import type { PauseFields } from "../stream/facts.ts";
import { failureText, type ShownFailure } from "./states.ts";

/** Id of a run's answer message: the task's run, or a member's. */
export function answerId(runId: string): string {
  return `${runId}/answer`;
}

/** Id of a run's reasoning messages: it differs from the answer's id, so clients that join chunks by id keep the two apart. */
export function reasoningId(runId: string): string {
  return `${runId}/reasoning`;
}

/** Id of a paused run's question. It derives from the first requirement's id: each question has its own id, and keeps it when it is asked again. */
function questionId(runId: string, requirements: readonly unknown[]): string {
  const { id, requirement_id: stepId } = Object(requirements[0]) as { id?: string; requirement_id?: string };
  return [runId, "question", id ?? stepId].filter(Boolean).join("/");
}

/** The question of a paused run: a text for people, and data that clients send back with the answers filled in. */
function pausedMessage(name: TaskName, pause: PauseFields): Message {
  const { content, requirements, step_requirements, tools } = pause;
  const data = step_requirements ? { step_requirements } : { tools, requirements };
  const text = typeof content === "string" && content !== "" ? content : questionsIn(step_requirements ?? []);
  const parts: readonly Part[] = [
    { kind: "text", text },
    { kind: "data", data },
  ];
  const messageId = questionId(name.taskId, step_requirements ?? requirements ?? []);
  return { kind: "message", messageId, role: "agent", parts, ...name };
}

/** The reason for a task's failure: a text for people, and the error's type and id as metadata for programs. */
function failedMessage(name: TaskName, failure: ShownFailure): Message {
  const { error_type, error_id } = failure;
  const metadata = { ...(error_type && { error_type }), ...(error_id && { error_id }) };
  const parts: readonly Part[] = [{ kind: "text", text: failureText(failure) }];
  return { kind: "message", messageId: answerId(name.taskId), role: "agent", parts, metadata, ...name };
}

/** The message of a final status: the question of a paused run, or the reason for a failure. */
export function endMessage(
  name: TaskName,
  { pause, failure }: { readonly pause?: PauseFields; readonly failure?: ShownFailure },
): Message | undefined {
  if (pause) return pausedMessage(name, pause);
  return failure && failedMessage(name, failure);
}

interface Question {
  readonly step_name?: string;
  readonly confirmation_message?: string | null;
  readonly user_input_message?: string | null;
  readonly output_review_message?: string | null;
}

function questionsIn(requirements: readonly unknown[]): string {
  const lines = (requirements as readonly Question[]).map((one) => {
    const text = one.confirmation_message ?? one.user_input_message ?? one.output_review_message;
    return text ?? `The step '${one.step_name ?? ""}' waits for an answer.`;
  });
  return lines.join("\n") || "The task waits for an answer.";
}
