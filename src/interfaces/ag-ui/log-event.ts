/** The events of a run's log, as the translator reads them. */
import type { FailureFields } from "../../model/run/failure.ts";
import type { ToolExecution } from "../../model/run/record.ts";
import type { PauseFields } from "./interrupts.ts";

/** Members of the events that are used here. */
export interface LogEvent extends FailureFields, PauseFields {
  readonly event: string;
  readonly run_id: string;
  readonly parent_run_id?: string;
  readonly agent_name?: string;
  readonly team_name?: string;
  readonly workflow_name?: string;
  readonly agent_id?: string;
  readonly team_id?: string;
  readonly workflow_id?: string;
  readonly content?: unknown;
  readonly reasoning_content?: string;
  readonly citations?: unknown;
  readonly session_state?: unknown;
  readonly set?: Readonly<Record<string, unknown>>;
  readonly remove?: readonly string[];
  readonly error?: unknown;
  readonly reason?: string;
  readonly tool?: ToolExecution;
  readonly step_id?: string;
  readonly step_name?: string;
}

/** Events that end a segment, or a member's run. */
export const endings: ReadonlySet<string> = new Set(["RunPaused", "RunCompleted", "RunError", "RunCancelled"]);

/** Events that begin and end the steps of workflows, without the kind of step. */
export const stepStart: RegExp = /^(?:Step|(?:Steps|Parallel|Condition|Loop|Router)Execution)(?:Started|Continued)$/;
export const stepEnd: RegExp = /^(?:Step|(?:Steps|Parallel|Condition|Loop|Router)Execution)(?:Completed|Error)$/;

/** Whether an event has content. */
export function isText(content: unknown): boolean {
  return content !== undefined && content !== null && content !== "";
}

/** The name of the component whose run emits the event. */
export function nameOf(event: LogEvent): string {
  const { agent_name, team_name, workflow_name, agent_id, team_id, workflow_id, run_id } = event;
  return agent_name ?? team_name ?? workflow_name ?? agent_id ?? team_id ?? workflow_id ?? run_id;
}

/** The error text of a failed run. */
export function failureText({ error, content }: LogEvent): string {
  const text = error ?? content;
  return typeof text === "string" ? text : "The run failed.";
}

/** The `code` of `RUN_ERROR`. */
export function codeOf({ error_type: code }: LogEvent): { readonly code?: string } {
  return typeof code === "string" ? { code } : {};
}
