/** The members of events that the run screen reads. A server may send events and members that the client does not know. */
export interface LogEvent {
  readonly event: string;
  /** Index in the log of the run: from 0, without gaps. */
  readonly event_index: number;
  /** The run that emitted the event: the shown run or one below it. */
  readonly run_id: string;
  /** Seconds since the epoch. */
  readonly created_at: number;
  /** The same in milliseconds; missing in the chunks of an answer. */
  readonly created_at_ms?: number;
  readonly session_id?: string;
  readonly nested_depth?: number;
  readonly parent_run_id?: string;
  readonly workflow_run_id?: string;
  readonly agent_id?: string;
  readonly agent_name?: string;
  readonly team_id?: string;
  readonly team_name?: string;
  readonly workflow_id?: string;
  readonly workflow_name?: string;
  readonly step_id?: string;
  readonly step_name?: string;
  readonly parent_step_id?: string;
  readonly iteration?: number;
  readonly max_iterations?: number;
  readonly condition_result?: boolean;
  readonly branch?: string;
  readonly selected_steps?: readonly string[];
  readonly model?: string;
  readonly model_provider?: string;
  readonly input_tokens?: number;
  readonly output_tokens?: number;
  readonly time_to_first_token?: number;
  readonly cost?: number;
  readonly tool?: ToolCall;
  readonly step_response?: { readonly success?: boolean; readonly error?: string | null; readonly content?: unknown };
  readonly attempt?: number;
  readonly discard_from_index?: number;
  readonly paused_step_name?: string;
  readonly pause_kind?: string;
  readonly reason?: string;
  readonly error?: string;
  readonly error_type?: string;
  readonly content?: unknown;
  /** Set for a model request that is no turn of the run: `parser_model`. */
  readonly purpose?: string;
  readonly failed_model?: string;
  readonly pre_hook_name?: string;
  readonly post_hook_name?: string;
  readonly hook_point?: string;
  readonly outcome?: string;
  readonly tool_call_id?: string;
  /** Of a refusal: the hook and its point. */
  readonly additional_data?: { readonly hook?: string; readonly hook_point?: string } | null;
  /** Sources that an answer names. */
  readonly citations?: unknown;
  /** What a search of documents found. */
  readonly references?: unknown;
  readonly original_size?: number;
  readonly compressed_size?: number;
  readonly strategy?: string;
  readonly session_summary?: unknown;
  readonly followups?: readonly string[];
  readonly memories?: unknown;
  readonly mode?: string;
  readonly sent_by?: string;
  readonly task_summary?: string;
  readonly metrics?: { readonly time_to_first_token?: number | null; readonly duration?: number | null };
}

/** A tool call in an event. */
export interface ToolCall {
  readonly tool_call_id: string;
  readonly tool_name?: string;
  readonly tool_args?: unknown;
  readonly result?: unknown;
  readonly tool_call_error?: boolean | null;
}

/** The event's name without the prefix of its component kind: `RunStarted` for teams and workflows, too. */
export function plainName({ event }: Pick<LogEvent, "event">): string {
  return event.replace(/^Team/, "").replace(/^Workflow(?=[A-Z])/, "Run");
}

/** Whether an event is a chunk of an answer. */
export function isChunk({ event }: Pick<LogEvent, "event">): boolean {
  return event === "RunContent" || event === "TeamRunContent";
}
