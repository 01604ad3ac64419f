/**
 * Translates the events of a run to AG-UI. A request shows one segment of the log: from the start of the run, or from the answers to a pause, up to the
 * next pause or the end. The translation of an event depends only on stored events up to it and on the request, so any process can resume any stream.
 */

import { isDeepStrictEqual } from "node:util";
import { toJsonLine } from "../../model/frame.ts";
import { baseName, isThought } from "../../model/run/event-name.ts";
import type { ToolExecution } from "../../model/run/record.ts";
import { Frames, type Tag } from "./frames.ts";
import { frontendCalls, interruptsOf, waitingCalls } from "./interrupts.ts";
import { codeOf, endings, failureText, isText, type LogEvent, nameOf, stepEnd, stepStart } from "./log-event.ts";
import { patch } from "./patch.ts";
import { type AgUiEvent, protocolVersion, type StreamName } from "./protocol.ts";
import { UsageCount } from "./usage.ts";

/** The stream of a request. */
export interface Segment extends StreamName {
  /** Id of the run in this server. */
  readonly ownRunId: string;
  /** Index of the last event before the segment; -1 for the start of the run. */
  readonly from: number;
  /** The state that the client sent. */
  readonly state: Readonly<Record<string, unknown>>;
}

/** The open messages of a run, or of a member's run. */
interface OpenParts {
  /** Id of the open text message. */
  text?: string | undefined;
  /** Id of the open reasoning message. */
  reasoning?: string | undefined;
  /** Id of the message that tool calls belong to. */
  parent?: string | undefined;
}

export class Translator {
  /** Whether the segment has ended: no event follows. */
  hasEnded = false;
  readonly #segment: Segment;
  #hasBegun = false;
  /** The session's state as the client knows it. */
  #state: Record<string, unknown> = {};
  /** Ids of the runs that have produced text. */
  readonly #withText = new Set<string>();
  readonly #runs = new Map<string, OpenParts>();
  /** Names of open steps, by id. */
  readonly #steps = new Map<string, string>();
  /** Runs of members in this segment, and whether they are open. */
  readonly #members = new Map<string, boolean>();
  /** Ids of tool calls that were shown. */
  readonly #calls = new Set<string>();
  readonly #usage = new UsageCount();

  constructor(segment: Segment) {
    this.#segment = segment;
  }

  /** The id of the run's open text message, if there is one. A further chunk of its text then is one `TEXT_MESSAGE_CONTENT` with this id. */
  get openText(): string | undefined {
    return this.#runs.get(this.#segment.ownRunId)?.text;
  }

  /** The frames of an event, each as the JSON text of an AG-UI event. */
  translate(index: number, name: string, data: string): readonly string[] {
    if (this.hasEnded || name === "WorkflowRunOutput") return [];
    const event = JSON.parse(data) as LogEvent;
    if (index <= this.#segment.from) {
      this.#remember(name, event);
      return [];
    }
    const frames = new Frames();
    if (!this.#hasBegun) this.#begin(frames);
    this.#event(frames, index, name, event, data);
    return frames.texts;
  }

  /** Earlier segments: the client has seen their tool calls and their text. */
  #remember(name: string, event: LogEvent): void {
    const base = baseName(name);
    if (event.tool) this.#calls.add(event.tool.tool_call_id);
    if (base === "RunPaused") {
      for (const { tool_execution } of waitingCalls(event)) this.#calls.add(tool_execution.tool_call_id);
    }
    if (base === "RunContent" && isText(event.content)) this.#withText.add(event.run_id);
  }

  #begin(frames: Frames): void {
    const { threadId, runId, ownRunId, isCurrent, state } = this.#segment;
    this.#hasBegun = true;
    const more = isCurrent ? { protocolVersion, metadata: { run_id: ownRunId } } : {};
    frames.add({ type: "RUN_STARTED", threadId, runId, ...more });
    this.#state = { ...state };
    frames.add({ type: "STATE_SNAPSHOT", snapshot: state });
  }

  #event(frames: Frames, index: number, name: string, event: LogEvent, data: string): void {
    const base = baseName(name);
    const isOwn = event.run_id === this.#segment.ownRunId;
    if (!isOwn) this.#member(frames, base, event);
    if (endings.has(base)) {
      if (isOwn) this.#endSegment(frames, base, { index, event, data });
      else this.#closeMember(frames, event);
    } else if (base === "RunContent") this.#content(frames, index, event, data);
    else if (isThought(base)) this.#content(frames, index, { ...event, content: undefined }, data);
    else if (base === "SessionStateChanged") this.#stateChange(frames, event);
    else if (base === "ToolCallStarted") this.#toolCall(frames, index, event);
    else if (base === "ToolCallCompleted") this.#toolResult(frames, index, event);
    else if (stepStart.test(base)) this.#beginStep(frames, event);
    else if (stepEnd.test(base)) this.#endStep(frames, event);
    else this.#other(frames, base, event, data);
  }

  #endSegment(
    frames: Frames,
    base: string,
    { index, event, data }: { readonly index: number; readonly event: LogEvent; readonly data: string },
  ): void {
    if (base === "RunPaused") this.#pause(frames, index, event);
    else if (base === "RunCompleted") this.#complete(frames, index, event);
    else if (base === "RunError") this.#fail(frames, event, data);
    else this.#cancel(frames, event);
    this.hasEnded = true;
  }

  /** Events without a counterpart. Some end what is open. */
  #other(frames: Frames, base: string, event: LogEvent, data: string): void {
    if (base === "ModelRequestStarted" || base === "RunRecovered") this.#closeParts(frames, event.run_id);
    if (base === "ModelRequestCompleted") this.#usage.add(event);
    frames.addRaw(data, this.#tag(event));
    if (base === "RunContentCompleted") this.#closeParts(frames, event.run_id);
  }

  #content(frames: Frames, index: number, event: LogEvent, data: string): void {
    const { run_id: runId, content, reasoning_content: reasoning } = event;
    const tag = this.#tag(event);
    if (runId !== this.#segment.ownRunId && !this.#segment.isCurrent) {
      frames.addRaw(data, {});
      return;
    }
    // The protocol has no event for sources.
    if (event.citations) frames.addRaw(data, tag);
    if (reasoning) this.#reason(frames, index, runId, reasoning, tag);
    if (content === undefined || content === null || content === "") return;
    this.#say(frames, index, runId, typeof content === "string" ? content : toJsonLine(content), tag);
  }

  #say(frames: Frames, index: number, runId: string, delta: string, tag: Tag): void {
    const parts = this.#partsOf(runId);
    let text = delta;
    if (parts.reasoning !== undefined) this.#endReasoning(frames, parts, tag);
    if (parts.text === undefined) {
      parts.text = `${this.#segment.ownRunId}-${index}`;
      parts.parent = parts.text;
      frames.add({ type: "TEXT_MESSAGE_START", messageId: parts.text, role: "assistant", ...tag });
      // The engine separates the texts of two turns by an empty line; here they are two messages.
      if (this.#withText.has(runId)) text = delta.replace(/^\n\n/, "");
    }
    this.#withText.add(runId);
    if (text !== "") frames.add({ type: "TEXT_MESSAGE_CONTENT", messageId: parts.text, delta: text, ...tag });
  }

  #reason(frames: Frames, index: number, runId: string, delta: string, tag: Tag): void {
    const parts = this.#partsOf(runId);
    if (parts.reasoning === undefined) {
      this.#endText(frames, parts, tag);
      parts.reasoning = `${this.#segment.ownRunId}-${index}-reasoning`;
      frames.add({ type: "REASONING_START", messageId: parts.reasoning, ...tag });
      frames.add({ type: "REASONING_MESSAGE_START", messageId: parts.reasoning, role: "reasoning", ...tag });
    }
    frames.add({ type: "REASONING_MESSAGE_CONTENT", messageId: parts.reasoning, delta, ...tag });
  }

  /** The whole state, or changed and removed members. */
  #stateChange(frames: Frames, { session_state: state, set = {}, remove = [] }: LogEvent): void {
    if (isObject(state)) {
      const isKnown = isDeepStrictEqual(state, this.#state);
      this.#state = { ...state };
      if (!isKnown) frames.add({ type: "STATE_SNAPSHOT", snapshot: state });
      return;
    }
    const delta = patch(this.#state, set, remove);
    if (delta.length > 0) frames.add({ type: "STATE_DELTA", delta });
  }

  #toolCall(frames: Frames, index: number, event: LogEvent): void {
    if (!event.tool) return;
    this.#showCall(frames, index, event.run_id, event.tool, this.#tag(event));
  }

  /** Shows a call once: after a pause its arguments are not sent again. */
  #showCall(frames: Frames, index: number, runId: string, tool: ToolExecution, tag: Tag): void {
    const { tool_call_id: toolCallId, tool_name: toolCallName } = tool;
    const parts = this.#partsOf(runId);
    this.#endReasoning(frames, parts, tag);
    this.#endText(frames, parts, tag);
    if (this.#calls.has(toolCallId)) return;
    this.#calls.add(toolCallId);
    if (parts.parent === undefined) {
      parts.parent = `${this.#segment.ownRunId}-${index}`;
      frames.add({ type: "TEXT_MESSAGE_START", messageId: parts.parent, role: "assistant", ...tag });
      frames.add({ type: "TEXT_MESSAGE_END", messageId: parts.parent, ...tag });
    }
    frames.add({ type: "TOOL_CALL_START", toolCallId, toolCallName, parentMessageId: parts.parent, ...tag });
    frames.add({ type: "TOOL_CALL_ARGS", toolCallId, delta: JSON.stringify(tool.tool_args ?? {}), ...tag });
    frames.add({ type: "TOOL_CALL_END", toolCallId, ...tag });
  }

  #toolResult(frames: Frames, index: number, event: LogEvent): void {
    if (!event.tool) return;
    const tag = this.#tag(event);
    const { tool_call_id: toolCallId, result } = event.tool;
    this.#showCall(frames, index, event.run_id, event.tool, tag);
    frames.add({
      type: "TOOL_CALL_RESULT",
      messageId: `${this.#segment.ownRunId}-${index}-result`,
      toolCallId,
      content: result ?? "",
      role: "tool",
      ...tag,
    });
  }

  #beginStep(frames: Frames, event: LogEvent): void {
    const { run_id: runId, step_id: id = "", step_name: name = id } = event;
    const key = `${runId}/${id || name}`;
    if (this.#steps.has(key)) return;
    const isTaken = [...this.#steps.values()].includes(name);
    const stepName = isTaken ? `${name} (${id})` : name;
    this.#steps.set(key, stepName);
    frames.add({ type: "STEP_STARTED", stepName });
  }

  #endStep(frames: Frames, event: LogEvent): void {
    const { run_id: runId, step_id: id, step_name: name } = event;
    this.#beginStep(frames, event);
    const key = `${runId}/${id || name}`;
    const stepName = this.#steps.get(key);
    this.#steps.delete(key);
    if (stepName !== undefined) frames.add({ type: "STEP_FINISHED", stepName });
  }

  /** The first event of a member's run in the segment begins its subagent; for older clients, a step. */
  #member(frames: Frames, base: string, event: LogEvent): void {
    const { run_id: subagentRunId, parent_run_id: parent } = event;
    if (this.#members.has(subagentRunId) || base === "RunPaused") return;
    this.#members.set(subagentRunId, true);
    const name = nameOf(event);
    if (!this.#segment.isCurrent) {
      this.#beginStep(frames, { ...event, step_id: "", step_name: name });
      return;
    }
    const isNested = parent !== undefined && this.#members.has(parent);
    frames.add({ type: "SUBAGENT_STARTED", subagentRunId, name, ...(isNested && { parentSubagentRunId: parent }) });
  }

  #closeMember(frames: Frames, event: LogEvent): void {
    const { run_id: subagentRunId } = event;
    this.#closeParts(frames, subagentRunId);
    if (this.#members.get(subagentRunId) !== true) return;
    this.#members.set(subagentRunId, false);
    if (!this.#segment.isCurrent) {
      this.#endStep(frames, { ...event, step_id: "", step_name: nameOf(event) });
      return;
    }
    const base = baseName(event.event);
    if (base === "RunError") {
      frames.add({ type: "SUBAGENT_ERROR", subagentRunId, message: failureText(event), ...codeOf(event) });
      return;
    }
    frames.add({
      type: "SUBAGENT_FINISHED",
      subagentRunId,
      ...(base === "RunPaused" && { outcome: { type: "suspended" } }),
      ...(base === "RunCompleted" && event.content !== undefined && { result: event.content }),
    });
  }

  #pause(frames: Frames, index: number, event: LogEvent): void {
    const { ownRunId, isCurrent } = this.#segment;
    for (const { tool_execution, member_run_id } of waitingCalls(event)) {
      const isMember = member_run_id !== undefined && this.#members.has(member_run_id) && isCurrent;
      this.#showCall(
        frames,
        index,
        isMember ? member_run_id : ownRunId,
        tool_execution,
        isMember ? { subagentRunId: member_run_id } : {},
      );
    }
    this.#closeAll(frames, "suspended");
    const pendingToolCallIds = frontendCalls(event);
    const interrupts = [...interruptsOf(ownRunId, event, isCurrent)];
    this.#finish(
      frames,
      pendingToolCallIds
        ? { type: "success", pendingToolCallIds: [...pendingToolCallIds] }
        : { type: "interrupt", interrupts },
    );
  }

  #complete(frames: Frames, index: number, event: LogEvent): void {
    const { content, session_state: state } = event;
    // The answer of a workflow, and of a run without streamed text, is only in its last event.
    if (!this.#withText.has(this.#segment.ownRunId) && isText(content)) {
      const text = typeof content === "string" ? content : toJsonLine(content);
      this.#say(frames, index, this.#segment.ownRunId, text, {});
    }
    this.#closeAll(frames, "success");
    frames.add({ type: "STATE_SNAPSHOT", snapshot: state ?? this.#state });
    this.#finish(frames, { type: "success" }, content);
  }

  #fail(frames: Frames, event: LogEvent, data: string): void {
    this.#closeAll(frames, "failed");
    frames.addRaw(data, {});
    const usage = this.#usage.entries();
    frames.add({
      type: "RUN_ERROR",
      message: failureText(event),
      ...codeOf(event),
      ...(usage.length > 0 && { usage }),
    });
  }

  #cancel(frames: Frames, event: LogEvent): void {
    this.#closeAll(frames, "success");
    if (this.#segment.isCurrent) this.#finish(frames, { type: "cancelled" });
    else frames.add({ type: "RUN_ERROR", message: event.reason ?? "The run was cancelled.", code: "cancelled" });
  }

  #finish(frames: Frames, outcome: Extract<AgUiEvent, { type: "RUN_FINISHED" }>["outcome"], result?: unknown): void {
    const { threadId, runId } = this.#segment;
    const usage = this.#usage.entries();
    frames.add({
      type: "RUN_FINISHED",
      threadId,
      runId,
      ...(result !== undefined && { result }),
      ...(outcome && { outcome }),
      ...(usage.length > 0 && { usage }),
    });
  }

  /** Ends everything that is open: no event may follow the end of a run. */
  #closeAll(frames: Frames, how: "success" | "suspended" | "failed"): void {
    for (const runId of this.#runs.keys()) this.#closeParts(frames, runId);
    for (const stepName of this.#steps.values()) frames.add({ type: "STEP_FINISHED", stepName });
    this.#steps.clear();
    for (const [subagentRunId, isOpen] of this.#members) {
      if (!isOpen || !this.#segment.isCurrent) continue;
      if (how === "failed") frames.add({ type: "SUBAGENT_ERROR", subagentRunId, message: "The run failed." });
      else
        frames.add({
          type: "SUBAGENT_FINISHED",
          subagentRunId,
          ...(how === "suspended" && { outcome: { type: how } }),
        });
    }
    this.#members.clear();
  }

  /** Ends the messages of a run: its next text begins a new message. */
  #closeParts(frames: Frames, runId: string): void {
    const parts = this.#runs.get(runId);
    if (!parts) return;
    const tag = this.#tag({ run_id: runId });
    this.#endReasoning(frames, parts, tag);
    this.#endText(frames, parts, tag);
    this.#runs.delete(runId);
  }

  #endText(frames: Frames, parts: OpenParts, tag: Tag): void {
    if (parts.text === undefined) return;
    frames.add({ type: "TEXT_MESSAGE_END", messageId: parts.text, ...tag });
    parts.text = undefined;
  }

  #endReasoning(frames: Frames, parts: OpenParts, tag: Tag): void {
    const { reasoning: messageId } = parts;
    if (messageId === undefined) return;
    frames.add({ type: "REASONING_MESSAGE_END", messageId, ...tag });
    frames.add({ type: "REASONING_END", messageId, ...tag });
    parts.reasoning = undefined;
  }

  #partsOf(runId: string): OpenParts {
    let parts = this.#runs.get(runId);
    if (!parts) {
      parts = {};
      this.#runs.set(runId, parts);
    }
    return parts;
  }

  /** Attributes an event to a member. */
  #tag({ run_id: runId }: Pick<LogEvent, "run_id">): Tag {
    const { ownRunId, isCurrent } = this.#segment;
    return runId === ownRunId || !isCurrent ? {} : { subagentRunId: runId };
  }
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
