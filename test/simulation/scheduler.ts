/**
 * The only source of time and order. Everything is an event at a virtual time; events of one time have a random order. Between two
 * events all ready promises run natively, in their fixed order, so a seed determines everything.
 */
import type { Random } from "./random.ts";

/** The owner of events. Events of a dead owner never run; events of a paused owner wait until it resumes. */
export class Owner {
  state: "running" | "paused" | "dead" = "running";
  /** Events that became due during the pause. */
  held: (() => void)[] = [];
}

interface Event {
  readonly at: number;
  readonly order: number;
  readonly owner: Owner | undefined;
  /** Undefined after cancellation. */
  run: (() => void) | undefined;
}

/** The queue of future events. */
export class Scheduler {
  readonly #random: Random;
  readonly #heap: Event[] = [];
  #time = 0;
  #steps = 0;

  constructor(random: Random) {
    this.#random = random;
  }

  /** Virtual milliseconds since the beginning. */
  get time(): number {
    return this.#time;
  }

  /** Number of processed events. */
  get steps(): number {
    return this.#steps;
  }

  /** Schedules an event after a delay. The returned function cancels it. */
  after(milliseconds: number, owner: Owner | undefined, run: () => void): () => void {
    const event: Event = { at: this.#time + Math.max(milliseconds, 0), order: this.#random.fraction(), owner, run };
    this.#push(event);
    return () => {
      event.run = undefined;
    };
  }

  /** Resolves after a delay, for code without an owner. */
  sleep(milliseconds: number, owner?: Owner): Promise<void> {
    return new Promise((resolve) => void this.after(milliseconds, owner, resolve));
  }

  pause(owner: Owner): void {
    if (owner.state === "running") owner.state = "paused";
  }

  resume(owner: Owner): void {
    if (owner.state !== "paused") return;
    owner.state = "running";
    for (const run of owner.held.splice(0)) this.after(0, owner, run);
  }

  /** Processes events until `isOver` returns true; it is called before each event. Rejects with an error that an event throws. */
  run(isOver: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = () => {
        try {
          if (isOver() || !this.#happen()) return resolve();
        } catch (error) {
          return reject(error);
        }
        queueMicrotask(next);
      };
      // A tick that a microtask requests runs after all microtasks.
      const next = () => process.nextTick(step);
      next();
    });
  }

  /** Processes one event. Returns false if the queue is empty. */
  #happen(): boolean {
    for (;;) {
      const event = this.#pop();
      if (event === undefined) return false;
      if (event.run === undefined || event.owner?.state === "dead") continue;
      this.#time = event.at;
      if (event.owner?.state === "paused") {
        const { owner } = event;
        owner.held.push(() => event.run?.());
        continue;
      }
      this.#steps++;
      event.run();
      return true;
    }
  }

  #push(event: Event): void {
    const heap = this.#heap;
    let place = heap.length;
    while (place > 0) {
      const above = (place - 1) >> 1;
      const parent = heap[above] as Event;
      if (isBefore(parent, event)) break;
      heap[place] = parent;
      place = above;
    }
    heap[place] = event;
  }

  #pop(): Event | undefined {
    const heap = this.#heap;
    const first = heap[0];
    const last = heap.pop();
    if (first === undefined || last === undefined || heap.length === 0) return first;
    let place = 0;
    for (;;) {
      let below = 2 * place + 1;
      if (below >= heap.length) break;
      if (below + 1 < heap.length && isBefore(heap[below + 1] as Event, heap[below] as Event)) below++;
      if (isBefore(last, heap[below] as Event)) break;
      heap[place] = heap[below] as Event;
      place = below;
    }
    heap[place] = last;
    return first;
  }
}

function isBefore(one: Event, other: Event): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}
