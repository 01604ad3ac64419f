/** The stream of a request: the frames of its segment after the client's cursor. Ids of frames are `<event_index>.<k>`, k the frame's number within the event. */
import type { LogItem } from "../../events/run-logs.ts";
import { type Cursor, isPast } from "../../http/streams/frame-cursor.ts";
import { type FrameHandler, FrameScanner } from "../../http/streams/frame-scanner.ts";
import { unreadableText } from "../../http/streams/meta-frames.ts";
import type { Stream } from "../../http/streams/sse.ts";
import { toJsonLine } from "../../model/frame.ts";
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
  const frames = new SegmentFrames(translator, segment, after);
  const read = runs.follow(run, { cursor: -1 });
  async function* follow(signal: AbortSignal): AsyncGenerator<LogItem> {
    for await (const item of read(signal)) {
      yield item;
      // The log may go on after the pause that ended this request.
      if (translator.hasEnded) return;
    }
  }
  return {
    opening: "",
    cursor: after.index,
    follow,
    farewell: () =>
      `: interrupted, repeat the request with Last-Event-ID: ${frames.sent.index}.${frames.sent.frame}\n\n`,
    translate(item) {
      if (item.kind === "frames") return [frames.of(item.bytes)];
      const fault = faultOf(item, segment);
      if (!fault) return [];
      translator.hasEnded = true;
      return [`data: ${toJsonLine(fault)}\n\n`];
    },
  };
}

/** Writes the frames of a segment after the client's cursor. Further chunks of a text are copied from the log without parsing them. */
class SegmentFrames implements FrameHandler {
  /** The position of the last frame. */
  sent: Cursor;
  readonly #translator: Translator;
  readonly #after: Cursor;
  readonly #scanner: FrameScanner;

  constructor(translator: Translator, { ownRunId }: Segment, after: Cursor) {
    this.sent = after;
    this.#translator = translator;
    this.#after = after;
    this.#scanner = new FrameScanner(ownRunId);
  }

  /** The frames for a buffer of stored frames. */
  of(bytes: Buffer): string {
    return this.#scanner.scan(bytes, this);
  }

  chunk(index: number, literal: string): string | undefined {
    const { openText } = this.#translator;
    if (openText === undefined) return undefined;
    return this.#write(index, 0, `{"type":"TEXT_MESSAGE_CONTENT","messageId":"${openText}","delta":"${literal}"}`);
  }

  own(index: number, name: string, data: string): string {
    let written = "";
    for (const [number, json] of this.#translator.translate(index, name, data).entries()) {
      written += this.#write(index, number, json);
    }
    return written;
  }

  nested(index: number, name: string, data: string): string {
    return this.own(index, name, data);
  }

  #write(index: number, frame: number, json: string): string {
    if (isPast(this.#after, index, frame)) return "";
    this.sent = { index, frame };
    return `data: ${json}\nid: ${index}.${frame}\n\n`;
  }
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
