/** Frames of the platform's own stream: a JSON-RPC answer in each, under a name that tells what it is. */
import { toJsonLine } from "../../../model/frame.ts";
import type { A2aEvent, TaskName } from "../protocol.ts";
import type { ToFrame } from "./writer.ts";

/** How results are wrapped. */
export interface FrameForm {
  /** Of the request, of its own type. */
  readonly requestId: string | number;
  /** Whether a status is its bare name, as the published description shows it for teams. */
  readonly bareStatus: boolean;
}

const names: Readonly<Record<A2aEvent["kind"], string>> = {
  task: "Task",
  message: "Message",
  "status-update": "TaskStatusUpdateEvent",
  "artifact-update": "TaskArtifactUpdateEvent",
};

/** Writes events as frames. */
export function platformFrames(form: FrameForm): ToFrame {
  return (id, event) => `${linesOf(form, event)}\nid: ${id}\n\n`;
}

function linesOf({ requestId, bareStatus }: FrameForm, event: A2aEvent): string {
  const result = bareStatus && event.kind === "status-update" ? { ...event, status: event.status.state } : event;
  return `event: ${names[event.kind]}\ndata: ${toJsonLine({ id: requestId, jsonrpc: "2.0", result })}`;
}

/** The last frame of a stream that cannot go on: the task was deleted, or its log cannot be read. */
export function errorFrame({ requestId }: FrameForm, code: number, message: string): string {
  const error = { code, message };
  return `event: error\ndata: ${toJsonLine({ id: requestId, jsonrpc: "2.0", error })}\n\n`;
}

/** Said instead of what is no longer kept. It is no event of the task, and has no id. */
export function gapFrame(form: FrameForm, name: TaskName, requested: number, firstAvailable: number): string {
  const metadata = { agno_event_type: "gap", requested_index: requested, first_available_index: firstAvailable };
  const update = { kind: "status-update", ...name, status: { state: "working" }, final: false, metadata } as const;
  return `${linesOf(form, update)}\n\n`;
}
