/**
 * What the chat shows of a run. It is a pure function of the run's log, so that a live view, a resumed view and a reloaded view are equal.
 */

import type { RunEvent, RunRecord } from "@troupe/client";
import type { ComponentKind } from "../../api/component-kinds.ts";

export type RunStatus = "running" | "paused" | "completed" | "error" | "cancelled";

export interface TextItem {
  /** `draft`: what the model wrote before another model wrote the answer. */
  readonly type: "text" | "reasoning" | "draft";
  readonly text: string;
}

/** A value that is no text: the answer of an output schema. */
export interface ValueItem {
  readonly type: "value";
  readonly value: unknown;
}

export interface ToolItem {
  readonly type: "tool";
  readonly id: string;
  readonly name: string;
  readonly args: unknown;
  readonly status: "running" | "waiting" | "completed" | "error";
  readonly result?: string | undefined;
  /** Seconds. */
  readonly duration?: number | undefined;
  /** The member's run, for a call that delegates. */
  readonly childRunId?: string | undefined;
}

/** A run below this one: of a member or of a workflow's step. */
interface RunItem {
  readonly type: "run";
  readonly runId: string;
}

export interface StepItem {
  readonly type: "step";
  readonly id: string;
  readonly name: string;
  readonly status: RunStatus;
  readonly runIds: readonly string[];
  readonly content?: unknown;
  readonly error?: string | undefined;
}

interface NoteItem {
  readonly type: "note";
  readonly text: string;
}

export type Item = TextItem | ValueItem | ToolItem | RunItem | StepItem | NoteItem;

/** The part of a view that belongs to one run: the followed run, or a run below it. */
export interface RunNode {
  readonly runId: string;
  readonly kind: ComponentKind;
  readonly componentId: string;
  readonly name: string;
  readonly status: RunStatus;
  readonly items: readonly Item[];
  readonly error?: RunFault | undefined;
  readonly tokens?: number | undefined;
  /** Sources that the answer names. */
  readonly citations?: unknown;
  /** Suggested messages after the answer. */
  readonly followups?: readonly string[] | undefined;
}

/** Why a run failed. */
interface RunFault {
  readonly message: string;
  readonly type: string;
  readonly id: string;
  /** The hook or the guardrail that refused. */
  readonly refusedBy?: string | undefined;
}

/** What a paused run waits for, as the event of the pause lists it. */
export interface Pause {
  readonly requirements: readonly Fields[];
  readonly step_requirements: readonly Fields[];
}

export type Fields = Readonly<Record<string, unknown>>;

export interface RunView {
  /** The followed run; undefined before its first event. */
  readonly rootId: string | undefined;
  readonly nodes: Readonly<Record<string, RunNode>>;
  readonly sessionId: string | undefined;
  readonly pause: Pause | undefined;
  /** Number of events, void ones included. */
  readonly events: number;
}

export const emptyView: RunView = { rootId: undefined, nodes: {}, sessionId: undefined, pause: undefined, events: 0 };

/** Returns the view of a log: its events from index 0, in order. */
export function viewOf(log: readonly RunEvent[]): RunView {
  return { ...withoutVoid(log).reduce(apply, emptyView), events: log.length };
}

/** Returns the view of a log after one more event. It equals `viewOf([...log, event])`. */
export function nextView(view: RunView, log: readonly RunEvent[], event: RunEvent): RunView {
  return isRecovery(event) ? viewOf([...log, event]) : apply(view, event);
}

/** The complete text of the followed run's own answer. */
export function answerOf({ rootId, nodes }: RunView): string {
  const items = rootId === undefined ? [] : (nodes[rootId]?.items ?? []);
  return items.flatMap((item) => (item.type === "text" ? [item.text] : [])).join("");
}

function isRecovery(event: RunEvent): boolean {
  return typeof event.event === "string" && event.event.endsWith("Recovered");
}

/** Removes the events that a later recovery of their run voids (docs/protocol.md). */
function withoutVoid(log: readonly RunEvent[]): readonly RunEvent[] {
  const recoveries = log.filter(isRecovery) as readonly (RunEvent & { readonly discard_from_index: number })[];
  if (recoveries.length === 0) return log;
  return log.filter(
    ({ run_id: runId, event_index: index }) =>
      !recoveries.some((one) => one.run_id === runId && one.discard_from_index <= index && index < one.event_index),
  );
}

type Loose = Fields & { readonly event: string; readonly run_id: string };

function apply(view: RunView, told: RunEvent): RunView {
  const event = told as unknown as Loose;
  const counted: RunView = {
    ...resumed(view),
    events: view.events + 1,
    rootId: view.rootId ?? event.run_id,
    sessionId: view.sessionId ?? told.session_id,
  };
  const name = event.event.replace(/^Team(?=[A-Z])/, "");
  if (name === "RunStarted" || name === "WorkflowStarted") return start(counted, event);
  const node = counted.nodes[event.run_id];
  if (!node) return counted;
  const next = changed(node, name, event);
  const nodes = next === node ? counted.nodes : { ...counted.nodes, [node.runId]: next };
  const isPause = node.runId === counted.rootId && next.status === "paused";
  return { ...counted, nodes, pause: isPause ? pauseOf(event) : undefined };
}

/** Every event after a pause follows the continuation of the run. */
function resumed(view: RunView): RunView {
  const root = view.rootId === undefined ? undefined : view.nodes[view.rootId];
  if (!view.pause || !root) return view;
  return { ...view, pause: undefined, nodes: { ...view.nodes, [root.runId]: { ...root, status: "running" } } };
}

function start(view: RunView, event: Loose): RunView {
  const known = view.nodes[event.run_id];
  if (known) return { ...view, nodes: { ...view.nodes, [known.runId]: { ...known, status: "running" } } };
  const kind: ComponentKind = event.event.startsWith("Team")
    ? "team"
    : event.event.startsWith("Workflow")
      ? "workflow"
      : "agent";
  const componentId = String(event[`${kind}_id`] ?? "");
  const node: RunNode = {
    runId: event.run_id,
    kind,
    componentId,
    name: String(event[`${kind}_name`] ?? componentId),
    status: "running",
    items: [],
  };
  const nodes = { ...view.nodes, [node.runId]: node };
  if (node.runId === view.rootId) return { ...view, nodes };
  const parent = parentOf(view, event);
  return { ...view, nodes: parent ? { ...nodes, [parent.runId]: withChild(parent, node, event) } : nodes };
}

function parentOf({ nodes, rootId }: RunView, event: Loose): RunNode | undefined {
  for (const id of [event.parent_run_id, event.workflow_run_id, rootId])
    if (typeof id === "string" && id !== event.run_id && nodes[id]) return nodes[id];
  return undefined;
}

/** Shows a run below its parent: in its step, in the call that delegates to it, or by itself. */
function withChild(parent: RunNode, child: RunNode, event: Loose): RunNode {
  const stepId = event.step_id ?? event.parent_step_id;
  if (parent.kind === "workflow" && typeof stepId === "string") {
    const next = updateLast(parent, isStep(stepId), (item) => ({ ...item, runIds: [...item.runIds, child.runId] }));
    if (next) return next;
  }
  const delegates = (item: Item): item is ToolItem =>
    item.type === "tool" &&
    item.childRunId === undefined &&
    item.status === "running" &&
    (item.args as Fields | null)?.member_id === child.componentId;
  return (
    updateFirst(parent, delegates, (item) => ({ ...item, childRunId: child.runId })) ??
    append(parent, { type: "run", runId: child.runId })
  );
}

function changed(node: RunNode, name: string, event: Loose): RunNode {
  switch (name) {
    case "RunContent":
      return withContent(node, event);
    case "RunIntermediateContent":
      return typeof event.content === "string" ? appendText(node, "draft", event.content) : node;
    case "ReasoningContentDelta":
      return typeof event.reasoning_content === "string"
        ? appendText(node, "reasoning", event.reasoning_content)
        : node;
    case "ModelFallback":
      return append(node, {
        type: "note",
        text: `${event.failed_model} is unavailable. ${event.model} answers in its place.`,
      });
    case "CompressionCompleted":
      return append(node, { type: "note", text: "Earlier messages were compacted to fit the model's context." });
    case "FollowupsCompleted":
      return { ...node, followups: (event.followups ?? []) as readonly string[] };
    case "ToolCallStarted":
      return withTool(node, event.tool as Fields, "running");
    case "ToolCallCompleted":
      return withTool(node, event.tool as Fields, (event.tool as Fields).tool_call_error ? "error" : "completed");
    case "ToolCallError":
      return withTool(node, { result: event.error, ...(event.tool as Fields) }, "error");
    case "RunPaused":
      return { ...withWaiting(node, (event.tools ?? []) as readonly Fields[]), status: "paused" };
    case "WorkflowPaused":
      return { ...node, status: "paused" };
    case "RunContinued":
    case "WorkflowContinued":
      return { ...node, status: "running" };
    case "RunCompleted":
    case "WorkflowCompleted":
      return {
        ...withAnswer(node, event.content),
        ...citationsOf(event),
        status: "completed",
        tokens: tokensOf(event),
      };
    case "RunError":
    case "WorkflowError": {
      const message = String(event.error ?? event.content ?? "The run failed.");
      const { hook } = (event.additional_data ?? {}) as { readonly hook?: string };
      const fault = { message, type: String(event.error_type ?? ""), id: String(event.error_id ?? "") };
      return { ...node, status: "error", error: { ...fault, refusedBy: hook } };
    }
    case "RunCancelled":
    case "WorkflowCancelled":
      return { ...node, status: "cancelled" };
    default:
      return node.kind === "workflow" ? withStep(node, name, event) : node;
  }
}

function withContent(node: RunNode, { content, reasoning_content: reasoning }: Loose): RunNode {
  const thought = typeof reasoning === "string" && reasoning !== "" ? appendText(node, "reasoning", reasoning) : node;
  if (typeof content === "string") return content === "" ? thought : appendText(thought, "text", content);
  return content === undefined || content === null ? thought : append(thought, { type: "value", value: content });
}

function appendText(node: RunNode, type: TextItem["type"], text: string): RunNode {
  const last = node.items.at(-1);
  if (last?.type !== type) return append(node, { type, text });
  return { ...node, items: [...node.items.slice(0, -1), { type, text: (last as TextItem).text + text }] };
}

/** The whole answer, where no chunk of it was emitted: of functions, output schemas and workflows. */
function withAnswer(node: RunNode, content: unknown): RunNode {
  if (content === undefined || content === null || content === "") return node;
  if (node.items.some(({ type }) => type === "text" || type === "value")) return node;
  return append(
    node,
    typeof content === "string" ? { type: "text", text: content } : { type: "value", value: content },
  );
}

function withTool(node: RunNode, tool: Fields, status: ToolItem["status"]): RunNode {
  const item: ToolItem = {
    type: "tool",
    id: String(tool.tool_call_id),
    name: String(tool.tool_name),
    args: tool.tool_args,
    status,
    result: typeof tool.result === "string" ? tool.result : undefined,
    duration: (tool.metrics as { duration?: number } | null)?.duration,
    childRunId: typeof tool.child_run_id === "string" ? tool.child_run_id : undefined,
  };
  const isOpen = (one: Item): one is ToolItem =>
    one.type === "tool" && one.id === item.id && (one.status === "running" || one.status === "waiting");
  return (
    updateLast(node, isOpen, (before) => ({ ...item, childRunId: item.childRunId ?? before.childRunId })) ??
    append(node, item)
  );
}

function withWaiting(node: RunNode, tools: readonly Fields[]): RunNode {
  return tools.reduce<RunNode>((before, tool) => withTool(before, tool, "waiting"), node);
}

const stepStates: Readonly<Record<string, RunStatus>> = {
  StepCompleted: "completed",
  StepError: "error",
  StepPaused: "paused",
  StepOutputReview: "paused",
  RouterPaused: "paused",
  StepExecutorPaused: "paused",
  StepContinued: "running",
  StepExecutorContinued: "running",
};

function withStep(node: RunNode, name: string, event: Loose): RunNode {
  const id = String(event.step_id ?? "");
  const started: StepItem = { type: "step", id, name: String(event.step_name ?? id), status: "running", runIds: [] };
  if (name === "StepStarted") {
    const waits = (item: Item): item is StepItem => isStep(id)(item) && item.status !== "completed";
    return updateLast(node, waits, (item) => ({ ...item, status: "running" })) ?? append(node, started);
  }
  if (name === "LoopIterationStarted")
    return append(node, {
      type: "note",
      text: `${started.name}: pass ${event.iteration} of at most ${event.max_iterations}`,
    });
  const status = stepStates[name];
  if (status === undefined) return node;
  const update = (item: StepItem): StepItem => ({
    ...item,
    status,
    ...(event.content === undefined ? {} : { content: event.content }),
    ...(typeof event.error === "string" ? { error: event.error } : {}),
  });
  return updateLast(node, isStep(id), update) ?? append(node, update(started));
}

function isStep(id: string): (item: Item) => item is StepItem {
  return (item): item is StepItem => item.type === "step" && item.id === id;
}

function pauseOf(event: Loose): Pause {
  return {
    requirements: (event.requirements ?? []) as readonly Fields[],
    step_requirements: (event.step_requirements ?? []) as readonly Fields[],
  };
}

function citationsOf({ citations }: Fields): Pick<RunNode, "citations"> {
  return citations ? { citations } : {};
}

function tokensOf(event: Loose): number | undefined {
  const total = (event.metrics as { total_tokens?: unknown } | undefined)?.total_tokens;
  return typeof total === "number" ? total : undefined;
}

/** Tokens of the followed run, for a team with those of its members; undefined before its end. */
export function totalTokens({ rootId, nodes }: RunView): number | undefined {
  const root = rootId === undefined ? undefined : nodes[rootId];
  if (root?.tokens === undefined || root.kind !== "team") return root?.tokens;
  return Object.values(nodes).reduce((sum, { tokens = 0 }) => sum + tokens, 0);
}

function append(node: RunNode, item: Item): RunNode {
  return { ...node, items: [...node.items, item] };
}

function updateLast<Found extends Item>(
  node: RunNode,
  matches: (item: Item) => item is Found,
  update: (item: Found) => Item,
): RunNode | undefined {
  return updateAt(node, node.items.findLastIndex(matches), update as (item: Item) => Item);
}

function updateFirst<Found extends Item>(
  node: RunNode,
  matches: (item: Item) => item is Found,
  update: (item: Found) => Item,
): RunNode | undefined {
  return updateAt(node, node.items.findIndex(matches), update as (item: Item) => Item);
}

function updateAt(node: RunNode, at: number, update: (item: Item) => Item): RunNode | undefined {
  const found = node.items[at];
  return found && { ...node, items: node.items.with(at, update(found)) };
}

/** Returns the view of a run whose log is not available: of a copy, or for a caller who may only read. */
export function viewOfRecord(record: RunRecord, kind: ComponentKind, componentId: string): RunView {
  const events = (record.events ?? []) as readonly RunEvent[];
  if (events.length > 0 && events.every(({ event_index: index }, at) => index === at)) return viewOf(events);
  const status = statusOf(record.status);
  const empty: RunNode = { runId: record.run_id, kind, componentId, name: componentId, status, items: [] };
  const withTools = (record.tools ?? []).reduce<RunNode>(
    (node, tool) => withTool(node, tool as unknown as Fields, tool.tool_call_error ? "error" : "completed"),
    empty,
  );
  const root = { ...withAnswer(withTools, record.content), ...citationsOf(record as unknown as Fields) };
  return { ...emptyView, rootId: root.runId, sessionId: record.session_id, nodes: { [root.runId]: root } };
}

function statusOf(status: RunRecord["status"]): RunStatus {
  const states: Readonly<Record<string, RunStatus>> = { PAUSED: "paused", ERROR: "error", CANCELLED: "cancelled" };
  return states[status] ?? (status === "RUNNING" || status === "PENDING" ? "running" : "completed");
}
