/** Splits a stream into frames without losing a byte. */
export interface Frame {
  /** The frame's text, with its empty line. */
  raw: string;
  id: string | undefined;
  event: string | undefined;
  /** The comment's text, if the frame is a comment. */
  comment: string | undefined;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into whatever came
  data: any;
}

export class FrameReader {
  #rest = Buffer.alloc(0);

  read(chunk: Buffer): Frame[] {
    this.#rest = Buffer.concat([this.#rest, chunk]);
    const frames: Frame[] = [];
    for (let end = this.#rest.indexOf("\n\n"); end >= 0; end = this.#rest.indexOf("\n\n")) {
      frames.push(toFrame(this.#rest.subarray(0, end + 2).toString("utf8")));
      this.#rest = this.#rest.subarray(end + 2);
    }
    return frames;
  }
}

function toFrame(raw: string): Frame {
  const lines = raw.slice(0, -2).split("\n");
  const field = (name: string): string | undefined =>
    lines.find((line) => line.startsWith(`${name}: `))?.slice(name.length + 2);
  const data = field("data");
  return {
    raw,
    id: field("id"),
    event: field("event"),
    comment: field(""),
    data: data === undefined ? undefined : JSON.parse(data),
  };
}

/** The texts of the log's events, in order. */
export function rawEvents(frames: readonly Frame[]): string[] {
  return frames.filter(({ id }) => id !== undefined).map(({ raw }) => raw);
}
