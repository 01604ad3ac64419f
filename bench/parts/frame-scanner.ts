/**
 * Reads an event stream as cheaply as it can while it still proves something: counts frames, and holds their ids to 0, 1, 2, …, or where not every
 * event of the log is told to an order in which none comes before the one before it.
 */
import { now } from "./time.ts";

/** What a stream showed. */
export class FrameScanner {
  events = 0;
  /** Index that the next event must have. */
  next = 0;
  /** Why the stream is not a log, once it is none. */
  fault: string | undefined;
  readonly #emitted: ((milliseconds: number) => void) | undefined;
  readonly #hasGaps: boolean;
  #rest = "";

  /**
   * @param emitted told the milliseconds from emit to receipt of events that carry the time of their emit
   * @param hasGaps whether not every event is told, and one may be told in several frames
   */
  constructor(emitted?: (milliseconds: number) => void, hasGaps = false) {
    this.#emitted = emitted;
    this.#hasGaps = hasGaps;
  }

  /** Takes in text of the stream; the borders of HTTP's chunks may stand between frames. */
  scan(text: string): void {
    const all = this.#rest === "" ? text : this.#rest + text;
    let start = 0;
    for (;;) {
      const end = all.indexOf("\n\n", start);
      if (end < 0) break;
      const id = all.lastIndexOf("\nid: ", end);
      if (id > start) this.#take(all, start, id);
      start = end + 2;
    }
    this.#rest = all.slice(start);
  }

  /** Whether HTTP's last chunk has come. */
  get isOver(): boolean {
    return this.#rest.endsWith("\r\n0\r\n\r\n") || this.#rest === "0\r\n\r\n";
  }

  #take(text: string, from: number, end: number): void {
    const index = digits(text, end + "\nid: ".length);
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
