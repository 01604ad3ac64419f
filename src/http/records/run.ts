/** A run as its single record shows it: what is null is left out, times are seconds. */
import { failureFields } from "../../engine/loops/completed.ts";
import { stepIdOf } from "../../engine/loops/workflow/places.ts";
import { openCalls, pausedContent } from "../../engine/pause/waiting-calls.ts";
import type { RunApproval } from "../../model/approval.ts";
import type { RunInput, RunOptions, RunOutput, ToolExecution, ToolRequirement } from "../../model/record.ts";
import type { WireRunStatus } from "../../model/run.ts";
import type { StepRequirement } from "../../model/workflow.ts";
import type { MessageRow, RunRow } from "../../store/contract/store.ts";
import { parseStored } from "../transport/json-pieces.ts";
import { toApprovalRecord } from "./approvals.ts";
import type { StoredEvent } from "./events.ts";
import { presentLists, toInputLists, toMediaLists } from "./media.ts";
import { toWireMessage } from "./messages.ts";

/** A run with all that belongs to it. */
export interface RunFamily {
  readonly run: RunRow;
  /** Runs of members, of whatever depth, in the order they were made. */
  readonly members: readonly RunRow[];
  /** Messages of all of them, by the run's key. */
  readonly messages: MessagesByRun;
  /** Of a root run that was started as a stream. */
  readonly events: readonly StoredEvent[];
  /** The approval that let it go on, or did not. */
  readonly approval?: RunApproval | undefined;
}

/** Messages by the key of their run, in order. */
export type MessagesByRun = ReadonlyMap<number, readonly MessageRow[]>;

/** Sorts messages to their runs. */
export function byRun(messages: readonly MessageRow[]): MessagesByRun {
  return Map.groupBy(messages, ({ runKey }) => runKey);
}

/** The state as clients see it: a run that was replaced by another try is `REGENERATED`. */
export function wireStatus({ status, replacedBy }: Pick<RunRow, "status" | "replacedBy">): WireRunStatus {
  return replacedBy === null ? status : "REGENERATED";
}

/** What the run came to so far. */
export function outputOf({ output }: RunRow): Partial<RunOutput> {
  return output === null ? {} : (JSON.parse(output) as RunOutput);
}

/** The same for what shows it only: see `parseStored`. */
export function shownOutputOf({ output }: RunRow): Partial<RunOutput> {
  return output === null ? {} : (parseStored(output) as RunOutput);
}

/** The run, and the session, that the run goes on from or is a copy of. */
export function originOf({ options }: Pick<RunRow, "options">): {
  readonly forked_from_run_id: string | null;
  readonly forked_from_message_index: number | null;
  readonly forked_from_session_id: string | null;
  readonly regenerated_from: string | null;
} {
  const { origin } = JSON.parse(options) as RunOptions;
  const isAgain = origin?.regenerates === true;
  return {
    forked_from_run_id: isAgain ? null : (origin?.runId ?? null),
    forked_from_message_index: origin?.messages ?? null,
    forked_from_session_id: origin?.sessionId ?? null,
    regenerated_from: isAgain ? origin.runId : null,
  };
}

/** What the run was asked. */
export function inputOf({ input }: RunRow): RunInput {
  return JSON.parse(input) as RunInput;
}

/** The same for what shows it only: see `parseStored`. */
export function shownInputOf({ input }: RunRow): RunInput {
  return parseStored(input) as RunInput;
}

/** Why the run failed, in words for strangers. */
export function failureOf(run: RunRow): string {
  const { error, content } = outputOf(run);
  return error?.message ?? (typeof content === "string" && content ? content : "The run failed");
}

/** The record of a run, as it is read. */
export function toRecord(family: RunFamily): Record<string, unknown> {
  return recordOf(family);
}

/** The same as the answer to its start: lists that are empty stand there, and no events. */
export function toAnswer(family: RunFamily): Record<string, unknown> {
  return recordOf({ ...family, events: undefined });
}

/** What is told of a run: no events in an answer. */
interface Told extends Omit<RunFamily, "events"> {
  readonly events: readonly StoredEvent[] | undefined;
  /** The step that the run is of. */
  readonly stepId?: string | undefined;
}

function recordOf(told: Told): Record<string, unknown> {
  const { run, members, messages, events, approval, stepId } = told;
  if (run.kind === "workflow") return workflowRecordOf(told);
  const output = shownOutputOf(run);
  const input = shownInputOf(run);
  const isAnswer = events === undefined;
  const own = messages.get(run.key) ?? [];
  const children = members.filter(({ parentKey }) => parentKey === run.key);
  return present({
    run_id: run.runId,
    [`${run.kind}_id`]: run.componentId,
    [`${run.kind}_name`]: run.componentName,
    session_id: run.sessionId,
    parent_run_id: run.parentRunId,
    user_id: run.userId,
    content: contentOf(run, output),
    content_type: output.contentType ?? "str",
    ...failureFields(output.error),
    reasoning_content: output.reasoningContent || undefined,
    model_provider_data: output.providerData,
    model: run.model,
    model_provider: run.modelProvider,
    session_state: output.sessionState,
    created_at: Math.floor(run.createdAt / 1000),
    status: wireStatus(run),
    ...originOf(run),
    workflow_step_id: stepId,
    metrics: output.metrics ?? {},
    metadata: metadataOf(output, approval),
    events,
    messages: own.map((message) => toWireMessage(message, true)),
    tools: toolsOf(output) ?? (isAnswer ? [] : undefined),
    requirements: requirementsOf(output),
    ...presentLists(toMediaLists(output.media, true)),
    member_responses:
      children.length > 0
        ? children.map((child) => recordOf({ run: child, members, messages, events: events && [] }))
        : // Of a team that another server executes, they have no rows here.
          (output.memberResponses ?? (run.kind === "team" ? [] : undefined)),
    input: { input_content: input.message, ...presentLists(toInputLists(input.media, true)) },
  });
}

/** A paused run's content is the sentence that tells what it waits for. */
export function contentOf({ kind, status }: Pick<RunRow, "kind" | "status">, output: Partial<RunOutput>): unknown {
  return pausedContent(kind, status, output) ?? output.content ?? output.error?.message;
}

/** Tool calls that are over, then those that wait. */
export function toolsOf({ tools = [], pause }: Partial<RunOutput>): readonly ToolExecution[] | undefined {
  const all = [...tools, ...(pause ? openCalls(pause) : [])];
  return all.length > 0 ? all : undefined;
}

/** What it waited for, with what was answered and what the calls came to, then what it waits for. */
function requirementsOf({ answered, pause }: Partial<RunOutput>): readonly ToolRequirement[] | undefined {
  if (!answered?.requirements) return pause?.requirements;
  return [...answered.requirements, ...(pause?.requirements ?? [])];
}

/** The same of a workflow. */
export function stepRequirementsOf({ answered, pause }: Partial<RunOutput>): readonly StepRequirement[] | undefined {
  if (!answered?.stepRequirements) return pause?.stepRequirements;
  return [...answered.stepRequirements, ...(pause?.stepRequirements ?? [])];
}

/** The record of a workflow's run: its input is the bare text, its steps' runs stand beside their results. */
function workflowRecordOf({ run, members, messages, events, approval, stepId }: Told): Record<string, unknown> {
  const output = shownOutputOf(run);
  const media = toMediaLists(output.media, true);
  const isOver = output.pause === undefined;
  const executors = executorRecords({ run, members, messages, events });
  return present({
    input: shownInputOf(run).message,
    content: output.content ?? output.error?.message,
    content_type: output.contentType ?? "str",
    ...failureFields(output.error),
    workflow_id: run.componentId,
    workflow_name: run.componentName,
    run_id: run.runId,
    session_id: run.sessionId,
    parent_run_id: run.parentRunId,
    user_id: run.userId,
    created_at: Math.floor(run.createdAt / 1000),
    status: wireStatus(run),
    workflow_step_id: stepId,
    ...(events === undefined && isOver ? media : presentLists(media)),
    metadata: metadataOf(output, approval),
    ...pauseOf(output),
    step_requirements: stepRequirementsOf(output),
    step_results: output.stepResults,
    step_executor_runs: executors.length > 0 ? executors : undefined,
    metrics: workflowMetricsOf(output),
    events,
  });
}

/** The records of the runs of a workflow's steps. */
export function executorRecords({ run, members, messages, events }: Told): Record<string, unknown>[] {
  const executors = members.filter(({ parentKey }) => parentKey === run.key);
  return executors.map((executor) => {
    const stepId = stepIdOf(run.componentId, executor.toolCallId);
    return recordOf({ run: executor, members, messages, events: events && [], stepId });
  });
}

/** What a workflow's run cost so far. */
export function workflowMetricsOf({ metrics }: Partial<RunOutput>): Record<string, unknown> {
  return { ...(metrics ?? { steps: {}, duration: null }) };
}

function metadataOf({ metadata }: Partial<RunOutput>, approval: RunApproval | undefined): unknown {
  return approval ? { ...metadata, approval: toApprovalRecord(approval) } : metadata;
}

/** Where a paused workflow waits. */
function pauseOf({ pause }: Partial<RunOutput>): Record<string, unknown> {
  if (!pause) return {};
  return {
    paused_step_index: pause.stepIndex,
    paused_step_name: pause.stepName,
    pause_kind: pause.kind === "tool" ? undefined : pause.kind,
  };
}

/** The members that are neither null nor undefined. */
export function present(members: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined && value !== null));
}
