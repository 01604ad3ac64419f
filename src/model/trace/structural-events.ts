/** The events of a log that begin or end a part of a run. Deltas, which are most of a log, are skipped by a few of their bytes. */
import type { TurnCounters } from "./attributes.ts";

/** An event that begins or ends a span, with the members that spans need. */
export interface StructuralEvent extends TurnCounters {
  readonly event: string;
  readonly event_index: number;
  /** Seconds. */
  readonly created_at: number;
  /** Milliseconds; missing in logs of 0.1 and in events of other servers. */
  readonly created_at_ms?: number;
  readonly run_id: string;
  readonly parent_run_id?: string;
  readonly nested_depth?: number;
  readonly agent_id?: string;
  readonly agent_name?: string;
  readonly team_id?: string;
  readonly team_name?: string;
  readonly workflow_id?: string;
  readonly workflow_name?: string;
  /** The workflow's run of a step's executor. */
  readonly workflow_run_id?: string;
  readonly step_id?: string;
  readonly parent_step_id?: string;
  readonly step_name?: string;
  /** Of the event that starts a run. */
  readonly component_version?: number;
  readonly step_response?: { readonly success?: boolean };
  readonly iteration?: number;
  readonly model?: string;
  readonly model_provider?: string;
  /** The purpose of a model request that is not a turn. */
  readonly purpose?: string;
  readonly tool?: {
    readonly tool_call_id: string;
    readonly tool_name: string;
    readonly tool_call_error: boolean | null;
  };
  readonly attempt?: number;
  readonly pause_kind?: string;
  readonly paused_step_name?: string;
  readonly content?: unknown;
  readonly error?: unknown;
  readonly error_type?: string;
}

/** Names of structural events. */
const names =
  /^(?:(?:Team)?(?:Run(?:Started|Completed|Error|Cancelled|Paused|Continued|Recovered)|Model(?:Request(?:Started|Completed)|Fallback)|ToolCall(?:Started|Completed))|Workflow(?:Started|Completed|Error|Cancelled|Paused|Recovered)|Step(?:Started|Completed|Error|Continued|ExecutorContinued)|(?:Parallel|Condition|Loop|Router|Steps)Execution(?:Started|Completed)|LoopIteration(?:Started|Completed))$/;

/** Events whose own members spans do not need. They hold a run's whole answer, so only their beginning is parsed. */
const withoutOwnMembers =
  /^(?:Team)?Run(?:Completed|Paused)$|^WorkflowCompleted$|Execution(?:Started|Completed)$|^LoopIterationCompleted$/;

const nameStart = "event: ".length;
const dataField = "\ndata: ";
const idField = "\nid: ";
const timeField = ',"created_at_ms":';
/** Digits of a safe integer. */
const maxDigits = 16;
const lineFeed = 0x0a;
const [capitalC, capitalR, capitalT] = [0x43, 0x52, 0x54];

/** Yields the structural events of whole frames, in order. */
export function* structuralEvents(frames: Buffer): Generator<StructuralEvent, void> {
  let start = 0;
  for (let end = frames.indexOf("\n\n"); end !== -1; end = frames.indexOf("\n\n", start)) {
    if (!isDelta(frames, start)) {
      const nameEnd = frames.indexOf(lineFeed, start);
      const name = frames.toString("latin1", start + nameStart, nameEnd);
      if (names.test(name)) yield parse(frames, name, nameEnd, end);
    }
    start = end + 2;
  }
}

/** Whether the event is `RunContent` or `TeamRunContent`: no other event's name has this length and these letters. */
function isDelta(frames: Buffer, start: number): boolean {
  const at = start + nameStart;
  if (frames[at] === capitalR) return frames[at + 10] === lineFeed && frames[at + 3] === capitalC;
  return frames[at] === capitalT && frames[at + 14] === lineFeed && frames[at + 7] === capitalC;
}

function parse(frames: Buffer, name: string, nameEnd: number, end: number): StructuralEvent {
  const from = nameEnd + dataField.length;
  const to = frames.indexOf(lineFeed, from);
  const short = withoutOwnMembers.test(name) ? parseBeginning(frames, from, to, end) : undefined;
  return short ?? (JSON.parse(frames.toString("utf8", from, to)) as StructuralEvent);
}

/** Parses the members up to the time, which follows the members that all events share; undefined for an event in another order. */
function parseBeginning(frames: Buffer, from: number, to: number, end: number): StructuralEvent | undefined {
  const time = frames.subarray(from, to).indexOf(timeField);
  if (time === -1) return undefined;
  const digitsAt = from + time + timeField.length;
  const [digits] = /^\d+/.exec(frames.toString("latin1", digitsAt, digitsAt + maxDigits)) ?? [];
  if (digits === undefined) return undefined;
  const members = JSON.parse(`${frames.toString("utf8", from, digitsAt + digits.length)}}`) as StructuralEvent;
  if (typeof members.run_id !== "string") return undefined;
  return { ...members, event_index: Number(frames.toString("latin1", to + idField.length, end)) };
}
