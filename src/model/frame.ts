/**
 * The one form of a stored event: `id: <n>\nevent: <name>\ndata: <one-line JSON, event_index last>\n\n` (WHATWG HTML, server-sent events).
 * JSON text holds no raw line feed, so an empty line ends a frame and stands nowhere else.
 */

const frameEnd = "\n\n";
const nameField = "\nevent: ";
const dataField = "\ndata: ";

/** An event on its way into the log: it gets its index when a flush takes it. */
export interface UnnumberedEvent {
  readonly name: string;
  /** Members of one JSON object as text, at least one, without the braces. */
  readonly members: string;
}

/** The frame of the event at `index`. */
export function encodeFrame(index: number, { name, members }: UnnumberedEvent): string {
  return `id: ${index}${nameField}${name}${dataField}{${members},"event_index":${index}}${frameEnd}`;
}

/** Bytes of a frame beside its members, about. */
export const frameOverhead = 64;

/**
 * The frames from index `from` on, of a buffer whose first frame has index `first`. A view, not a copy.
 */
export function framesFrom(bytes: Buffer, first: number, from: number): Buffer {
  let start = 0;
  for (let index = first; index < from; index++) {
    const end = bytes.indexOf(frameEnd, start);
    if (end < 0) return bytes.subarray(bytes.length);
    start = end + frameEnd.length;
  }
  return start === 0 ? bytes : bytes.subarray(start);
}

/** The frames before index `until`, of a buffer whose first frame has index `first`. A view, not a copy. */
export function framesBefore(bytes: Buffer, first: number, until: number): Buffer {
  return bytes.subarray(0, bytes.length - framesFrom(bytes, first, until).length);
}

/** The frames of a buffer, each a view. What comes after the last whole frame is left out. */
export function* eachFrame(bytes: Buffer): Generator<Buffer, void> {
  let start = 0;
  for (let end = bytes.indexOf(frameEnd); end !== -1; end = bytes.indexOf(frameEnd, start)) {
    yield bytes.subarray(start, end + frameEnd.length);
    start = end + frameEnd.length;
  }
}

/** The name of a frame's event. */
export function frameName(frame: Buffer): string {
  const start = frame.indexOf(nameField) + nameField.length;
  return frame.toString("latin1", start, frame.indexOf("\n", start));
}

/** The JSON text of a frame's event. */
export function frameData(frame: Buffer): string {
  return frameDataBytes(frame).toString("utf8");
}

/** The same as its bytes. A view, not a copy. */
export function frameDataBytes(frame: Buffer): Buffer {
  return frame.subarray(frame.indexOf(dataField) + dataField.length, frame.length - frameEnd.length);
}
