/**
 * Writes a run's log as the frames of an A2A stream. Most events of a log are chunks of the answer: the writer copies
 * their text from the stored JSON into a prepared frame, without parsing them.
 */

import { type Cursor, isPast } from "../../../http/streams/frame-cursor.ts";
import { FrameScanner, textOfLiteral } from "../../../http/streams/frame-scanner.ts";
import { toJsonLine } from "../../../model/frame.ts";
import type { Media } from "../../../model/run/message.ts";
import type { StateChanges } from "../../../runs/changes.ts";
import type { A2aEvent } from "../protocol.ts";
import { type Fact, factsOf } from "./facts.ts";
import type { ChunkForm, Translator } from "./translator.ts";

/** Converts one event to one frame, with its cursor as the id. */
export type ToFrame = (id: string, event: A2aEvent) => string;

export interface WriterParts {
  readonly taskId: string;
  readonly translator: Translator;
  readonly toFrame: ToFrame;
  /** The reader's cursor: events before it reach the translator, but are not written. */
  readonly after: Cursor;
}

/** A frame in two halves, around its text. The second half ends where the id goes. */
interface Template {
  readonly before: string;
  readonly behind: string;
}

export class StreamWriter {
  readonly #parts: WriterParts;
  readonly #scanner: FrameScanner;
  readonly #templates = new Map<ChunkForm, Template | undefined>();

  constructor(parts: WriterParts) {
    this.#parts = parts;
    this.#scanner = new FrameScanner(parts.taskId);
  }

  /** The frames for the stored frames in the buffer, which must follow the previous buffer without a gap. */
  write(bytes: Buffer, files: readonly Media[], changes?: StateChanges): string {
    const translate = (index: number, name: string, data: string): string =>
      this.#translate(index, name, data, files, changes);
    const chunk = (index: number, literal: string): string => this.#writeChunk(index, literal);
    return this.#scanner.scan(bytes, { chunk, own: translate, nested: translate });
  }

  /** Writes a chunk of the answer. `frame` is the number of its frame within the event. */
  #writeChunk(index: number, literal: string, frame = 0): string {
    const { translator, after } = this.#parts;
    const form = translator.countChunk(literal.includes("\\") ? textOfLiteral(literal).length : literal.length);
    if (isPast(after, index, frame)) return "";
    const template = this.#templateOf(form);
    if (template) return `${template.before}${literal}${template.behind}${index}.${frame}\n\n`;
    return this.#parts.toFrame(`${index}.${frame}`, translator.chunkEvent(form, textOfLiteral(literal)));
  }

  #translate(index: number, name: string, data: string, files: readonly Media[], changes?: StateChanges): string {
    const { taskId, translator, toFrame, after } = this.#parts;
    let written = "";
    let frame = 0;
    for (const fact of factsOf(taskId, name, data)) {
      if (fact.kind === "content" && typeof fact.value === "string") {
        written += this.#writeChunk(index, toJsonLine(fact.value).slice(1, -1), frame++);
        continue;
      }
      const timed = fact.kind === "end" ? { ...fact, at: timeOf(fact, index, changes) } : fact;
      for (const event of translator.translate(timed, files)) {
        if (!isPast(after, index, frame)) written += toFrame(`${index}.${frame}`, event);
        frame++;
      }
    }
    return written;
  }

  #templateOf(form: ChunkForm): Template | undefined {
    if (!this.#templates.has(form)) {
      const placeholder = "placeholder-of-the-chunk";
      const frame = this.#parts.toFrame("", this.#parts.translator.chunkEvent(form, placeholder));
      const [before = "", behind, ...more] = frame.split(placeholder);
      const isOne = behind !== undefined && more.length === 0 && behind.endsWith("\nid: \n\n");
      this.#templates.set(form, isOne ? { before, behind: behind.slice(0, -"\n\n".length) } : undefined);
    }
    return this.#templates.get(form);
  }
}

/** The time at which a run paused or ended, in milliseconds if the store has it: events have seconds. */
function timeOf(
  { state, at }: Extract<Fact, { kind: "end" }>,
  index: number,
  changes: StateChanges | undefined,
): number {
  const isPause = state === "input-required" || state === "auth-required";
  return (isPause ? changes?.pauses.find((pause) => pause.index === index)?.at : changes?.endedAt) ?? at;
}
