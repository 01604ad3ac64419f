/** Reads server-sent events (WHATWG HTML, section 9.2.6) of another server, with a bounded frame size. */
import { UpstreamRefusal } from "./upstream-errors.ts";

/** A frame of the stream. */
export interface SseFrame {
  readonly event: string;
  readonly data: string;
  /** The id with which a reader resumes after the frame; undefined for a frame without one. */
  readonly id: string | undefined;
}

/** Maximum number of characters of a frame. */
const maxFrameCharacters = 32 * 1024 * 1024;

/**
 * Yields the frames of a body, in order. Ignores an incomplete frame at the end.
 * @param onBytes called whenever data arrives, including comments
 */
export async function* readFrames(
  body: AsyncIterable<Uint8Array>,
  onBytes: () => void = () => {},
): AsyncGenerator<SseFrame, void> {
  let event = "";
  let id: string | undefined;
  let data: string[] = [];
  let size = 0;
  for await (const { lines, begun } of linesOf(body, onBytes)) {
    for (const line of lines) {
      size += line.length;
      if (line === "") {
        if (data.length > 0) yield { event: event || "message", data: data.join("\n"), id };
        event = "";
        id = undefined;
        data = [];
        size = 0;
      } else if (line.startsWith("data:")) data.push(fieldOf(line, "data:"));
      else if (line.startsWith("event:")) event = fieldOf(line, "event:");
      else if (line.startsWith("id:")) id = fieldOf(line, "id:");
    }
    if (size + begun > maxFrameCharacters) throw new UpstreamRefusal(413, "a frame of its stream is too large");
  }
}

/** Yields the lines that each chunk completes, and the length of the incomplete last line. Reads each character only once. */
async function* linesOf(
  body: AsyncIterable<Uint8Array>,
  onBytes: () => void,
): AsyncGenerator<{ readonly lines: readonly string[]; readonly begun: number }, void> {
  const decoder = new TextDecoder();
  let parts: string[] = [];
  let begun = 0;
  let endedWithReturn = false;
  for await (const chunk of body) {
    onBytes();
    let text = decoder.decode(chunk, { stream: true });
    if (text === "") continue;
    // A CR at the end of a chunk and an LF at the start of the next are one line end.
    if (endedWithReturn && text.startsWith("\n")) text = text.slice(1);
    endedWithReturn = text.endsWith("\r");
    const lines = text.split(/\r\n|\n|\r/);
    const rest = lines.pop() ?? "";
    if (lines.length > 0) {
      lines[0] = [...parts, lines[0]].join("");
      parts = [];
      begun = 0;
    }
    parts.push(rest);
    begun += rest.length;
    yield { lines, begun };
  }
}

function fieldOf(line: string, field: string): string {
  const value = line.slice(field.length);
  return value.startsWith(" ") ? value.slice(1) : value;
}
