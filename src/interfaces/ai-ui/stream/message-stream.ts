/** The stream of a message: the chunks of its run's log as server-sent events, after the cursor of the reader. */
import type { LogItem } from "../../../events/run-logs.ts";
import { type Cursor, isPast } from "../../../http/streams/frame-cursor.ts";
import { type FrameHandler, FrameScanner } from "../../../http/streams/frame-scanner.ts";
import type { Stream } from "../../../http/streams/sse.ts";
import { toJsonLine } from "../../../model/frame.ts";
import type { Principal } from "../../../model/principal.ts";
import type { Media } from "../../../model/run/message.ts";
import type { RunRef } from "../../../runs/find.ts";
import type { Runs } from "../../../runs/runs.ts";
import type { Chunk } from "./chunks.ts";
import { type TranslatedRun, Translator } from "./translator.ts";

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
  const message = new MessageFrames(run, after);
  let files: readonly Media[] = [];
  const read = runs.follow(run, { cursor: -1 });
  async function* follow(signal: AbortSignal): AsyncGenerator<LogItem> {
    for await (const item of read(signal)) {
      // Files are not in the log. The run's row has them, and it is written together with the last event.
      if (item.kind === "frames" && mayEnd(item.bytes)) files = await runs.files(caller, run);
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
          return [message.of(item.bytes, files)];
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

/** Writes the frames of a message after the reader's cursor. Further chunks of a text are copied from the log without parsing them. */
class MessageFrames implements FrameHandler {
  readonly #translator: Translator;
  readonly #after: Cursor;
  readonly #scanner: FrameScanner;
  #files: readonly Media[] = [];

  constructor(run: TranslatedRun, after: Cursor) {
    this.#translator = new Translator(run);
    this.#after = after;
    this.#scanner = new FrameScanner(run.runId);
  }

  /** The frames for a buffer of stored frames. `files` are the files of the run, if the buffer has its end. */
  of(bytes: Buffer, files: readonly Media[]): string {
    this.#files = files;
    return this.#scanner.scan(bytes, this);
  }

  chunk(index: number, literal: string): string | undefined {
    const { openText } = this.#translator;
    if (openText === undefined) return undefined;
    if (isPast(this.#after, index, 0)) return "";
    return `data: {"type":"text-delta","id":"${openText}","delta":"${literal}"}\nid: ${index}.0\n\n`;
  }

  own(index: number, name: string, data: string): string {
    return this.#write(index, this.#translator.translate(index, name, data, this.#files));
  }

  nested(index: number, name: string, data: string): string {
    return this.own(index, name, data);
  }

  #write(index: number, chunks: readonly Chunk[]): string {
    let written = "";
    for (const [place, chunk] of chunks.entries()) {
      if (!isPast(this.#after, index, place)) written += `${dataOf(chunk)}id: ${index}.${place}\n\n`;
    }
    return written;
  }
}

/** Whether a buffer may have the last event of a complete run. */
function mayEnd(bytes: Buffer): boolean {
  return bytes.includes("RunCompleted\n") || bytes.includes("WorkflowCompleted\n");
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
