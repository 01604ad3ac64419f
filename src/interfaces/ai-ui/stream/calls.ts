/** The calls of tools in a message, and the questions of steps, which look like calls. */
import type { ToolExecution, ToolRequirement } from "../../../model/run/record.ts";
import type { StepRequirement } from "../../../model/workflow.ts";
import { chatCallId } from "../tool-calls.ts";
import type { Chunk, ToolMetadata } from "./chunks.ts";
import { isEnd, type LogEvent } from "./log-event.ts";
import { memberMetadata } from "./members.ts";

/** A call that waits for a person or for the client. */
interface OpenCall {
  /** The run that made the call. */
  readonly runId: string;
  readonly approvalId: string | undefined;
  /** Set if it is a question of a step. `approvalId` is then set if the answer decides whether the step starts. */
  readonly stepId?: string;
}

/** The calls of a run and of its members that are not complete. */
export class Calls {
  readonly #rootRunId: string;
  /** Calls that the server executes now. */
  readonly #running = new Set<string>();
  /** Calls that the last pause waits for. */
  readonly #open = new Map<string, OpenCall>();

  constructor(rootRunId: string) {
    this.#rootRunId = rootRunId;
  }

  /** Whether the server executes calls now. */
  get areRunning(): boolean {
    return this.#running.size > 0;
  }

  /** The server makes the calls of the last step again. */
  discardRunning(): void {
    this.#running.clear();
  }

  /** A call is made: shows it, or its approval if it was asked for before. */
  start(event: LogEvent, tool: ToolExecution): readonly Chunk[] {
    const toolCallId = chatCallId(this.#rootRunId, event.run_id, tool.tool_call_id);
    const open = this.#open.get(toolCallId);
    this.#running.add(toolCallId);
    if (open) {
      this.#open.delete(toolCallId);
      const { approvalId } = open;
      return approvalId === undefined ? [] : [{ type: "tool-approval-response", approvalId, approved: true }];
    }
    const toolMetadata = event.run_id === this.#rootRunId ? undefined : memberMetadata(event);
    return [
      {
        type: "tool-input-available",
        toolCallId,
        toolName: tool.tool_name,
        input: tool.tool_args,
        providerExecuted: true,
        ...(toolMetadata && { toolMetadata }),
      },
    ];
  }

  /** The result of a call that was shown as running. */
  end(event: LogEvent, { tool_call_id, tool_call_error: isError, result }: ToolExecution): readonly Chunk[] {
    const toolCallId = chatCallId(this.#rootRunId, event.run_id, tool_call_id);
    if (!this.#running.delete(toolCallId)) return [];
    if (isError || event.error !== undefined) {
      return [
        { type: "tool-output-error", toolCallId, errorText: result ?? String(event.error ?? "The call failed.") },
      ];
    }
    return [{ type: "tool-output-available", toolCallId, output: outputOf(result) }];
  }

  /** The chunks of a call that waits for a person or for the client. */
  ask(requirement: ToolRequirement, reason: string | undefined): readonly Chunk[] {
    const { id: approvalId, member_run_id: memberRunId, tool_execution: tool } = requirement;
    const rootRunId = this.#rootRunId;
    const toolCallId = chatCallId(rootRunId, memberRunId, tool.tool_call_id);
    const isClients = Boolean(tool.external_execution_required || tool.requires_user_input);
    const asksApproval = Boolean(tool.requires_confirmation) || !isClients;
    this.#running.delete(toolCallId);
    this.#open.set(toolCallId, {
      runId: memberRunId ?? rootRunId,
      approvalId: asksApproval ? approvalId : undefined,
    });
    const { member_agent_id: id, member_agent_name: name } = requirement;
    const toolMetadata: ToolMetadata | undefined =
      memberRunId === undefined
        ? undefined
        : { memberRunId, ...(id !== undefined && { memberId: id }), ...(name !== undefined && { memberName: name }) };
    const available: Chunk = {
      type: "tool-input-available",
      toolCallId,
      toolName: tool.tool_name,
      input: tool.tool_args,
      ...(!isClients && { providerExecuted: true }),
      ...(toolMetadata && { toolMetadata }),
    };
    if (!asksApproval) return [available];
    const { approval_type: type, approval_id: adminApproval, user_input_schema: fields } = tool;
    const approvalDescriptor = {
      ...(type !== null && { approvalType: type, adminApprovalId: adminApproval }),
      ...(fields && { fields }),
    };
    const request: Chunk = {
      type: "tool-approval-request",
      approvalId,
      toolCallId,
      ...(Object.keys(approvalDescriptor).length > 0 && { approvalDescriptor }),
      ...(reason !== undefined && { reason }),
    };
    return [available, request];
  }

  /** A question of a workflow's step looks like a call of a tool with the step's name. */
  askStep(step: StepRequirement): readonly Chunk[] {
    const { requirement_id: toolCallId, step_name: toolName } = step;
    const asksApproval = step.requires_confirmation || step.requires_output_review;
    const message = step.confirmation_message ?? step.user_input_message ?? step.output_review_message;
    this.#open.set(toolCallId, {
      runId: this.#rootRunId,
      approvalId: step.requires_confirmation ? toolCallId : undefined,
      stepId: step.step_id,
    });
    const input = {
      ...(message !== null && { message }),
      ...(step.requires_user_input && { fields: step.user_input_schema ?? [] }),
      ...(step.requires_route_selection && {
        choices: step.available_choices ?? [],
        allowMultiple: step.allow_multiple_selections,
      }),
      ...(step.requires_output_review && { output: step.step_output?.content }),
    };
    const available: Chunk = { type: "tool-input-available", toolCallId, toolName, dynamic: true, input };
    if (!asksApproval) return [available];
    const reason = message === null ? {} : { reason: message };
    return [available, { type: "tool-approval-request", approvalId: toolCallId, toolCallId, ...reason }];
  }

  /** The calls of a run, or of all runs, that were asked for and not made: they were rejected. */
  reject(runId: string | undefined): readonly Chunk[] {
    return [...this.#open].flatMap(([toolCallId, open]): readonly Chunk[] => {
      if (open.stepId !== undefined || (runId !== undefined && open.runId !== runId)) return [];
      this.#open.delete(toolCallId);
      const { approvalId } = open;
      if (approvalId === undefined)
        return [{ type: "tool-output-error", toolCallId, errorText: "The call was not made." }];
      return [
        { type: "tool-approval-response", approvalId, approved: false },
        { type: "tool-output-denied", toolCallId },
      ];
    });
  }

  /**
   * The outcomes of answered questions of steps. The log does not have the answers: a confirmed step starts, a rejected one does not, and any other answer
   * continues the step.
   */
  answerSteps(base: string, event: LogEvent): readonly Chunk[] {
    const isLast = event.run_id === this.#rootRunId && (isEnd(base) || base === "RunPaused");
    return [...this.#open].flatMap(([toolCallId, { stepId, approvalId }]): readonly Chunk[] => {
      if (stepId === undefined) return [];
      const isOwn = stepId === event.step_id;
      const isOver =
        isLast || (isOwn && (approvalId === undefined ? base === "StepContinued" : base.endsWith("Started")));
      if (!isOver) return [];
      this.#open.delete(toolCallId);
      const output: Chunk = { type: "tool-output-available", toolCallId, output: { answered: true } };
      if (approvalId === undefined) return [output];
      const response: Chunk = { type: "tool-approval-response", approvalId, approved: isOwn };
      return [response, isOwn ? output : { type: "tool-output-denied", toolCallId }];
    });
  }
}

/** A result is a text. A text that is a JSON object or list is shown as such. */
function outputOf(result: string | null): unknown {
  if (result === null) return null;
  if (!/^\s*[{[]/.test(result)) return result;
  try {
    return JSON.parse(result);
  } catch {
    return result;
  }
}
