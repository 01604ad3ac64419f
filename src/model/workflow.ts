/** What steps of workflows came to, and what they wait for, as they stand on the wire and in rows. */
import type { Media, ModelMetrics } from "./message.ts";
import type { ComponentKind } from "./run.ts";

/** Kinds of steps, as the wire names them. */
export type StepType = "Step" | "Steps" | "Parallel" | "Condition" | "Loop" | "Router";

/** What a step came to, as the wire shows it: the members are always there. */
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
  /** Of a container: what its steps came to. */
  readonly steps?: readonly StepRecord[];
}

/** What a finished step hands on. */
export interface StepOutcome {
  readonly record: StepRecord;
  /** Content for the steps after it: of a container that of its last step. */
  readonly content: unknown;
  readonly media?: readonly Media[] | undefined;
}

/** A value that a person is asked for. */
export interface InputField {
  readonly name: string;
  readonly field_type: "str" | "int" | "float" | "bool" | "list" | "dict";
  readonly description: string | null;
  readonly required: boolean;
  readonly value?: unknown;
}

/** What a paused workflow waits for: one for each step that waits. */
export interface StepRequirement {
  /** Names the question: the same step may ask more than once. */
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
  /** Absent where no values are asked for. Version 0.1.0 stored null there. */
  readonly user_input_schema?: readonly InputField[] | null;
  readonly user_input: Readonly<Record<string, unknown>> | null;
  readonly requires_route_selection: boolean;
  readonly available_choices: readonly string[] | null;
  readonly allow_multiple_selections: boolean;
  readonly selected_choices: readonly string[] | null;
  readonly requires_output_review: boolean;
  readonly output_review_message: string | null;
  readonly is_post_execution: boolean;
  /** What there is to review. Version 0.1.0 stored its content alone. */
  readonly step_output?: StepRecord;
  /** Of a step whose agent or team waits: that this is what it asks, its tool calls (`ToolRequirement`), and which run waits. */
  readonly requires_executor_input?: boolean;
  readonly executor_requirements?: readonly unknown[];
  readonly executor_id?: string;
  readonly executor_name?: string;
  readonly executor_run_id?: string;
  readonly executor_type?: ComponentKind;
  readonly executor_session_id?: string;
  readonly rejection_feedback: string | null;
  /** The output as somebody changed it in a review. */
  readonly edited_output?: unknown;
  readonly retry_count: number;
  readonly max_retries: number;
  /** ISO text: until when it is to be answered. */
  readonly timeout_at: string | null;
  /** What happens when nobody has by then. */
  readonly on_timeout: "approve" | "skip" | "cancel";
  /** What the step is given. */
  readonly step_input: StepInput;
}

/** What a step is given, as the wire shows it. */
export interface StepInput {
  readonly input: unknown;
  /** Finished steps by name. */
  readonly previous_step_outputs: Readonly<Record<string, StepRecord>>;
  readonly previous_step_content: unknown;
  readonly additional_data: null;
  readonly images: readonly unknown[] | null;
  readonly videos: readonly unknown[] | null;
  readonly audio: readonly unknown[] | null;
  readonly files: readonly unknown[] | null;
}

/** How a person answered one of them. */
export interface StepAnswer {
  readonly confirmed?: boolean | undefined;
  readonly userInput?: Readonly<Record<string, unknown>> | undefined;
  readonly selectedChoices?: readonly string[] | undefined;
  readonly editedOutput?: unknown;
  readonly feedback?: string | undefined;
  /** Set where nobody has in time: what the step says of that. */
  readonly timedOut?: StepRequirement["on_timeout"] | undefined;
}
