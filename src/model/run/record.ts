/** The JSON columns of a run's row. */

import type { RunLimits, ShownLimit } from "../usage/limits.ts";
import type { RunWebhook } from "../webhook.ts";
import type { StepRecord, StepRequirement } from "../workflow.ts";
import type { CallApproval } from "./approval.ts";
import type { Citations, KnowledgeReferences } from "./citations.ts";
import type { AnsweringModel, AssistantMessage, Media, ModelMetrics, UserMessage } from "./message.ts";

/** Input of a run. */
export interface RunInput {
  readonly message: string;
  readonly media?: readonly Media[];
  /** Names of the guardrails that removed text from the message before it was stored. */
  readonly redactedBy?: readonly string[];
}

/** The A2A message that started a run, without the parts that are already in the run's input. */
export interface FirstMessage {
  readonly messageId: string;
  /** Its parts in order, if the run's input does not preserve them: the input joins texts and data to one text and keeps files apart. */
  readonly parts?: readonly FirstPart[];
  readonly metadata?: Record<string, unknown>;
  readonly extensions?: readonly string[];
  readonly referenceTaskIds?: readonly string[];
  /** Media types that the sender accepts. */
  readonly acceptedOutputModes?: readonly string[];
}

/** A part of an A2A message. Files are referenced by their index in the input. */
export type FirstPart = ({ readonly text: string } | { readonly data: unknown } | { readonly file: number }) & {
  readonly metadata?: Readonly<Record<string, unknown>>;
  /** For a text or data part. */
  readonly mediaType?: string;
  readonly filename?: string;
};

/** A call of an MCP client. */
export interface McpCall {
  /** Id of the client's session, from the header `Mcp-Session-Id`. */
  readonly session: string;
  /** JSON-RPC id of the call. */
  readonly request: string | number;
}

/** A tool that the caller of a run executes. */
export interface CallerTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of an object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
}

/** Options of a start in addition to its input. */
export interface RunOptions {
  /** Set for a run that an A2A message started. */
  readonly a2a?: FirstMessage;
  /** Set for a run that a tool call of an MCP client started: by its session and its request, the client can cancel it. */
  readonly mcp?: McpCall;
  /** Set for a run that a message of an AI SDK chat started. */
  readonly ui?: { readonly messageId: string };
  readonly metadata?: Record<string, unknown>;
  readonly dependencies?: Record<string, unknown>;
  readonly sessionState?: Record<string, unknown>;
  /** JSON Schema of the answer, if the caller specified one. */
  readonly outputSchema?: Record<string, unknown>;
  readonly knowledgeFilters?: unknown;
  /** Input of the factory that builds the run's component. */
  readonly factoryInput?: Readonly<Record<string, unknown>>;
  /** Database for the server that executes a remote component. */
  readonly databaseId?: string;
  readonly stream?: boolean;
  readonly background?: boolean;
  /** The earlier run that this run continues from or copies. */
  readonly origin?: RunOrigin;
  /** Limits of this run, in addition to the limits of the platform, the component and the user. */
  readonly limits?: RunLimits;
  /** The `traceparent` header of the request that started the run (W3C Trace Context). */
  readonly traceparent?: string;
  /** The `tracestate` header of that request. */
  readonly tracestate?: string;
  /** Tools that the caller executes, for the root run of an agent or a team. */
  readonly callerTools?: readonly CallerTool[];
  /** Whether the log contains the session's state and its changes, for interfaces that show them. */
  readonly reportsState?: true;
  /** Sent to the model after the component's instructions. */
  readonly additionalInstructions?: string;
  /** Webhooks of this run, in addition to the platform's webhooks. */
  readonly webhooks?: readonly RunWebhook[];
  /** Set for a run of an eval or an experiment: no memories are extracted from it. */
  readonly isMeasured?: true;
  /** Number of the run's first messages that its request brought: the conversation before the run's own message. */
  readonly givenMessages?: number;
  /** Versions of the run's component and of the components within it, by kind and id (`agent/researcher`). The engine sets it. */
  readonly versions?: Readonly<Record<string, number>>;
  /** Set for a run that the OpenAI-compatible interface started after an earlier response: the id of that response. */
  readonly previousResponseId?: string;
}

/** A message of the conversation that a request brings with it. It has no tool calls: the engine would make those that have no result. */
export type GivenMessage = UserMessage | Pick<AssistantMessage, "role" | "content">;

/** The number of a run's first messages that are copies: of an earlier run's messages, or of the request's conversation. */
export function copiedMessagesOf({ origin, givenMessages }: RunOptions): number {
  return origin?.messages ?? givenMessages ?? 0;
}

/** The origin of a run that continues, copies or regenerates an earlier one. */
export interface RunOrigin {
  readonly runId: string;
  /** Number of copied messages; undefined for a copy of a whole run. */
  readonly messages?: number;
  /** Whether the run regenerates the earlier one. */
  readonly regenerates?: boolean;
  /** Session of the earlier run, if it is another one. */
  readonly sessionId?: string;
  /** Position in the session where the run's history ends, if that is not the run's own position. */
  readonly beforeSeq?: number;
}

/** Metrics of a run, as sent on the wire. Times in seconds. */
export interface RunMetrics extends ModelMetrics {
  /** For a workflow: the steps that an agent or a team executed, by name. */
  readonly steps?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The account that a waiting call needs, as sent on the wire. */
export interface ConnectionRequirement {
  readonly provider: string;
  readonly scopes: readonly string[];
  /** Where the user connects the account in a browser. */
  readonly url: string;
}

/** A paused tool call that waits for a person or for the run's caller, as sent on the wire. */
export interface ToolRequirement {
  readonly id: string;
  /** ISO 8601 string. */
  readonly created_at: string;
  readonly member_agent_id?: string;
  readonly member_agent_name?: string;
  readonly member_run_id?: string;
  readonly tool_execution: ToolExecution;
  /** Fields that a person enters, with their values in the call. */
  readonly user_input_schema?: readonly unknown[];
  /** Set if the call waits for an account: the run goes on when the user has connected it. */
  readonly connection?: ConnectionRequirement;
  /** The answer, if it named the requirement and not the tool call. */
  readonly confirmation?: boolean;
  readonly confirmation_note?: string;
  readonly external_execution_result?: string;
}

/** Requirements of earlier pauses with their answers. */
export interface Answered {
  readonly requirements?: readonly ToolRequirement[];
  /** For a workflow. */
  readonly stepRequirements?: readonly StepRequirement[];
}

/** The pause of a run. */
export interface Pause {
  /** For a workflow: `step`, or `executor` if an agent or a team of a step waits. */
  readonly kind: "step" | "executor" | "tool";
  readonly stepRequirements?: readonly StepRequirement[];
  readonly requirements?: readonly ToolRequirement[];
  /** Key of the run that made each tool call, by the id of its requirement. */
  readonly runKeys?: Readonly<Record<string, number>>;
  /** Names of the marks that hold the answers, if they differ from the default. */
  readonly answerNames?: Readonly<Record<string, string>>;
  /** Approvals that tool calls wait for. */
  readonly approvals?: readonly CallApproval[];
  /** The paused run below this one: the run of a member, or of a step's executor. */
  readonly executorRunId?: string;
  /** The run's own unfinished calls, if it waits for the runs of members or executors. If absent: the calls of its requirements. */
  readonly tools?: readonly ToolExecution[];
  /** Text of the pause, if no tool call provides one. */
  readonly text?: string;
  readonly stepName?: string;
  readonly stepIndex?: number;
}

/** The fields of a pause that say which tool call each of its requirements is about. */
export type CallPlaces = Pick<Pause, "runKeys" | "answerNames" | "approvals">;

/** A tool call on the wire. Every key is always present (contract, `tool_object`). */
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

/** The reason for which a run failed. */
export interface RunError {
  readonly message: string;
  readonly type: string;
  readonly id: string;
  /** The limit that it reached. */
  readonly limit?: ShownLimit;
  /** `additional_data` on the wire. */
  readonly details?: Readonly<Record<string, unknown>>;
}

/** Output of a run. */
export interface RunOutput {
  /** A string, or the validated object of an output schema. */
  readonly content?: unknown;
  /** `str` for a string, otherwise the name of the output schema. */
  readonly contentType: string;
  readonly reasoningContent?: string;
  readonly citations?: Citations;
  /** What the run found in knowledge bases, by search. */
  readonly references?: readonly KnowledgeReferences[];
  /** The model that the run used last, if it is not the component's first model. */
  readonly model?: AnsweringModel;
  /** Steps of reasoning before the first turn, as sent on the wire. */
  readonly reasoningSteps?: readonly Readonly<Record<string, unknown>>[];
  /** Suggested messages of the user after the answer. */
  readonly followups?: readonly string[];
  readonly providerData?: Record<string, unknown>;
  readonly tools?: readonly ToolExecution[];
  readonly metrics?: RunMetrics;
  readonly sessionState?: Record<string, unknown>;
  readonly media?: readonly Media[];
  readonly metadata?: Record<string, unknown>;
  /** For a team: the runs of its members as sent on the wire, without their messages. */
  readonly memberResponses?: readonly Readonly<Record<string, unknown>>[];
  /** For the final event of a workflow: the runs of its steps as sent on the wire, without their messages. */
  readonly executorRuns?: readonly Readonly<Record<string, unknown>>[];
  /** For a workflow: the results of its steps. */
  readonly stepResults?: readonly StepRecord[];
  /** Set while the run is paused. */
  readonly pause?: Pause;
  /** Requirements of earlier pauses. */
  readonly answered?: Answered;
  /** For a run in the state ERROR: the partial answer that its events contain. */
  readonly partial?: unknown;
  /** For a run in the state ERROR: the reason. */
  readonly error?: RunError;
}
