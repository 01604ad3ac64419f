/** Heartbeats of open streams. One timer serves all streams of an interval: a timer for each stream would cost memory, and work for each event. */

/** A stream that gets heartbeats. */
export interface Beating {
  /** Ticks since the last output; the stream sets it to 0 at each output. */
  quietTicks: number;
  /** Called after an interval without output. */
  beat(): void;
}

/** A heartbeat is up to one tick early, so that no silence is longer than the interval. */
const ticksPerInterval = 4;

class Heartbeats {
  readonly #streams = new Set<Beating>();
  readonly #tickTime: number;
  #timer: NodeJS.Timeout | undefined;

  constructor(interval: number) {
    this.#tickTime = Math.max(1, Math.floor(interval / ticksPerInterval));
  }

  add(stream: Beating): void {
    this.#streams.add(stream);
    this.#timer ??= setInterval(() => this.#tick(), this.#tickTime);
  }

  remove(stream: Beating): void {
    this.#streams.delete(stream);
    if (this.#streams.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #tick(): void {
    for (const stream of this.#streams) {
      if (++stream.quietTicks < ticksPerInterval) continue;
      stream.quietTicks = 0;
      stream.beat();
    }
  }
}

const byInterval = new Map<number, Heartbeats>();

/** Begins heartbeats after each interval, in milliseconds, without output; the returned object ends them. */
export function heartbeatsEvery(interval: number): Pick<Heartbeats, "add" | "remove"> {
  const known = byInterval.get(interval);
  if (known) return known;
  const made = new Heartbeats(interval);
  byInterval.set(interval, made);
  return made;
}
