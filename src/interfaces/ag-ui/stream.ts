/** The stream of a request: the frames of its segment after the client's cursor. Ids of frames are `<event_index>.<k>`, k the frame's number within the event. */
import type { LogItem } from "../../events/run-logs.ts";
import { type Cursor, isPast } from "../../http/streams/frame-cursor.ts";
import { unreadableText } from "../../http/streams/meta-frames.ts";
import type { Stream } from "../../http/streams/sse.ts";
import { eachFrame, frameData, frameName, toJsonLine } from "../../model/frame.ts";
import type { RunRef } from "../../runs/find.ts";
import type { Runs } from "../../runs/runs.ts";
import type { AgUiEvent } from "./protocol.ts";
import { type Segment, Translator } from "./translator.ts";

/** Parses the id of a frame; undefined for another text. */
export function parseCursor(text: string): Cursor | undefined {
  const [, index, frame] = /^(\d{1,15})\.(\d{1,9})$/.exec(text.trim()) ?? [];
  return index === undefined ? undefined : { index: Number(index), frame: Number(frame) };
}

/** The stream for `sendStream`. It reads the log from its beginning: what is open at the cursor depends on the events before it. */
export function agUiStream(runs: Pick<Runs, "follow">, run: RunRef, segment: Segment, after: Cursor): Stream {
  const translator = new Translator(segment);
  const read = runs.follow(run, { cursor: -1 });
  async function* follow(signal: AbortSignal): AsyncGenerator<LogItem> {
    for await (const item of read(signal)) {
      yield item;
      // The log may go on after the pause that ended this request.
      if (translator.hasEnded) return;
    }
  }
  let sent = after;
  return {
    opening: "",
    cursor: after.index,
    follow,
    farewell: () => `: interrupted, repeat the request with Last-Event-ID: ${sent.index}.${sent.frame}\n\n`,
    translate(item) {
      if (item.kind === "frames") {
        const written = framesOf(translator, item.bytes, after);
        if (written.last) sent = written.last;
        return [written.text];
      }
      const fault = faultOf(item, segment);
      if (!fault) return [];
      translator.hasEnded = true;
      return [`data: ${toJsonLine(fault)}\n\n`];
    },
  };
}

function framesOf(translator: Translator, bytes: Buffer, after: Cursor): { text: string; last: Cursor | undefined } {
  let text = "";
  let last: Cursor | undefined;
  for (const frame of eachFrame(bytes)) {
    const data = frameData(frame);
    const index = indexOf(frame);
    for (const [number, json] of translator.translate(index, frameName(frame), data).entries()) {
      if (isPast(after, index, number)) continue;
      text += `data: ${json}\nid: ${index}.${number}\n\n`;
      last = { index, frame: number };
    }
  }
  return { text, last };
}

/** The index of a stored frame, which its last line names. */
function indexOf(frame: Buffer): number {
  const end = frame.length - 2;
  const start = frame.lastIndexOf(" ", end);
  return Number(frame.toString("latin1", start + 1, end));
}

/** The last event of a stream that cannot go on. It has no id: it is not in the log. */
function faultOf(item: LogItem, { ownRunId }: Segment): AgUiEvent | undefined {
  switch (item.kind) {
    case "gap": {
      const message = `Events before ${item.firstAvailable} of the run ${ownRunId} are no longer kept: read the run instead.`;
      return { type: "RUN_ERROR", message, code: "gap" };
    }
    case "deleted":
      return { type: "RUN_ERROR", message: `The run ${ownRunId} was deleted.`, code: "deleted" };
    case "unreadable":
      return { type: "RUN_ERROR", message: unreadableText(ownRunId), code: "internal_error" };
    default:
      return undefined;
  }
}
