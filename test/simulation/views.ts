/** What is known of every root run from outside: kept beside the database under test, from what was committed alone. */
import type { RunStatus, SessionPolicy } from "../../src/model/run.ts";

/** A root run, as its committed transactions tell. */
export interface RootView {
  readonly key: number;
  readonly runId: string;
  readonly sessionKey: number;
  readonly seq: number;
  readonly component: string;
  readonly policy: SessionPolicy;
  /** JSON text of what it was started with. */
  readonly input: string;
  /** The request that it was started with, where that has no key. */
  readonly sent: string | undefined;
  /** Characters that its models say. */
  readonly said: number;
  status: RunStatus;
  attempt: number;
  owner: string | null;
  /** Its log, frame by frame. */
  readonly frames: string[];
  firstKept: number;
  /** A cancel was committed before the run was over. */
  cancelCommitted: boolean;
  /** A client wished its end. */
  cancelWished: boolean;
  deleteWished: boolean;
  /** The database refused some of its data. */
  spoiled: boolean;
  deleted: boolean;
  /** Takeovers since the last message. */
  stalled: number;
  /** The same, as it was when its present owner took it. */
  stalledAtClaim: number;
  /** Calls whose start is in the log: `run_id/tool_call_id`. */
  readonly announced: Set<string>;
  terminalEvents: number;
}

/** A frame of the log, taken apart as far as needed. */
export interface FrameHead {
  readonly index: number;
  readonly event: string;
  /** The one line of JSON. */
  readonly data: string;
}

/** Frames of a piece of a log, each with its empty line. */
export function splitFrames(text: string): string[] {
  const frames: string[] = [];
  let start = 0;
  for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n", start)) {
    frames.push(text.slice(start, end + 2));
    start = end + 2;
  }
  if (start < text.length) frames.push(text.slice(start));
  return frames;
}

/** The parts of a frame; undefined for one that has not the one form. */
export function frameHead(frame: string): FrameHead | undefined {
  const eventEnd = frame.indexOf("\n");
  const dataEnd = frame.indexOf("\n", eventEnd + 1);
  if (!frame.startsWith("event: ") || !frame.startsWith("data: {", eventEnd + 1)) return undefined;
  const index = Number(frame.slice(dataEnd + 5, -2));
  if (!frame.endsWith(`,"event_index":${index}}\nid: ${index}\n\n`)) return undefined;
  return { index, event: frame.slice(7, eventEnd), data: frame.slice(eventEnd + 7, dataEnd) };
}

const ends = /^(?:Team)?Run(Completed|Error|Cancelled)$/;

/** Status that an event's name stands for, when it ends a run. */
export function statusOfEnd(event: string): "COMPLETED" | "ERROR" | "CANCELLED" | undefined {
  const word = ends.exec(event)?.[1];
  if (word === undefined) return undefined;
  return word === "Completed" ? "COMPLETED" : word === "Error" ? "ERROR" : "CANCELLED";
}
