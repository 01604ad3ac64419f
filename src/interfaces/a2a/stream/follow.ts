/** Follows a task: reads its run's log from the event that the translator needs first, and sends the reader the frames after its cursor. */
import type { LogItem } from "../../../events/run-logs.ts";
import type { Cursor } from "../../../http/streams/frame-cursor.ts";
import type { Stream } from "../../../http/streams/sse.ts";
import { eachFrame, frameData, frameName } from "../../../model/frame.ts";
import type { Principal } from "../../../model/principal.ts";
import type { Media } from "../../../model/run/message.ts";
import type { StateChanges } from "../../../runs/changes.ts";
import type { RunRef } from "../../../runs/find.ts";
import { beyondAnyEnd } from "../../../runs/follow.ts";
import type { Runs } from "../../../runs/runs.ts";
import type { Translator } from "./translator.ts";
import { StreamWriter, type ToFrame } from "./writer.ts";

/** How a task is streamed to a reader. */
export interface TaskStreamOptions {
  readonly translator: Translator;
  readonly toFrame: ToFrame;
  readonly after: Cursor;
  /** Sent together with the headers. */
  readonly opening?: string;
  /** The frame to send if the run is deleted meanwhile. */
  readonly deletedFrame: () => string;
  /** The frame to send if the run's log cannot be read. */
  readonly unreadableFrame: () => string;
  /** The frame to send if events after the cursor are no longer stored. */
  readonly gapFrame: (requested: number, firstAvailable: number) => string;
  /** Continues across a pause instead of ending at it. */
  readonly acrossPauses?: boolean;
  /** Whether state changes have timestamps in milliseconds. */
  readonly isTimed?: boolean;
}

/** The stream of a task for `sendStream`. */
export function taskStream(
  runs: Pick<Runs, "follow" | "files" | "changes">,
  caller: Principal,
  run: RunRef,
  options: TaskStreamOptions,
): Stream {
  const {
    translator,
    toFrame,
    after,
    opening = "",
    deletedFrame: gone,
    unreadableFrame: unreadable,
    gapFrame: gap,
    acrossPauses = false,
    isTimed = false,
  } = options;
  const writer = new StreamWriter({ taskId: run.runId, translator, toFrame, after });
  // The cursor may lie between an event's frames, so that event is read again.
  const cursor = translator.remembers ? -1 : Math.min(Math.max(after.index - 1, -1), beyondAnyEnd);
  let files: readonly Media[] = [];
  let changes: StateChanges | undefined;
  const read = runs.follow(run, { cursor, acrossPauses });
  async function* follow(signal: AbortSignal): AsyncGenerator<LogItem> {
    for await (const item of read(signal)) {
      if (item.kind === "frames") {
        const end = endIn(item.bytes, run.runId);
        // Files are not in the log. The run's row has them, and it is final: it is written together with the last event.
        if (end === "Completed") files = await runs.files(caller, run);
        if (isTimed && (end !== undefined || item.bytes.includes(pauseEvent))) changes = await runs.changes(run);
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

/** Suffix of the names of pause events. */
const pauseEvent = "Paused\n";

/** How the run ended, if the buffer contains its end: that is always the last event. */
function endIn(bytes: Buffer, runId: string): string | undefined {
  const start = bytes.lastIndexOf("\n\n", bytes.length - 3);
  for (const frame of eachFrame(bytes.subarray(start === -1 ? 0 : start + 2))) {
    const [, end] = /^(?:(?:Team)?Run|Workflow)(Completed|Cancelled|Error)$/.exec(frameName(frame)) ?? [];
    if (end === undefined) return undefined;
    return (JSON.parse(frameData(frame)) as { run_id: string }).run_id === runId ? end : undefined;
  }
  return undefined;
}
