/** Frames that are made at the edge, and a log's without those that are not wanted. */
import { eachFrame, frameName, toJsonLine } from "../../model/frame.ts";

/** A frame of the edge: no `id:`, no index. */
export function metaFrame(name: string, fields: Readonly<Record<string, string | number>>): string {
  return `event: ${name}\ndata: ${metaData(name, fields)}\n\n`;
}

/** What it says: JSON with spaces as recorded. The name stands first among its fields. */
export function metaData(name: string, fields: Readonly<Record<string, string | number | boolean>> = {}): string {
  const members = Object.entries({ event: name, ...fields }).map(
    ([key, value]) => `${JSON.stringify(key)}: ${toJsonLine(value)}`,
  );
  return `{${members.join(", ")}}`;
}

/** Sent when nothing else was for a while; a comment is no event. */
export const heartbeatComment = ": heartbeat\n\n";

/** The last thing on a stream that ends before its run does. */
export function interruptedComment(cursor: number): string {
  return `: interrupted, resume with last_event_index=${cursor}\n\n`;
}

/** The frames of the named events, without the others. */
export function onlyEvents(bytes: Buffer, names: ReadonlySet<string>): Buffer {
  const wanted = [...eachFrame(bytes)].filter((frame) => names.has(frameName(frame)));
  return wanted.length === 1 && wanted[0] ? wanted[0] : Buffer.concat(wanted);
}
