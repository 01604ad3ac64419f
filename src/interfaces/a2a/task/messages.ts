/** Messages of a task, with ids that follow from the run's: the same wherever and whenever they are made. */

import type { Message, Part, TaskName } from "../protocol.ts";
import type { Waits } from "../stream/facts.ts";
import { failureText, type ToldFailure } from "./states.ts";

/** Id of the message that is the answer of a run: the task's, or that of a member. */
export function answerId(runId: string): string {
  return `${runId}/answer`;
}

/** Id of what a run thinks on the way to its answer: nobody who puts pieces together by their id puts it into the answer. */
export function reasoningId(runId: string): string {
  return `${runId}/reasoning`;
}

/** Id of what a run asks. Each question has its own, as one that is asked again has: a requirement keeps its id. */
function questionId(runId: string, requirements: readonly unknown[]): string {
  const { id, requirement_id: stepId } = Object(requirements[0]) as { id?: string; requirement_id?: string };
  return [runId, "question", id ?? stepId].filter(Boolean).join("/");
}

/** What a paused run asks: a text for people, and as data what is to be sent back with the answers in it. */
function pausedMessage(name: TaskName, waits: Waits): Message {
  const { content, requirements, step_requirements, tools } = waits;
  const data = step_requirements ? { step_requirements } : { tools, requirements };
  const text = typeof content === "string" && content !== "" ? content : questionsIn(step_requirements ?? []);
  const parts: readonly Part[] = [
    { kind: "text", text },
    { kind: "data", data },
  ];
  const messageId = questionId(name.taskId, step_requirements ?? requirements ?? []);
  return { kind: "message", messageId, role: "agent", parts, ...name };
}

/** Why a task failed: a text for people, and beside it what the run's record tells programs. */
function failedMessage(name: TaskName, failure: ToldFailure): Message {
  const { error_type, error_id } = failure;
  const metadata = { ...(error_type && { error_type }), ...(error_id && { error_id }) };
  const parts: readonly Part[] = [{ kind: "text", text: failureText(failure) }];
  return { kind: "message", messageId: answerId(name.taskId), role: "agent", parts, metadata, ...name };
}

/** What is said with the state at an end: what a paused run asks, or why it failed. */
export function endMessage(
  name: TaskName,
  { waits, failure }: { readonly waits?: Waits; readonly failure?: ToldFailure },
): Message | undefined {
  if (waits) return pausedMessage(name, waits);
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
    const asked = one.confirmation_message ?? one.user_input_message ?? one.output_review_message;
    return asked ?? `The step '${one.step_name ?? ""}' waits for an answer.`;
  });
  return lines.join("\n") || "The task waits for an answer.";
}
