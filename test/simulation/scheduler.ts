/**
 * The one source of time and order. Everything that happens is an event at a virtual time; chance orders those of one time. Between two
 * events all promises that are ready run natively, in their own fixed order, so a seed decides everything.
 */
import type { Random } from "./random.ts";

/** Who an event wakes. A dead owner is never woken again, a paused one only when it goes on. */
export class Owner {
  state: "running" | "paused" | "dead" = "running";
  /** Events that came while it was paused. */
  held: (() => void)[] = [];
}

interface Event {
  readonly at: number;
  readonly order: number;
  readonly owner: Owner | undefined;
  /** Undefined once it is taken back. */
  run: (() => void) | undefined;
}

/** The queue of what is to happen. */
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

  /** Events that have happened. */
  get steps(): number {
    return this.#steps;
  }

  /** Lets something happen after a while; the returned function takes it back. */
  after(milliseconds: number, owner: Owner | undefined, run: () => void): () => void {
    const event: Event = { at: this.#time + Math.max(milliseconds, 0), order: this.#random.fraction(), owner, run };
    this.#push(event);
    return () => {
      event.run = undefined;
    };
  }

  /** Resolves after a while, for code that belongs to nobody. */
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

  /** Lets things happen until `isOver` says so, which is asked before each of them. Rejects with what an event throws. */
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
      // A tick that is asked for by a microtask comes when no microtask is left.
      const next = () => process.nextTick(step);
      next();
    });
  }

  /** False when nothing is left to happen. */
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
