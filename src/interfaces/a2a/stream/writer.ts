/**
 * Writes a run's log as the frames of an A2A stream. Most events of a log are chunks of the answer: the writer copies
 * their text from the stored JSON into a prepared frame, without parsing them.
 */

import { type Cursor, isPast } from "../../../http/streams/frame-cursor.ts";
import { FrameScanner, isChunk, textOfLiteral } from "../../../http/streams/frame-scanner.ts";
import { toJsonLine } from "../../../model/frame.ts";
import type { Media } from "../../../model/run/message.ts";
import type { StateChanges } from "../../../runs/changes.ts";
import type { A2aEvent } from "../protocol.ts";
import { type Fact, factOf } from "./facts.ts";
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

  #writeChunk(index: number, literal: string): string {
    const { translator, after } = this.#parts;
    const form = translator.countChunk(literal.includes("\\") ? textOfLiteral(literal).length : literal.length);
    if (isPast(after, index, 0)) return "";
    const template = this.#templateOf(form);
    if (template) return `${template.before}${literal}${template.behind}${index}.0\n\n`;
    return this.#parts.toFrame(`${index}.0`, translator.chunkEvent(form, textOfLiteral(literal)));
  }

  #translate(index: number, name: string, data: string, files: readonly Media[], changes?: StateChanges): string {
    const { taskId, translator, toFrame, after } = this.#parts;
    if (isChunk(name)) {
      const event = JSON.parse(data) as { run_id: string; content?: unknown };
      if (event.run_id === taskId && typeof event.content === "string" && event.content !== "") {
        return this.#writeChunk(index, toJsonLine(event.content).slice(1, -1));
      }
    }
    const found = factOf(taskId, name, data);
    if (!found) return "";
    const fact = found.kind === "end" ? { ...found, at: timeOf(found, index, changes) } : found;
    let written = "";
    for (const [frame, event] of translator.translate(fact, files).entries()) {
      if (!isPast(after, index, frame)) written += toFrame(`${index}.${frame}`, event);
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
