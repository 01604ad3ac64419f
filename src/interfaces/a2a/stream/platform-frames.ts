/** Frames of the platform's own stream: each holds a JSON-RPC answer, with the kind of its result as the event's name. */
import { toJsonLine } from "../../../model/frame.ts";
import type { A2aEvent, TaskName } from "../protocol.ts";
import type { ToFrame } from "./writer.ts";

/** The form of a stream's results. */
export interface FrameForm {
  /** The request's id, in its original type. */
  readonly requestId: string | number;
  /** Whether a status is only its state's name, as the published OpenAPI document shows it for teams. */
  readonly bareStatus: boolean;
}

const names: Readonly<Record<A2aEvent["kind"], string>> = {
  task: "Task",
  message: "Message",
  "status-update": "TaskStatusUpdateEvent",
  "artifact-update": "TaskArtifactUpdateEvent",
};

/** Converts events to frames. */
export function platformFrames(form: FrameForm): ToFrame {
  return (id, event) => `${linesOf(form, event)}\nid: ${id}\n\n`;
}

function linesOf({ requestId, bareStatus }: FrameForm, event: A2aEvent): string {
  const result = bareStatus && event.kind === "status-update" ? { ...event, status: event.status.state } : event;
  return `event: ${names[event.kind]}\ndata: ${toJsonLine({ id: requestId, jsonrpc: "2.0", result })}`;
}

/** The last frame of a stream that cannot continue: the task was deleted, or its log cannot be read. */
export function errorFrame({ requestId }: FrameForm, code: number, message: string): string {
  const error = { code, message };
  return `event: error\ndata: ${toJsonLine({ id: requestId, jsonrpc: "2.0", error })}\n\n`;
}

/** Replaces events that are no longer stored. It is not an event of the task, so it has no id. */
export function gapFrame(form: FrameForm, name: TaskName, requested: number, firstAvailable: number): string {
  const metadata = { agno_event_type: "gap", requested_index: requested, first_available_index: firstAvailable };
  const update = { kind: "status-update", ...name, status: { state: "working" }, final: false, metadata } as const;
  return `${linesOf(form, update)}\n\n`;
}
