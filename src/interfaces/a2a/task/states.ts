/** Maps run statuses to A2A task states. */
import type { FailureFields } from "../../../model/run/failure.ts";
import type { RunOutput } from "../../../model/run/record.ts";
import type { RunStatus } from "../../../model/run/run.ts";
import { rejectedType } from "../../../model/run/run-marks.ts";
import type { TaskState } from "../protocol.ts";

const states: Readonly<Record<Exclude<RunStatus, "PAUSED" | "ERROR">, TaskState>> = {
  PENDING: "submitted",
  RUNNING: "working",
  COMPLETED: "completed",
  CANCELLED: "canceled",
};

/** The member of a waiting tool call that shows what it waits for. */
interface WaitingCall {
  readonly approval_type?: string | null;
}

interface Waiting {
  readonly requirements?: readonly unknown[] | undefined;
  /** For workflows: the requirements of steps, and the waiting calls of their executors. */
  readonly step_requirements?: readonly unknown[] | undefined;
}

/**
 * The task state of a paused run: `auth-required` if a tool call waits for an approval, which needs a caller with more rights; otherwise
 * `input-required`, which the client itself can answer.
 */
export function stateOfPause({ requirements = [], step_requirements: steps = [] }: Waiting): TaskState {
  const within = steps.flatMap(
    (one) => (one as { executor_requirements?: readonly unknown[] }).executor_requirements ?? [],
  );
  const calls = [...requirements, ...within].map((one) => (one as { tool_execution?: WaitingCall }).tool_execution);
  return calls.some((call) => call?.approval_type === "required") ? "auth-required" : "input-required";
}

/** The state of a run's task. */
export function stateOf(status: RunStatus, { pause, error }: Pick<Partial<RunOutput>, "pause" | "error">): TaskState {
  if (status === "ERROR") return stateOfFailure(error?.type);
  if (status !== "PAUSED") return states[status];
  return stateOfPause({ requirements: pause?.requirements, step_requirements: pause?.stepRequirements });
}

/** The task state of a failed run, by the type of its error. */
export function stateOfFailure(type: string | undefined): "failed" | "rejected" {
  return type === rejectedType ? "rejected" : "failed";
}

/** Error texts of our own that reveal nothing internal. */
const publicTexts: Readonly<Record<string, string>> = {
  run_timeout: "The task took too long and was stopped.",
  max_steps: "The task came to no answer within the steps that it may take.",
  output_too_large: "The task's answer became too large.",
  log_too_large: "The task's answer became too large.",
  content_filter: "The answer was withheld by a content filter.",
  output_mismatch: "The answer does not have the form that it must have.",
  invalid_input: "The message does not have the form that is expected.",
  invalid_media: "A file of the message cannot be used.",
  model_rate_limit_error: "The agent is too busy at the moment.",
};

/** A failure with the reason that the definition gave, if any. */
export interface ShownFailure extends FailureFields {
  readonly reason?: string | undefined;
}

/** The reason for a task's failure, without internal details; the log has the details under the error's id. */
export function failureText({ error_type: type = "", error_id: id, reason }: ShownFailure): string {
  if (type === rejectedType && reason) return reason;
  const text = publicTexts[type] ?? "The task failed.";
  return id === undefined ? text : `${text} (error ${id})`;
}
