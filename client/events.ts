/**
 * The events of a run in the form in which the server sends them (docs/protocol.md, "Frames"), with their names on the wire. A server may
 * send events and members that are not listed here.
 */

import type { Citations, KnowledgeReferences } from "../src/model/run/citations.ts";
import type { RunMetrics, ToolExecution, ToolRequirement } from "../src/model/run/record.ts";
import type { ShownLimit } from "../src/model/usage/limits.ts";
import type { StepRecord, StepRequirement } from "../src/model/workflow.ts";

/** Members of every event. */
interface Common {
  /** Seconds since the epoch. */
  readonly created_at: number;
  /** The same time in milliseconds. The chunks of an answer do not have it, and neither do the events of older servers. */
  readonly created_at_ms?: number;
  /** The run that emitted the event: the followed run or a run below it. */
  readonly run_id: string;
  readonly session_id: string;
  /** Number of workflows above the run. */
  readonly nested_depth: number;
  /** Index of the event in the log of the followed run: from 0, without gaps. */
  readonly event_index: number;
  /** Position of the event in the run log of the other server that executes this run. */
  readonly relayed?: Readonly<Record<string, unknown>>;
}

/** Members for a run below another one: the run of a team member or of a workflow's step. */
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

interface ModelPurpose {
  /** Set for a request that is not a turn of the run: `parser_model`, `followup_model` and others. */
  readonly purpose?: string;
}

interface HookCall {
  /** `beforeRun`, `beforeModel`, `afterModel`, `beforeTool`, `afterTool` or `afterRun`. */
  readonly hook_point: string;
  readonly tool_call_id?: string;
}

interface HookEnd extends HookCall {
  readonly outcome: "passed" | "changed" | "refused" | "asked";
}

interface Completed {
  /** The complete answer: a string, or the object of an output schema. */
  readonly content?: unknown;
  readonly content_type: string;
  readonly reasoning_content?: string;
  readonly citations?: Citations;
  /** What the run found in knowledge bases, by search. */
  readonly references?: readonly KnowledgeReferences[];
  readonly model_provider_data?: Fields;
  readonly session_state?: Fields;
  readonly metadata?: Fields;
  /** For a team: the runs of its members. */
  readonly member_responses?: readonly Fields[];
  readonly metrics?: RunMetrics;
}

interface Failed {
  /** Error message for clients. */
  readonly content: string;
  /** See docs/errors.md for the remedy. */
  readonly error_type: string;
  readonly error_id: string;
  /** Set if a hook or a guardrail refused: its name as `hook`, and its `point`. */
  readonly additional_data?: Fields;
  /** Set if the run reached a limit. */
  readonly error_code?: "LIMIT_EXCEEDED";
  readonly limit?: ShownLimit;
}

/** Events of agents and teams, with the names for agents. */
interface Told {
  readonly RunStarted: ModelNames;
  readonly RunContinued: unknown;
  /** A caller put a message into the live run. */
  readonly RunMessage: {
    readonly message_id: string;
    readonly content: string;
    readonly mode: "queue" | "interrupt";
    /** The user who sent it, if the run belongs to another one. */
    readonly sent_by?: string;
  };
  readonly ModelRequestStarted: ModelNames & ModelPurpose;
  readonly ModelRequestCompleted: ModelNames &
    ModelPurpose & {
      readonly input_tokens?: number;
      readonly output_tokens?: number;
      readonly total_tokens?: number;
      readonly time_to_first_token?: number;
      readonly reasoning_tokens?: number;
      readonly cache_read_tokens?: number;
      readonly cache_write_tokens?: number;
      /** US dollars; absent if the model's price is unknown. */
      readonly cost?: number;
      /** Set if the answer was stored for an equal request before. It costs nothing. */
      readonly cached?: true;
      /** Set if a message of a caller stopped the request. */
      readonly interrupted?: true;
    };
  /** A model is unavailable, and the next one answers. */
  readonly ModelFallback: ModelNames & {
    readonly failed_model: string;
    readonly failed_model_provider: string;
    readonly error_type: string;
    readonly content: string;
  };
  /** A hook or a guardrail before a run, a model request or a tool call. */
  readonly PreHookStarted: HookCall & { readonly pre_hook_name: string; readonly run_input?: Fields };
  readonly PreHookCompleted: HookEnd & { readonly pre_hook_name: string; readonly run_input?: Fields };
  /** A hook or a guardrail after a run, a model request or a tool call. */
  readonly PostHookStarted: HookCall & { readonly post_hook_name: string };
  readonly PostHookCompleted: HookEnd & { readonly post_hook_name: string };
  readonly FollowupsStarted: unknown;
  /** Suggested messages of the user after the answer. */
  readonly FollowupsCompleted: { readonly followups: readonly string[] };
  /** The prompt of the next model request nears the model's context window. */
  readonly CompressionStarted: unknown;
  readonly CompressionCompleted: {
    readonly tool_results_compressed: number;
    /** Characters of the prompt's messages before and after. */
    readonly original_size: number;
    readonly compressed_size: number;
    readonly strategy: "truncate" | "summarise" | "custom";
  };
  readonly SessionSummaryStarted: unknown;
  /** Without `session_summary` if the summary could not be made. */
  readonly SessionSummaryCompleted: {
    readonly session_summary?: { readonly summary: string; readonly updated_at: string };
  };
  readonly ReasoningStarted: unknown;
  /** A chunk of the reasoning before the first turn. */
  readonly ReasoningContentDelta: { readonly reasoning_content: string };
  /** A step of the reasoning before the first turn. */
  readonly ReasoningStep: {
    readonly content: Fields;
    readonly content_type: string;
    readonly reasoning_content: string;
  };
  /** `content` has all steps of the reasoning before the first turn; it is missing for the reasoning of a turn. */
  readonly ReasoningCompleted: {
    readonly content?: { readonly reasoning_steps: readonly Fields[] };
    readonly content_type: string;
  };
  /** A chunk of text that is not the answer: another model writes or converts the answer. */
  readonly RunIntermediateContent: { readonly content: string; readonly content_type: string };
  readonly OutputModelResponseStarted: unknown;
  readonly OutputModelResponseCompleted: unknown;
  readonly ParserModelResponseStarted: unknown;
  readonly ParserModelResponseCompleted: unknown;
  /** A chunk of the answer. */
  readonly RunContent: {
    readonly content?: unknown;
    readonly workflow_agent?: boolean;
    readonly content_type: string;
    readonly reasoning_content?: string;
    readonly model_provider_data?: Fields;
    /** Sources that the model named, and parts of documents that the answer cites: such an event has no content. */
    readonly citations?: Citations;
  };
  readonly RunContentCompleted: unknown;
  /** A search before the first model request, in knowledge of the mode `always`. */
  readonly KnowledgeSearchStarted: { readonly query: string; readonly knowledge_ids: readonly string[] };
  readonly KnowledgeSearchCompleted: {
    readonly references: readonly KnowledgeReferences[];
    /** Set if the search failed: the run continues without documents. */
    readonly error?: string;
  };
  readonly ToolCallStarted: { readonly tool: ToolExecution };
  readonly ToolCallCompleted: { readonly content?: unknown; readonly tool: ToolExecution };
  readonly ToolCallError: { readonly error: string; readonly tool: ToolExecution };
  /** Discard this run's events from `discard_from_index` on: the run repeats them. */
  readonly RunRecovered: { readonly attempt: number; readonly discard_from_index: number };
  /** The run waits for a person or its caller, see `Run.continue`. */
  readonly RunPaused: {
    readonly content?: string;
    readonly tools: readonly ToolExecution[];
    readonly requirements: readonly ToolRequirement[];
  };
  readonly RunCompleted: Completed;
  readonly RunError: Failed;
  readonly RunCancelled: { readonly reason: string; readonly content?: unknown };
}

interface Iteration {
  readonly iteration: number;
  readonly max_iterations: number;
}

/** A task of a team's list. */
interface TeamTask {
  readonly id: string;
  readonly title: string;
  readonly description: string;
  readonly status: "pending" | "blocked" | "in_progress" | "completed" | "failed";
  /** Id of the member that does it. */
  readonly assignee?: string;
  /** Ids of the tasks that must be completed before it. */
  readonly dependencies: readonly string[];
  readonly result?: string;
}

/** Events of teams in the mode `tasks`, without `Team` before their names. */
interface TasksTold {
  readonly TaskIterationStarted: Iteration;
  readonly TaskIterationCompleted: Iteration & { readonly task_summary?: string };
  /** The whole list, after each iteration. */
  readonly TaskStateUpdated: {
    readonly task_summary?: string;
    readonly goal_complete: boolean;
    readonly tasks: readonly TeamTask[];
    readonly completion_summary?: string;
  };
  readonly TaskCreated: Omit<TeamTask, "id" | "result"> & { readonly task_id: string };
  readonly TaskUpdated: Pick<TeamTask, "title" | "status" | "result" | "assignee"> & {
    readonly task_id: string;
    readonly previous_status?: TeamTask["status"];
  };
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

/** Events of workflows and their steps. */
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

/** An event of a team's run. Its name begins with `Team`. */
export type TeamEvent = Named<Told & TasksTold, OfTeam, "Team">;

/** An event of a workflow's run. */
export type WorkflowEvent = Named<WorkflowTold, OfWorkflow>;

/** An event of a run or of a run below it; `event` is its name. */
export type RunEvent = AgentEvent | TeamEvent | WorkflowEvent;

/** The event with which a run ends or pauses. */
export type EndingEvent = Extract<
  RunEvent,
  {
    readonly event:
      | `${"Run" | "TeamRun" | "Workflow"}${"Completed" | "Paused" | "Cancelled"}`
      | `${"" | "Team"}RunError`
      | "WorkflowError";
  }
>;
