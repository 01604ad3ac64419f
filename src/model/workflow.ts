/** Results and requirements of workflow steps, as sent on the wire and stored. */
import type { Media, ModelMetrics } from "./run/message.ts";
import type { ComponentKind } from "./run/run.ts";

/** Kinds of steps, with their names on the wire. */
export type StepType = "Step" | "Steps" | "Parallel" | "Condition" | "Loop" | "Router";

/** The result of a step on the wire. All members are always present. */
export interface StepRecord {
  readonly content: unknown;
  readonly step_name: string;
  readonly step_id: string;
  readonly step_type: StepType;
  readonly executor_type: "agent" | "team" | "function" | "workflow" | "parallel" | null;
  readonly executor_name: string | null;
  readonly step_run_id: string | null;
  readonly images: readonly unknown[] | null;
  readonly videos: readonly unknown[] | null;
  readonly audio: readonly unknown[] | null;
  readonly files: readonly unknown[] | null;
  readonly metrics: ModelMetrics | null;
  readonly success: boolean;
  readonly error: string | null;
  readonly stop: boolean;
  readonly is_paused: boolean;
  /** For a container: the results of its steps. */
  readonly steps?: readonly StepRecord[];
}

/** The outcome of a finished step. */
export interface StepOutcome {
  readonly record: StepRecord;
  /** Content for the next steps; for a container, the content of its last step. */
  readonly content: unknown;
  readonly media?: readonly Media[] | undefined;
}

/** A value that a person enters. */
export interface InputField {
  readonly name: string;
  readonly field_type: "str" | "int" | "float" | "bool" | "list" | "dict";
  readonly description: string | null;
  readonly required: boolean;
  readonly value?: unknown;
}

/** A requirement of a paused workflow; each waiting step has one. */
export interface StepRequirement {
  /** Identifies the question, because a step may ask more than once. */
  readonly requirement_id: string;
  readonly step_id: string;
  readonly step_name: string;
  readonly step_index: number | readonly number[];
  readonly step_type: StepType;
  readonly requires_confirmation: boolean;
  readonly confirmation_message: string | null;
  readonly confirmed: boolean | null;
  readonly on_reject: "skip" | "cancel" | "else" | "retry";
  readonly requires_user_input: boolean;
  readonly user_input_message: string | null;
  /** Absent if the step asks for no values. Version 0.1.0 stored null instead. */
  readonly user_input_schema?: readonly InputField[] | null;
  readonly user_input: Readonly<Record<string, unknown>> | null;
  readonly requires_route_selection: boolean;
  readonly available_choices: readonly string[] | null;
  readonly allow_multiple_selections: boolean;
  readonly selected_choices: readonly string[] | null;
  readonly requires_output_review: boolean;
  readonly output_review_message: string | null;
  readonly is_post_execution: boolean;
  /** The output to review. Version 0.1.0 stored only its content. */
  readonly step_output?: StepRecord;
  /** Set for a step whose agent or team waits: its tool calls (`ToolRequirement`) and the paused run. */
  readonly requires_executor_input?: boolean;
  readonly executor_requirements?: readonly unknown[];
  readonly executor_id?: string;
  readonly executor_name?: string;
  readonly executor_run_id?: string;
  readonly executor_type?: ComponentKind;
  readonly executor_session_id?: string;
  readonly rejection_feedback: string | null;
  /** The output as edited by the person who reviewed it. */
  readonly edited_output?: unknown;
  readonly retry_count: number;
  readonly max_retries: number;
  /** Deadline for the answer, as an ISO 8601 string. */
  readonly timeout_at: string | null;
  /** Outcome when no answer arrives by the deadline. */
  readonly on_timeout: "approve" | "skip" | "cancel";
  /** Input of the step. */
  readonly step_input: StepInput;
}

/** Input of a step on the wire. */
export interface StepInput {
  readonly input: unknown;
  /** Results of finished steps, by name. */
  readonly previous_step_outputs: Readonly<Record<string, StepRecord>>;
  readonly previous_step_content: unknown;
  readonly additional_data: null;
  readonly images: readonly unknown[] | null;
  readonly videos: readonly unknown[] | null;
  readonly audio: readonly unknown[] | null;
  readonly files: readonly unknown[] | null;
}

/** A person's answer to a requirement. */
export interface StepAnswer {
  readonly confirmed?: boolean | undefined;
  readonly userInput?: Readonly<Record<string, unknown>> | undefined;
  readonly selectedChoices?: readonly string[] | undefined;
  readonly editedOutput?: unknown;
  readonly feedback?: string | undefined;
  /** Set when no answer arrived in time: the step's `on_timeout`. */
  readonly timedOut?: StepRequirement["on_timeout"] | undefined;
}
