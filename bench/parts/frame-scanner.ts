/**
 * Reads an event stream as cheaply as possible while still checking it: counts frames, and checks that their ids are 0, 1, 2, … If the stream omits
 * events, it only checks that the ids never decrease.
 */
import { now } from "./time.ts";

const idStart = "\nid: ";

/** Checks and counts the frames of a stream. */
export class FrameScanner {
  events = 0;
  /** Index that the next event must have. */
  next = 0;
  /** Why the stream is invalid, once it is. */
  fault: string | undefined;
  readonly #emitted: ((milliseconds: number) => void) | undefined;
  readonly #hasGaps: boolean;
  #rest = "";

  /**
   * @param emitted called with the milliseconds from emit to receipt, for events that contain their emit time
   * @param hasGaps whether the stream may omit events, and may split one event into several frames
   */
  constructor(emitted?: (milliseconds: number) => void, hasGaps = false) {
    this.#emitted = emitted;
    this.#hasGaps = hasGaps;
  }

  /** Scans text of the stream; HTTP's chunk headers may be between frames. */
  scan(text: string): void {
    const all = this.#rest === "" ? text : this.#rest + text;
    let start = 0;
    for (;;) {
      const end = all.indexOf("\n\n", start);
      if (end < 0) break;
      // The id is the last line of a frame. A search for it would read the whole text for each frame without an id.
      const line = all.lastIndexOf("\n", end - 1);
      if (line > start && all.startsWith(idStart, line)) this.#take(all, start, line);
      start = end + 2;
    }
    this.#rest = all.slice(start);
  }

  /** Whether HTTP's last chunk has arrived. */
  get isOver(): boolean {
    return this.#rest.endsWith("\r\n0\r\n\r\n") || this.#rest === "0\r\n\r\n";
  }

  #take(text: string, from: number, end: number): void {
    const index = digits(text, end + idStart.length);
    const isDue = this.#hasGaps ? index >= this.next - 1 : index === this.next;
    if (!isDue) this.fault ??= `event ${index} where ${this.next} was due`;
    this.next = index + 1;
    this.events++;
    if (!this.#emitted) return;
    const emitted = text.indexOf('"content":"@', from);
    if (emitted >= 0 && emitted < end) this.#emitted(now() - digits(text, emitted + 12) / 1000);
  }
}

function digits(text: string, from: number): number {
  let value = 0;
  for (let place = from; ; place++) {
    const digit = text.charCodeAt(place) - 48;
    if (!(digit >= 0 && digit <= 9)) return value;
    value = value * 10 + digit;
  }
}
