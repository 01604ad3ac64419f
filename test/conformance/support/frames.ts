/** Frames of a stream, taken apart without losing a byte. */
export interface Frame {
  /** Text of the whole frame, with its empty line. */
  raw: string;
  id: string | undefined;
  event: string | undefined;
  /** Text of a comment, for a frame that is one. */
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

/** Texts of the events of the log, in order. */
export function rawEvents(frames: readonly Frame[]): string[] {
  return frames.filter(({ id }) => id !== undefined).map(({ raw }) => raw);
}
