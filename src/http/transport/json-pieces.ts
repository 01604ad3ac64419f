/** JSON answers that are written in pieces, so that a large one neither blocks the process nor lies in memory as one text. */
import { randomUUID } from "node:crypto";
import { Readable } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyReply } from "fastify";

/** An answer up to this size is sent whole. A larger one is sent in pieces of about this size. */
const pieceBytes = 1024 * 1024;

/** An object that is JSON text already: it goes into an answer as it is. Only what writes the answer can read it. */
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

/** Where raw values stand in a text that is being made. No request knows it. */
const mark = `raw-${randomUUID()}`;
let found: RawJson[] | undefined;

/** Shorter texts are parsed as they are. */
const minLargeText = 256 * 1024;

/** Strings of this length and longer stay raw. */
const minRawString = 16 * 1024;

/**
 * A stored JSON text as a value. The long strings of a large text stay raw, because parsing them and writing them again would block the process.
 * Only what passes values on to an answer may use it: where the type says string there may be a raw one. `String()` gives its value.
 */
export function parseStored(json: string): unknown {
  if (json.length < minLargeText) return JSON.parse(json);
  const raw: RawJson[] = [];
  let rest = "";
  let from = 0;
  for (let start = json.indexOf('"'); start !== -1; ) {
    const end = endOfString(json, start);
    if (end - start >= minRawString) {
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

/** Where the string that begins at a quote ends, its last quote included. */
function endOfString(json: string, start: number): number {
  for (let quote = json.indexOf('"', start + 1); quote !== -1; quote = json.indexOf('"', quote + 1)) {
    let before = quote;
    while (json[before - 1] === "\\") before -= 1;
    if ((quote - before) % 2 === 0) return quote + 1;
  }
  return json.length;
}

/** Sends a value as JSON. A large one goes in pieces: see `sendPieces`. */
export function sendJson(reply: FastifyReply, value: unknown): Readable | string {
  const pieces = toPieces(value);
  return sendPieces(
    reply,
    pieces,
    pieces.reduce((sum, { length }) => sum + length, 0),
  );
}

/** The JSON text of a value, in pieces: what is raw in it is never parsed. */
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

/** The answer of a listing that counts its pages. Elements are made one after the other, and between them other requests have their turn. */
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

/** Sends JSON text. Between two pieces other requests have their turn, and a client that reads slowly is waited for. */
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

/** Of a surrogate pair, which is never cut: its halves alone have no UTF-8. */
function isFirstHalf(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xdc00;
}
