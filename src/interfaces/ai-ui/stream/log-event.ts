import type { Citations } from "../../../model/run/citations.ts";
import type { ToolExecution, ToolRequirement } from "../../../model/run/record.ts";
import type { StepRequirement } from "../../../model/workflow.ts";

/** The members of events that this interface uses. */
export interface LogEvent {
  readonly run_id: string;
  readonly parent_run_id?: string;
  readonly agent_id?: string;
  readonly agent_name?: string;
  readonly team_id?: string;
  readonly team_name?: string;
  readonly workflow_id?: string;
  readonly workflow_name?: string;
  readonly content?: unknown;
  readonly reasoning_content?: string;
  readonly citations?: Citations;
  readonly tool?: ToolExecution;
  readonly requirements?: readonly ToolRequirement[];
  readonly step_requirements?: readonly StepRequirement[];
  readonly step_id?: string;
  readonly step_name?: string;
  readonly step_index?: unknown;
  readonly iteration?: number;
  readonly error?: unknown;
  readonly error_type?: string;
  readonly error_id?: string;
  readonly reason?: string;
  readonly metrics?: unknown;
  readonly discard_from_index?: number;
  readonly artifact?: unknown;
  readonly message_id?: string;
  /** The purpose of a model request that is not a turn. */
  readonly purpose?: string;
  readonly followups?: readonly string[];
}

/** Whether an event ends its run. */
export function isEnd(base: string): boolean {
  return base === "RunCompleted" || base === "RunCancelled" || base === "RunError";
}
