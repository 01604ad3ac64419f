/**
 * The format of a stored event: `event: <name>\ndata: <one-line JSON, event_index last>\nid: <n>\n\n` (WHATWG HTML, server-sent events).
 * JSON text holds no raw line feed, so an empty line occurs only at the end of a frame.
 */

const frameEnd = "\n\n";
const nameField = "event: ";
const dataField = "\ndata: ";
const idField = "\nid: ";
const lineFeed = "\n".charCodeAt(0);
const oldStart = "i".charCodeAt(0);

/** An event without an index. It gets its index when a flush takes it. */
export interface UnnumberedEvent {
  readonly name: string;
  /** Members of one JSON object as text without the braces; at least one member. */
  readonly members: string;
}

/** Encodes events as frames. The first event gets the index `first`. */
export function encodeFrames(first: number, events: readonly UnnumberedEvent[]): Buffer {
  let text = "";
  let index = first;
  for (const { name, members } of events) {
    text += `${nameField}${name}${dataField}{${members},"event_index":${index}}${idField}${index}${frameEnd}`;
    index++;
  }
  const bytes = Buffer.from(text, "utf8");
  // A text with equal numbers of bytes and characters is ASCII, so it contains no separator.
  if (bytes.length === text.length) return bytes;
  const escaped = escapeSeparators(text);
  return escaped === text ? bytes : Buffer.from(escaped, "utf8");
}

/** Approximate size of a frame without its members, in bytes. */
export const frameOverhead = 64;

/** Returns a value as JSON on one line, also for readers that split lines by the rules of Unicode. */
export function toJsonLine(value: unknown): string {
  return escapeSeparators(JSON.stringify(value));
}

/**
 * Escapes U+0085, U+2028 and U+2029 in JSON text: the only Unicode line separators that JSON.stringify leaves unescaped. They occur only in
 * strings, where the escape sequence has the same meaning.
 */
function escapeSeparators(text: string): string {
  // Three searches for a single character are much faster than one search for a character class.
  if (!text.includes("\u2028") && !text.includes("\u2029") && !text.includes("\u0085")) return text;
  return text.replace(
    /[\u0085\u2028\u2029]/g,
    (separator) => `\\u${separator.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/**
 * Converts stored frames to the current format. Version 0.1.0 stored `id` as the first field and did not escape separators. While two
 * versions share a database, one row may hold frames of both.
 */
export function upgradeFrames(bytes: Buffer): Buffer {
  const isOld = bytes[0] === oldStart || bytes.indexOf(`${frameEnd}id: `) !== -1;
  if (!isOld) return bytes;
  const text = bytes.toString("utf8").replace(/id: (\d+)\n(event: [^\n]*\ndata: [^\n]*)\n\n/g, "$2\nid: $1\n\n");
  return Buffer.from(escapeSeparators(text), "utf8");
}

/** Returns the frames from index `from` on, of a buffer whose first frame has index `first`. A view, not a copy. */
export function framesFrom(bytes: Buffer, first: number, from: number): Buffer {
  let start = 0;
  for (let index = first; index < from; index++) {
    const end = bytes.indexOf(frameEnd, start);
    if (end < 0) return bytes.subarray(bytes.length);
    start = end + frameEnd.length;
  }
  return start === 0 ? bytes : bytes.subarray(start);
}

/** Returns the frames before index `until`, of a buffer whose first frame has index `first`. A view, not a copy. */
export function framesBefore(bytes: Buffer, first: number, until: number): Buffer {
  return bytes.subarray(0, bytes.length - framesFrom(bytes, first, until).length);
}

/** Yields each frame of a buffer as a view. An incomplete frame at the end is left out. */
export function* eachFrame(bytes: Buffer): Generator<Buffer, void> {
  let start = 0;
  for (let end = bytes.indexOf(frameEnd); end !== -1; end = bytes.indexOf(frameEnd, start)) {
    yield bytes.subarray(start, end + frameEnd.length);
    start = end + frameEnd.length;
  }
}

/** Returns the name of a frame's event. */
export function frameName(frame: Buffer): string {
  return frame.toString("latin1", nameField.length, frame.indexOf(lineFeed));
}

/** Returns the JSON text of a frame's event. */
export function frameData(frame: Buffer): string {
  return frameDataBytes(frame).toString("utf8");
}

/** Returns the bytes of the JSON text of a frame's event. A view, not a copy. */
export function frameDataBytes(frame: Buffer): Buffer {
  const start = frame.indexOf(dataField) + dataField.length;
  return frame.subarray(start, frame.indexOf(lineFeed, start));
}
