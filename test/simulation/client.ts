/** Clients: they start runs, follow them from their cursor on any live process, disconnect, resume, and compare all received events with the log. */
import { TroupeError } from "../../src/errors.ts";
import type { LogItem } from "../../src/events/run-logs.ts";
import { system } from "../../src/model/principal.ts";
import type { ReaderTraits } from "./plan.ts";
import type { SimulatedProcess } from "./process.ts";
import type { RootView } from "./views.ts";
import { splitFrames } from "./views.ts";
import type { World } from "./world.ts";

/** The request got no response: its effect is unknown. */
const left = new Error("the client has left");

export class NoAnswer extends Error {}

/** Sends a request to a process, which handles it and responds if it lives long enough. */
export function request<T>(
  world: World,
  process: SimulatedProcess,
  handle: () => Promise<T>,
  losesAnswer = false,
): Promise<T> {
  const { scheduler, random } = world;
  return new Promise((resolve, reject) => {
    const settle = (act: () => void): void => {
      process.connections.delete(lose);
      scheduler.after(random.skewed(0.1, 20), undefined, act);
    };
    const lose = (): void => settle(() => reject(new NoAnswer("the connection is lost")));
    if (process.isDead) return lose();
    process.connections.add(lose);
    const answered = (act: () => void): void => (losesAnswer ? lose() : settle(act));
    scheduler.after(random.skewed(0.1, 20), process.owner, () => {
      handle().then(
        (value) => answered(() => resolve(value)),
        (error: unknown) => answered(() => reject(error)),
      );
    });
  });
}

/** Whether a client retries after this error. */
export function mayRetry(error: unknown): boolean {
  return error instanceof NoAnswer || (error instanceof TroupeError && error.code === "unavailable");
}

/** A client that follows one run. */
export class Reader {
  readonly name: string;
  readonly #world: World;
  readonly #root: RootView;
  readonly #traits: ReaderTraits;
  #cursor = -1;
  /** Set while the client reads: aborting it closes the client's connection. */
  #hangUp: (() => void) | undefined;
  #away: number | undefined;
  #isOver = false;
  #gaveUp = false;

  constructor(world: World, name: string, root: RootView, traits: ReaderTraits) {
    this.#world = world;
    this.name = name;
    this.#root = root;
    this.#traits = traits;
  }

  /** Reads to the end of the run, or until the client disconnects for good. */
  async read(): Promise<void> {
    while (!this.#isOver && !this.#gaveUp) {
      const process = this.#world.anyServing();
      if (process) await this.#connect(process);
      if (this.#isOver || this.#gaveUp) break;
      await this.#world.scheduler.sleep(this.#away ?? this.#world.random.between(1, 120));
      this.#away = undefined;
    }
  }

  /** Closes the connection, and resumes later or never. */
  drop(away: number | undefined): void {
    this.#world.trace.add(this.name, `drops at ${this.#cursor}${away === undefined ? " for good" : ""}`);
    if (away === undefined) this.#gaveUp = true;
    this.#away = away;
    this.#hangUp?.();
  }

  /** Reads over one connection. Resolves when either side has closed it. */
  #connect(process: SimulatedProcess): Promise<void> {
    return new Promise((resolve) => {
      const controller = new AbortController();
      const { scheduler } = this.#world;
      let isOpen = true;
      const end = (): void => {
        isOpen = false;
        this.#hangUp = undefined;
        process.connections.delete(end);
        resolve();
      };
      this.#hangUp = () => {
        end();
        // The process notices the closed connection after a delay.
        scheduler.after(this.#world.random.skewed(0, 50), process.owner, () => controller.abort(left));
      };
      process.connections.add(end);
      this.#world.trace.add(this.name, `reads run ${this.#root.key} from ${process.name} after ${this.#cursor}`);
      scheduler.after(this.#world.random.skewed(0.1, 20), process.owner, () => {
        const isReading = (): boolean => isOpen;
        this.#serve(process, controller.signal, isReading).then(
          () => isOpen && end(),
          (error: unknown) => {
            if (!mayRetry(error)) this.#fail("error", `could not read: ${error}`);
            if (isOpen) end();
          },
        );
      });
    });
  }

  /** The process's side of a connection, as in the resume route. */
  async #serve(process: SimulatedProcess, signal: AbortSignal, isReading: () => boolean): Promise<void> {
    const run = await process.store.findRun(system, this.#root.runId);
    if (!isReading()) return;
    if (!run) return this.#gone();
    for await (const item of process.logs.follow(run.key, { cursor: this.#cursor, signal })) {
      if (!isReading()) return;
      if (this.#take(item)) return;
      if (this.#traits.slow > 0) await process.runtime.clock.sleep(this.#traits.slow);
    }
  }

  /** Whether the client needs no more events. */
  #take(item: LogItem): boolean {
    const root = this.#root;
    if (item.kind === "frames") this.#takeFrames(item);
    else if (item.kind === "deleted") this.#gone();
    else if (item.kind === "gap") {
      if (item.requested !== this.#cursor + 1 || item.firstAvailable !== root.firstKept)
        this.#fail(
          "L4",
          `asked for ${this.#cursor + 1} of ${root.firstKept}… and received the gap ${JSON.stringify(item)}`,
        );
      this.#cursor = item.firstAvailable - 1;
    } else if (item.kind === "end") {
      if (item.status !== root.status)
        this.#fail("L2", `received the status ${item.status}, but the run is ${root.status}`);
      if (this.#cursor + 1 !== root.frames.length)
        this.#fail("L3", `received the end at ${this.#cursor}, but the log has ${root.frames.length} events`);
      this.#world.trace.add(this.name, `has all of run ${root.key}`);
      this.#isOver = true;
    }
    return item.kind !== "frames" && item.kind !== "gap";
  }

  #takeFrames({ first, last, bytes }: Extract<LogItem, { kind: "frames" }>): void {
    const { frames, firstKept } = this.#root;
    if (first !== this.#cursor + 1) {
      const check = this.#cursor + 1 < firstKept ? "L4" : "L3";
      this.#fail(check, `has events up to ${this.#cursor} and received ${first} to ${last}`);
    }
    const given = splitFrames(bytes.toString());
    if (given.length !== last - first + 1) this.#fail("L3", `received ${given.length} frames as ${first} to ${last}`);
    for (const [place, frame] of given.entries()) {
      const stored = frames[first + place];
      if (stored === undefined) this.#fail("L2", `received event ${first + place}, which is not stored`);
      else if (stored !== frame)
        this.#fail("L3", `received ${JSON.stringify(frame)}, but ${JSON.stringify(stored)} is stored`);
    }
    this.#world.counts.read += given.length;
    this.#cursor = last;
  }

  #gone(): void {
    if (!this.#root.deleted) this.#fail("L2", "received that the run is deleted, but it is stored");
    this.#isOver = true;
  }

  #fail(check: string, message: string): void {
    this.#world.guarantees.fail(check, `${this.name} of run ${this.#root.key} ${message}.`);
  }
}
