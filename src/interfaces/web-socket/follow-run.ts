/** Writes a run's events to a web socket: it follows the log as every other interface does, and sends each event's stored JSON unchanged. */
import type { LogItem } from "../../events/run-logs.ts";
import { metaData } from "../../http/streams/meta-frames.ts";
import type { Follow } from "../../runs/follow.ts";
import { toMessages } from "./messages.ts";
import type { SocketOutput } from "./output.ts";

/** A run's log, and its translation to frames. */
export interface RunStream {
  readonly runId: string;
  /** Frames that are sent first. */
  readonly opening: string;
  readonly translate: (item: LogItem) => readonly (Buffer | string)[];
  readonly follow: Follow;
  /** Index of the last event that the client has received. */
  readonly cursor: number;
}

/** Writes the events and holds at most one item at a time; resolves at the end of the log, or when `signal` aborts. */
export async function followRun(
  output: SocketOutput,
  { runId, opening, translate, follow, cursor: start }: RunStream,
  signal: AbortSignal,
): Promise<void> {
  let cursor = start;
  output.write(toMessages(Buffer.from(opening)));
  for await (const item of follow(signal)) {
    if (item.kind === "interrupted") output.send(interrupted(runId, cursor));
    for (const piece of translate(item)) {
      if (output.isFull) await output.drained();
      if (signal.aborted) return;
      output.write(toMessages(typeof piece === "string" ? Buffer.from(piece) : piece));
    }
    if (item.kind === "frames") cursor = item.last;
  }
}

/** The last message about a run whose subscription ends before the run does. */
export function interrupted(runId: string, cursor: number): string {
  return metaData("interrupted", {
    run_id: runId,
    last_event_index: cursor,
    message: `Interrupted: reconnect with last_event_index=${cursor}.`,
  });
}
