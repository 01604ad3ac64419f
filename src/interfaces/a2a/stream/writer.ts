/**
 * Writes a run's log as the frames of an A2A stream. Most events of a log are chunks of the answer: the writer copies
 * their text from the stored JSON into a prepared frame, without parsing them.
 */

import { type Cursor, isPast } from "../../../http/streams/frame-cursor.ts";
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

/** `{"created_at":` and a time in seconds: this precedes the part of an event that all chunks of an answer share. */
const unshared = '{"created_at":0000000000'.length;

export class StreamWriter {
  readonly #parts: WriterParts;
  /** The shared beginning of a chunk's event, between its time and its text. */
  #beginning: string | undefined;
  readonly #templates = new Map<ChunkForm, Template | undefined>();

  constructor(parts: WriterParts) {
    this.#parts = parts;
  }

  /** The frames for the stored frames in the buffer, which must follow the previous buffer without a gap. */
  write(bytes: Buffer, files: readonly Media[], changes?: StateChanges): string {
    const text = bytes.toString("utf8");
    let written = "";
    let start = 0;
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n", start)) {
      const nameEnd = text.indexOf("\n", start);
      const dataEnd = text.lastIndexOf("\n", end - 1);
      const index = Number(text.slice(dataEnd + "\nid: ".length, end));
      const data = nameEnd + "\ndata: ".length;
      const literal = this.#literalAt(text, data);
      if (literal === undefined) {
        const name = text.slice(start + "event: ".length, nameEnd);
        written += this.#translate(index, name, text.slice(data, dataEnd), files, changes);
      } else {
        written += this.#writeChunk(index, literal);
      }
      start = end + 2;
    }
    return written;
  }

  /** The text of an answer's chunk as a JSON literal, without quotes; undefined for other events. */
  #literalAt(text: string, data: number): string | undefined {
    const beginning = this.#beginning;
    if (beginning === undefined) return undefined;
    const start = data + unshared + beginning.length;
    // Comparing a slice takes a fifth of the time that `startsWith` takes.
    if (text.slice(data + unshared, start) !== beginning) return undefined;
    return text.slice(start, endOfLiteral(text, start));
  }

  #writeChunk(index: number, literal: string): string {
    if (literal === "") return "";
    const { translator, after } = this.#parts;
    const form = translator.countChunk(literal.includes("\\") ? unescaped(literal).length : literal.length);
    if (isPast(after, index, 0)) return "";
    const template = this.#templateOf(form);
    if (template) return `${template.before}${literal}${template.behind}${index}.0\n\n`;
    return this.#parts.toFrame(`${index}.0`, translator.chunkEvent(form, unescaped(literal)));
  }

  #translate(index: number, name: string, data: string, files: readonly Media[], changes?: StateChanges): string {
    const { taskId, translator, toFrame, after } = this.#parts;
    if (isChunk(name)) {
      const event = JSON.parse(data) as { run_id: string; content?: unknown };
      if (event.run_id === taskId && typeof event.content === "string" && event.content !== "") {
        this.#learnBeginning(data, event.content);
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

  /** Stores the beginning of a chunk's event, if the text cut out by position equals the parsed one. */
  #learnBeginning(data: string, content: string): void {
    const mark = '"content":"';
    const text = data.indexOf(mark) + mark.length;
    const end = endOfLiteral(data, text);
    if (text < mark.length || end === -1 || !/^\{"created_at":\d{10}$/.test(data.slice(0, unshared))) return;
    if (unescaped(data.slice(text, end)) === content) this.#beginning = data.slice(unshared, text);
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

function isChunk(name: string): boolean {
  return name === "RunContent" || name === "TeamRunContent";
}

const backslash = "\\".charCodeAt(0);

/** The end of the JSON string that begins at `start`: the first unescaped quote; -1 if there is none. */
function endOfLiteral(text: string, start: number): number {
  let end = text.indexOf('"', start);
  while (text.charCodeAt(end - 1) === backslash && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end;
}

/** Whether an odd number of backslashes precedes a position: pairs of backslashes escape themselves. */
function isEscaped(text: string, place: number): boolean {
  let first = place;
  while (text.charCodeAt(first - 1) === backslash) first--;
  return (place - first) % 2 === 1;
}

function unescaped(literal: string): string {
  try {
    return JSON.parse(`"${literal}"`) as string;
  } catch {
    return "";
  }
}
