/** A run's events on a web socket: the same reading as on every other surface, each event as the bytes of its stored JSON. */
import type { Followed } from "../../events/followed.ts";
import { metaData } from "../../http/streams/meta-frames.ts";
import type { Follow } from "../../http/streams/sse.ts";
import { eachFrame, frameDataBytes, frameName } from "../../model/frame.ts";
import type { SocketOutput } from "./output.ts";

/** An event whose name stands on its frame only: bare JSON would not tell what it is. What it says, the run's record has. */
const nameless = "WorkflowRunOutput";

/** What is read, and how it is shown. */
export interface Reading {
  readonly runId: string;
  /** Frames that go out first. */
  readonly opening: string;
  readonly translate: (item: Followed) => readonly (Buffer | string)[];
  readonly follow: Follow;
  /** Index of the last event that the client has. */
  readonly cursor: number;
}

/** Writes what is read, at most one item in hand; resolves when nothing more comes, or `signal` aborts. */
export async function followRun(
  output: SocketOutput,
  { runId, opening, translate, follow, cursor: start }: Reading,
  signal: AbortSignal,
): Promise<void> {
  let cursor = start;
  sendFrames(output, Buffer.from(opening));
  for await (const item of follow(signal)) {
    if (item.kind === "interrupted") output.send(interrupted(runId, cursor));
    for (const piece of translate(item)) {
      for (const frame of eachFrame(typeof piece === "string" ? Buffer.from(piece) : piece)) {
        if (frameName(frame) === nameless) continue;
        if (output.isFull) await output.drained();
        if (signal.aborted) return;
        output.send(frameDataBytes(frame));
      }
    }
    if (item.kind === "frames") cursor = item.last;
  }
}

/** The last message about a run whose reading ends before the run does. */
export function interrupted(runId: string, cursor: number): string {
  return metaData("interrupted", {
    run_id: runId,
    last_event_index: cursor,
    message: `Interrupted: reconnect with last_event_index=${cursor}.`,
  });
}

function sendFrames(output: SocketOutput, frames: Buffer): void {
  for (const frame of eachFrame(frames)) output.send(frameDataBytes(frame));
}
