/** An independent view of every root run, from committed transactions only, separate from the database under test. */
import type { RunStatus, SessionPolicy } from "../../src/model/run/run.ts";

/** A root run according to its committed transactions. */
export interface RootView {
  readonly key: number;
  readonly runId: string;
  readonly sessionKey: number;
  readonly seq: number;
  readonly component: string;
  readonly policy: SessionPolicy;
  /** The version of its component; undefined for the definition in code. */
  readonly version: number | undefined;
  /** The run's input as JSON text. */
  readonly input: string;
  /** The request that started the run, if it has no idempotency key. */
  readonly sent: string | undefined;
  /** Total characters of its models' output. */
  readonly said: number;
  status: RunStatus;
  attempt: number;
  owner: string | null;
  /** The frames of its log. */
  readonly frames: string[];
  firstKept: number;
  /** Whether a cancel was committed before the run's end. */
  cancelCommitted: boolean;
  /** Whether a client requested a cancel or a deletion. */
  cancelWished: boolean;
  deleteWished: boolean;
  /** Whether the database rejected some of its data. */
  spoiled: boolean;
  deleted: boolean;
  /** Takeovers since the last message. */
  stalled: number;
  /** Takeovers since the last message, at the claim of the current owner. */
  stalledAtClaim: number;
  /** Calls with a start in the log: `run_id/tool_call_id`. */
  readonly announced: Set<string>;
  terminalEvents: number;
  /** Messages that clients put into it, by number, as the responses show them. */
  readonly accepted: Map<number, string>;
}

/** The needed parts of a frame. */
export interface FrameHead {
  readonly index: number;
  readonly event: string;
  /** The one line of JSON. */
  readonly data: string;
}

/** Splits frames of a log, each with its empty line. */
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

/** Returns the parts of a frame, or undefined for an invalid frame. */
export function frameHead(frame: string): FrameHead | undefined {
  const eventEnd = frame.indexOf("\n");
  const dataEnd = frame.indexOf("\n", eventEnd + 1);
  if (!frame.startsWith("event: ") || !frame.startsWith("data: {", eventEnd + 1)) return undefined;
  const index = Number(frame.slice(dataEnd + 5, -2));
  if (!frame.endsWith(`,"event_index":${index}}\nid: ${index}\n\n`)) return undefined;
  return { index, event: frame.slice(7, eventEnd), data: frame.slice(eventEnd + 7, dataEnd) };
}

const ends = /^(?:Team)?Run(Completed|Error|Cancelled)$/;

/** Returns the status of a terminal event's name. */
export function statusOfEnd(event: string): "COMPLETED" | "ERROR" | "CANCELLED" | undefined {
  const word = ends.exec(event)?.[1];
  if (word === undefined) return undefined;
  return word === "Completed" ? "COMPLETED" : word === "Error" ? "ERROR" : "CANCELLED";
}
