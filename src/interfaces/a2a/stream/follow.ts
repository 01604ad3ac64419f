/** Following a task: its run's log, told from wherever the telling needs it, of which the reader is given what comes after its cursor. */
import type { Followed, RunLogs } from "../../../events/followed.ts";
import { beyondAnyEnd, type Stream } from "../../../http/streams/sse.ts";
import { eachFrame, frameData, frameName } from "../../../model/frame.ts";
import type { Media } from "../../../model/message.ts";
import type { Principal } from "../../../model/principal.ts";
import type { RunOutput } from "../../../model/record.ts";
import type { RunRef, Store } from "../../../store/contract/store.ts";
import type { TaskChanges, TaskStore } from "../../../store/contract/tasks.ts";
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
  /** Told when the run's log cannot be read. */
  readonly unreadable: () => string;
  /** Told when events are no longer kept that the reader does not have. */
  readonly gap: (requested: number, firstAvailable: number) => string;
  /** Waits across a pause instead of ending at it. */
  readonly acrossPauses?: boolean;
  /** Whether times of changes of state are told, to the millisecond. */
  readonly isTimed?: boolean;
}

export interface TaskSources {
  readonly logs: RunLogs;
  readonly store: Store;
  readonly tasks: Pick<TaskStore, "changes">;
}

/** The stream of a task for `sendStream`. */
export function taskStream(sources: TaskSources, caller: Principal, run: RunRef, reading: TaskReading): Stream {
  const { logs, store, tasks } = sources;
  const {
    telling,
    toFrame,
    after,
    opening = "",
    gone,
    unreadable,
    gap,
    acrossPauses = false,
    isTimed = false,
  } = reading;
  const writer = new StreamWriter({ taskId: run.runId, telling, toFrame, after });
  // The reader may have some of an event's frames only: that event is told again.
  const cursor = telling.remembers ? -1 : Math.min(Math.max(after.index - 1, -1), beyondAnyEnd);
  let files: readonly Media[] = [];
  let changes: TaskChanges | undefined;
  async function* follow(signal: AbortSignal): AsyncGenerator<Followed> {
    for await (const item of logs.follow(run.key, { cursor, signal, acrossPauses })) {
      if (item.kind === "frames") {
        const end = endIn(item.bytes, run.runId);
        // Files are no part of the log; the row that has them is final, being written with the event that ends the run.
        if (end === "Completed") files = await filesOf(store, caller, run);
        if (isTimed && (end !== undefined || item.bytes.includes(pauseEvent))) changes = await tasks.changes(run.key);
      }
      yield item;
    }
  }
  return {
    opening,
    cursor: after.index,
    follow,
    farewell: (index) => `: interrupted, resume with Last-Event-ID: ${Math.max(index, after.index)}\n\n`,
    translate(item) {
      if (item.kind === "frames") return [writer.write(item.bytes, files, changes)];
      if (item.kind === "deleted") return [gone()];
      if (item.kind === "unreadable") return [unreadable()];
      if (item.kind === "gap" && item.firstAvailable > after.index + 1) {
        return [gap(after.index + 1, item.firstAvailable)];
      }
      return [];
    },
  };
}

/** How the names of events end that tell a pause. */
const pauseEvent = "Paused\n";

/** How the run ended, if its end stands in the buffer: it is the last event there is. */
function endIn(bytes: Buffer, runId: string): string | undefined {
  const start = bytes.lastIndexOf("\n\n", bytes.length - 3);
  for (const frame of eachFrame(bytes.subarray(start === -1 ? 0 : start + 2))) {
    const [, end] = /^(?:(?:Team)?Run|Workflow)(Completed|Cancelled|Error)$/.exec(frameName(frame)) ?? [];
    if (end === undefined) return undefined;
    return (JSON.parse(frameData(frame)) as { run_id: string }).run_id === runId ? end : undefined;
  }
  return undefined;
}

async function filesOf(store: Store, caller: Principal, run: RunRef): Promise<readonly Media[]> {
  const row = await store.findRun(caller, run.runId);
  return row?.output ? ((JSON.parse(row.output) as RunOutput).media ?? []) : [];
}
