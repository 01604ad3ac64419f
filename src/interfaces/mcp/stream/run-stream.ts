/** The stream that answers a call which waits for a run: progress notifications from the run's log, then the result. */
import type { LogItem } from "../../../events/run-logs.ts";
import { type FrameHandler, FrameScanner } from "../../../http/streams/frame-scanner.ts";
import type { Stream } from "../../../http/streams/sse.ts";
import { toJsonLine } from "../../../model/frame.ts";
import type { Principal } from "../../../model/principal.ts";
import type { RunRef, RunRow } from "../../../runs/find.ts";
import { beyondAnyEnd } from "../../../runs/follow.ts";
import type { Runs } from "../../../runs/runs.ts";
import { inputRequiredBy } from "../elicitation.ts";
import { toToolResult } from "../result.ts";
import { encodeCall, eventId, type Position, resultFrame, type StreamedCall } from "./cursor.ts";
import { ProgressFilter, progressNotification } from "./progress.ts";

/** How a call's stream begins. */
export interface StreamStart {
  readonly call: StreamedCall;
  /** The last frame that the client received. */
  readonly after: Position;
  /** Whether the stream begins with an empty event. It gives the client an id to resume from before the first notification. */
  readonly isPrimed: boolean;
}

/** The stream of a call, for `sendStream`. Its frames after a position depend only on the stored log and the run's row. */
export function callStream(
  runs: Pick<Runs, "follow" | "load">,
  caller: Principal,
  run: RunRef,
  { call, after, isPrimed }: StreamStart,
): Stream {
  const { progressToken } = call;
  const encoded = encodeCall(call);
  const frame = (index: number, number: number, message: object): string =>
    `event: message\ndata: ${toJsonLine(message)}\nid: ${eventId(index, number, encoded)}\n\n`;
  const filter = new ProgressFilter();
  // The event at the cursor is read again: whether the next notification is sent depends on its time.
  const cursor = progressToken === undefined ? beyondAnyEnd : Math.max(after.index - 1, -1);
  const read = runs.follow(run, { cursor });
  let last = after.index;
  let result: object = {};

  const notify = (index: number, name: string, data: string): string => {
    const message = filter.messageOf(name, data);
    if (message === undefined || progressToken === undefined || index <= after.index) return "";
    return frame(index, 0, progressNotification(progressToken, index, message));
  };
  const scanner = new FrameScanner(call.runId);
  const progress: FrameHandler = {
    chunk: (_, __, second) => (filter.skipsChunk(second) ? "" : undefined),
    own: notify,
    nested: notify,
  };

  async function* follow(signal: AbortSignal): AsyncGenerator<LogItem> {
    // The client has the result.
    if (after.frame === resultFrame) return;
    for await (const item of read(signal)) {
      if (item.kind === "end") result = resultOf(call, await runs.load(caller, call));
      yield item;
    }
  }

  return {
    opening: isPrimed ? `data: \nid: ${eventId(after.index, 0, encoded)}\n\n` : "",
    cursor: after.index,
    follow,
    farewell: () => ": interrupted, resume with the last event id\n\n",
    translate(item) {
      switch (item.kind) {
        case "frames":
          last = Math.max(last, item.last);
          return progressToken === undefined ? [] : [scanner.scan(item.bytes, progress)];
        case "gap":
          if (progressToken === undefined || item.firstAvailable <= after.index + 1) return [];
          filter.reset();
          return [frame(item.firstAvailable - 1, 0, gapNotification(progressToken, item))];
        case "end":
          return [frame(last, resultFrame, result)];
        case "deleted":
          return [frame(last, resultFrame, errorOf(call, -32602, "The run was deleted."))];
        case "unreadable":
          return [frame(last, resultFrame, errorOf(call, -32603, "Internal server error"))];
        default:
          return [];
      }
    },
  };
}

function gapNotification(
  progressToken: NonNullable<StreamedCall["progressToken"]>,
  gap: Extract<LogItem, { kind: "gap" }>,
): object {
  const text = `Events ${gap.requested} to ${gap.firstAvailable - 1} are no longer stored`;
  return progressNotification(progressToken, gap.firstAvailable - 1, text);
}

/** Names the task to which a message belongs. */
const relatedTask = "io.modelcontextprotocol/related-task";

function resultOf({ requestId, runId: taskId, isModern, isTask, elicits }: StreamedCall, run: RunRow): object {
  const asked = elicits && run.status === "PAUSED" ? inputRequiredBy(run) : undefined;
  if (asked) return { jsonrpc: "2.0", id: requestId, result: asked };
  const result = {
    ...toToolResult(run),
    ...(isModern && { resultType: "complete" }),
    ...(isTask && { _meta: { [relatedTask]: { taskId } } }),
  };
  return { jsonrpc: "2.0", id: requestId, result };
}

function errorOf({ requestId }: StreamedCall, code: number, message: string): object {
  return { jsonrpc: "2.0", id: requestId, error: { code, message } };
}
