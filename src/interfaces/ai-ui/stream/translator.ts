/**
 * Translates the events of a run's log to chunks of UI messages. The chunks of an event depend on the stored events up to it alone, so any process can
 * make them again.
 */

import { isStoredArtifact } from "../../../model/run/artifact.ts";
import type { Citations } from "../../../model/run/citations.ts";
import { baseName } from "../../../model/run/event-name.ts";
import { type Media, specifiedMediaType } from "../../../model/run/message.ts";
import type { ToolExecution, ToolRequirement } from "../../../model/run/record.ts";
import type { StepRequirement } from "../../../model/workflow.ts";
import { chatCallId } from "../tool-calls.ts";
import type { Chunk, FinishReason, ToolMetadata } from "./chunks.ts";

/** The run of a message. */
export interface TranslatedRun {
  readonly runId: string;
  readonly sessionId: string;
}

/** The members of events that are used here. */
interface LogEvent {
  readonly run_id: string;
  readonly parent_run_id?: string;
  readonly agent_id?: string;
  readonly agent_name?: string;
  readonly team_id?: string;
  readonly team_name?: string;
  readonly workflow_id?: string;
  readonly workflow_name?: string;
  readonly content?: unknown;
  readonly reasoning_content?: string;
  readonly citations?: Citations;
  readonly tool?: ToolExecution;
  readonly requirements?: readonly ToolRequirement[];
  readonly step_requirements?: readonly StepRequirement[];
  readonly step_id?: string;
  readonly step_name?: string;
  readonly step_index?: unknown;
  readonly iteration?: number;
  readonly error?: unknown;
  readonly error_type?: string;
  readonly error_id?: string;
  readonly reason?: string;
  readonly metrics?: unknown;
  readonly discard_from_index?: number;
  readonly artifact?: unknown;
  readonly message_id?: string;
  /** The purpose of a model request that is not a turn. */
  readonly purpose?: string;
  readonly followups?: readonly string[];
}

/** A call that waits for a person or for the client. */
interface OpenCall {
  /** The run that made the call. */
  readonly runId: string;
  readonly approvalId: string | undefined;
  /** Set if it is a question of a step. `approvalId` is then set if the answer decides whether the step starts. */
  readonly stepId?: string;
}

export class Translator {
  readonly #run: TranslatedRun;
  #hasBegun = false;
  /** Whether the message has been finished by a pause: the next event continues it. */
  #isPaused = false;
  /** Index of the event that began the current step; undefined outside of steps. */
  #step: number | undefined;
  /** The text or reasoning part that is open. */
  #part: { readonly kind: "text" | "reasoning"; readonly id: string } | undefined;
  #hasText = false;
  /** Calls that the server executes now. */
  readonly #running = new Set<string>();
  /** Calls that the last pause waits for. */
  readonly #open = new Map<string, OpenCall>();

  constructor(run: TranslatedRun) {
    this.#run = run;
  }

  /** The chunks of an event. `data` is its JSON text; `files` are the files that the run has made, if the event completes it. */
  translate(index: number, name: string, data: string, files: readonly Media[] = []): readonly Chunk[] {
    // The record of a paused workflow, which follows the pause.
    if (name === "WorkflowRunOutput") return [];
    const event = JSON.parse(data) as LogEvent;
    const base = baseName(name);
    const chunks = [...this.#begin(), ...this.#answeredSteps(base, event)];
    const isOwn = event.run_id === this.#run.runId;
    chunks.push(...this.#common(base, event));
    chunks.push(...(isOwn ? this.#own(index, base, event, files) : this.#member(base, event)));
    return chunks;
  }

  /** The id of the text part that is open; undefined if there is none. A further chunk of the answer then is one `text-delta` with this id. */
  get openText(): string | undefined {
    return this.#part?.kind === "text" ? this.#part.id : undefined;
  }

  #begin(): Chunk[] {
    if (this.#hasBegun && !this.#isPaused) return [];
    const { runId, sessionId } = this.#run;
    const metadata = this.#hasBegun ? {} : { messageMetadata: { runId, sessionId } };
    this.#hasBegun = true;
    this.#isPaused = false;
    return [{ type: "start", messageId: runId, ...metadata }];
  }

  /**
   * The outcomes of answered questions of steps. The log does not have the answers: a confirmed step starts, a rejected one does not, and any other answer
   * continues the step.
   */
  #answeredSteps(base: string, event: LogEvent): readonly Chunk[] {
    const isLast = event.run_id === this.#run.runId && (isEnd(base) || base === "RunPaused");
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

  /** Events with the same meaning for the run and for members: tool calls, steps and artifacts. */
  #common(base: string, event: LogEvent): readonly Chunk[] {
    const { tool, artifact } = event;
    if (base === "ToolCallStarted" && tool) return this.#callStarted(event, tool);
    if ((base === "ToolCallCompleted" || base === "ToolCallError") && tool) return this.#callEnded(event, tool);
    // A rejected call has no events of its own: the model is asked next.
    if (base === "ModelRequestStarted") return this.#rejected(event.run_id);
    if (isEnd(base)) return this.#rejected(event.run_id === this.#run.runId ? undefined : event.run_id);
    if (base === "CustomEvent" && isStoredArtifact(artifact)) {
      return [{ type: "data-artifact", id: artifact.name, data: artifact }];
    }
    const [, what, change] =
      /^(Step|Parallel|Condition|Loop|Router|Steps)(?:Execution)?(Started|Completed|Error|Paused|Continued)$/.exec(
        base,
      ) ?? [];
    if (what === undefined || change === undefined) return [];
    return [this.#stepChange(what, stepStatuses[change] ?? "running", event)];
  }

  #stepChange(type: string, status: string, { step_id, step_name, step_index, content, error }: LogEvent): Chunk {
    const result = status === "completed" && content !== undefined ? { content } : {};
    const data = {
      type: type.toLowerCase(),
      name: step_name,
      index: step_index,
      status,
      ...result,
      ...(error !== undefined && { error }),
    };
    return { type: "data-step", id: step_id ?? step_name ?? "", data };
  }

  #own(index: number, base: string, event: LogEvent, files: readonly Media[]): readonly Chunk[] {
    switch (base) {
      case "ModelRequestStarted": {
        // A request that is not a turn shows no text.
        if (event.purpose !== undefined) return [];
        const ended = this.#endStep();
        this.#step = index;
        return [...ended, { type: "start-step" }];
      }
      case "RunContent":
        return this.#content(index, event);
      case "ReasoningContentDelta":
      case "ReasoningStep":
        return this.#content(index, { ...event, content: undefined });
      case "ModelRequestCompleted":
      case "ReasoningCompleted":
      case "RunContentCompleted":
        return this.#endPart();
      case "RunMessage": {
        const { message_id: id = String(index), content } = event;
        return [{ type: "steering-message", id, parts: [{ type: "text", text: String(content) }] }];
      }
      case "FollowupsCompleted":
        return [{ type: "data-followups", id: "followups", data: { followups: event.followups ?? [] } }];
      case "RunRecovered":
        return this.#recover(event.discard_from_index ?? 0);
      case "RunPaused":
        return this.#pause(index, event);
      case "RunCompleted":
        return this.#complete(index, event, files);
      case "RunCancelled": {
        const { reason } = event;
        const abort: Chunk = { type: "abort", ...(reason !== undefined && { reason }) };
        return [...this.#endStep(), abort, this.#finish(index, "interrupted", "CANCELLED")];
      }
      case "RunError": {
        const { error, content, error_type: errorType, error_id: errorId } = event;
        const text = error ?? content;
        const messageMetadata = { status: "ERROR", errorType, errorId, cursor: index };
        const errorText = typeof text === "string" ? text : "The run failed.";
        return [...this.#endStep(), { type: "message-metadata", messageMetadata }, { type: "error", errorText }];
      }
      default:
        return [];
    }
  }

  /** The engine writes text, reasoning and sources in events of their own. An event relayed from another server may have all of them. */
  #content(index: number, { content, reasoning_content: reasoning, citations }: LogEvent): readonly Chunk[] {
    const chunks: Chunk[] = [];
    if (typeof reasoning === "string" && reasoning !== "") {
      chunks.push(...this.#openPart("reasoning", index));
      chunks.push({ type: "reasoning-delta", id: this.#part?.id ?? "", delta: reasoning });
    }
    if (content !== undefined && content !== null && content !== "") {
      if (typeof content !== "string") chunks.push(...this.#endPart(), { type: "data-output", data: content });
      else chunks.push(...this.#text(index, content));
      this.#hasText = true;
    }
    if (citations) chunks.push(...sourcesOf(citations, index));
    return chunks;
  }

  #text(index: number, content: string): readonly Chunk[] {
    const begin = this.#openPart("text", index);
    // The engine separates the texts of two turns by an empty line; here they are two parts.
    const delta = begin.length > 0 && this.#hasText ? content.replace(/^\n\n/, "") : content;
    return delta === "" ? begin : [...begin, { type: "text-delta", id: this.#part?.id ?? "", delta }];
  }

  #openPart(kind: "text" | "reasoning", index: number): readonly Chunk[] {
    if (this.#part?.kind === kind) return [];
    const ended = this.#endPart();
    const id = String(index);
    this.#part = { kind, id };
    return [...ended, { type: `${kind}-start`, id }];
  }

  #endPart(): readonly Chunk[] {
    const part = this.#part;
    this.#part = undefined;
    return part ? [{ type: `${part.kind}-end`, id: part.id }] : [];
  }

  #endStep(): readonly Chunk[] {
    const ended = this.#endPart();
    if (this.#step === undefined) return ended;
    this.#step = undefined;
    return [...ended, { type: "finish-step" }];
  }

  /** The events from an index on are void. A turn is stored as a whole, so either the whole step is void or nothing that is shown. */
  #recover(discardFrom: number): readonly Chunk[] {
    if (this.#step === undefined || discardFrom > this.#step + 1) return this.#endPart();
    this.#part = undefined;
    this.#running.clear();
    return [{ type: "reset-step" }];
  }

  #complete(index: number, { content, metrics }: LogEvent, files: readonly Media[]): readonly Chunk[] {
    const all: Chunk[] = [...this.#endPart()];
    if (!this.#hasText && content !== undefined && content !== null && content !== "") {
      all.push(...this.#content(index, { run_id: "", content }), ...this.#endPart());
    }
    for (const { url, data, ...media } of files) {
      const mediaType = specifiedMediaType(media) ?? "application/octet-stream";
      all.push({ type: "file", url: url ?? `data:${mediaType};base64,${data ?? ""}`, mediaType });
    }
    return [...all, ...this.#endStep(), this.#finish(index, "stop", "COMPLETED", metrics)];
  }

  #finish(index: number, finishReason: FinishReason, status: string, metrics?: unknown): Chunk {
    const messageMetadata = { status, cursor: index, ...(metrics !== undefined && { usage: usageOf(metrics) }) };
    return { type: "finish", finishReason, messageMetadata };
  }

  #pause(index: number, { requirements = [], step_requirements: steps = [], content }: LogEvent): readonly Chunk[] {
    const reason = typeof content === "string" ? content : undefined;
    const calls = [
      ...requirements,
      ...steps.flatMap((step) => (step.executor_requirements ?? []) as readonly ToolRequirement[]),
    ];
    const asked = [
      ...calls.flatMap((requirement) => this.#askCall(requirement, reason)),
      ...steps.filter((step) => !step.executor_requirements).flatMap((step) => this.#askStep(step)),
    ];
    // Clients send the answers once every call of the last step is answered or complete. A call that waits for a member's run is neither.
    const apart: readonly Chunk[] =
      this.#running.size > 0 ? [...this.#endStep(), { type: "start-step" }] : this.#endPart();
    if (this.#running.size > 0) this.#step = index;
    this.#isPaused = true;
    return [...apart, ...asked, ...this.#endStep(), this.#finish(index, "tool-calls", "PAUSED")];
  }

  #askCall(requirement: ToolRequirement, reason: string | undefined): readonly Chunk[] {
    const { id: approvalId, member_run_id: memberRunId, tool_execution: tool } = requirement;
    const { runId: rootRunId } = this.#run;
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
  #askStep(step: StepRequirement): readonly Chunk[] {
    const { requirement_id: toolCallId, step_name: toolName } = step;
    const asksApproval = step.requires_confirmation || step.requires_output_review;
    const message = step.confirmation_message ?? step.user_input_message ?? step.output_review_message;
    this.#open.set(toolCallId, {
      runId: this.#run.runId,
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

  #callStarted(event: LogEvent, tool: ToolExecution): readonly Chunk[] {
    const toolCallId = chatCallId(this.#run.runId, event.run_id, tool.tool_call_id);
    const open = this.#open.get(toolCallId);
    this.#running.add(toolCallId);
    if (open) {
      this.#open.delete(toolCallId);
      const { approvalId } = open;
      return approvalId === undefined ? [] : [{ type: "tool-approval-response", approvalId, approved: true }];
    }
    const ended = event.run_id === this.#run.runId ? this.#endPart() : [];
    const toolMetadata = event.run_id === this.#run.runId ? undefined : memberMetadata(event);
    return [
      ...ended,
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

  #callEnded(event: LogEvent, { tool_call_id, tool_call_error: isError, result }: ToolExecution): readonly Chunk[] {
    const toolCallId = chatCallId(this.#run.runId, event.run_id, tool_call_id);
    if (!this.#running.delete(toolCallId)) return [];
    if (isError || event.error !== undefined) {
      return [
        { type: "tool-output-error", toolCallId, errorText: result ?? String(event.error ?? "The call failed.") },
      ];
    }
    return [{ type: "tool-output-available", toolCallId, output: outputOf(result) }];
  }

  /** The calls of a run, or of all runs, that were asked for and not made: they were rejected. */
  #rejected(runId: string | undefined): readonly Chunk[] {
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

  #member(base: string, event: LogEvent): readonly Chunk[] {
    const { run_id: runId, content, reasoning_content: reasoning } = event;
    switch (base) {
      case "RunStarted":
      case "RunContinued":
        return [memberChunk(event, "running")];
      case "RunContent": {
        const thought = reasoning ? [memberText(runId, { reasoning })] : [];
        const isText = typeof content === "string" && content !== "";
        return isText ? [...thought, memberText(runId, { delta: content })] : thought;
      }
      case "ReasoningContentDelta":
      case "ReasoningStep":
        return reasoning ? [memberText(runId, { reasoning })] : [];
      case "RunRecovered":
        return [memberText(runId, { reset: true }), memberChunk(event, "running")];
      case "RunPaused":
        return [memberChunk(event, "paused")];
      case "RunCompleted":
        return [memberChunk(event, "completed", { content })];
      case "RunCancelled":
        return [memberChunk(event, "cancelled")];
      case "RunError":
        return [memberChunk(event, "failed", { error: event.error ?? content })];
      default:
        return [];
    }
  }
}

/** The chunks of sources. @param place the index of the event; undefined if the log is no longer kept */
export function sourcesOf({ urls = [], documents = [] }: Citations, place = 0): readonly SourceChunk[] {
  let count = 0;
  const next = (): string => `${place}.${count++}`;
  return [
    ...urls.map(({ url, title }) => ({
      ...{ type: "source-url" as const, sourceId: next(), url },
      ...(title !== undefined && { title }),
    })),
    ...documents.map(({ document_title, file_name: filename, media_type }) => ({
      ...{ type: "source-document" as const, sourceId: next(), mediaType: media_type ?? "application/octet-stream" },
      ...{ title: document_title ?? filename ?? "", ...(filename !== undefined && { filename }) },
    })),
  ];
}

type SourceChunk = Extract<Chunk, { readonly type: "source-url" | "source-document" }>;

const stepStatuses: Readonly<Record<string, string>> = {
  Started: "running",
  Continued: "running",
  Completed: "completed",
  Error: "failed",
  Paused: "paused",
};

function isEnd(base: string): boolean {
  return base === "RunCompleted" || base === "RunCancelled" || base === "RunError";
}

function memberChunk(event: LogEvent, status: string, more: Readonly<Record<string, unknown>> = {}): Chunk {
  const { run_id: runId, parent_run_id: parentRunId, agent_id, team_id, workflow_id, step_name: stepName } = event;
  const id = agent_id ?? team_id ?? workflow_id;
  const name = event.agent_name ?? event.team_name ?? event.workflow_name ?? id;
  const data = {
    runId,
    ...(parentRunId !== undefined && { parentRunId }),
    id,
    name,
    ...(stepName !== undefined && { stepName }),
    status,
    ...more,
  };
  return { type: "data-member", id: runId, data };
}

/** Texts of members are transient: `onData` receives them, and the message keeps the complete text at the member's end. */
function memberText(runId: string, data: Readonly<Record<string, unknown>>): Chunk {
  return { type: "data-member-text", data: { runId, ...data }, transient: true };
}

function memberMetadata({ run_id: memberRunId, agent_id, team_id, agent_name, team_name }: LogEvent): ToolMetadata {
  const id = agent_id ?? team_id;
  const name = agent_name ?? team_name ?? id;
  return { memberRunId, ...(id !== undefined && { memberId: id }), ...(name !== undefined && { memberName: name }) };
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

/** Token counts of a run's metrics, with the names of the AI SDK. */
function usageOf(metrics: unknown): Readonly<Record<string, unknown>> {
  const { input_tokens, output_tokens, total_tokens, reasoning_tokens, cost, duration } = Object(metrics) as Record<
    string,
    unknown
  >;
  return {
    inputTokens: input_tokens,
    outputTokens: output_tokens,
    totalTokens: total_tokens,
    reasoningTokens: reasoning_tokens,
    cost,
    duration,
  };
}
