/** Meta frames, which the HTTP layer adds to streams, and a filter for the frames of a log. */
import { eachFrame, frameName, toJsonLine } from "../../model/frame.ts";

/** A meta frame: it has no `id:` and no index. */
export function metaFrame(name: string, fields: Readonly<Record<string, string | number>>): string {
  return `event: ${name}\ndata: ${metaData(name, fields)}\n\n`;
}

/** The data of a meta frame: JSON with spaces, as recorded. The event's name is its first field. */
export function metaData(name: string, fields: Readonly<Record<string, string | number | boolean>> = {}): string {
  const members = Object.entries({ event: name, ...fields }).map(
    ([key, value]) => `${JSON.stringify(key)}: ${toJsonLine(value)}`,
  );
  return `{${members.join(", ")}}`;
}

/** Sent after a period without output; a comment is not an event. */
export const heartbeatComment = ": heartbeat\n\n";

/** The last output of a stream that ends before its run does. */
export function interruptedComment(cursor: number): string {
  return `: interrupted, resume with last_event_index=${cursor}\n\n`;
}

/** The frames of the named events, without the others. */
export function onlyEvents(bytes: Buffer, names: ReadonlySet<string>): Buffer {
  const wanted = [...eachFrame(bytes)].filter((frame) => names.has(frameName(frame)));
  return wanted.length === 1 && wanted[0] ? wanted[0] : Buffer.concat(wanted);
}
