/** Frames as they stand in logs, and those that are made at the edge. */

const endOfFrame = "\n\n";
const nameField = "event: ";

/** A frame of the edge: no `id:`, no index, JSON with spaces as recorded. The name stands first among its fields. */
export function metaFrame(name: string, fields: Readonly<Record<string, string | number>>): string {
  const members = Object.entries({ event: name, ...fields }).map(
    ([key, value]) => `${JSON.stringify(key)}: ${JSON.stringify(value)}`,
  );
  return `event: ${name}\ndata: {${members.join(", ")}}\n\n`;
}

/** Sent when nothing else was for a while; a comment is no event. */
export const heartbeatComment = ": heartbeat\n\n";

/** The last thing on a stream that ends before its run does. */
export function interruptedComment(cursor: number): string {
  return `: interrupted, resume with last_event_index=${cursor}\n\n`;
}

/** The frames of the named events, without the others; the same buffer when all of them are wanted. */
export function onlyEvents(bytes: Buffer, names: ReadonlySet<string>): Buffer {
  const wanted: Buffer[] = [];
  let start = 0;
  while (start < bytes.length) {
    const end = bytes.indexOf(endOfFrame, start) + endOfFrame.length;
    if (end < endOfFrame.length) break;
    if (names.has(nameOf(bytes, start))) wanted.push(bytes.subarray(start, end));
    start = end;
  }
  return wanted.length === 1 && wanted[0] ? wanted[0] : Buffer.concat(wanted);
}

function nameOf(bytes: Buffer, start: number): string {
  const name = bytes.indexOf(nameField, start) + nameField.length;
  return bytes.toString("latin1", name, bytes.indexOf("\n", name));
}
