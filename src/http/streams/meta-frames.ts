/** Meta frames, which the HTTP layer adds to streams, and a filter for the frames of a log. */
import type { LogItem } from "../../events/run-logs.ts";
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

/** Error text for a run whose log the server cannot read. */
export function unreadableText(runId: string): string {
  return `The events of the run ${runId} cannot be read; the server's log names the reason.`;
}

/** Meta frames for the items of a log other than events, on every stream: `gap`, and `error` for a run that is deleted or unreadable. */
export function metaFramesOf({ runId }: { readonly runId: string }, item: LogItem): readonly string[] {
  switch (item.kind) {
    case "gap":
      return [
        metaFrame("gap", {
          run_id: runId,
          requested_index: item.requested,
          first_available_index: item.firstAvailable,
        }),
      ];
    case "deleted":
      return [metaFrame("error", { error: `Run ${runId} not found in buffer or database` })];
    case "unreadable":
      return [metaFrame("error", { error: unreadableText(runId), error_code: "INTERNAL_SERVER_ERROR" })];
    default:
      return [];
  }
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
