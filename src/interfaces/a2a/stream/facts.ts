/**
 * Translates the events of a run's log to facts in A2A's terms. A fact depends on one stored event alone; the translator keeps the state between
 * events.
 */

import { isStoredArtifact, type StoredArtifact } from "../../../model/run/artifact.ts";
import { baseName, isThought } from "../../../model/run/event-name.ts";
import type { FailureFields } from "../../../model/run/failure.ts";
import type { Metadata, TaskState } from "../protocol.ts";
import { type ShownFailure, stateOfFailure, stateOfPause } from "../task/states.ts";

/** Identifies a run inside the task's run: a member's run, or the run of a workflow's step. */
export interface MemberName {
  readonly id: string;
  readonly name: string;
  readonly runId: string;
}

/** The requirements of a paused run, as recorded in its event. */
export interface PauseFields {
  readonly content?: unknown;
  readonly tools?: readonly unknown[];
  readonly requirements?: readonly unknown[];
  readonly step_requirements?: readonly unknown[];
}

export type Fact =
  /** The run is working: it began, continues, or reports `progress`. */
  | { readonly kind: "working"; readonly begins: boolean; readonly progress?: Metadata | undefined }
  /** An artifact that the definition adds to the answer. */
  | { readonly kind: "artifact"; readonly artifact: StoredArtifact }
  /** A structured answer, complete. */
  | { readonly kind: "content"; readonly value: unknown }
  /** A chunk of the run's reasoning, or of a member's. */
  | { readonly kind: "reasoning"; readonly text: string; readonly member: MemberName | undefined }
  /** A chunk of a member's answer. */
  | { readonly kind: "member-text"; readonly member: MemberName; readonly text: string }
  | { readonly kind: "member-end"; readonly member: MemberName; readonly content: unknown; readonly progress: Metadata }
  /** The run was taken over after a crash: the events from `discard_from_index` on are generated again. */
  | { readonly kind: "recovered"; readonly progress: Metadata }
  /** The run ended, or paused until it is answered. */
  | {
      readonly kind: "end";
      readonly state: TaskState;
      readonly content: unknown;
      readonly metrics: unknown;
      readonly pause?: PauseFields;
      /** Set if the run failed. */
      readonly failure?: ShownFailure;
      /** Milliseconds since the epoch. */
      readonly at: number;
    };

/** The members of events that are used here. */
interface LogEvent extends FailureFields {
  readonly created_at: number;
  readonly event: string;
  readonly run_id: string;
  readonly agent_id?: string;
  readonly agent_name?: string;
  readonly team_id?: string;
  readonly team_name?: string;
  readonly workflow_id?: string;
  readonly workflow_name?: string;
  readonly content?: unknown;
  readonly artifact?: unknown;
  /** Set if a workflow failed. */
  readonly error?: unknown;
  readonly reasoning_content?: string;
  readonly citations?: unknown;
  readonly metrics?: unknown;
  readonly tool?: { readonly tool_name: string; readonly tool_call_id: string; readonly tool_args: unknown };
  readonly tools?: readonly unknown[];
  readonly requirements?: readonly unknown[];
  readonly step_requirements?: readonly unknown[];
  readonly step_name?: string;
  readonly iteration?: number;
  readonly reason?: string;
  readonly discard_from_index?: number;
}

/** Names of progress metadata, by event name, as recorded. */
const progressNames: Readonly<Record<string, string>> = {
  ToolCallStarted: "tool_call_started",
  ToolCallCompleted: "tool_call_completed",
  ReasoningStarted: "reasoning_started",
  ReasoningStep: "reasoning_step",
  ReasoningCompleted: "reasoning_completed",
  MemoryUpdateStarted: "memory_update_started",
  MemoryUpdateCompleted: "memory_update_completed",
  TaskIterationStarted: "task_iteration_started",
  TaskIterationCompleted: "task_iteration_completed",
  TaskStateUpdated: "task_state_updated",
  TaskCreated: "task_created",
  TaskUpdated: "task_updated",
  StepStarted: "workflow_step_started",
  StepCompleted: "workflow_step_completed",
  StepError: "workflow_step_error",
  StepContinued: "workflow_step_continued",
  LoopExecutionStarted: "loop_execution_started",
  LoopIterationStarted: "loop_iteration_started",
  LoopIterationCompleted: "loop_iteration_completed",
  LoopExecutionCompleted: "loop_execution_completed",
  ParallelExecutionStarted: "parallel_execution_started",
  ParallelExecutionCompleted: "parallel_execution_completed",
  ConditionExecutionStarted: "condition_execution_started",
  ConditionExecutionCompleted: "condition_execution_completed",
  RouterExecutionStarted: "router_execution_started",
  RouterExecutionCompleted: "router_execution_completed",
  StepsExecutionStarted: "steps_execution_started",
  StepsExecutionCompleted: "steps_execution_completed",
};

/** The facts of an event: none for an event without an A2A counterpart, and several for a chunk that has text, reasoning or sources. `data` is its JSON text. */
export function factsOf(taskId: string, name: string, data: string): readonly Fact[] {
  const base = baseName(name);
  const progressName = progressNames[base];
  if (progressName === undefined && !base.startsWith("Run") && base !== "CustomEvent" && !isThought(base)) return [];
  const event = JSON.parse(data) as LogEvent;
  if (base === "CustomEvent") {
    const { artifact } = event;
    return isStoredArtifact(artifact) ? [{ kind: "artifact", artifact }] : [];
  }
  const member = event.run_id === taskId ? undefined : memberOf(event);
  if (base === "ReasoningContentDelta") return contentFacts({ ...event, content: undefined }, member);
  if (progressName !== undefined) {
    return [{ kind: "working", begins: false, progress: progressOf(progressName, event, member) }];
  }
  if (base === "RunContent") return contentFacts(event, member);
  const fact = member ? memberFact(base, event, member) : ownFact(base, event);
  return fact ? [fact] : [];
}

/** The engine writes text, reasoning and sources in events of their own. An event relayed from another server may have all of them. */
function contentFacts(event: LogEvent, member: MemberName | undefined): readonly Fact[] {
  const { content, reasoning_content: reasoning } = event;
  const facts: Fact[] = reasoning ? [{ kind: "reasoning", text: reasoning, member }] : [];
  if (content !== undefined && content !== null && content !== "") {
    const text = typeof content === "string" ? content : JSON.stringify(content);
    facts.push(member ? { kind: "member-text", member, text } : { kind: "content", value: content });
  }
  return event.citations ? [...facts, citationsFact(event, member)] : facts;
}

function ownFact(base: string, event: LogEvent): Fact | undefined {
  const { content, metrics, created_at } = event;
  const at = created_at * 1000;
  switch (base) {
    case "RunStarted":
      return { kind: "working", begins: true };
    case "RunContinued":
      return { kind: "working", begins: false };
    case "RunRecovered":
      return { kind: "recovered", progress: progressOf("run_recovered", event, undefined) };
    case "RunCompleted":
      return { kind: "end", state: "completed", content, metrics, at };
    case "RunCancelled":
      return { kind: "end", state: "canceled", content, metrics: undefined, at };
    case "RunError": {
      const { error_type, error_id, error = content } = event;
      const failure = { error_type, error_id, reason: typeof error === "string" ? error : undefined };
      return { kind: "end", state: stateOfFailure(error_type), content: undefined, metrics: undefined, failure, at };
    }
    case "RunPaused":
      return { kind: "end", state: stateOfPause(event), content: event.content, metrics: undefined, pause: event, at };
    default:
      return undefined;
  }
}

function memberFact(base: string, event: LogEvent, member: MemberName): Fact | undefined {
  const { content } = event;
  switch (base) {
    case "RunStarted":
      return { kind: "working", begins: false, progress: progressOf("member_run_started", event, member) };
    case "RunRecovered":
      return { kind: "working", begins: false, progress: progressOf("run_recovered", event, member) };
    case "RunCompleted":
      return { kind: "member-end", member, content, progress: progressOf("member_run_completed", event, member) };
    case "RunError":
      return {
        kind: "member-end",
        member,
        content: undefined,
        progress: progressOf("member_run_failed", event, member),
      };
    default:
      return undefined;
  }
}

/** Sources of an answer. The protocol has no part for them, so they are metadata. */
function citationsFact(event: LogEvent, member: MemberName | undefined): Fact {
  const progress = { ...progressOf("citations", event, member), citations: event.citations };
  return { kind: "working", begins: false, progress };
}

function memberOf(event: LogEvent): MemberName {
  const { agent_id, team_id, workflow_id, agent_name, team_name, workflow_name, run_id: runId } = event;
  const id = agent_id ?? team_id ?? workflow_id ?? "";
  return { id, name: agent_name ?? team_name ?? workflow_name ?? id, runId };
}

function progressOf(name: string, event: LogEvent, member: MemberName | undefined): Metadata {
  const { tool, step_name, iteration, discard_from_index } = event;
  return {
    agno_event_type: name,
    ...(tool && {
      tool_name: tool.tool_name,
      tool_call_id: tool.tool_call_id,
      tool_args: JSON.stringify(tool.tool_args),
    }),
    ...(step_name !== undefined && { step_name }),
    ...(iteration !== undefined && { iteration }),
    ...(discard_from_index !== undefined && { discard_from_index }),
    ...(member && memberMetadata(member)),
  };
}

/** Metadata that marks a member's output, to distinguish it from the answer. */
export function memberMetadata({ id, name, runId }: MemberName): Metadata {
  return { member_id: id, member_name: name, member_run_id: runId };
}
