/** Messages of a task, with ids that follow from the run's: the same wherever and whenever they are made. */

import type { Message, Part, TaskName } from "../protocol.ts";
import type { Waits } from "../stream/facts.ts";

/** Id of the message that is the answer. */
export function answerId(taskId: string): string {
  return `${taskId}/answer`;
}

/** Id of what a member says. */
export function memberAnswerId(memberRunId: string): string {
  return `${memberRunId}/answer`;
}

/** What a paused run asks: a text for people, and as data what is to be sent back with the answers in it. */
export function pausedMessage(name: TaskName, waits: Waits): Message {
  const { content, requirements, step_requirements, tools } = waits;
  const data = step_requirements ? { step_requirements } : { tools, requirements };
  const text = typeof content === "string" && content !== "" ? content : questionsIn(step_requirements ?? []);
  const parts: readonly Part[] = [
    { kind: "text", text },
    { kind: "data", data },
  ];
  return { kind: "message", messageId: `${name.taskId}/question`, role: "agent", parts, ...name };
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
