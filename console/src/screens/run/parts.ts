/** Parts of a run beside its turns, tool calls and steps: hooks and guardrails, model requests for other purposes, and changes of the context. */
import type { LogEvent } from "./log-event.ts";
import type { RowKind, RowState } from "./row-kinds.ts";

/** What an event says about a part. */
export type PartEvent =
  | ({ readonly does: "begin"; readonly key: string } & PartFacts)
  | ({ readonly does: "end"; readonly key: string; readonly state: RowState } & Partial<PartFacts>)
  | ({ readonly does: "happen" } & PartFacts);

interface PartFacts {
  readonly kind: RowKind;
  readonly label: string;
  readonly detail?: string | undefined;
  readonly message?: string | undefined;
  /** What the part produced. */
  readonly output?: unknown;
  /** The tool call that it is about. */
  readonly callId?: string | undefined;
}

/** Stages by the start of their events' names. */
const stages: Readonly<Record<string, string>> = {
  Compression: "Compaction of the context",
  SessionSummary: "Session summary",
  ParserModelResponse: "Parser model",
  OutputModelResponse: "Output model",
  Followups: "Follow-ups",
  Reasoning: "Reasoning",
  MemoryUpdate: "Memories",
  KnowledgeSearch: "Search of documents",
};

const points: Readonly<Record<string, string>> = {
  beforeRun: "before the run",
  afterRun: "after the run",
  beforeModel: "before a model request",
  afterModel: "after a model request",
  beforeTool: "before a tool call",
  afterTool: "after a tool call",
};

const outcomes: Readonly<Record<string, string>> = {
  refused: "refused",
  asked: "asks for an approval",
  changed: "changed the content",
};

/** Key of the iteration of a team's shared tasks: the runs of members are in it. */
export const iterationKey = "TaskIteration";

/** Returns what an event says about a part; undefined for other events. @param name without the prefix of the component kind */
export function partIn(name: string, event: LogEvent): PartEvent | undefined {
  if (name === "RunMessage") {
    const { content, mode, sent_by: sender } = event;
    const label = sender === undefined ? "Message to the run" : `Message of ${sender}`;
    return { does: "happen", kind: "note", label, detail: mode, output: content };
  }
  if (name === "ModelFallback") {
    const { model = "?", failed_model: failed = "?" } = event;
    return { does: "happen", kind: "note", label: `Falls back to ${model}`, detail: `${failed} is unavailable` };
  }
  const [, stage = "", end] = /^(\w+?)(Started|Completed)$/.exec(name) ?? [];
  if (stage === "PreHook" || stage === "PostHook") return hookIn(event, end === "Completed");
  if (stage === iterationKey)
    return end === "Started"
      ? {
          does: "begin",
          key: iterationKey,
          kind: "step",
          label: `Tasks, pass ${event.iteration ?? ""}`,
          detail: "Tasks",
        }
      : { does: "end", key: iterationKey, state: "done", output: event.task_summary };
  const label = stages[stage];
  if (label === undefined) return undefined;
  if (end === "Started") return { does: "begin", key: stage, kind: "stage", label };
  const state = stage === "KnowledgeSearch" && event.error !== undefined ? "failed" : "done";
  return { does: "end", key: stage, state, ...resultOf(stage, event) };
}

function hookIn(event: LogEvent, isEnd: boolean): PartEvent {
  const { hook_point: point = "", tool_call_id: callId, outcome = "" } = event;
  const label = event.pre_hook_name ?? event.post_hook_name ?? "hook";
  const key = `hook ${point} ${callId ?? ""} ${label}`;
  const where = points[point] ?? point;
  if (!isEnd) return { does: "begin", key, kind: "hook", label, detail: where, callId };
  const what = outcomes[outcome];
  return {
    ...{ does: "end", key, state: outcome === "refused" ? "refused" : "done" },
    detail: what === undefined ? where : `${where}, ${what}`,
  };
}

function resultOf(stage: string, event: LogEvent): Partial<PartFacts> {
  if (stage === "Compression") {
    const { original_size: before, compressed_size: after, strategy } = event;
    if (before === undefined || after === undefined) return {};
    const size = (count: number): string => count.toLocaleString("en");
    const how = strategy === undefined ? "" : `, ${strategy}`;
    return { detail: `${size(before)} to ${size(after)} characters${how}` };
  }
  if (stage === "SessionSummary") return { output: event.session_summary };
  if (stage === "Followups") return { output: event.followups };
  if (stage === "MemoryUpdate") return { output: event.memories };
  if (stage === "KnowledgeSearch") return { output: event.references, message: event.error };
  return {};
}
