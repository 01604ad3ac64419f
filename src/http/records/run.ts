/** A run in the form of its single record: null members are omitted, times are in seconds. */

import { stepIdOf } from "../../engine/loops/workflow/places.ts";
import type { RunApproval } from "../../model/run/approval.ts";
import { failureFields } from "../../model/run/failure.ts";
import { openCalls, pausedContent } from "../../model/run/pause.ts";
import type { RunInput, RunOutput, ToolExecution, ToolRequirement } from "../../model/run/record.ts";
import type { WireRunStatus } from "../../model/run/run.ts";
import { optionsOf, outputOf } from "../../model/run/stored-run.ts";
import type { StepRequirement } from "../../model/workflow.ts";
import type { RunRow } from "../../runs/find.ts";
import type { RunFamily } from "../../runs/read.ts";
import { parseStored, rawJson } from "../transport/json-pieces.ts";
import { toApprovalRecord } from "./approvals.ts";
import { presentLists, toInputLists, toMediaLists } from "./media.ts";
import { toWireMessage } from "./messages.ts";

/** The status that clients see: a run that another attempt replaced is `REGENERATED`. */
export function wireStatus({ status, replacedBy }: Pick<RunRow, "status" | "replacedBy">): WireRunStatus {
  return replacedBy === null ? status : "REGENERATED";
}

/** The run's output for display only: see `parseStored`. */
export function shownOutputOf({ output }: RunRow): Partial<RunOutput> {
  return output === null ? {} : (parseStored(output) as RunOutput);
}

/** The run, and its session, that this run continues or copies. */
export function originOf(run: Pick<RunRow, "options">): {
  readonly forked_from_run_id: string | null;
  readonly forked_from_message_index: number | null;
  readonly forked_from_session_id: string | null;
  readonly regenerated_from: string | null;
} {
  const { origin } = optionsOf(run);
  const isAgain = origin?.regenerates === true;
  return {
    forked_from_run_id: isAgain ? null : (origin?.runId ?? null),
    forked_from_message_index: origin?.messages ?? null,
    forked_from_session_id: origin?.sessionId ?? null,
    regenerated_from: isAgain ? origin.runId : null,
  };
}

/** The version of its component that a run began with, if there is one. */
export function versionMember(run: Pick<RunRow, "kind" | "componentId" | "options">): { component_version?: number } {
  const version = optionsOf(run).versions?.[`${run.kind}/${run.componentId}`];
  return version === undefined ? {} : { component_version: version };
}

/** The run's input for display only: see `parseStored`. */
export function shownInputOf({ input }: RunRow): RunInput {
  return parseStored(input) as RunInput;
}

/** The error message of a failed run, in a form that clients may see. */
export function failureOf(run: RunRow): string {
  const { error, content } = outputOf(run);
  return error?.message ?? (typeof content === "string" && content ? content : "The run failed");
}

/** The record of a run, as routes that read runs return it. */
export function toRecord(family: RunFamily): Record<string, unknown> {
  return recordOf(family);
}

/** The record as the answer to the run's start: empty lists are present, and events are not. */
export function toAnswer(family: RunFamily): Record<string, unknown> {
  return recordOf({ ...family, events: undefined });
}

/** The parts of a record: without events in an answer. */
interface ShownFamily extends Omit<RunFamily, "events"> {
  readonly events: readonly string[] | undefined;
  /** Id of the workflow step that the run executes. */
  readonly stepId?: string | undefined;
}

function recordOf(family: ShownFamily): Record<string, unknown> {
  const { run, members, messages, events, approval, stepId } = family;
  if (run.kind === "workflow") return workflowRecordOf(family);
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
    citations: output.citations,
    references: output.references,
    model_provider_data: output.providerData,
    model: output.model?.id ?? run.model,
    model_provider: output.model?.provider ?? run.modelProvider,
    followups: output.followups,
    reasoning_steps: output.reasoningSteps,
    session_state: output.sessionState,
    created_at: Math.floor(run.createdAt / 1000),
    status: wireStatus(run),
    ...versionMember(run),
    ...originOf(run),
    workflow_step_id: stepId,
    metrics: output.metrics ?? {},
    metadata: metadataOf(output, approval),
    events: events?.map(rawJson),
    messages: own.map((message) => toWireMessage(message, true)),
    tools: toolsOf(output) ?? (isAnswer ? [] : undefined),
    requirements: requirementsOf(output),
    ...presentLists(toMediaLists(output.media, true)),
    member_responses:
      children.length > 0
        ? children.map((child) => recordOf({ run: child, members, messages, events: events && [] }))
        : // The members of a remote team have no rows in this store.
          (output.memberResponses ?? (run.kind === "team" ? [] : undefined)),
    input: { input_content: input.message, ...presentLists(toInputLists(input.media, true)) },
  });
}

/** The content of a run. For a paused run it is the sentence that names what the run waits for. */
export function contentOf({ kind, status }: Pick<RunRow, "kind" | "status">, output: Partial<RunOutput>): unknown {
  return pausedContent(kind, status, output) ?? output.content ?? output.error?.message;
}

/** Finished tool calls, then waiting ones. */
export function toolsOf({ tools = [], pause }: Partial<RunOutput>): readonly ToolExecution[] | undefined {
  const all = [...tools, ...(pause ? openCalls(pause) : [])];
  return all.length > 0 ? all : undefined;
}

/** Answered requirements with their answers and results, then the open ones. */
function requirementsOf({ answered, pause }: Partial<RunOutput>): readonly ToolRequirement[] | undefined {
  if (!answered?.requirements) return pause?.requirements;
  return [...answered.requirements, ...(pause?.requirements ?? [])];
}

/** Answered step requirements of a workflow, then the open ones. */
export function stepRequirementsOf({ answered, pause }: Partial<RunOutput>): readonly StepRequirement[] | undefined {
  if (!answered?.stepRequirements) return pause?.stepRequirements;
  return [...answered.stepRequirements, ...(pause?.stepRequirements ?? [])];
}

/** The record of a workflow's run: its input is the plain text, and it has the records of its steps' runs in addition to the step results. */
function workflowRecordOf({ run, members, messages, events, approval, stepId }: ShownFamily): Record<string, unknown> {
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
    ...versionMember(run),
    workflow_step_id: stepId,
    ...(events === undefined && isOver ? media : presentLists(media)),
    metadata: metadataOf(output, approval),
    ...pauseOf(output),
    step_requirements: stepRequirementsOf(output),
    step_results: output.stepResults,
    step_executor_runs: executors.length > 0 ? executors : undefined,
    metrics: workflowMetricsOf(output),
    events: events?.map(rawJson),
  });
}

/** The records of the runs of a workflow's steps. */
export function executorRecords({ run, members, messages, events }: ShownFamily): Record<string, unknown>[] {
  const executors = members.filter(({ parentKey }) => parentKey === run.key);
  return executors.map((executor) => {
    const stepId = stepIdOf(run.componentId, executor.toolCallId);
    return recordOf({ run: executor, members, messages, events: events && [], stepId });
  });
}

/** The metrics of a workflow's run so far. */
export function workflowMetricsOf({ metrics }: Partial<RunOutput>): Record<string, unknown> {
  return { ...(metrics ?? { steps: {}, duration: null }) };
}

function metadataOf({ metadata }: Partial<RunOutput>, approval: RunApproval | undefined): unknown {
  return approval ? { ...metadata, approval: toApprovalRecord(approval) } : metadata;
}

/** The step at which a paused workflow waits, and the kind of pause. */
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
