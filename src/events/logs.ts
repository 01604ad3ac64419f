/**
 * Reads logs: one loop serves live, remembered and stored events (docs/protocol.md). The order matters: first read the log's head, then its events up
 * to that position. Only that same head may decide that the run has ended.
 */
import { isUnavailable, TroupeError } from "../errors.ts";
import { framesBefore, framesFrom } from "../model/frame.ts";
import { isOver, isTerminal, type RunStatus } from "../model/run/run.ts";
import type { Runtime } from "../model/runtime.ts";
import type { Settings } from "../model/settings.ts";
import type { Signals } from "../store/contract/signals.ts";
import type { RunHead, Store } from "../store/contract/store.ts";
import type { LiveLogs } from "./live-log.ts";
import type { FollowOptions, LogItem, RunLogs } from "./run-logs.ts";
import { type Waiter, Waiters } from "./waiters.ts";

/** Dependencies for reading logs. */
export interface LogsParts {
  readonly store: Store;
  readonly signals: Signals;
  readonly runtime: Runtime;
  readonly settings: Settings;
  readonly live: LiveLogs;
}

/** Bytes requested from the table at a time. */
const readBytes = 256 * 1024;

/**
 * A log counts as unreadable after this many consecutive reads with a hole: a log that is deleted or shortened meanwhile shows a hole once or twice.
 */
const maxHoles = 10;

const refusals = {
  outage: "The database does not answer.",
  shutdown: "The server is shutting down.",
} as const;

type Frames = Extract<LogItem, { kind: "frames" }>;
type Head = Pick<RunHead, "status" | "nextIndex" | "firstKept">;

export class Logs implements RunLogs {
  readonly #parts: LogsParts;
  readonly #waiters = new Waiters();
  readonly #unlisten: () => void;
  #interrupted: "outage" | "shutdown" | undefined;
  #followers = 0;

  constructor(parts: LogsParts) {
    this.#parts = parts;
    this.#unlisten = parts.signals.listen((signal) => {
      if (signal.topic === "deleted") parts.live.forgetRun(signal.key);
      if (signal.topic === "run" || signal.topic === "deleted") this.#waiters.wake(signal.key);
      else if (signal.topic === "all") this.#waiters.wakeAll();
    });
  }

  /** Number of reads that follow a run now. */
  get followers(): number {
    return this.#followers;
  }

  /** Ends all reads with their cursor, until `resume` is called. */
  interrupt(reason: "outage" | "shutdown"): void {
    this.#interrupted = reason;
    this.#waiters.wakeAll();
  }

  /** Accepts readers again after an outage. */
  resume(): void {
    this.#interrupted = undefined;
  }

  close(): void {
    this.interrupt("shutdown");
    this.#unlisten();
  }

  async head(key: number): Promise<RunHead | undefined> {
    if (this.#interrupted) throw new TroupeError("unavailable", refusals[this.#interrupted], { retryAfter: 1 });
    return await this.#parts.store.head(key);
  }

  async *follow(
    key: number,
    { cursor, signal, acrossPauses = false }: FollowOptions,
  ): AsyncGenerator<LogItem, void, void> {
    const waiter = this.#waiters.subscribe(key);
    const leave = (): void => waiter.wake();
    signal.addEventListener("abort", leave, { once: true });
    this.#followers++;
    let last = Math.max(cursor, -1);
    let isWatched = false;
    let holes = 0;
    let hasRead = false;
    try {
      while (!signal.aborted) {
        waiter.clear();
        if (this.#interrupted && !this.#mayFinish(key)) return yield { kind: "interrupted", reason: this.#interrupted };
        const head = this.#liveHead(key) ?? (await this.#storedHead(key));
        if (head === "away") {
          await this.#wait(waiter, this.#parts.settings.followPollInterval);
          continue;
        }
        if (head === "unreadable") return yield { kind: "unreadable" };
        if (!head) return yield { kind: "deleted" };
        if (last + 1 < head.firstKept) {
          yield { kind: "gap", requested: last + 1, firstAvailable: head.firstKept };
          last = head.firstKept - 1;
        }
        // The database lost events that this reader has: what follows them in the log is not their continuation.
        if (hasRead && last >= head.nextIndex) return yield this.#unreadable(key, new Error("The log became shorter."));
        while (last + 1 < head.nextIndex) {
          const frames = this.#liveFrames(key, last, head.nextIndex) ?? (await this.#storedFrames(key, last, head));
          if (frames === "unreadable") return yield { kind: "unreadable" };
          if (!frames) break;
          holes = 0;
          yield frames;
          last = frames.last;
          hasRead = true;
          if (signal.aborted) return;
        }
        if (last + 1 < head.nextIndex) {
          if (++holes === maxHoles) return yield this.#unreadable(key, new Error("The log has a hole."));
          await this.#wait(waiter, this.#parts.settings.followPollInterval);
        } else if (this.#parts.live.get(key)?.hasFailed) return yield { kind: "unreadable" };
        else if (ends(head.status, acrossPauses)) return yield { kind: "end", status: head.status };
        else if (this.#parts.live.get(key)) await this.#wait(waiter, undefined);
        else if (isWatched) await this.#wait(waiter, this.#parts.settings.followPollInterval);
        // After this, the writing process signals its writes; the next head read finds what it wrote before.
        else isWatched = await this.#watch(key, waiter);
      }
    } finally {
      signal.removeEventListener("abort", leave);
      waiter.close();
      this.#followers--;
    }
  }

  /** Whether the run ended just before this process shuts down: its readers then get the rest of its events. */
  #mayFinish(key: number): boolean {
    const live = this.#parts.live.get(key);
    return this.#interrupted === "shutdown" && live !== undefined && isTerminal(live.status);
  }

  /** Head of the log of a run that this process writes. */
  #liveHead(key: number): Head | undefined {
    const live = this.#parts.live.get(key);
    return live && { status: live.status, nextIndex: live.nextIndex, firstKept: live.firstKept };
  }

  /** Head of any other run's log, from the table; `away` while the database does not respond. */
  async #storedHead(key: number): Promise<Head | undefined | "away" | "unreadable"> {
    try {
      return await this.#parts.store.head(key);
    } catch (error) {
      if (!isUnavailable(error)) return this.#unreadable(key, error).kind;
      this.#parts.runtime.log.warn({ error, runKey: key }, "The head of a run's log could not be read; trying again.");
      return "away";
    }
  }

  /** Subscribes to signals about a run that another process writes. Returns false, after a wait, while the database does not respond. */
  async #watch(key: number, waiter: Waiter): Promise<boolean> {
    try {
      if (this.#parts.store.capabilities.replicas) await this.#parts.store.watch(key);
      return true;
    } catch (error) {
      this.#parts.runtime.log.warn({ error, runKey: key }, "A run could not be watched; trying again.");
      await this.#wait(waiter, this.#parts.settings.followPollInterval);
      return false;
    }
  }

  /** Frames from `cursor + 1` up to before `until`, from memory. */
  #liveFrames(key: number, cursor: number, until: number): Frames | undefined {
    const remembered = this.#parts.live.get(key)?.ring.after(cursor);
    return remembered && bounded(remembered, until);
  }

  /** The same frames from the table; undefined while the table cannot be read. */
  async #storedFrames(key: number, cursor: number, head: Head): Promise<Frames | undefined | "unreadable"> {
    const { status, nextIndex: until } = head;
    try {
      const segments = await this.#parts.store.segments(key, cursor, readBytes, isTerminal(status));
      const first = segments[0];
      const last = segments.at(-1);
      if (!first || !last || first.firstIndex > cursor + 1) {
        // The table no longer has these events: the log in memory is out of date.
        this.#parts.live.forgetFinished(key);
        return undefined;
      }
      const parts = segments.map(({ frames }) => frames);
      parts[0] = framesFrom(first.frames, first.firstIndex, cursor + 1);
      return bounded(
        { first: cursor + 1, last: last.lastIndex, bytes: parts.length === 1 ? parts[0] : Buffer.concat(parts) },
        until,
      );
    } catch (error) {
      if (!isUnavailable(error)) return this.#unreadable(key, error).kind;
      this.#parts.runtime.log.warn({ error, runKey: key }, "A run's events could not be read; trying again.");
      return undefined;
    }
  }

  #unreadable(key: number, error: unknown): Extract<LogItem, { kind: "unreadable" }> {
    this.#parts.runtime.log.error({ error, runKey: key }, "A run's events cannot be read; its readers get an error.");
    return { kind: "unreadable" };
  }

  /** Resolves at the next wake-up, or after `milliseconds` when given. */
  #wait(waiter: Waiter, milliseconds: number | undefined): Promise<void> {
    if (milliseconds === undefined) return new Promise((resolve) => waiter.wait(resolve));
    return new Promise((resolve) => {
      const stop = this.#parts.runtime.clock.after(milliseconds, resolve);
      waiter.wait(() => {
        stop();
        resolve();
      });
    });
  }
}

function ends(status: RunStatus, acrossPauses: boolean): boolean {
  return acrossPauses ? isTerminal(status) : isOver(status);
}

function bounded(read: { first: number; last: number; bytes: Buffer }, until: number): Frames {
  if (read.last < until) return { kind: "frames", ...read };
  return { kind: "frames", first: read.first, last: until - 1, bytes: framesBefore(read.bytes, read.first, until) };
}
