/** The JSON texts that a run's row holds. */
import type { CallApproval } from "./approval.ts";
import type { Media, ModelMetrics } from "./message.ts";
import type { StepRecord, StepRequirement } from "./workflow.ts";

/** What a run was asked. */
export interface RunInput {
  readonly message: string;
  readonly media?: readonly Media[];
}

/** The A2A message that started a run, without what is the run's input. */
export interface FirstMessage {
  readonly messageId: string;
  /** Its parts in order, where the input does not say them: it has texts and data as lines of one text, and files apart. */
  readonly parts?: readonly FirstPart[];
  readonly metadata?: Record<string, unknown>;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
  /** Types of parts that its sender takes. */
  readonly acceptedOutputModes?: readonly string[];
}

/** A part of that message; a file is said by its place among those of the input. */
export type FirstPart = ({ readonly text: string } | { readonly data: unknown } | { readonly file: number }) & {
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** Of a text, or of data. */
  readonly mediaType?: string;
  readonly filename?: string;
};

/** What a run was started with beside its input. */
export interface RunOptions {
  /** Set where it was started by A2A. */
  readonly a2a?: FirstMessage;
  readonly metadata?: Record<string, unknown>;
  readonly dependencies?: Record<string, unknown>;
  readonly sessionState?: Record<string, unknown>;
  /** JSON Schema of the answer, when the caller brought one. */
  readonly outputSchema?: Record<string, unknown>;
  readonly knowledgeFilters?: unknown;
  /** What a factory builds the run's component from. */
  readonly factoryInput?: Readonly<Record<string, unknown>>;
  /** The database that a server which executes a remote component is to use. */
  readonly databaseId?: string;
  readonly stream?: boolean;
  readonly background?: boolean;
  /** The earlier run that it goes on from, or is a copy of. */
  readonly origin?: RunOrigin;
  /** Told to the model beside the component's instructions. */
  readonly additionalInstructions?: string;
}

/** Where a run comes from that does not begin at nothing. */
export interface RunOrigin {
  readonly runId: string;
  /** Messages that it took over; undefined for a copy of a whole run. */
  readonly messages?: number;
  /** Whether it is another try of that run. */
  readonly regenerates?: boolean;
  /** Session of the earlier run, where that is another one. */
  readonly sessionId?: string;
  /** Place in the session before which its history lies, where that is not its own. */
  readonly beforeSeq?: number;
}

/** Counters of a run, as they stand on the wire. Times in seconds. */
export interface RunMetrics extends ModelMetrics {
  /** Of a workflow: its steps that an agent or a team executed, by name. */
  readonly steps?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** A tool call that waits for a person or for the run's caller, as the wire shows it. */
export interface ToolRequirement {
  readonly id: string;
  /** ISO text. */
  readonly created_at: string;
  readonly member_agent_id?: string;
  readonly member_agent_name?: string;
  readonly member_run_id?: string;
  readonly tool_execution: ToolExecution;
  /** Fields that a person enters, as the call has them. */
  readonly user_input_schema?: readonly unknown[];
  /** How it was answered, where an answer named the requirement and not its call. */
  readonly confirmation?: boolean;
  readonly confirmation_note?: string;
  readonly external_execution_result?: string;
}

/** What a run waited for, with what was answered. */
export interface Answered {
  readonly requirements?: readonly ToolRequirement[];
  /** Of a workflow. */
  readonly stepRequirements?: readonly StepRequirement[];
}

/** What a paused run waits for. */
export interface Pause {
  /** Of a workflow: `step`, or `executor` for what an agent or a team in a step waits for. */
  readonly kind: "step" | "executor" | "tool";
  readonly stepRequirements?: readonly StepRequirement[];
  readonly requirements?: readonly ToolRequirement[];
  /** Key of the run that each of the tool calls is of, by the id of its requirement. */
  readonly runKeys?: Readonly<Record<string, number>>;
  /** Names of their answers' marks, where they are not the usual ones. */
  readonly answerNames?: Readonly<Record<string, string>>;
  /** Approvals that calls wait for. */
  readonly approvals?: readonly CallApproval[];
  /** The run under this one that waits: of a member, or of a step's executor. */
  readonly executorRunId?: string;
  /** The run's own calls that are not over, where it waits for runs under it; without it, those of its requirements. */
  readonly tools?: readonly ToolExecution[];
  /** What is said of the pause, where no tool call tells it. */
  readonly text?: string;
  readonly stepName?: string;
  readonly stepIndex?: number;
}

/** Of a pause, what is known of its calls by their requirements. */
export type CallPlaces = Pick<Pause, "runKeys" | "answerNames" | "approvals">;

/** A tool call as the wire shows it: every key is always there (contract, `tool_object`). */
export interface ToolExecution {
  tool_call_id: string;
  tool_name: string;
  tool_args: unknown;
  tool_call_error: boolean | null;
  result: string | null;
  metrics: { start_time: number; end_time: number; duration: number } | null;
  child_run_id: string | null;
  stop_after_tool_call: boolean;
  created_at: number;
  requires_confirmation: boolean | null;
  confirmed: boolean | null;
  confirmation_note: string | null;
  requires_user_input: boolean | null;
  user_input_schema: unknown[] | null;
  user_feedback_schema: unknown[] | null;
  answered: boolean | null;
  external_execution_required: boolean | null;
  external_execution_silent: boolean | null;
  approval_type: string | null;
  approval_id: string | null;
}

/** What a run came to. */
export interface RunOutput {
  /** Text, or the validated object of an output schema. */
  readonly content?: unknown;
  /** `str` for text, else the name of the output schema. */
  readonly contentType: string;
  readonly reasoningContent?: string;
  readonly providerData?: Record<string, unknown>;
  readonly tools?: readonly ToolExecution[];
  readonly metrics?: RunMetrics;
  readonly sessionState?: Record<string, unknown>;
  readonly media?: readonly Media[];
  readonly metadata?: Record<string, unknown>;
  /** For a team: its members' runs as the wire shows them, without their messages. */
  readonly memberResponses?: readonly Readonly<Record<string, unknown>>[];
  /** Of a workflow, for the event of its end: the runs of its steps as the wire shows them, without their messages. */
  readonly executorRuns?: readonly Readonly<Record<string, unknown>>[];
  /** Of a workflow: what its steps came to. */
  readonly stepResults?: readonly StepRecord[];
  /** Set while the run is paused. */
  readonly pause?: Pause;
  /** What it waited for before. */
  readonly answered?: Answered;
  /** Of a run in ERROR: its answer as far as it was told. */
  readonly partial?: unknown;
  /** Why it failed, for a run in ERROR. */
  readonly error?: { readonly message: string; readonly type: string; readonly id: string };
}
