/** Writes JSON answers in pieces, so that a large one neither blocks the process nor is held in memory as one text. */
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyReply } from "fastify";

/** Size limit in bytes up to which an answer is sent whole. A larger one is sent in pieces of about this size. */
const pieceBytes = 1024 * 1024;

/** An object that is already JSON text and is copied into the answer unchanged. Only the writer of the answer can read it. */
export function rawJson(json: string): Record<string, unknown> {
  return new RawJson(json) as unknown as Record<string, unknown>;
}

class RawJson {
  readonly json: string;

  constructor(json: string) {
    this.json = json;
  }

  toString(): string {
    return String(JSON.parse(this.json));
  }

  toJSON(): unknown {
    if (found === undefined) return JSON.parse(this.json);
    found.push(this);
    return mark;
  }
}

/** Placeholder for raw values while a text is written. No client can know it. */
const mark = `raw-${randomUUID()}`;
let found: RawJson[] | undefined;

/** Length in characters below which texts are parsed completely. */
const minLargeText = 256 * 1024;

/** Length in characters from which strings stay raw. */
const minRawStringLength = 16 * 1024;

/**
 * Parses a stored JSON text. The long strings of a large text stay raw, because parsing and serializing them would block the process. Use it only for
 * values that are passed on to an answer: a member of type string may be a raw one. `String()` returns its value.
 */
export function parseStored(json: string): unknown {
  if (json.length < minLargeText) return JSON.parse(json);
  const raw: RawJson[] = [];
  let rest = "";
  let from = 0;
  for (let start = json.indexOf('"'); start !== -1; ) {
    const end = endOfString(json, start);
    // Only values become raw, names of members do not.
    if (end - start >= minRawStringLength && json[end] !== ":") {
      rest += `${json.slice(from, start)}"${mark}${raw.length}"`;
      raw.push(new RawJson(json.slice(start, end)));
      from = end;
    }
    start = json.indexOf('"', end);
  }
  if (raw.length === 0) return JSON.parse(json);
  const rawAt = (text: string): RawJson | undefined =>
    text.startsWith(mark) ? raw[Number(text.slice(mark.length))] : undefined;
  return JSON.parse(rest + json.slice(from), (_, value) =>
    typeof value === "string" ? (rawAt(value) ?? value) : value,
  );
}

/** The index after the closing quote of the string that begins at `start`. */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (json[before - 1] === "\\") before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return json.length;
}

/** Sends a value as JSON. A large value is sent in pieces: see `sendPieces`. */
export function sendJson(reply: FastifyReply, value: unknown): Readable | string {
  const pieces = toPieces(value);
  return sendPieces(
    reply,
    pieces,
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
}

/** The JSON text of a value, in pieces: raw parts of it are never parsed. */
export function toPieces(value: unknown): readonly string[] {
  found = [];
  try {
    const text = JSON.stringify(value);
    if (found.length === 0) return [text];
    const raw = found;
    return text
      .split(`"${mark}"`)
      .flatMap((part, place) => (place === 0 ? [part] : [raw[place - 1]?.json ?? "", part]));
  } finally {
    found = undefined;
  }
}

/** The answer of a listing with page information. It serializes elements one by one and yields the event loop between them. */
export async function sendPage<Row>(
  reply: FastifyReply,
  rows: readonly Row[],
  show: (row: Row) => unknown,
  meta: () => Readonly<Record<string, unknown>>,
): Promise<Readable | string> {
  const pieces = ['{"data":['];
  let bytes = 0;
  let turnAt = pieceBytes;
  for (const [place, row] of rows.entries()) {
    for (const piece of [place === 0 ? "" : ",", ...toPieces(show(row))]) {
      pieces.push(piece);
      bytes += Buffer.byteLength(piece);
    }
    if (bytes < turnAt) continue;
    turnAt = bytes + pieceBytes;
    await nextTurn();
  }
  pieces.push(`],"meta":${JSON.stringify(meta())}}`);
  return sendPieces(reply, pieces, bytes);
}

/** Sends JSON text. It yields the event loop between pieces, and waits for slow readers. */
export function sendPieces(reply: FastifyReply, pieces: readonly string[], bytes: number): Readable | string {
  reply.type("application/json; charset=utf-8");
  return bytes <= pieceBytes ? pieces.join("") : Readable.from(encoded(pieces), { highWaterMark: 1 });
}

async function* encoded(pieces: readonly string[]): AsyncGenerator<Buffer, void> {
  let waiting: string[] = [];
  let length = 0;
  for (const piece of pieces) {
    for (let start = 0, end = 0; start < piece.length; start = end) {
      end = Math.min(start + pieceBytes, piece.length);
      if (end < piece.length && isFirstHalf(piece.charCodeAt(end - 1))) end += 1;
      const part = piece.slice(start, end);
      waiting.push(part);
      length += part.length;
      if (length < pieceBytes) continue;
      yield Buffer.from(waiting.join(""));
      await nextTurn();
      [waiting, length] = [[], 0];
    }
  }
  if (length > 0) yield Buffer.from(waiting.join(""));
}

/** Whether the code unit begins a surrogate pair. Pairs are never split: a half has no UTF-8 encoding. */
function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
