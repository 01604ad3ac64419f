/** The stream of a message: the chunks of its run's log as server-sent events, after the cursor of the reader. */
import type { LogItem } from "../../../events/run-logs.ts";
import type { Stream } from "../../../http/streams/sse.ts";
import { eachFrame, frameData, frameName, toJsonLine } from "../../../model/frame.ts";
import type { Principal } from "../../../model/principal.ts";
import type { Media } from "../../../model/run/message.ts";
import type { RunRef } from "../../../runs/find.ts";
import type { Runs } from "../../../runs/runs.ts";
import type { Chunk } from "./chunks.ts";
import { type Cursor, isPast } from "./cursor.ts";
import { Translator } from "./translator.ts";

/** The last frame of a complete stream. */
const done = "data: [DONE]\n\n";

/**
 * The stream of a run's message. It reads the log from the first event on, because the chunks of an event depend on the events before it. A stream that
 * ends before the run does breaks its connection: a client would take a stream with a regular end for complete.
 */
export function messageStream(
  runs: Pick<Runs, "follow" | "files">,
  caller: Principal,
  run: RunRef & { readonly sessionId: string },
  after: Cursor,
): Stream {
  const translator = new Translator(run);
  let files: readonly Media[] = [];
  const read = runs.follow(run, { cursor: -1 });
  async function* follow(signal: AbortSignal): AsyncGenerator<LogItem> {
    for await (const item of read(signal)) {
      // Files are not in the log. The run's row has them, and it is written together with the last event.
      if (item.kind === "frames" && item.bytes.includes("Completed\n")) files = await runs.files(caller, run);
      yield item;
    }
  }
  return {
    opening: "",
    cursor: after.index,
    follow,
    breaksOff: true,
    farewell: (index) => `: interrupted, resume with Last-Event-ID: ${Math.max(index, after.index)}\n\n`,
    translate(item) {
      switch (item.kind) {
        case "frames":
          return [framesOf(translator, item.bytes, files, after)];
        case "end":
          return [done];
        case "gap":
          return item.firstAvailable > after.index + 1
            ? [errorFrame("Events of this run are no longer kept: load the messages of the chat instead.")]
            : [];
        case "deleted":
          return [errorFrame("The run was deleted."), done];
        case "unreadable":
          return [errorFrame("The events of the run cannot be read."), done];
        case "interrupted":
          return [];
      }
    },
  };
}

function framesOf(translator: Translator, bytes: Buffer, files: readonly Media[], after: Cursor): string {
  let written = "";
  for (const stored of eachFrame(bytes)) {
    const index = indexOf(stored);
    for (const [place, chunk] of translator.translate(index, frameName(stored), frameData(stored), files).entries()) {
      if (!isPast(after, index, place)) written += `${dataOf(chunk)}id: ${index}.${place}\n\n`;
    }
  }
  return written;
}

/** The index in the last line of a stored frame. */
export function indexOf(stored: Buffer): number {
  return Number(stored.toString("latin1", stored.lastIndexOf("id: ") + "id: ".length, stored.length - 2));
}

function dataOf(chunk: Chunk): string {
  return `data: ${toJsonLine(chunk)}\n`;
}

function errorFrame(errorText: string): string {
  return `${dataOf({ type: "error", errorText })}\n`;
}
