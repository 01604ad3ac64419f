/** Following a task: its run's log, told from wherever the telling needs it, of which the reader is given what comes after its cursor. */
import type { Followed, RunLogs } from "../../events/followed.ts";
import { beyondAnyEnd, type Stream } from "../../http/sse.ts";
import { eachFrame, frameData, frameName } from "../../model/frame.ts";
import type { Media } from "../../model/message.ts";
import type { Principal } from "../../model/principal.ts";
import type { RunOutput } from "../../model/record.ts";
import type { RunRef, Store } from "../../store/seam.ts";
import type { Cursor } from "./cursor.ts";
import type { Telling } from "./telling.ts";
import { StreamWriter, type ToFrame } from "./writer.ts";

/** How a task is told to a reader. */
export interface TaskReading {
  readonly telling: Telling;
  readonly toFrame: ToFrame;
  readonly after: Cursor;
  /** Goes out with the headers. */
  readonly opening?: string;
  /** Told when the run is deleted meanwhile. */
  readonly gone: () => string;
  /** Told when events are no longer kept that the reader does not have. */
  readonly gap: (requested: number, firstAvailable: number) => string;
  /** Waits across a pause instead of ending at it. */
  readonly acrossPauses?: boolean;
}

export interface TaskSources {
  readonly logs: RunLogs;
  readonly store: Store;
}

/** The stream of a task for `sendStream`. */
export function taskStream({ logs, store }: TaskSources, caller: Principal, run: RunRef, reading: TaskReading): Stream {
  const { telling, toFrame, after, opening = "", gone, gap, acrossPauses = false } = reading;
  const writer = new StreamWriter({ taskId: run.runId, telling, toFrame, after });
  // The reader may have some of an event's frames only: that event is told again.
  const cursor = telling.remembers ? -1 : Math.min(Math.max(after.index - 1, -1), beyondAnyEnd);
  let files: readonly Media[] = [];
  async function* follow(signal: AbortSignal): AsyncGenerator<Followed> {
    for await (const item of logs.follow(run.key, { cursor, signal, acrossPauses })) {
      // Files are no part of the log; the row that has them is final, being written with the event that ends the run.
      if (item.kind === "frames" && completes(item.bytes, run.runId)) files = await filesOf(store, caller, run);
      yield item;
    }
  }
  return {
    opening,
    cursor: after.index,
    follow,
    farewell: (index) => `: interrupted, resume with Last-Event-ID: ${Math.max(index, after.index)}\n\n`,
    translate(item) {
      if (item.kind === "frames") return [writer.write(item.bytes, files)];
      if (item.kind === "deleted") return [gone()];
      if (item.kind === "gap" && item.firstAvailable > after.index + 1) {
        return [gap(after.index + 1, item.firstAvailable)];
      }
      return [];
    },
  };
}

/** Whether the run's completion stands in the buffer: it is the last event there is. */
function completes(bytes: Buffer, runId: string): boolean {
  const start = bytes.lastIndexOf("\n\n", bytes.length - 3);
  for (const frame of eachFrame(bytes.subarray(start === -1 ? 0 : start + 2))) {
    if (!/^(?:Team)?RunCompleted$|^WorkflowCompleted$/.test(frameName(frame))) return false;
    return (JSON.parse(frameData(frame)) as { run_id: string }).run_id === runId;
  }
  return false;
}

async function filesOf(store: Store, caller: Principal, run: RunRef): Promise<readonly Media[]> {
  const row = await store.findRun(caller, run.runId);
  return row?.output ? ((JSON.parse(row.output) as RunOutput).media ?? []) : [];
}
