/** A run's result in the wire format of its final event. */

import { RunRejected } from "../../define/rejection.ts";
import { DamagedValue } from "../../errors.ts";
import { failureFields } from "../../model/run/failure.ts";
import { openCalls, pausedContent, pauseText } from "../../model/run/pause.ts";
import type { Pause, RunOutput } from "../../model/run/record.ts";
import type { ComponentKind, TerminalStatus } from "../../model/run/run.ts";
import { rejectedType } from "../../model/run/run-marks.ts";
import { modelNames } from "../model-call/models.ts";
import { type MemberScope, RunFailure } from "./contract.ts";

type Fields = Readonly<Record<string, unknown>>;

/**
 * Fields of `RunCompleted` in the recorded order. Agents always include the session's state; teams include a non-empty state, and any state
 * in a workflow's step or after a pause.
 */
export function completedFields(output: RunOutput, alwaysIncludeState = false): Fields {
  const { memberResponses, sessionState, metadata } = output;
  if (output.stepResults) return workflowFields(output);
  const includesState = alwaysIncludeState || !memberResponses || Object.keys(sessionState ?? {}).length > 0;
  return {
    content: output.content,
    content_type: output.contentType,
    reasoning_content: output.reasoningContent,
    citations: output.citations,
    references: output.references,
    model_provider_data: output.providerData,
    session_state: includesState ? sessionState : undefined,
    metadata: metadata && Object.keys(metadata).length > 0 ? metadata : undefined,
    member_responses: memberResponses?.length ? memberResponses : undefined,
    metrics: output.metrics,
  };
}

function workflowFields({ content, contentType, stepResults, executorRuns, metrics, metadata }: RunOutput): Fields {
  return {
    content: content ?? undefined,
    content_type: contentType,
    step_results: stepResults,
    step_executor_runs: executorRuns ?? [],
    metadata: metadata && Object.keys(metadata).length > 0 ? metadata : undefined,
    metrics,
  };
}

/** Fields of `RunPaused` and the member's and workflow's equivalents. */
export function pausedFields(output: RunOutput, pause: Pause): Fields {
  const { kind, stepName, stepIndex, stepRequirements, requirements = [] } = pause;
  if (!output.stepResults) {
    return { content: pauseText(pause), tools: openCalls(pause), requirements };
  }
  return {
    status: "PAUSED",
    paused_step_index: stepIndex,
    paused_step_name: stepName,
    pause_kind: kind,
    step_requirements: stepRequirements ?? [],
    step_results: output.stepResults,
    step_executor_runs: output.executorRuns ?? [],
  };
}

/** Describes a failure for clients. An internal error shows only its id, by which the log has the details. */
export function describeFailure(error: unknown, errorId: string): NonNullable<RunOutput["error"]> {
  if (error instanceof RunRejected) return { message: error.message, type: rejectedType, id: errorId };
  if (error instanceof RunFailure) {
    const { message, type, limit, details } = error;
    return { message, type, id: errorId, ...(limit && { limit }), ...(details && { details }) };
  }
  if (error instanceof DamagedValue) {
    const message = `A stored value of the run or its session cannot be read (${errorId}).`;
    return { message, type: "storage_error", id: errorId };
  }
  return { message: `The run failed with an internal error (${errorId}).`, type: "internal_error", id: errorId };
}

/** A member's run as an entry of its team's `member_responses`: a run record without messages and tools, which keeps it bounded. */
export function toMemberResponse(
  parentRunId: string,
  { component, context, input }: MemberScope,
  ended: { readonly status: TerminalStatus; readonly output: RunOutput; readonly startedAt: number },
): Fields {
  return toResponse({
    ...{ kind: component.kind, id: component.id, name: component.name, runId: context.runId, parentRunId },
    ...{ sessionId: context.session.id, userId: context.userId, message: input.message, ...ended },
    ...modelNames(component),
  });
}

/** A run under another run, with the fields that the parent's record shows. */
export interface ChildRun {
  readonly kind: ComponentKind;
  readonly id: string;
  readonly name: string;
  readonly runId: string;
  readonly parentRunId: string;
  /** For the run of a workflow's step. */
  readonly stepId?: string | undefined;
  readonly sessionId: string;
  readonly userId: string | null;
  readonly message: string;
  readonly model: string | null;
  readonly modelProvider: string | null;
  readonly status: TerminalStatus | "PAUSED";
  readonly output: RunOutput;
  readonly startedAt: number;
}

/** See `toMemberResponse`. */
export function toResponse({ kind, id, name, output, ...facts }: ChildRun): Fields {
  return {
    run_id: facts.runId,
    [`${kind}_id`]: id,
    [`${kind}_name`]: name,
    session_id: facts.sessionId,
    parent_run_id: facts.parentRunId,
    user_id: facts.userId ?? undefined,
    content: pausedContent(kind, facts.status, output) ?? output.content,
    content_type: output.contentType,
    ...failureFields(output.error),
    reasoning_content: output.reasoningContent,
    citations: output.citations,
    model_provider_data: output.providerData,
    model: facts.model ?? undefined,
    model_provider: facts.modelProvider ?? undefined,
    session_state: output.sessionState,
    created_at: Math.floor(facts.startedAt / 1000),
    status: facts.status,
    workflow_step_id: facts.stepId,
    member_responses: output.memberResponses?.length ? output.memberResponses : undefined,
    metrics: output.metrics,
    input: { input_content: facts.message },
  };
}
