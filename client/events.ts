/**
 * The events of a run as they come (docs/protocol.md, "Frames"). Names and members are those of the wire. A server may send members, and
 * events, that are not named here.
 */
import type { RunMetrics, ToolExecution, ToolRequirement } from "../src/model/record.ts";
import type { StepRecord, StepRequirement } from "../src/model/workflow.ts";

/** What every event has. */
interface Common {
  /** Seconds since the epoch. */
  readonly created_at: number;
  /** The run whose event it is: the followed one, or one under it. */
  readonly run_id: string;
  readonly session_id: string;
  /** Workflows above this one. */
  readonly nested_depth: number;
  /** Its number in the log of the followed run, from 0 without a gap. */
  readonly event_index: number;
  /** Where it stands in the log of another server that executes this run. */
  readonly relayed?: Readonly<Record<string, unknown>>;
}

/** Of a run under another one: a member's, or that of a workflow's step. */
interface Below {
  readonly parent_run_id?: string;
  readonly workflow_id?: string;
  readonly workflow_run_id?: string;
  readonly step_id?: string;
  readonly step_name?: string;
  readonly step_index?: number | readonly number[];
}

interface OfAgent extends Common, Below {
  readonly agent_id: string;
  readonly agent_name: string;
}

interface OfTeam extends Common, Below {
  readonly team_id: string;
  readonly team_name: string;
}

interface OfWorkflow extends Common, Below {
  readonly workflow_id: string;
  readonly workflow_name: string;
  readonly parent_step_id?: string;
}

type Fields = Readonly<Record<string, unknown>>;

interface ModelNames {
  readonly model: string;
  readonly model_provider: string;
}

interface Completed {
  /** The whole answer: text, or the object of an output schema. */
  readonly content?: unknown;
  readonly content_type: string;
  readonly reasoning_content?: string;
  readonly model_provider_data?: Fields;
  readonly session_state?: Fields;
  readonly metadata?: Fields;
  /** Of a team: its members' runs. */
  readonly member_responses?: readonly Fields[];
  readonly metrics?: RunMetrics;
}

interface Failed {
  /** What may be told of it. */
  readonly content: string;
  /** docs/errors.md says what helps. */
  readonly error_type: string;
  readonly error_id: string;
}

/** What agents and teams tell, by an agent's names. */
interface Told {
  readonly RunStarted: ModelNames;
  readonly RunContinued: unknown;
  readonly ModelRequestStarted: ModelNames;
  readonly ModelRequestCompleted: ModelNames & {
    readonly input_tokens?: number;
    readonly output_tokens?: number;
    readonly total_tokens?: number;
    readonly time_to_first_token?: number;
    readonly reasoning_tokens?: number;
    readonly cache_read_tokens?: number;
    readonly cache_write_tokens?: number;
  };
  readonly ReasoningStarted: unknown;
  readonly ReasoningCompleted: { readonly content_type: string };
  /** A piece of the answer. */
  readonly RunContent: {
    readonly content?: unknown;
    readonly workflow_agent?: boolean;
    readonly content_type: string;
    readonly reasoning_content?: string;
    readonly model_provider_data?: Fields;
  };
  readonly RunContentCompleted: unknown;
  readonly ToolCallStarted: { readonly tool: ToolExecution };
  readonly ToolCallCompleted: { readonly content?: unknown; readonly tool: ToolExecution };
  readonly ToolCallError: { readonly error: string; readonly tool: ToolExecution };
  /** What this run told from `discard_from_index` on is void: it is told again. */
  readonly RunRecovered: { readonly attempt: number; readonly discard_from_index: number };
  /** It waits for a person, or for its caller: `Run.continue`. */
  readonly RunPaused: {
    readonly content?: string;
    readonly tools: readonly ToolExecution[];
    readonly requirements: readonly ToolRequirement[];
  };
  readonly RunCompleted: Completed;
  readonly RunError: Failed;
  readonly RunCancelled: { readonly reason: string; readonly content?: unknown };
}

interface StepPlace {
  readonly step_id: string;
  readonly step_name: string;
  readonly step_index: number | readonly number[];
}

type Containers<Name extends string, Started, Ended> = {
  readonly [Key in `${Name}ExecutionStarted`]: StepPlace & Started;
} & { readonly [Key in `${Name}ExecutionCompleted`]: StepPlace & Ended };

interface Results {
  readonly step_results: readonly StepRecord[];
}

/** What workflows tell of themselves and of their steps. */
type WorkflowTold = {
  readonly WorkflowStarted: unknown;
  readonly WorkflowRecovered: { readonly attempt: number; readonly discard_from_index: number };
  readonly WorkflowPaused: Results & {
    readonly status: "PAUSED";
    readonly paused_step_index?: number;
    readonly paused_step_name?: string;
    readonly pause_kind: string;
    readonly step_requirements: readonly StepRequirement[];
    readonly step_executor_runs?: readonly Fields[];
  };
  readonly WorkflowCompleted: Completed & Results & { readonly step_executor_runs?: readonly Fields[] };
  readonly WorkflowError: Omit<Failed, "content"> & { readonly error: string };
  readonly WorkflowCancelled: { readonly reason: string; readonly content?: unknown };
  readonly StepStarted: StepPlace;
  readonly StepOutput: StepPlace & { readonly step_output: unknown };
  readonly StepCompleted: StepPlace & {
    readonly content?: unknown;
    readonly content_type?: string;
    readonly step_response?: StepRecord;
  };
  readonly StepError: StepPlace & { readonly error: string };
  readonly StepPaused: StepPlace & Fields;
  readonly StepContinued: StepPlace & Fields;
  readonly StepExecutorPaused: StepPlace & Fields;
  readonly StepExecutorContinued: StepPlace & Fields;
  readonly RouterPaused: StepPlace & Fields;
  readonly LoopIterationStarted: StepPlace & { readonly iteration: number; readonly max_iterations: number };
  readonly LoopIterationCompleted: StepPlace & {
    readonly iteration: number;
    readonly max_iterations: number;
    readonly iteration_results: readonly StepRecord[];
    readonly should_continue: boolean;
  };
} & Containers<
  "Parallel",
  { readonly parallel_step_count: number },
  Results & { readonly parallel_step_count: number }
> &
  Containers<
    "Condition",
    { readonly condition_result: boolean },
    Results & { readonly condition_result: boolean; readonly executed_steps: number; readonly branch?: string }
  > &
  Containers<
    "Loop",
    { readonly max_iterations: number },
    {
      readonly total_iterations: number;
      readonly max_iterations: number;
      readonly all_results: readonly (readonly StepRecord[])[];
    }
  > &
  Containers<
    "Router",
    { readonly selected_steps: readonly string[] },
    Results & { readonly selected_steps: readonly string[]; readonly executed_steps: number }
  > &
  Containers<"Steps", { readonly steps_count: number }, Results & Fields>;

type Named<Table, Origin, Prefix extends string = ""> = {
  [Name in keyof Table & string]: { readonly event: `${Prefix}${Name}` } & Origin & Table[Name];
}[keyof Table & string];

/** An event of an agent's run. */
export type AgentEvent = Named<Told, OfAgent>;

/** An event of a team's run: its name begins with `Team`. */
export type TeamEvent = Named<Told, OfTeam, "Team">;

/** An event of a workflow's run. */
export type WorkflowEvent = Named<WorkflowTold, OfWorkflow>;

/** An event of a run or of one under it, by its `event`. */
export type RunEvent = AgentEvent | TeamEvent | WorkflowEvent;

/** The event by which a run ends, or waits. */
export type EndingEvent = Extract<
  RunEvent,
  {
    readonly event:
      | `${"Run" | "TeamRun" | "Workflow"}${"Completed" | "Paused" | "Cancelled"}`
      | `${"" | "Team"}RunError`
      | "WorkflowError";
  }
>;
