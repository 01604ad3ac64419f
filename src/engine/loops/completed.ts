/** What a run came to, as the wire shows it at the run's end. */
import type { Pause, RunOutput } from "../../model/record.ts";
import type { TerminalStatus } from "../../model/run.ts";
import { type MemberScope, RunFailure } from "../loop-seam.ts";
import { modelId, providerName } from "../model-call/models.ts";
import { pauseText } from "../tool-call/waiting-calls.ts";

type Fields = Readonly<Record<string, unknown>>;

/** Fields of `RunCompleted` in the recorded order. */
export function completedFields(output: RunOutput): Fields {
  const { memberResponses, sessionState, metadata } = output;
  if (output.stepResults) return workflowFields(output);
  // Agents always tell their session's state, teams where there is any.
  const tellsState = !memberResponses || Object.keys(sessionState ?? {}).length > 0;
  return {
    content: output.content,
    content_type: output.contentType,
    reasoning_content: output.reasoningContent,
    model_provider_data: output.providerData,
    session_state: tellsState ? sessionState : undefined,
    metadata: metadata && Object.keys(metadata).length > 0 ? metadata : undefined,
    member_responses: memberResponses?.length ? memberResponses : undefined,
    metrics: output.metrics,
  };
}

function workflowFields({ content, contentType, stepResults, metrics, metadata }: RunOutput): Fields {
  return {
    content: content ?? undefined,
    content_type: contentType,
    step_results: stepResults,
    metadata: metadata && Object.keys(metadata).length > 0 ? metadata : undefined,
    metrics,
  };
}

/** Fields of `RunPaused` and its like. */
export function pausedFields(output: RunOutput, pause: Pause): Fields {
  const { kind, stepName, stepIndex, stepRequirements, requirements = [] } = pause;
  if (!output.stepResults) {
    const tools = requirements.map(({ tool_execution }) => tool_execution);
    return { content: pauseText(pause), tools, requirements };
  }
  return {
    status: "PAUSED",
    paused_step_index: stepIndex,
    paused_step_name: stepName,
    pause_kind: kind,
    step_requirements: stepRequirements ?? [],
    step_results: output.stepResults,
  };
}

/** Why a run failed, fit for clients: what was not meant for them is told by the id alone, which is in the log. */
export function failureOf(error: unknown, errorId: string): NonNullable<RunOutput["error"]> {
  if (error instanceof RunFailure) return { message: error.message, type: error.type, id: errorId };
  return { message: `The run failed with an internal error (${errorId}).`, type: "internal_error", id: errorId };
}

/** A member's run as it stands in its team's `member_responses`: a run record without messages and tools, so that it stays bounded. */
export function toMemberResponse(
  parentRunId: string,
  member: MemberScope,
  ended: { readonly status: TerminalStatus; readonly output: RunOutput; readonly startedAt: number },
): Fields {
  const { component, context, input } = member;
  const { status, output, startedAt } = ended;
  return {
    run_id: context.runId,
    [`${component.kind}_id`]: component.id,
    [`${component.kind}_name`]: component.name,
    session_id: context.session.id,
    parent_run_id: parentRunId,
    user_id: context.userId ?? undefined,
    content: output.content,
    content_type: output.contentType,
    reasoning_content: output.reasoningContent,
    model_provider_data: output.providerData,
    model: modelId(component.model),
    model_provider: providerName(component.model),
    session_state: output.sessionState,
    created_at: Math.floor(startedAt / 1000),
    status,
    member_responses: output.memberResponses?.length ? output.memberResponses : undefined,
    metrics: output.metrics,
    input: { input_content: input.message },
  };
}
